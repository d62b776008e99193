/* What the table of estimators refers to; the contracts are in estimator.h. */
#ifndef CPM_ESTIMATORS_METHODS_H
#define CPM_ESTIMATORS_METHODS_H

#include "estimators/estimator.h"

typedef int cpm_plan_function(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                              cpm_design *next, cpm_error *e);
typedef int cpm_fit_function(const cpm_estimation *options, const cpm_measurements *m,
                             cpm_model **out, cpm_error *e);

cpm_plan_function cpm_hockney_regression_plan, cpm_hockney_two_sizes_plan;
cpm_fit_function cpm_hockney_fit;

cpm_plan_function cpm_logp_plan, cpm_loggp_own_plan, cpm_plogp_plan;
cpm_fit_function cpm_logp_fit, cpm_loggp_own_fit, cpm_loggp_plogp_fit, cpm_plogp_fit;

cpm_plan_function cpm_lmo_joint_plan, cpm_lmo_thesis_plan;
cpm_fit_function cpm_lmo_joint_fit, cpm_lmo_thesis_fit;

cpm_plan_function cpm_lmo2_plan, cpm_interp_plan;
cpm_fit_function cpm_lmo2_fit, cpm_interp_fit;

#endif
