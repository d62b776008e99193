/* Robust weighted least squares for equations in process and pair parameters.
 *
 * Unknowns: two numbers per process (a constant and a slope) and two per pair. A pair's unknowns
 * occur in the equations of that pair only, so they are eliminated pair by pair (2 x 2 blocks) and
 * a dense system in the 2n process unknowns remains: 256 processes (65,792 unknowns) take seconds.
 * Bounded influence: Huber weights on standardised relative residuals. */
#ifndef CPM_ESTIMATORS_JOINT_H
#define CPM_ESTIMATORS_JOINT_H

#include "base/error.h"

/* node . (c_i, c_j, s_i, s_j) + link . (constant, slope of the pair) = time, i <= j the pair. i = j
 * is for two alike processes where unknowns are those of classes. */
typedef struct {
    int i, j;
    double node[4], link[2];
    double time;  /* positive; its inverse is the weight */
    double noise; /* standard error of time as a share of it, from its repetitions; 0: unknown */
} cpm_equation;

/* Estimates and half widths of their confidence intervals (NaN if there are no more equations than
 * unknowns). Pair (i, j), i <= j, is at i*n + j. */
typedef struct {
    int n;
    double *node, *node_ci; /* [2n] constants, then slopes */
    double *link, *link_ci; /* [2 n*n] constants, then slopes */
    double *residual;       /* [equations] (time - fit) / time */
    int bounded;            /* process unknowns that came out negative and were set to 0 */
} cpm_joint;

/* Solves count equations of n processes, or of n classes whose names are for messages (NULL:
 * processes). CPM_EDATA names a process or pair whose unknowns they do not determine. CPM_ENOMEM.
 */
int cpm_joint_solve(const cpm_equation *equations, int count, int n, char *const *name,
                    double confidence, cpm_joint **out, cpm_error *e);
void cpm_joint_free(cpm_joint *j);

#endif
