/* What all messages of a size have in common, where regimes are others. diff_messages.c takes that
 * for error, and where regimes match, slices as a whole show it. One machine's regimes may be found
 * at other sizes, though, and its lines bend there, so only what is large counts. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "diagnose/diff_parts.h"

/* The median of a normal score's absolute value. */
static const double usual = 0.6745;

double cpm_diff_departure(const cpm_diff_work *c, const cpm_diff_trip *t)
{
    double half = cpm_model_p2p(c->a, t->of.from, t->of.to, t->of.bytes / 2);
    double twice = cpm_model_p2p(c->a, t->of.from, t->of.to, 2 * t->of.bytes);
    double least = fmin(t->from, fmin(half, twice)), most = fmax(t->from, fmax(half, twice));
    if (!(least > 0) || !(t->to > 0))
        return 0;
    return fmax(0, log(t->to / most)) + fmin(0, log(t->to / least));
}

/* Of the messages of a kind. */
typedef struct {
    double departure, error; /* medians */
    double spread;           /* of departures */
    int count;
} common;

/* out[], work[]: of all messages. */
static common find_common(const cpm_diff_work *c, const cpm_diff_common *k, double *out,
                          double *work)
{
    common of = {0};
    for (int q = 0; q < c->r->trip_count; q++) {
        const cpm_diff_trip *t = &c->r->trips[q];
        if (!cpm_diff_is_of(c, t, k->bytes, k->level))
            continue;
        work[of.count] = t->from > 0 ? t->error / t->from : INFINITY;
        out[of.count++] = cpm_diff_departure(c, t);
    }
    if (!of.count)
        return of;
    of.error = cpm_median(work, of.count);
    of.departure = cpm_median(out, of.count);
    for (int q = 0; q < of.count; q++)
        work[q] = fabs(out[q] - of.departure);
    of.spread = cpm_median(work, of.count) / usual;
    return of;
}

/* The chance that messages take half as long again by errors alone. Their errors may be common to
 * all of them; of n classes n/2 pairs differ independently. */
static double chance(const cpm_diff_work *c, const common *of)
{
    int pairs = c->a->classes.count / 2;
    double beyond = fabs(of->departure) - log1p(CPM_DIFF_LONGER);
    if (!of->count || pairs < 2 || beyond <= 0)
        return 1;
    double error = hypot(of->error, of->spread / sqrt(pairs));
    return error > 0 ? fmin(1, 2 * gsl_cdf_tdist_Q(beyond / error, pairs - 1)) : 0;
}

static bool has_other_regimes(const cpm_diff_work *c)
{
    for (int p = 0; p < c->a->type->count; p++)
        if (c->r->of[p].unmatched)
            return true;
    return false;
}

int cpm_diff_test_common(cpm_diff_work *c, const cpm_sizes *sizes, cpm_error *e)
{
    if (!has_other_regimes(c))
        return CPM_OK;
    double *out = malloc(2 * ((size_t)c->r->trip_count + 1) * sizeof *out);
    c->common = malloc((size_t)sizes->count * CPM_LEVELS * sizeof *c->common);
    if (!out || !c->common) {
        free(out);
        return cpm_no_memory(e);
    }
    for (int s = 0; s < sizes->count; s++)
        for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS; level++) {
            cpm_diff_common k = {.bytes = sizes->at[s], .level = level};
            common of = find_common(c, &k, out, out + c->r->trip_count);
            k.p = chance(c, &of);
            k.longer = of.departure > 0;
            if (of.count)
                c->common[c->common_count++] = k;
        }
    free(out);
    return CPM_OK;
}
