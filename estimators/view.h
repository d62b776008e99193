/* Some of the processes, as an estimator sees them that knows of no others: it plans and fits for
 * processes 0 to n - 1, and a view says who these are. */
#ifndef CPM_ESTIMATORS_VIEW_H
#define CPM_ESTIMATORS_VIEW_H

#include "measurements/measurements.h"

typedef struct {
    int n;
    int *process; /* [n] of the campaign */
} cpm_view;

void cpm_view_clear(cpm_view *v);

/* What was measured among them only, under their numbers here; without metadata and samples.
 * CPM_ENOMEM. */
int cpm_view_measurements(const cpm_view *v, const cpm_measurements *all, cpm_measurements *out,
                          cpm_error *e);

/* Appends a design of theirs to one of the campaign, round by round. CPM_ENOMEM. */
int cpm_view_design(const cpm_view *v, const cpm_design *theirs, cpm_design *next, cpm_error *e);

#endif
