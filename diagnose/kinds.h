/* Of which kinds values are, where more are unlike the rest than could be faults: a cluster of two
 * kinds of hosts has two kinds of overheads. */
#ifndef CPM_DIAGNOSE_KINDS_H
#define CPM_DIAGNOSE_KINDS_H

#include <stdbool.h>

#include "base/error.h"

enum { CPM_MOST_KINDS = 8 };

/* One kind if no others stand apart; then the arrays say nothing. */
typedef struct {
    int count;                /* of kinds, from the least values on */
    int size[CPM_MOST_KINDS]; /* values of each, without those that belong to none */
    int *of;                  /* [values] kind, or the nearest of a value that belongs to none */
    bool *member;             /* [values] of that kind; false: of none */
    double *others;           /* [values] median of its kind's others */
    double apart;             /* distance of the nearest kinds over the spread within kinds */
} cpm_kinds;

/* Kinds of x[count], logarithms: they are cut at their widest gaps, at as many as can be, so that
 * every gap is at least 5 times the standard deviation within kinds, and 10 %. If there are no such
 * kinds, they are two if their means are 6 standard deviations apart (by chance that is so in one
 * of 80 samples of 8 values, and one of 4000 of 16), and the gap is 2 and 10 %. A kind has at least
 * three values and an eighth of all; what is left over belongs to none, and there are at most
 * faults such values, while more than faults are not of the largest kind. CPM_ENOMEM. */
int cpm_kinds_find(const double *x, int count, int faults, cpm_kinds *out, cpm_error *e);

/* The same arrays where kinds are known: of[count], at most CPM_MOST_KINDS, each with three values
 * or more; everybody is a member. CPM_ENOMEM. */
int cpm_kinds_given(const double *x, int count, const int *of, cpm_kinds *out, cpm_error *e);

/* Standard deviation of x within the kinds of these. */
double cpm_kinds_spread(const double *x, int count, const cpm_kinds *k);

/* Frees what is inside. */
void cpm_kinds_clear(cpm_kinds *k);

#endif
