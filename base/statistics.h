/* What a series of repeated times says: location, spread, confidence, and when to stop. */
#ifndef CPM_BASE_STATISTICS_H
#define CPM_BASE_STATISTICS_H

#include <stdbool.h>

#include "base/error.h"

typedef enum { CPM_MEDIAN, CPM_MEAN, CPM_MINIMUM } cpm_statistic;

/* "median", "mean", "minimum". */
const char *cpm_statistic_name(cpm_statistic s);
int cpm_statistic_parse(const char *text, cpm_statistic *s, cpm_error *e);

/* When a measurement is good enough (thesis 3.1; defaults 5, 100, 0.95, 0.025, median). */
typedef struct {
    int min_reps, max_reps;
    double confidence;     /* level of the confidence interval, in (0, 1) */
    double relative_error; /* stop when half the interval is below this share of the statistic */
    cpm_statistic statistic;
} cpm_precision;

#define CPM_PRECISION_DEFAULT ((cpm_precision){5, 100, 0.95, 0.025, CPM_MEDIAN})

/* CPM_EINVAL if min_reps < 1, max_reps < min_reps, confidence or relative_error out of range. */
int cpm_precision_check(const cpm_precision *p, cpm_error *e);

typedef struct {
    double mean, median, min, max, sd; /* seconds; sd 0 for one repetition */
    double ci_low, ci_high;            /* seconds; interval of the chosen statistic */
    int reps;
    double huber; /* Huber's location (cpm_huber), seconds; 0: unknown */
} cpm_summary;

/* Summary of samples[count], count >= 1. The confidence interval belongs to p->statistic:
 *   mean     Student's t (thesis 3.1);
 *   median   order statistics of the binomial distribution (distribution free);
 *   minimum  lower end point of the distribution after Robson and Whitlock (1964).
 * Too few repetitions for the level: the interval is [min, max] (for one repetition a point).
 * samples is not changed. CPM_ENOMEM. */
int cpm_summarize(const double *samples, int count, const cpm_precision *p, cpm_summary *out,
                  cpm_error *e);

/* The chosen statistic of a summary. */
double cpm_summary_value(const cpm_summary *s, cpm_statistic statistic);

/* True when min_reps are there and either max_reps are reached or half the confidence interval is
 * at most relative_error times the statistic. */
bool cpm_precise(const cpm_summary *s, const cpm_precision *p);

/* Huber's M-estimate of location (k = 1.345, scale: median absolute deviation), the estimator's
 * default where raw samples are there (see doc/estimation.md). count >= 1. CPM_ENOMEM. */
int cpm_huber(const double *samples, int count, double *location, cpm_error *e);

#endif
