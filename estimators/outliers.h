/* Which of several values are unlike the others: robust scores, and additive effects by median
 * polish. */
#ifndef CPM_ESTIMATORS_OUTLIERS_H
#define CPM_ESTIMATORS_OUTLIERS_H

#include "base/error.h"

/* Standard error from the half width of an interval at that confidence (normal). */
double cpm_standard_error(double half_width, double confidence);

typedef struct {
    double distance; /* from the median of the others */
    double score;    /* distance in units of the others' spread */
    double p;        /* chance of a score at least as large */
} cpm_score;

/* What the scores have in common. */
typedef struct {
    double spread;
    double freedom; /* degrees of freedom of p */
    double error;   /* the usual standard error of a value */
} cpm_score_basis;

/* Scores of x[count] against the others: median and a robust spread (leaving one out where
 * that makes a difference). The spread includes the usual error of a value; one whose
 * standard error (se[count], may be NULL) is above the median one gets the excess on top. least is
 * the least spread: values that are nearer together are equal. lost is the number of effects that
 * were fitted to x before. p is Student's with degrees
 * of freedom that fit this score between 5 and 32 normal values. The spread of basis is that of
 * all. CPM_ENOMEM. */
int cpm_scores(const double *x, const double *se, int count, int lost, double least, cpm_score *out,
               cpm_score_basis *basis, cpm_error *e);

/* Takes x[n*n] apart: x_ij = common + effect_i + sign effect_j + rest, sign 1 for a symmetric and
 * -1 for an antisymmetric table, by median polish. x becomes the rest; NaN is missing. A process
 * with fewer than three values, or in a table of fewer than five, has the effect 0; the median
 * effect is 0. work[n*n]. */
void cpm_polish(double *x, int n, int sign, double *effect, double *work);

#endif
