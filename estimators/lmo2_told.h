/* Whether switches are as a topology tells. */
#ifndef CPM_ESTIMATORS_LMO2_TOLD_H
#define CPM_ESTIMATORS_LMO2_TOLD_H

#include "estimators/lmo2_levels.h"

/* Notes it (CPM_LMO2_CONTRADICTED) if round trips of empty messages show two hosts of one switch at
 * different ones, and two of different switches at one. Finer or coarser switches contradict
 * nothing. CPM_ENOMEM. */
int cpm_lmo2_told_note(const cpm_lmo2_levels *l, const cpm_measurements *measured, cpm_model *m,
                       cpm_error *e);

#endif
