/* Linear gather in which large blocks wait until the root asks for them. */
#ifndef CPM_ALGORITHMS_LINEAR_SYNC_H
#define CPM_ALGORITHMS_LINEAR_SYNC_H

#include "collectives/algorithm.h"

/* Blocks below the call's threshold (0: none) are sent at once; then the root asks for the others,
 * one after the other, by a message without data. A process needs to know the size of its own block
 * only, the root those of all: so gatherv can do without telling sizes. */
int cpm_linear_sync_gather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e);

#endif
