/* Trees that reach all processes over the fastest edges (Boost Graph behind a C interface). */
#ifndef CPM_MAPPING_GRAPH_H
#define CPM_MAPPING_GRAPH_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tree of shortest paths from root (Dijkstra). weight[i * n + j] is what the edge from i to j
 * costs, not negative. parent[n]: of a process, -1 for the root; order[n]: processes as they are
 * reached, the root first. CPM_ENOMEM. */
int cpm_graph_shortest_paths(int n, int root, const double *weight, int *parent, int *order,
                             cpm_error *e);

/* The same for the minimum spanning tree (Prim): the cheapest edge that leads from the tree out of
 * it, again and again, which is the heuristic "fastest edge first" where costs depend on the
 * direction. */
int cpm_graph_spanning_tree(int n, int root, const double *weight, int *parent, int *order,
                            cpm_error *e);

#ifdef __cplusplus
}
#endif
#endif
