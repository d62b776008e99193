#include "estimators/lmo2_memory.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "models/experiments.h"
#include "models/lmo2.h"

/* ---- pairs of a host */

/* The processes of a host. */
typedef struct {
    int *process;
    int count;
} host;

static int no_memory(cpm_error *e)
{
    return cpm_fail(e, CPM_ENOMEM, "no memory for the processes of hosts");
}

static int list_processes(const cpm_hosts *hosts, int h, host *out, cpm_error *e)
{
    *out = (host){malloc((size_t)hosts->n * sizeof *out->process), 0};
    if (!out->process)
        return no_memory(e);
    for (int i = 0; i < hosts->n; i++)
        if (hosts->of[i] == h)
            out->process[out->count++] = i;
    return CPM_OK;
}

/* Pair q of a host; turned: the second sends first. */
static cpm_experiment pair_of(const host *h, int q, bool turned, size_t bytes)
{
    int i = h->process[2 * q + turned], j = h->process[2 * q + !turned];
    cpm_experiment x = cpm_experiment_pair(CPM_CROWDED_TRIP, i, j, bytes, 0);
    x.count = h->count / 2;
    return x;
}

/* How many pairs of a host were measured. */
static int measured_pairs(const host *h, bool turned, size_t bytes, const cpm_measurements *m)
{
    int count = 0;
    for (int q = 0; q < h->count / 2; q++) {
        cpm_experiment x = pair_of(h, q, turned, bytes);
        count += cpm_measurements_find(m, &x) >= 0;
    }
    return count;
}

static bool is_measured(const host *h, bool turned, size_t bytes, const cpm_measurements *m)
{
    return measured_pairs(h, turned, bytes, m) == h->count / 2;
}

/* ---- planning */

static int add_host(const host *h, size_t bytes, const cpm_measurements *so_far, cpm_design *next,
                    cpm_error *e)
{
    int status = CPM_OK, pairs = h->count / 2;
    if (pairs < 2 || is_measured(h, false, bytes, so_far) || is_measured(h, true, bytes, so_far))
        return CPM_OK;
    bool turned = measured_pairs(h, false, bytes, so_far) > 0;
    for (int q = 0; q < pairs && !status; q++) {
        cpm_experiment x = pair_of(h, q, turned, bytes);
        status = cpm_design_add(next, &x, e);
    }
    return status;
}

int cpm_lmo2_memory_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                         cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int h = 0; h < hosts->count && !status; h++) {
        host one;
        status = list_processes(hosts, h, &one, e);
        if (!status)
            status = add_host(&one, bytes, so_far, next, e);
        free(one.process);
    }
    return status ? status : cpm_design_close_round(next, e);
}

/* ---- fitting */

/* The crowd of a host, as an experiment of these processes alone. */
typedef struct {
    cpm_model *model; /* of them */
    cpm_experiment *pair;
    double *seconds; /* [pairs] */
    int pairs;
    double measured, half; /* means over the pairs; seconds */
    cpm_error *e;
} crowd;

static void free_crowd(crowd *c)
{
    cpm_model_free(c->model);
    free(c->pair);
    free(c->seconds);
}

/* Two times that differ by less than this share and the measurement's interval are the same. */
static const double same = 0.005;

/* By how much the measured mean is above the model's if memory takes so long per byte, as a share
 * of what is tolerated. Negative status: failed. */
static int misses(crowd *c, double seconds_per_byte, double *off)
{
    double sum = 0;
    c->model->value[CPM_LMO2_MEMORY][0] = seconds_per_byte;
    int status = cpm_model_experiments(c->model, c->pair, c->pairs, c->seconds, c->e);
    for (int q = 0; q < c->pairs && !status; q++)
        sum += c->seconds[q] / c->pairs;
    *off = (c->measured - sum) / (same * c->measured + c->half);
    return status;
}

/* The capacity with which the model gives the measured mean. */
static int invert(crowd *c, double high, double *out)
{
    enum { HALVINGS = 40 };
    double low = 0, off;
    int status = CPM_OK;
    for (int step = 0; step < HALVINGS && !status; step++) {
        double middle = (low + high) / 2;
        status = misses(c, middle, &off);
        *(off > 0 ? &low : &high) = middle;
    }
    *out = (low + high) / 2;
    return status;
}

