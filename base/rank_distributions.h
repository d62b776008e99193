/* The distributions of Wilcoxon's statistics and of the studentized range, by R's mathlib (Rmath).
 * That library ends the process where it has no memory, and keeps tables between calls that belong
 * to no thread: here it fails instead, and threads take turns. */
#ifndef CPM_BASE_RANK_DISTRIBUTIONS_H
#define CPM_BASE_RANK_DISTRIBUTIONS_H

#include "base/error.h"

/* P(W <= w), of the rank-sum statistic W of samples of m and n without ties (pwilcox). The time and
 * memory of the first call grow as (m n)^2: some megabytes for 50 and 50. CPM_ENOMEM. */
int cpm_rank_sum_p(double w, int m, int n, double *p, cpm_error *e);
/* The least w with P(W <= w) >= p (qwilcox). CPM_ENOMEM. */
int cpm_rank_sum_quantile(double p, int m, int n, double *w, cpm_error *e);

/* P(V <= v), of the signed-rank statistic V of n values without ties (psignrank). CPM_ENOMEM. */
int cpm_signed_rank_p(double v, int n, double *p, cpm_error *e);

/* P(Q > q), of the range Q of k standard normal variables (ptukey with infinite degrees of
 * freedom).
 */
double cpm_range_above(double q, int k);

#endif
