/* Exchanges between neighbours. */
#ifndef CPM_ALGORITHMS_RINGS_H
#define CPM_ALGORITHMS_RINGS_H

#include "collectives/algorithm.h"

/* In each of n - 1 steps a process passes on the block that it received last. */
int cpm_ring_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);
/* The same with contributions: a block collects them on its way round. */
int cpm_ring_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                            cpm_error *e);
/* Neighbour exchange (Chen, Zhang, Zhou 2005): pairs, then two blocks to alternating sides. */
int cpm_neighbor_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e);

#endif