/* NaN: they do not share it. *told: false if it makes no difference that could be seen. */
static int find_capacity(crowd *c, double *out, bool *told)
{
    size_t last = (size_t)c->model->inside.count - 1;
    double alone = c->model->value[CPM_LMO2_INSIDE_INVBETA][last], apart, together;
    int status = misses(c, NAN, &apart);
    if (!status)
        status = misses(c, alone, &together);
    if (status)
        return status;
    *told = fabs(apart) > 1 || fabs(together) > 1;
    *out = fabs(apart) <= 1 ? NAN : alone;
    /* a memory as fast as one message says it best */
    if (fabs(apart) > 1 && fabs(together) > 1)
        status = invert(c, 2 * alone, out);
    return status;
}

static int take_pairs(const host *h, bool turned, size_t bytes, const cpm_measurements *m, crowd *c)
{
    for (int q = 0; q < c->pairs; q++) {
        cpm_experiment x = pair_of(h, q, turned, bytes);
        const cpm_measurement *r = &m->at[cpm_measurements_find(m, &x)];
        c->measured += cpm_measurement_value(r, m->statistic) / c->pairs;
        c->half += (r->summary.ci_high - r->summary.ci_low) / 2 / c->pairs / sqrt(c->pairs);
        x.i = 2 * q + turned;
        x.j = 2 * q + !turned;
        c->pair[q] = x;
    }
    return c->measured > 0 ? CPM_OK
                           : cpm_fail(c->e, CPM_EDATA, "crowded-trip experiments took no time");
}

static int judge_host(const host *h, size_t bytes, const cpm_measurements *measured,
                      const cpm_model *m, double *out, bool *told, cpm_error *e)
{
    bool straight = is_measured(h, false, bytes, measured);
    crowd c = {.pairs = h->count / 2, .e = e};
    *told = false;
    if (c.pairs < 2 || (!straight && !is_measured(h, true, bytes, measured)))
        return CPM_OK;
    c.pair = malloc((size_t)c.pairs * sizeof *c.pair);
    c.seconds = malloc((size_t)c.pairs * sizeof *c.seconds);
    int status = c.pair && c.seconds ? take_pairs(h, !straight, bytes, measured, &c) : no_memory(e);
    if (!status)
        status = cpm_model_subset(m, h->process, 2 * c.pairs, &c.model, e);
    if (!status)
        status = find_capacity(&c, out, told);
    free_crowd(&c);
    return status;
}

/* ---- all hosts */

typedef struct {
    int told, shared;
} verdicts;

static int note(const verdicts *v, int hosts, cpm_model *m, cpm_error *e)
{
    if (v->told)
        return cpm_note(&m->notes, e, "memory: messages inside share that of %d of %d hosts",
                        v->shared, hosts);
    return cpm_note(&m->notes, e,
                    "whether messages inside a host share its memory is not known: that takes two "
                    "pairs of processes at once on a host, and messages that are long enough");
}

int cpm_lmo2_memory_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                        cpm_model *m, cpm_error *e)
{
    double *value = m->value[CPM_LMO2_MEMORY];
    const double *alone =
        m->value[CPM_LMO2_INSIDE_INVBETA] + (size_t)(m->inside.count - 1) * (size_t)hosts->count;
    bool *told = calloc((size_t)hosts->count, sizeof *told);
    verdicts v = {0};
    int status = told ? CPM_OK : no_memory(e);
    for (int h = 0; h < hosts->count && !status; h++) {
        host one;
        status = list_processes(hosts, h, &one, e);
        if (!status)
            status = judge_host(&one, bytes, measured, m, &value[h], &told[h], e);
        free(one.process);
        v.told += told && told[h];
        v.shared += told && told[h] && !isnan(value[h]);
    }
    for (int h = 0; h < hosts->count && !status; h++)
        if (!told[h] && 2 * v.shared > v.told) {
            value[h] = alone[h];
            v.shared++;
        }
    free(told);
    return status ? status : note(&v, hosts->count, m, e);
}
