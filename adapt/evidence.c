/* Paired calls, and tests of them with a level that is spent on looks. */
#include "adapt/evidence.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_float.h>
#include <gsl/gsl_statistics.h>
#include <gsl/gsl_statistics_float.h>
#include <math.h>
#include <string.h>

#include "base/rank_tests.h"

static const double odd = 2;       /* times the median */
static const double spacing = 1.5; /* each look needs so many times as many pairs */
static const double before = 4;    /* pairs: what others' noise counts as */
enum { FEW = 4 };                  /* calls by which what one takes is known at all */

/* ---- pairs */

/* Sum of values, odd ones as twice the median. */
static double clipped_sum(const float *values, size_t count)
{
    float sorted[ADAPT_PAIRS];
    double sum = 0;
    memcpy(sorted, values, count * sizeof *values);
    gsl_sort_float(sorted, 1, count);
    const double most = odd * gsl_stats_float_median_from_sorted_data(sorted, 1, count);
    for (size_t k = 0; k < count; k++)
        sum += fmin((double)values[k], most);
    return sum;
}

static void take_logarithms(const adapt_pairs *p, double out[ADAPT_PAIRS])
{
    for (int k = 0; k < p->count; k++)
        out[k] = log((double)p->own[k] / (double)p->other[k]);
}

static void summarize(adapt_pairs *p)
{
    double logarithms[ADAPT_PAIRS];
    const size_t n = (size_t)p->count;
    if (!n)
        return;
    take_logarithms(p, logarithms);
    p->ratio = clipped_sum(p->own, n) / clipped_sum(p->other, n);
    p->raw = gsl_stats_float_mean(p->own, 1, n) / gsl_stats_float_mean(p->other, 1, n);
    p->spread = n > 1 ? gsl_stats_sd(logarithms, 1, n) : 0;
}

void adapt_pairs_add(adapt_pairs *p, const double *own, const double *other, int count, double most)
{
    for (int k = 0; k < count && p->count < ADAPT_PAIRS; k++) {
        const float x = (float)own[k], y = (float)other[k];
        if (!(x > 0 && y > 0 && own[k] <= most && other[k] <= most))
            continue;
        p->own[p->count] = x;
        p->other[p->count++] = y;
    }
    summarize(p);
}

/* Of both calls of a pair. */
static double spread_with(const adapt_pairs *p, double varying)
{
    double own = fmax(0, p->count - 1);
    return sqrt((own * p->spread * p->spread + before * 2 * varying * varying) / (own + before));
}

double adapt_pairs_error(const adapt_pairs *p, double varying)
{
    return p->count ? p->ratio * spread_with(p, varying) / sqrt(p->count) : INFINITY;
}

static double freedom_of(const adapt_pairs *p)
{
    return before + fmax(0, p->count - 1);
}

double adapt_pairs_bound(const adapt_pairs *p, double varying)
{
    return gsl_cdf_tdist_Qinv(adapt_level_of_one, freedom_of(p)) * adapt_pairs_error(p, varying);
}

/* ---- looks */

/* The parts of all k are 1 in all. */
static double part_of(int k)
{
    return 6 / (M_PI * M_PI * k * k);
}

double adapt_level_of_trial(int j)
{
    return adapt_level * part_of(j);
}

/* Own is known not to time out, and the other does: nothing else needs to be asked. */
static bool only_rates(const adapt_question *q)
{
    return q->calm && round(q->other.timeouts) > 0;
}

/* What a look may spend; where the other times out two tests share it. */
static double part_of_look(const adapt_question *q, int looks)
{
    const bool share = round(q->other.timeouts) > 0 && !q->calm;
    return q->level * part_of(looks + 1) / (share ? 2 : 1);
}

int adapt_next_look(const adapt_pairs *p, const adapt_question *q)
{
    double first = only_rates(q) ? FEW : -log2(part_of_look(q, 0));
    return (int)ceil(first * pow(spacing, p->looks));
}

