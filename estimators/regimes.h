/* Regimes: ranges of message sizes in which the time of a message is one straight line, because the
 * MPI library and the network treat all messages of the range alike. */
#ifndef CPM_ESTIMATORS_REGIMES_H
#define CPM_ESTIMATORS_REGIMES_H

#include <stdbool.h>

#include "measurements/measurements.h"

typedef struct {
    size_t first, last; /* measured sizes, both inside; last > first */
} cpm_regime;

typedef struct {
    cpm_regime *at; /* [count] ascending; a regime lasts until the next one begins */
    int count;
} cpm_regimes;

/* Appends the round trips (M out, nothing back) of disjoint pairs, all pairs of a size in one
 * round (alone: of three at most, each in one of its own), that are still to be measured before
 * regimes can be told apart: powers of two up to largest, their middles and their neighbours, then
 * middles of intervals where the time departs from the line through its ends by more than
 * neighbours differ, down to neighbouring sizes. Nothing is appended when all are there.
 * CPM_ENOMEM. */
int cpm_regimes_plan(const cpm_measurements *so_far, int n, size_t largest, bool alone,
                     cpm_design *next, cpm_error *e);

/* The regimes that these round trips show; at least one. One begins at rendezvous if that is not 0:
 * this is no leap of round trips where the network is slow. CPM_EDATA if there are too few of them.
 * CPM_ENOMEM. */
int cpm_regimes_find(const cpm_measurements *m, int n, size_t largest, size_t rendezvous,
                     cpm_regimes *out, cpm_error *e);
/* Whether round trips of all n processes, of the size that cpm_lmo2_asked gives, came before. */
bool cpm_regimes_come_later(const cpm_measurements *m, int n, size_t largest);
void cpm_regimes_free(cpm_regimes *r);

#endif
