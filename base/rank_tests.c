/* Tests of ranks, estimates of shift, and comparisons of many. */
#include "base/rank_tests.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_distributions.h"

enum { EXACT_BELOW = 50 }; /* values, as in R */

static int check_values(const double *x, int n, cpm_error *e)
{
    if (n < 1)
        return cpm_fail(e, CPM_EINVAL, "a test of ranks needs at least 1 value, not %d", n);
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return cpm_fail(e, CPM_EINVAL, "value %d of a test of ranks is not finite: %g", i + 1,
                            x[i]);
    return CPM_OK;
}

static int check_level(double confidence, cpm_error *e)
{
    if (confidence > 0 && confidence < 1)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL, "confidence %g is not between 0 and 1", confidence);
}

/* ---- ranks */

/* A statistic of ranks, and what it would be without a shift. */
typedef struct {
    double at, mean, variance;
    int m, n; /* values of the two samples */
    bool exact;
} standing;

/* rank[n]: from 1 on, equal values share the mean of theirs. Returns the sum of t^3 - t over groups
 * of t equal values. order[n]: of the values, ascending. */
static double share_ranks(const double *value, const size_t *order, size_t n, double *rank)
{
    double ties = 0;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && value[order[j]] == value[order[i]];)
            j++;
        double t = (double)(j - i);
        ties += t * t * t - t;
        for (size_t k = i; k < j; k++)
            rank[order[k]] = ((double)i + (double)j + 1) / 2;
    }
    return ties;
}

/* *rank[n] is the caller's. */
static int ranks_of(const double *value, size_t n, double **rank, double *ties, cpm_error *e)
{
    size_t *order = malloc(n * sizeof *order);
    double *ranks = order ? malloc(n * sizeof *ranks) : NULL;
    if (!ranks) {
        free(order);
        return cpm_no_memory(e);
    }
    gsl_sort_index(order, value, 1, n);
    *ties = share_ranks(value, order, n, ranks);
    *rank = ranks;
    free(order);
    return CPM_OK;
}

/* ---- tests */

/* Two-sided, by the normal approximation. */
static double p_by_normal(const standing *s)
{
    double far = fabs(s->at - s->mean) - 0.5;
    return s->variance > 0 && far > 0 ? 2 * gsl_cdf_ugaussian_Q(far / sqrt(s->variance)) : 1;
}

/* The same by the distribution, which is symmetric. */
static int p_by_distribution(const standing *s, double *p, cpm_error *e)
{
    int status = cpm_rank_sum_p(fmin(s->at, 2 * s->mean - s->at), s->m, s->n, p, e);
    if (!status)
        *p *= 2;
    return status;
}

/* Two-sided. */
static int p_of(const standing *s, double *p, cpm_error *e)
{
    *p = p_by_normal(s);
    int status = s->exact ? p_by_distribution(s, p, e) : CPM_OK;
    *p = fmin(1, *p);
    return status;
}

/* *end: the k of the interval from the k-th smallest to the k-th largest. */
static int judge(const standing *s, double confidence, cpm_rank_test *out, double *end,
                 cpm_error *e)
{
    double z = gsl_cdf_ugaussian_Pinv(0.5 + confidence / 2);
    out->statistic = s->at;
    out->exact = s->exact;
    *end = floor(s->mean + 0.5 - z * sqrt(s->variance));
    int status = p_of(s, &out->p, e);
    return status || !s->exact ? status
                               : cpm_rank_sum_quantile((1 - confidence) / 2, s->m, s->n, end, e);
}

/* ---- the k-th of all differences, of which there are too many to keep */

typedef struct {
    const double *x, *y; /* [m], [n] ascending */
    int64_t m, n;
} pairs;

static int64_t differences_up_to(const pairs *p, double most)
{
    int64_t count = 0, j = 0;
    for (int64_t i = 0; i < p->m; i++) {
        while (j < p->n && p->x[i] - p->y[j] > most)
            j++;
        count += p->n - j;
    }
    return count;
}

/* Whole numbers in the order of the doubles. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    double value;
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The k-th smallest, k from 1 on: the least number that so many are not more than. */
static double pair_at(const pairs *p, int64_t k)
{
    uint64_t low = key_of(-INFINITY), high = key_of(INFINITY);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (differences_up_to(p, value_of(middle)) >= k)
            high = middle;
        else
            low = middle;
    }
    return value_of(high) + 0.0; /* not -0 */
}

/* The interval from the k-th smallest to the k-th largest; k below 1: the whole range. */
static void estimate(const pairs *p, double k, cpm_rank_test *out)
{
    int64_t all = p->m * p->n, first = k < 1 ? 1 : (int64_t)k, half = (all + 1) / 2;
    double median = pair_at(p, half);
    if (all % 2 == 0)
        median = (median + pair_at(p, half + 1)) / 2;
    first = first < half ? first : half;
    out->shift = median;
    out->low = pair_at(p, first);
    out->high = pair_at(p, all + 1 - first);
}

static double *sorted_copy(const double *x, int n, cpm_error *e)
{
    double *sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted) {
        cpm_no_memory(e);
        return NULL;
    }
    memcpy(sorted, x, (size_t)n * sizeof *sorted);
    gsl_sort(sorted, 1, (size_t)n);
    return sorted;
}

/* ---- two samples */

