/* Location, spread and confidence of repeated times, by GSL. */
#include "base/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

static const char *const names[] = {
    [CPM_MEDIAN] = "median", [CPM_MEAN] = "mean", [CPM_MINIMUM] = "minimum"};

const char *cpm_statistic_named(int k)
{
    return k < (int)(sizeof names / sizeof *names) ? names[k] : NULL;
}

int cpm_statistic_parse(const char *text, cpm_statistic *s, cpm_error *e)
{
    int k;
    int status = cpm_names_find(cpm_statistic_named, "statistic", text, &k, e);
    if (!status)
        *s = (cpm_statistic)k;
    return status;
}

enum { MOST_REPS = 10000000 }; /* all are kept until their experiment is over */

int cpm_precision_check(const cpm_precision *p, cpm_error *e)
{
    if (p->min_reps < 1)
        return cpm_fail(e, CPM_EINVAL, "at least 1 repetition is needed, not %d", p->min_reps);
    if (p->max_reps > MOST_REPS)
        return cpm_fail(e, CPM_EINVAL, "at most %d repetitions are too many (up to %d)",
                        p->max_reps, MOST_REPS);
    if (p->max_reps < p->min_reps)
        return cpm_fail(e, CPM_EINVAL, "at most %d repetitions but at least %d", p->max_reps,
                        p->min_reps);
    if (!(p->confidence > 0 && p->confidence < 1))
        return cpm_fail(e, CPM_EINVAL, "confidence %g is not between 0 and 1", p->confidence);
    if (!(p->relative_error > 0 && p->relative_error < 1))
        return cpm_fail(e, CPM_EINVAL, "relative error %g is not between 0 and 1",
                        p->relative_error);
    if (!(p->max_seconds >= 0))
        return cpm_fail(e, CPM_EINVAL, "%g seconds for an experiment are not 0 or more",
                        p->max_seconds);
    return CPM_OK;
}

/* Student's t (thesis 3.1). Times are not negative. (Where 0 cuts the interval, half of it is at
 * least the mean, so this never makes a series look precise.) */
static void interval_of_mean(const double *sorted, int count, double confidence, cpm_summary *s)
{
    (void)sorted;
    double t = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, count - 1);
    double half = t * s->sd / sqrt(count);
    s->ci_low = fmax(0, s->mean - half);
    s->ci_high = s->mean + half;
}

/* The k-th smallest and k-th largest enclose the median with probability
 * 1 - 2 P(Binomial(count, 1/2) < k); the largest k that keeps the level. */
static void interval_of_median(const double *sorted, int count, double confidence, cpm_summary *s)
{
    int k = 0;
    while (k + 1 <= count / 2 &&
           gsl_cdf_binomial_P((unsigned)k, 0.5, (unsigned)count) <= (1 - confidence) / 2)
        k++;
    if (k == 0)
        return;
    s->ci_low = sorted[k - 1];
    s->ci_high = sorted[count - k];
}

/* The end point of the distribution lies between x1 - (x2 - x1) (1 - a) / a and x1, with
 * a = 1 - confidence (Robson and Whitlock, Biometrika 51, 1964). Times are not negative. */
static void interval_of_minimum(const double *sorted, int count, double confidence, cpm_summary *s)
{
    (void)count;
    double a = 1 - confidence;
    s->ci_low = fmax(0, sorted[0] - (sorted[1] - sorted[0]) * (1 - a) / a);
    s->ci_high = sorted[0];
}

/* Half the interval of Huber's location, as Student's of a mean: the standard deviation is Qn,
 * which the outer half of the samples cannot move far, and 0.95 the location's efficiency. Of fewer
 * samples an outlier cannot be told from the rest. */
static int half_of_location(const double *sorted, int count, double confidence, double *half,
                            cpm_error *e)
{
    enum { LEAST = 5 };
    size_t n = (size_t)count;
    *half = 0;
    if (count < LEAST)
        return CPM_OK;
    double *work = malloc(3 * n * sizeof *work);
    int *places = malloc(5 * n * sizeof *places), status = CPM_OK;
    if (!work || !places)
        status = cpm_no_memory(e);
    else
        *half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, count - 1) *
                gsl_stats_Qn_from_sorted_data(sorted, 1, n, work, places) / sqrt(0.95 * count);
    free(work);
    free(places);
    return status;
}

typedef void interval_function(const double *sorted, int count, double confidence, cpm_summary *s);

static interval_function *const intervals[] = {[CPM_MEDIAN] = interval_of_median,
                                               [CPM_MEAN] = interval_of_mean,
                                               [CPM_MINIMUM] = interval_of_minimum};

static double *sorted_copy(const double *samples, int count, cpm_error *e)
{
    double *sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted) {
        cpm_no_memory(e);
        return NULL;
    }
    memcpy(sorted, samples, (size_t)count * sizeof *sorted);
    gsl_sort(sorted, 1, (size_t)count);
    return sorted;
}