static double p_of_pairs(const adapt_pairs *p)
{
    double logarithms[ADAPT_PAIRS], out = 1;
    take_logarithms(p, logarithms);
    return cpm_signed_rank_less(logarithms, p->count, &out, NULL) ? 1 : out;
}

static double variance_of_logarithms(const float *values, int count)
{
    double logarithms[ADAPT_PAIRS];
    for (int k = 0; k < count; k++)
        logarithms[k] = log((double)values[k]);
    return gsl_stats_variance(logarithms, 1, (size_t)count);
}

/* By Student's t of Cox's estimate: the mean of logarithms and half their variance. */
static double p_of_means(const adapt_pairs *p)
{
    double x = variance_of_logarithms(p->own, p->count),
           y = variance_of_logarithms(p->other, p->count);
    double logarithms[ADAPT_PAIRS], n = p->count;
    take_logarithms(p, logarithms);
    double less = gsl_stats_mean(logarithms, 1, (size_t)p->count) + (x - y) / 2;
    double error = sqrt(p->spread * p->spread / n + (x * x + y * y) / (2 * (n - 1)));
    return gsl_cdf_tdist_P(less / error, n - 1);
}

/* P(at most so many of own's calls time out), if each of all calls had the same chance. */
static double p_of_rates(const adapt_rate *own, const adapt_rate *other)
{
    double timeouts = round(own->timeouts) + round(other->timeouts);
    double calls = round(own->calls), all = fmax(timeouts, calls + round(other->calls));
    return gsl_cdf_hypergeometric_P((unsigned)round(own->timeouts), (unsigned)timeouts,
                                    (unsigned)(all - timeouts), (unsigned)calls);
}

/* P(the other would time out so often), if that made both take the same time. */
static double p_of_calm(const adapt_question *q)
{
    return gsl_cdf_binomial_Q((unsigned)round(q->other.timeouts) - 1, fmin(1, fmax(0, q->worth)),
                              (unsigned)q->other.calls);
}

static bool rates_differ(adapt_pairs *p, const adapt_question *q)
{
    const double part = part_of_look(q, p->looks_at_rates);
    const adapt_rate none = {q->own.calls, 0},
                     all = {q->other.calls, q->other.timeouts + q->own.timeouts};
    if (!(round(q->other.timeouts) > 0) || q->own.calls < FEW)
        return false;
    if (!q->calm && p_of_rates(&none, &all) > part)
        return false;
    p->looks_at_rates++;
    return (q->calm ? p_of_calm(q) : p_of_rates(&q->own, &q->other)) <= part;
}

bool adapt_look_at(adapt_pairs *p, const adapt_question *q)
{
    bool is_sure = rates_differ(p, q);
    if (!only_rates(q) && p->count >= adapt_next_look(p, q)) {
        double likely = fmax(p_of_pairs(p), p_of_means(p));
        is_sure = likely <= part_of_look(q, p->looks++) || is_sure;
    }
    return is_sure;
}

/* Bound of a rate, the least or the most (E. Wilson, J. Am. Stat. Assoc. 22, 1927). */
static double bound_of_rate(const adapt_rate *r, bool least)
{
    double n = fmax(1, r->calls), p = fmin(1, r->timeouts / n);
    double z = gsl_cdf_ugaussian_Qinv(adapt_level_of_one), half = z * z / (2 * n);
    double off = z * sqrt(p * (1 - p) / n + half * half / (z * z));
    return (p + half + (least ? -off : off)) / (1 + 2 * half);
}

bool adapt_rates_can_decide(const adapt_question *q)
{
    if (!(round(q->other.timeouts) > 0))
        return false;
    const double more = ADAPT_PAIRS, rate = bound_of_rate(&q->other, false);
    const adapt_rate own = {more, fmax(0, bound_of_rate(&q->own, true)) * more},
                     all = {q->other.calls + more, q->other.timeouts + rate * more};
    return q->calm || p_of_rates(&own, &all) <= part_of_look(q, 0);
}
