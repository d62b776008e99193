/* Algorithms that follow the network's topology, for switches that make a tree. */
#ifndef CPM_ALGORITHMS_TOPOLOGY_ALGORITHMS_H
#define CPM_ALGORITHMS_TOPOLOGY_ALGORITHMS_H

#include "collectives/algorithm.h"

/* alltoall in phases in which no two messages share a link (link_phases.h). Phases are kept apart
 * by signals between processes whose messages would contend (link_signals.h); or by a barrier
 * between every two phases, if the variant, a bool, says so. CPM_EINVAL if the call's topology has
 * not enough hosts. */
int cpm_topology_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                          cpm_error *e);

/* allgather: a ring in which no two messages of a step share a link (TSLR, topology.h). */
int cpm_topology_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e);

#endif
