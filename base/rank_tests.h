/* Whether samples differ, and by how much, whatever their distribution: tests of ranks. A time-out
 * among the times is one rank, however long it took.
 *
 * Sources: F. Wilcoxon, Biometrics Bulletin 1 (1945); J. Hodges and E. Lehmann, Ann. Math. Statist.
 * 34 (1963); D. Critchlow and M. Fligner, Comm. Statist. A 20 (1991), for Steel's and Dwass'
 * procedure; all in M. Hollander and D. Wolfe, Nonparametric Statistical Methods, chapters 3, 4 and
 * 6; S. Holm, Scand. J. Statist. 6 (1979). The results are those of R's wilcox.test and p.adjust,
 * but that intervals end at differences that were seen also where R interpolates between them. */
#ifndef CPM_BASE_RANK_TESTS_H
#define CPM_BASE_RANK_TESTS_H

#include <stdbool.h>

#include "base/error.h"

typedef struct {
    double statistic; /* R's W */
    double p;         /* of so large a difference without a shift, on either side */
    bool exact;       /* by the distribution of the statistic, not by its normal approximation */
    double shift, low,
        high; /* Hodges and Lehmann's estimate and its interval; unit of the samples */
} cpm_rank_test;

/* Wilcoxon's rank-sum test of two independent samples x[m], y[n]. The shift is of x against y: the
 * median of all differences x[i] - y[j]. Exact without ties and below 50 values each, else by the
 * normal approximation with corrections for ties and continuity. Where all values are equal p is 1;
 * too few values for the level: the interval is from the least to the largest difference.
 * confidence: level of the interval, in (0, 1). Time n log n. CPM_EINVAL: no values, values that
 * are not finite (it names the first), another level. CPM_ENOMEM. */
int cpm_rank_sum_test(const double *x, int m, const double *y, int n, double confidence,
                      cpm_rank_test *out, cpm_error *e);

/* The least p that it gives to samples of so many values without ties: no overlap. CPM_ENOMEM. */
int cpm_rank_sum_least(int m, int n, double *p, cpm_error *e);

/* Wilcoxon's signed-rank test of differences d[n] that are symmetric about 0 without an effect: the
 * probability that they would lie as far below. Exact below 50 values; equal ones are ranked, and
 * zeros counted, against an effect. CPM_EINVAL: no values, values that are not finite. CPM_ENOMEM.
 */
int cpm_signed_rank_less(const double *d, int n, double *p, cpm_error *e);

/* Two of k samples that are all compared with each other. */
typedef struct {
    double p;     /* adjusted: of such a pair, or one that is further apart, anywhere among the k */
    double above; /* share of the pairs (x[i], y[j]) with x[i] > y[j]; equal ones count half */
} cpm_pair_test;

/* Steel's and Dwass' all-pairs test, by Critchlow and Fligner's approximation: the rank sum of the
 * two samples, standardized with the correction for ties, against the range of k normal variables.
 * k >= 2. CPM_EINVAL as above. CPM_ENOMEM. */
int cpm_steel_dwass_test(const double *x, int m, const double *y, int n, int k, cpm_pair_test *out,
                         cpm_error *e);
/* The least p that the test gives to two samples of so many values without ties: no overlap. */
double cpm_steel_dwass_least(int m, int n, int k);

/* Replaces p[count] by the p-values corrected for that many tests of ranks or others by Holm's
 * step-down procedure: what is then at most a level holds at this level for all together.
 * CPM_ENOMEM. */
int cpm_holm(double *p, int count, cpm_error *e);

#endif
