/* Shapes of trees: who is whose parent, and which process sits where. */
#ifndef CPM_COLLECTIVES_ALGORITHMS_SHAPES_H
#define CPM_COLLECTIVES_ALGORITHMS_SHAPES_H

#include "collectives/algorithm.h"

/* Which of its children a parent sends to first. Digits are those of a node's number in base k: the
 * children that differ from their parent in the highest digit come first, of these the lowest. */
typedef enum { CPM_LOWEST_FIRST, CPM_HIGHEST_FIRST, CPM_HIGHEST_DIGIT_FIRST } cpm_child_order;

typedef struct cpm_tree_shape {
    int (*parent)(int n, int k, int node); /* of a node other than 0; NULL: arrange says it */
    int k;                                 /* of the family, unless the call says another */
    cpm_child_order order;
    bool together;    /* a parent serves all its children in one round, without blocking */
    bool keeps_order; /* a reduction takes children by their ranks, not in the tree's order */
    /* Fills parent[n] (of nodes) and process[n] (at a node) by the call, after parent and mapping
     * have. CPM_ENOMEM. NULL: they stay. */
    int (*arrange)(const cpm_call *call, int *parent, int *process, cpm_error *e);
} cpm_tree_shape;

/* Rooted operations that follow a tree: the row's variant is the shape. Segments of bcast and
 * reduce follow each other: while one is received the one before is sent on, by bcast to all
 * children at once. */
cpm_create cpm_tree_bcast, cpm_tree_scatter, cpm_tree_gather, cpm_tree_reduce;

/* A shape's parent: of the binary tree, whatever n and k. Level l has the nodes from 2^l - 1 on.
 * They are dealt in turns to those of the level above, so that a last level which is not full has
 * no parent with two children while another has none. */
int cpm_binary_parent(int n, int k, int node);

/* Fills parent[n] and process[n] of a call. CPM_ENOMEM. */
int cpm_tree_arrange(const cpm_tree_shape *shape, const cpm_call *call, int *parent, int *process,
                     cpm_error *e);

#endif
