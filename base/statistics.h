/* What a series of repeated times says: location, spread, confidence, and when to stop. */
#ifndef CPM_BASE_STATISTICS_H
#define CPM_BASE_STATISTICS_H

#include <stdbool.h>

#include "base/summary.h"

/* "median", "mean", "minimum", in the order of cpm_statistic. As cpm_names. */
const char *cpm_statistic_named(int k);
int cpm_statistic_parse(const char *text, cpm_statistic *s, cpm_error *e);

/* CPM_EINVAL if min_reps < 1, max_reps < min_reps, confidence, relative_error or max_seconds out of
 * range. */
int cpm_precision_check(const cpm_precision *p, cpm_error *e);

/* The chosen statistic of a summary. */
double cpm_summary_value(const cpm_summary *s, cpm_statistic statistic);

/* True when min_reps are there and either max_reps are reached or half the confidence interval is
 * at most relative_error times the statistic. */
bool cpm_precise(const cpm_summary *s, const cpm_precision *p);

/* The same of repetitions that have taken so many seconds, with all that is not timed in them: true
 * as well when max_seconds are over and min_reps are there. */
bool cpm_enough(const cpm_summary *s, double seconds, const cpm_precision *p);

/* The median of values[count], which are sorted. NaN of none. */
double cpm_median(double *values, int count);

/* A mean of so many values. */
typedef struct {
    double mean, variance; /* of the values, not of their mean */
    double count;          /* at least 2 */
} cpm_mean;

typedef struct {
    double value, low, high; /* low, high: infinite where the values do not bound it */
} cpm_ratio;

/* The ratio of two means of independent values, above over below, and its confidence interval by
 * Fieller's theorem (J. R. Stat. Soc. B 16, 1954), with Student's t of the degrees of freedom that
 * Welch and Satterthwaite give to their difference. */
cpm_ratio cpm_ratio_of_means(const cpm_mean *above, const cpm_mean *below, double confidence);

/* A share that is saved, 1 at most, and its interval: unknown (all NaN) where that holds 0 and is
 * wider than all that could be saved, or is not known itself. */
cpm_ratio cpm_saved_share(double value, double low, double high);

/* Huber's M-estimate of location (k = 1.345, scale: median absolute deviation), the estimator's
 * default where raw samples are there (see doc/estimation.md). count >= 1. CPM_ENOMEM. */
int cpm_huber(const double *samples, int count, double *location, cpm_error *e);

#endif