static int check_two(const double *x, int m, const double *y, int n, cpm_error *e)
{
    int status = check_values(x, m, e);
    return status ? status : check_values(y, n, e);
}

static int ranks_of_two(const double *x, int m, const double *y, int n, double **rank, double *ties,
                        cpm_error *e)
{
    size_t all = (size_t)m + (size_t)n;
    double *value = malloc(all * sizeof *value);
    if (!value)
        return cpm_no_memory(e);
    memcpy(value, x, (size_t)m * sizeof *value);
    memcpy(value + m, y, (size_t)n * sizeof *value);
    int status = ranks_of(value, all, rank, ties, e);
    free(value);
    return status;
}

/* Without a shift; ties: the sum of t^3 - t. */
static standing two(int m, int n, double ties)
{
    double all = (double)m + n, both = (double)m * n;
    return (standing){.mean = both / 2,
                      .variance = both / 12 * (all + 1 - ties / (all * (all - 1))),
                      .m = m,
                      .n = n,
                      .exact = ties == 0 && m < EXACT_BELOW && n < EXACT_BELOW};
}

/* The rank sum of x, less the least that it can be. */
static int stand_against(const double *x, int m, const double *y, int n, standing *out,
                         cpm_error *e)
{
    double *rank = NULL, ties = 0, sum = 0;
    int status = ranks_of_two(x, m, y, n, &rank, &ties, e);
    if (status)
        return status;
    for (int i = 0; i < m; i++)
        sum += rank[i];
    free(rank);
    *out = two(m, n, ties);
    out->at = sum - m * (m + 1.0) / 2;
    return CPM_OK;
}

static int estimate_two(const double *x, int m, const double *y, int n, double end,
                        cpm_rank_test *out, cpm_error *e)
{
    double *first = sorted_copy(x, m, e);
    double *second = first ? sorted_copy(y, n, e) : NULL;
    if (second) {
        pairs p = {first, second, m, n};
        estimate(&p, end, out);
    }
    int status = second ? CPM_OK : CPM_ENOMEM;
    free(first);
    free(second);
    return status;
}

int cpm_rank_sum_test(const double *x, int m, const double *y, int n, double confidence,
                      cpm_rank_test *out, cpm_error *e)
{
    standing s;
    cpm_rank_test test;
    double end;
    int status = check_two(x, m, y, n, e);
    if (!status)
        status = check_level(confidence, e);
    if (!status)
        status = stand_against(x, m, y, n, &s, e);
    if (!status)
        status = judge(&s, confidence, &test, &end, e);
    if (!status)
        status = estimate_two(x, m, y, n, end, &test, e);
    if (!status)
        *out = test;
    return status;
}

int cpm_rank_sum_least(int m, int n, double *p, cpm_error *e)
{
    const standing apart = two(m, n, 0);
    return p_of(&apart, p, e);
}

/* ---- signed ranks */

/* By size; of equal ones those below 0 have the lower ranks. */
static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return fabs(x) != fabs(y) ? (fabs(x) > fabs(y)) - (fabs(x) < fabs(y)) : (x > y) - (x < y);
}

int cpm_signed_rank_less(const double *d, int n, double *p, cpm_error *e)
{
    double above = 0;
    int status = check_values(d, n, e);
    if (status)
        return status;
    double *sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted)
        return cpm_no_memory(e);
    memcpy(sorted, d, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    for (int k = 0; k < n; k++)
        above += sorted[k] >= 0 ? k + 1 : 0;
    free(sorted);
    if (n < EXACT_BELOW)
        return cpm_signed_rank_p(above, n, p, e);
    const double all = n, mean = all * (all + 1) / 4, variance = mean * (2 * all + 1) / 6;
    *p = gsl_cdf_ugaussian_P((above + 0.5 - mean) / sqrt(variance));
    return CPM_OK;
}

/* ---- many samples */

static double p_among(const standing *s, int k)
{
    return s->variance > 0 ? cpm_range_above(M_SQRT2 * fabs(s->at - s->mean) / sqrt(s->variance), k)
                           : 1;
}

int cpm_steel_dwass_test(const double *x, int m, const double *y, int n, int k, cpm_pair_test *out,
                         cpm_error *e)
{
    standing s;
    int status = check_two(x, m, y, n, e);
    if (!status && k < 2)
        status = cpm_fail(e, CPM_EINVAL, "a pair is of 2 samples or more, not of %d", k);
    if (!status)
        status = stand_against(x, m, y, n, &s, e);
    if (!status)
        *out = (cpm_pair_test){p_among(&s, k), s.at / (2 * s.mean)};
    return status;
}

double cpm_steel_dwass_least(int m, int n, int k)
{
    const standing apart = two(m, n, 0);
    return p_among(&apart, k);
}

int cpm_holm(double *p, int count, cpm_error *e)
{
    if (count < 1)
        return CPM_OK;
    size_t *order = malloc((size_t)count * sizeof *order);
    if (!order)
        return cpm_no_memory(e);
    gsl_sort_index(order, p, 1, (size_t)count);
    double largest = 0;
    for (int rank = 0; rank < count; rank++) {
        largest = fmax(largest, fmin(1, (count - rank) * p[order[rank]]));
        p[order[rank]] = largest;
    }
    free(order);
    return CPM_OK;
}
