/* The one function of the module cpm-r.so, which holds the embedded R. */
#ifndef CPM_ESTIMATORS_R_STRUCCHANGE_R_H
#define CPM_ESTIMATORS_R_STRUCCHANGE_R_H

#include <stddef.h>

#include "base/api.h"

/* As cpm_breakpoints of estimators/strucchange.h; 0, or -1 with R's message. */
CPM_API int cpm_r_breakpoints(const double *x, const double *y, int count, int max_breaks,
                              int *break_index, int *breaks, char *message, size_t size);

#endif
