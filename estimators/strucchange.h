/* Structural change (Bai and Perron 1998) by R's package strucchange, in an embedded R. */
#ifndef CPM_ESTIMATORS_STRUCCHANGE_H
#define CPM_ESTIMATORS_STRUCCHANGE_H

#include "base/error.h"

/* Breaks of the piecewise linear regression y ~ x with relative errors, x[count] ascending,
 * y[count] positive. At most max_breaks are
 * looked for; how many there are is chosen by BIC. break_index[max_breaks] gets the indices of the
 * last points before each break, *breaks their number. R is started on the first call in this
 * process. CPM_ER if R or strucchange cannot be loaded or fails (with R's message), CPM_EDATA if
 * count is too small (below 10). */
int cpm_breakpoints(const double *x, const double *y, int count, int max_breaks, int *break_index,
                    int *breaks, cpm_error *e);

#endif
