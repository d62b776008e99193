/* A candidate's calls of late: what is usual, how much they vary, and how often they time out. */
#ifndef CPM_SELECTION_ADAPT_LATE_H
#define CPM_SELECTION_ADAPT_LATE_H

#include "selection/adapt.h"

enum { ADAPT_LATE = 64 };

typedef struct {
    double at[ADAPT_LATE]; /* seconds of the last calls that did not time out, a ring */
    int count, next;
    double calls, timeouts; /* halved from time to time, so that old ones fade */
    double lost;            /* seconds of these time-outs */
} adapt_late;

/* Counts f. A call that takes longer than limit seconds has timed out; among those that were not
 * kept, what their sum says. */
void adapt_late_add(adapt_late *l, const cpm_adapt_figures *f, double limit);

/* Forgets all. */
void adapt_late_clear(adapt_late *l);

/* Seconds: mean and standard deviation of calls without time-outs; 0 of none. */
double adapt_late_mean(const adapt_late *l);
double adapt_late_spread(const adapt_late *l);

/* Seconds that a quarter of the calls without time-outs do not reach, and half of them. */
double adapt_late_quarter(const adapt_late *l);
double adapt_late_median(const adapt_late *l);

/* Time-outs for each call. */
double adapt_late_rate(const adapt_late *l);

#endif
