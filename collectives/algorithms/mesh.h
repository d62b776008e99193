/* Processes in a mesh of two or three dimensions, in whose lines an operation takes place phase by
 * phase (Hartmann, Kuehnemann, Rauber, Ruenger 2006). */
#ifndef CPM_COLLECTIVES_ALGORITHMS_MESH_H
#define CPM_COLLECTIVES_ALGORITHMS_MESH_H

#include "collectives/algorithm.h"

/* The variant of a row: CPM_TAKES_INNER says which have one. */
typedef struct {
    int dimensions;
    const char *inner;     /* the usual algorithm of the same operation in each dimension, */
    const char *others[4]; /* and those that are worth trying besides */
} cpm_mesh;

/* Numbers in the mesh count along x first, then y, then z. */
typedef struct {
    int extent[3];
    int *number_of, *rank_of; /* [n] of ranks, and back; NULL: they are the same; owned */
} cpm_mesh_places;

/* By the call's parameters: extents, and who sits where in a mesh of hosts. CPM_EINVAL: they do not
 * make n processes, or do not fit the hosts. CPM_ENOMEM. */
int cpm_mesh_places_of(const cpm_algorithm *a, const cpm_call *call, cpm_mesh_places *out,
                       cpm_error *e);
void cpm_mesh_places_clear(cpm_mesh_places *p);

/* The extents of a mesh of n processes: the call's, or as equal as can be, the largest first.
 * CPM_EINVAL if the call's do not make n. */
int cpm_mesh_extents(const cpm_call *call, int dimensions, int extent[3], cpm_error *e);

/* Between neighbours of a line of that dimension. */
int cpm_mesh_stride(const int extent[3], int dimension);

/* The dimension of the k-th phase: data that are passed on, or combined for each, go from the last
 * to the first, those that are collected the other way. */
int cpm_mesh_phase(const cpm_algorithm *a, int k);

/* Whether the operation has a block for each process; else all of it is one. */
bool cpm_mesh_counts_blocks(const cpm_algorithm *a);

/* The algorithm of a dimension; NULL: the MPI library's own. CPM_EINVAL, CPM_EUNKNOWN. */
int cpm_mesh_inner(const cpm_algorithm *a, const cpm_parameters *with, int dimension,
                   const cpm_algorithm **out, cpm_error *e);

#endif
