/* Random models around a fitted one. Parameters of a model are not independent: what a message
 * takes as a whole is known far better than its parts, so models that split times into parts draw
 * the whole and let the last part make up for the others (cpm_model_type.draw). */
#include "models/draws.h"
#include "models/allocate.h"
#include "models/predict.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cpm_random {
    gsl_rng *gsl;
};

struct cpm_draws {
    cpm_model **at;
    int count;
};

/* Errors are drawn at half the width of an interval, where models are still about linear, and what
 * comes of them is doubled. */
static const double part_of_half = 0.5;

double cpm_draw_error(cpm_random *random, double half)
{
    return isnan(half) ? 0 : gsl_ran_gaussian(random->gsl, part_of_half * half);
}

double cpm_half_without(double whole, double part, double other)
{
    double left =
        whole * whole - (isnan(part) ? 0 : part * part) - (isnan(other) ? 0 : other * other);
    return isnan(whole) ? NAN : sqrt(fmax(0, left));
}

/* Every parameter for itself. */
static void draw_each(const cpm_model *m, cpm_random *random, cpm_model *out)
{
    for (int p = 0; p < m->type->count; p++) {
        size_t count = cpm_parameter_all_values(m, p);
        for (size_t at = 0; at < count; at++) {
            double value = m->value[p][at] + cpm_draw_error(random, m->ci[p][at]);
            out->value[p][at] = m->type->parameters[p].may_be_negative ? value : fmax(0, value);
            if (isnan(m->value[p][at]))
                out->value[p][at] = NAN;
        }
    }
}

static bool has_intervals(const cpm_model *m)
{
    for (int p = 0; p < m->type->count; p++) {
        size_t count = cpm_parameter_all_values(m, p);
        for (size_t at = 0; at < count; at++)
            if (m->ci[p][at] > 0)
                return true;
    }
    return false;
}

static int copy_values(const cpm_model *m, cpm_model **out, cpm_error *e)
{
    int status = cpm_model_create_like(m, &m->classes, out, e);
    if (!status)
        status = cpm_model_copy_hosts(m, *out, e);
    if (!status)
        status = cpm_model_set_switches(*out, &m->switches, e);
    if (!status)
        status = cpm_model_set_links(*out, &m->links, e);
    for (int p = 0; p < m->type->count && !status; p++)
        memcpy((*out)->value[p], m->value[p], cpm_parameter_all_values(m, p) * sizeof(double));
    return status;
}

static int draw_all(const cpm_model *m, cpm_draws *d, int count, cpm_random *random, cpm_error *e)
{
    int status = CPM_OK;
    for (; d->count < count && !status; d->count += !status) {
        status = copy_values(m, &d->at[d->count], e);
        if (!status)
            (m->type->draw ? m->type->draw : draw_each)(m, random, d->at[d->count]);
    }
    return status;
}

int cpm_draws_create(const cpm_model *m, int count, unsigned long seed, cpm_draws **out,
                     cpm_error *e)
{
    *out = NULL;
    if (!has_intervals(m))
        return CPM_OK;
    cpm_draws *d = calloc(1, sizeof *d);
    cpm_random random = {gsl_rng_alloc(gsl_rng_mt19937)};
    int status = CPM_OK;
    if (d)
        d->at = calloc((size_t)count, sizeof(cpm_model *));
    if (!d || !random.gsl || !d->at)
        status = cpm_no_memory(e);
    if (!status) {
        gsl_rng_set(random.gsl, seed);
        status = draw_all(m, d, count, &random, e);
    }
    if (random.gsl)
        gsl_rng_free(random.gsl);
    if (status)
        cpm_draws_free(d);
    else
        *out = d;
    return status;
}

void cpm_draws_free(cpm_draws *d)
{
    if (!d)
        return;
    for (int k = 0; k < d->count; k++)
        cpm_model_free(d->at[k]);
    free(d->at);
    free(d);
}

double cpm_draws_half(const cpm_draws *d, const cpm_collective *c, size_t bytes,
                      const cpm_walking *how, cpm_error *e)
{
    double half = 0, *seconds = calloc((size_t)d->count, sizeof *seconds);
    if (!seconds)
        return cpm_no_memory(e);
    for (int k = 0; k < d->count && half >= 0; k++) {
        seconds[k] = cpm_predict_bytes(d->at[k], c, bytes, how, NULL, e);
        half = seconds[k] < 0 ? seconds[k] : 0;
    }
    if (half >= 0)
        half = gsl_stats_sd(seconds, 1, (size_t)d->count) / part_of_half;
    free(seconds);
    return half;
}

/* Sums of what one drawn model departs by, and of its squares. */
static void add_departures(const cpm_model *m, const cpm_model *drawn, const cpm_message *at,
                           int count, double *sum, double *squares)
{
    for (int k = 0; k < count; k++) {
        const cpm_message *t = &at[k];
        double by = cpm_model_p2p(drawn, t->from, t->to, t->bytes) -
                    cpm_model_p2p(m, t->from, t->to, t->bytes);
        sum[k] += by;
        squares[k] += by * by;
    }
}

int cpm_draws_messages(const cpm_model *m, int draws, const cpm_message *at, int count,
                       double *half, cpm_error *e)
{
    int status = CPM_OK;
    double *sum = calloc((size_t)count + 1, sizeof *sum);
    if (!sum)
        return cpm_no_memory(e);
    memset(half, 0, (size_t)count * sizeof *half);
    for (int k = 0; k < draws && !status; k++) {
        cpm_draws *one;
        status = cpm_draws_create(m, 1, (unsigned long)k + 1, &one, e);
        if (!status && one)
            add_departures(m, one->at[0], at, count, sum, half);
        cpm_draws_free(one);
    }
    for (int k = 0; k < count; k++)
        half[k] = sqrt(fmax(0, (half[k] - sum[k] * sum[k] / draws) / (draws - 1))) / part_of_half;
    free(sum);
    return status;
}
