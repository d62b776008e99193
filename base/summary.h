/* A series of repeated times: how precise it has to be, and what it says. */
#ifndef CPM_BASE_SUMMARY_H
#define CPM_BASE_SUMMARY_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CPM_MEDIAN, CPM_MEAN, CPM_MINIMUM } cpm_statistic;

/* When a measurement is good enough (thesis 3.1). */
typedef struct {
    int min_reps, max_reps;
    double confidence;     /* level of the confidence interval, in (0, 1) */
    double relative_error; /* stop when half the interval is below this share of the statistic */
    cpm_statistic statistic;
    double max_seconds; /* after so long min_reps are enough, whatever their spread; 0: no limit */
} cpm_precision;

/* An initializer. */
/* clang-format off */
#define CPM_PRECISION_DEFAULT {5, 100, 0.95, 0.025, CPM_MEDIAN, 0}
/* clang-format on */

typedef struct {
    double mean, median, min, max, sd; /* seconds; sd 0 for one repetition */
    double ci_low, ci_high;            /* seconds; interval of the chosen statistic */
    int reps;
    double huber;      /* Huber's location, which is as robust as the median; seconds; 0: unknown */
    double huber_half; /* half the confidence interval of huber; seconds; 0: unknown */
} cpm_summary;

/* Summary of samples[count], count >= 1. The confidence interval belongs to p->statistic:
 *   mean     Student's t (thesis 3.1);
 *   median   order statistics of the binomial distribution (distribution free);
 *   minimum  lower end point of the distribution after Robson and Whitlock (1964).
 * Too few repetitions for the level: the interval is [min, max] (for one repetition a point).
 * That of Huber's location, which outliers hardly widen, is by Student's t and the scale Qn
 * (Rousseeuw and Croux 1993); unknown of fewer than 5 repetitions, or where the scale is 0.
 * samples is not changed. CPM_ENOMEM. */
CPM_API int cpm_summarize(const double *samples, int count, const cpm_precision *p,
                          cpm_summary *out, cpm_error *e);

#ifdef __cplusplus
}
#endif
#endif
