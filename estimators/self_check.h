/* The check at the end of a campaign: a few collectives of all processes, measured when the design
 * of the estimator is complete, that no estimator sees (measurements/held_out.h), against what the
 * fitted model predicts of them (models/checked.h). Of models that know what messages share: others
 * are off where all send at once, whatever their parameters. */
#ifndef CPM_ESTIMATORS_SELF_CHECK_H
#define CPM_ESTIMATORS_SELF_CHECK_H

#include "measurements/measurements.h"
#include "models/model.h"

/* Sets which collectives a header of n processes holds out, at most each of them on a host: those
 * that apply to n, with smaller blocks where these are many; none of one process, or of a model
 * that is not checked. CPM_ENOMEM. */
int cpm_self_check_describe(const char *model, int n, int each, cpm_metadata *header, cpm_error *e);

/* Whether x is one of them in a campaign of that model: they are measured a few times only. */
bool cpm_self_check_measures(const char *model, const cpm_experiment *x);

/* Appends those that the header of so_far names. CPM_ENOMEM. */
int cpm_self_check_plan(const cpm_measurements *so_far, cpm_design *next, cpm_error *e);

/* Sets the fact of a fitted model, if any were measured. What the model cannot predict is left out.
 * CPM_ENOMEM. */
int cpm_self_check_make(const cpm_measurements *m, cpm_model *model, cpm_error *e);

#endif
