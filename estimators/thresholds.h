/* Thresholds of LMO from sweeps of linear scatter and gather (thesis 4.4.1). */
#ifndef CPM_ESTIMATORS_THRESHOLDS_H
#define CPM_ESTIMATORS_THRESHOLDS_H

#include "estimators/estimator.h"

/* Plans the sweeps: scatter:linear and gather:linear from root 0 at few sizes; then more of them
 * where scatter leaps and at both ends of where gather escalates tenfold (thesis 4.4.1). */
int cpm_thresholds_plan(const cpm_measurements *so_far, cpm_design *next, cpm_error *e);

/* The same where it is known from which size on sends wait for their receivers, 0: from none. That
 * is where scatter leaps, so there is no sweep of it; and from there on only one message at a time
 * is on its way to the root of a gather, so its sweep ends soon behind. */
int cpm_thresholds_plan_gather(size_t rendezvous, const cpm_measurements *so_far, cpm_design *next,
                               cpm_error *e);

/* Whether x is of such a sweep. */
bool cpm_thresholds_measure(const cpm_experiment *x);

/* Sets S, M1 and M2 of an LMO model, leaving out (NaN, with a note) what the data do not show.
 * Without any sweep a note says so. CPM_ER; CPM_EDATA (fewer than 10 sizes). */
int cpm_thresholds_fit(const cpm_measurements *m, cpm_model *model, cpm_error *e);

/* Whether models of that type have thresholds. */
bool cpm_thresholds_apply(const cpm_model_type *type);

#endif
