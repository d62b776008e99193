/* The rendezvous threshold: from which message size on a send waits for its receiver. */
#ifndef CPM_ESTIMATORS_RENDEZVOUS_H
#define CPM_ESTIMATORS_RENDEZVOUS_H

#include "measurements/measurements.h"

/* What a send and a receive whose message was sent long before take together, in units of the
 * message's one-way time: buffered messages less than 1 (overheads alone, the way between them is
 * not in it), buffered ones that start when their receive is posted 1, synchronous ones more (the
 * way is in both). */
#define CPM_SYNCHRONOUS 1.2
#define CPM_LATE        0.9

/* Appends, for disjoint pairs, what is still to be measured to find the threshold: round trips,
 * send-time and late-receive at powers of two up to largest, then where halving leads. Nothing is
 * appended when all are there. CPM_ENOMEM. */
int cpm_rendezvous_plan(const cpm_measurements *so_far, int n, size_t largest, cpm_design *next,
                        cpm_error *e);

/* The least synchronous size, 0: none up to largest (or not measured). Local. */
size_t cpm_rendezvous_find(const cpm_measurements *m, int n, size_t largest);

#endif
