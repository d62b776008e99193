/* Shapes of trees: who is whose parent, and which process sits where. */
#ifndef CPM_ALGORITHMS_SHAPES_H
#define CPM_ALGORITHMS_SHAPES_H

#include "collectives/algorithm.h"

typedef struct cpm_tree_shape {
    int (*parent)(int n, int k, int node); /* of a node other than 0; NULL: arrange says it */
    int k;                                 /* of the family, unless the call says another */
    bool highest_first;                    /* a parent sends to its highest child first */
    bool together; /* a parent serves all its children in one round, without blocking */
    /* Fills parent[n] (of nodes) and process[n] (at a node) by the call, after parent and mapping
     * have. CPM_ENOMEM. NULL: they stay. */
    int (*arrange)(const cpm_call *call, int *parent, int *process, cpm_error *e);
} cpm_tree_shape;

/* Rooted operations that follow a tree: the row's variant is the shape. Segments of bcast and
 * reduce follow each other: while one is received the one before is sent on. */
cpm_create cpm_tree_bcast, cpm_tree_scatter, cpm_tree_gather, cpm_tree_reduce;

/* Fills parent[n] and process[n] of a call. CPM_ENOMEM. */
int cpm_tree_arrange(const cpm_tree_shape *shape, const cpm_call *call, int *parent, int *process,
                     cpm_error *e);

#endif
