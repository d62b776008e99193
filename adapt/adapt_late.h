/* A candidate's calls of late: what is usual, how much they vary, and how often they time out. */
#ifndef CPM_ADAPT_ADAPT_LATE_H
#define CPM_ADAPT_ADAPT_LATE_H

#include "adapt/adapt.h"

enum { ADAPT_LATE = 64 };

typedef struct {
    double at[ADAPT_LATE]; /* seconds of the last calls that did not time out, a ring */
    int count, next;
    double calls, timeouts; /* of late: halved from time to time, so that old ones fade */
    double lost;            /* seconds of these time-outs */
    /* Of the ring, seconds; 0 of none. Odd calls (above twice the median) count as twice the median
     * in mean and spread (standard deviation), or one of them would decide; raw: as they are. */
    double mean, spread, raw, quarter, median;
} adapt_late;

/* Counts f. A call that takes longer than limit seconds has timed out; among those that were not
 * kept, what their sum says. */
void adapt_late_add(adapt_late *l, const cpm_adapt_figures *f, double limit);

/* Forgets single calls but for the last ones, so many at most, and not how many there were and how
 * many timed out. */
void adapt_late_trim(adapt_late *l, int count);

#endif
