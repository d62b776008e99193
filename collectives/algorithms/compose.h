/* Algorithms made of others: one after the other, or in the rows and columns of a mesh. */
#ifndef CPM_ALGORITHMS_COMPOSE_H
#define CPM_ALGORITHMS_COMPOSE_H

#include "collectives/algorithm.h"

/* The variant of a sequence: algorithms that follow each other over all processes. */
typedef struct {
    const char *first, *second; /* "scatter:binomial"; of the operations that the row combines */
} cpm_sequence;

/* The variant of a mesh. */
typedef struct {
    int dimensions;
    const char *inner; /* algorithm of the same operation in each dimension */
} cpm_mesh;

/* The extents of a mesh of n processes: the call's, or as equal as can be, the largest first.
 * CPM_EINVAL if the call's do not make n. */
int cpm_mesh_extents(const cpm_call *call, int dimensions, int extent[3], cpm_error *e);

#endif
