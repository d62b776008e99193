/* The way of one call through MPICH's tests. */
#ifndef CPM_LIBRARIES_MPICH_WALK_H
#define CPM_LIBRARIES_MPICH_WALK_H

#include "libraries/mpich_tree.h"

/* Inside one communicator, not in place, of built-in operations that commute, on as many elements
 * as processes or more. */
typedef struct {
    const cpm_mpich_collective *collective;
    int n;
    bool levels;  /* several hosts, several processes on one of them */
    size_t bytes; /* of a block */
} cpm_mpich_call;

/* Where it ends. */
typedef struct {
    json_t *leaf;          /* what names the algorithm, borrowed; NULL: nothing does */
    const char *algorithm; /* its name, within the tree */
    size_t first, last;    /* blocks of these bytes, both included, end there as well */
    const char *unknown;   /* a test that only MPICH can answer, within the tree; NULL: none */
} cpm_mpich_end;

/* Follows the first test that holds, and so on. tree: of a collective, or of all. */
cpm_mpich_end cpm_mpich_walk(json_t *tree, const cpm_mpich_call *c);

#endif
