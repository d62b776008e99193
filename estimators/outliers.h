/* Which of several values are unlike the others: scores against those that are alike, and additive
 * effects by median polish. */
#ifndef CPM_ESTIMATORS_OUTLIERS_H
#define CPM_ESTIMATORS_OUTLIERS_H

#include <stdbool.h>

#include "base/error.h"

/* Standard error from the half width of an interval at that confidence (normal). */
double cpm_standard_error(double half_width, double confidence);

typedef struct {
    double distance; /* from the mean of the others that are alike */
    double score;    /* distance in units of its standard deviation */
    double p;        /* chance of a score at least as large */
} cpm_score;

/* What the scores have in common. */
typedef struct {
    double spread;  /* of values that are alike */
    double freedom; /* degrees of freedom of p */
    double error;   /* the usual standard error of a value */
    double excess;  /* by how much the square of the largest is above that of the usual one */
    int others;     /* values that one is compared with */
    bool seen;      /* false: values are all the same, and nothing is known of their errors */
} cpm_score_basis;

/* Scores of x[count], each against the others that are alike, whose mean and standard deviation are
 * taken. Those are all but as many (at most so many) as Rosner's generalized test finds to be
 * unlike them at a level of 5 % (Rosner 1983, "Percentage points for a generalized ESD many-outlier
 * procedure"; of one it is Grubbs' test, which is exact for three values and more). p is Student's
 * for a further value. The spread includes the usual error of a value, and is at least that; one
 * whose standard error (se[count], may be NULL) is above the median one gets the excess on top.
 * least is the least spread: values that are nearer together are equal. lost is the number of
 * effects that were fitted to x before. CPM_ENOMEM. */
int cpm_scores(const double *x, const double *se, int count, int lost, int most, double least,
               cpm_score *out, cpm_score_basis *basis, cpm_error *e);

/* Takes x[n*n] apart: x_ij = common + effect_i + sign effect_j + rest, sign 1 for a symmetric and
 * -1 for an antisymmetric table, by median polish. x becomes the rest; NaN is missing. A process
 * with fewer than three values, or in a table of fewer than five, has the effect 0; the median
 * effect is 0. work[n*n]. */
void cpm_polish(double *x, int n, int sign, double *effect, double *work);

#endif
