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

extern const cpm_tree_shape cpm_tree_linear;    /* all nodes are children of the root */
extern const cpm_tree_shape cpm_tree_star;      /* linear, all messages at once */
extern const cpm_tree_shape cpm_tree_binomial;  /* node without its lowest set bit; highest first */
extern const cpm_tree_shape cpm_tree_hypercube; /* binomial, all children at once */
extern const cpm_tree_shape cpm_tree_binary;    /* (node - 1) / 2 */
extern const cpm_tree_shape cpm_tree_chain;     /* node - 1 */
extern const cpm_tree_shape cpm_tree_chains;    /* k chains that begin at the root */
extern const cpm_tree_shape cpm_tree_any;       /* the call's parent */
/* Binomial trees of processes sorted by block size: the largest next to the root, or farthest. */
extern const cpm_tree_shape cpm_tree_large_first, cpm_tree_large_last;
/* Traeff 2004: neighbouring groups merge round by round, the one with less data sends. */
extern const cpm_tree_shape cpm_tree_traeff;

/* Fills parent[n] and process[n] of a call. CPM_ENOMEM. */
int cpm_tree_arrange(const cpm_tree_shape *shape, const cpm_call *call, int *parent, int *process,
                     cpm_error *e);

#endif