int cpm_summarize(const double *samples, int count, const cpm_precision *p, cpm_summary *out,
                  cpm_error *e)
{
    if (count < 1)
        return cpm_fail(e, CPM_EINVAL, "a summary needs at least 1 sample, not %d", count);
    double *sorted = sorted_copy(samples, count, e);
    if (!sorted)
        return CPM_ENOMEM;
    size_t n = (size_t)count;
    cpm_summary s = {.reps = count, .min = sorted[0], .max = sorted[n - 1]};
    s.mean = gsl_stats_mean(samples, 1, n);
    s.median = gsl_stats_median_from_sorted_data(sorted, 1, n);
    int status = cpm_huber(samples, count, &s.huber, e);
    if (!status)
        status = half_of_location(sorted, count, p->confidence, &s.huber_half, e);
    s.sd = count > 1 ? gsl_stats_sd_m(samples, 1, n, s.mean) : 0;
    s.ci_low = s.min;
    s.ci_high = s.max;
    if (count > 1)
        intervals[p->statistic](sorted, count, p->confidence, &s);
    free(sorted);
    if (!status)
        *out = s;
    return status;
}

double cpm_summary_value(const cpm_summary *s, cpm_statistic statistic)
{
    switch (statistic) {
    case CPM_MEAN:
        return s->mean;
    case CPM_MINIMUM:
        return s->min;
    default:
        return s->median;
    }
}

bool cpm_precise(const cpm_summary *s, const cpm_precision *p)
{
    if (s->reps < p->min_reps)
        return false;
    if (s->reps >= p->max_reps)
        return true;
    double half = (s->ci_high - s->ci_low) / 2;
    return s->reps > 1 && half <= p->relative_error * cpm_summary_value(s, p->statistic);
}

bool cpm_enough(const cpm_summary *s, double seconds, const cpm_precision *p)
{
    bool over = p->max_seconds > 0 && seconds >= p->max_seconds;
    return cpm_precise(s, p) || (over && s->reps >= p->min_reps);
}

double cpm_median(double *values, int count)
{
    if (count < 1)
        return NAN;
    gsl_sort(values, 1, (size_t)count);
    return gsl_stats_median_from_sorted_data(values, 1, (size_t)count);
}

/* Scale that equals the standard deviation for normal samples. */
static double median_deviation(const double *sorted, int count, double median, double *work)
{
    for (int i = 0; i < count; i++)
        work[i] = fabs(sorted[i] - median);
    return 1.4826 * cpm_median(work, count);
}

static double huber_step(const double *sorted, int count, double location, double bound)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < count; i++) {
        double distance = fabs(sorted[i] - location);
        double weight = distance <= bound ? 1 : bound / distance;
        sum += weight * sorted[i];
        weights += weight;
    }
    return sum / weights;
}

int cpm_huber(const double *samples, int count, double *location, cpm_error *e)
{
    enum { MOST_STEPS = 100 };
    if (count < 1)
        return cpm_fail(e, CPM_EINVAL, "a location needs at least 1 sample, not %d", count);
    double *sorted = sorted_copy(samples, count, e);
    double *work = sorted ? malloc((size_t)count * sizeof *work) : NULL;
    if (!work) {
        free(sorted);
        return cpm_no_memory(e);
    }
    double at = gsl_stats_median_from_sorted_data(sorted, 1, (size_t)count);
    double bound = 1.345 * median_deviation(sorted, count, at, work);
    for (int i = 0; i < MOST_STEPS && bound > 0; i++) {
        double next = huber_step(sorted, count, at, bound);
        bool done = fabs(next - at) <= 1e-9 * fabs(at);
        at = next;
        if (done)
            break;
    }
    free(sorted);
    free(work);
    *location = at;
    return CPM_OK;
}

/* Of the difference of two means, whose variances are a and b. */
static double degrees_of_freedom(double a, double na, double b, double nb)
{
    double sum = a + b, each = a * a / (na - 1) + b * b / (nb - 1);
    return each > 0 ? sum * sum / each : na + nb - 2;
}

cpm_ratio cpm_ratio_of_means(const cpm_mean *above, const cpm_mean *below, double confidence)
{
    double a = above->variance / above->count, b = below->variance / below->count;
    cpm_ratio r = {above->mean / below->mean, -INFINITY, INFINITY};
    double t = gsl_cdf_tdist_Pinv(0.5 + confidence / 2,
                                  degrees_of_freedom(a, above->count, b, below->count));
    double g = t * t * b / (below->mean * below->mean);
    if (!(g < 1)) /* the mean below may be 0 */
        return r;
    double half = t / fabs(below->mean) * sqrt(a * (1 - g) + r.value * r.value * b);
    r.low = (r.value - half) / (1 - g);
    r.high = (r.value + half) / (1 - g);
    return r;
}

cpm_ratio cpm_saved_share(double value, double low, double high)
{
    const cpm_ratio share = {value, low, fmin(high, 1)};
    bool tells = share.high < 0 || share.high - low <= 1;
    return tells ? share : (cpm_ratio){NAN, NAN, NAN};
}
