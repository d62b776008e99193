/* Which nodes of an algorithm's tree matter most. */
#ifndef CPM_MAPPING_NODES_H
#define CPM_MAPPING_NODES_H

#include "mapping/mapping.h"

/* nodes[n]: the root, then those with the most messages, among equals those that are nearer to the
 * root in time. This is the order in which processes are put on them. collects: data move towards
 * the root. CPM_ENOMEM, and whatever
 * creating and walking the schedule fails with. */
int cpm_nodes_by_work(const cpm_mapping_problem *p, bool collects, int *nodes, cpm_error *e);

#endif
