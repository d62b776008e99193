/* The monotonic clock, for limits of time. */
#ifndef CPM_BASE_MONOTONIC_H
#define CPM_BASE_MONOTONIC_H

/* Seconds since some moment; never a simulated clock. */
double cpm_monotonic_seconds(void);

#endif
