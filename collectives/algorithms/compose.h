/* Algorithms made of others: one after the other, or in the rows and columns of a mesh. */
#ifndef CPM_ALGORITHMS_COMPOSE_H
#define CPM_ALGORITHMS_COMPOSE_H

#include "collectives/algorithm.h"

/* Names of algorithms that follow each other over all processes, as the variant of a row. */
typedef struct {
    const char *first, *second; /* "scatter:binomial"; of the operations that the row combines */
} cpm_sequence;

/* bcast: a scatter of n pieces, then an allgather; with segments, one after the other. */
int cpm_scatter_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                          cpm_error *e);
/* allreduce and reduce: a reduce_scatter of n pieces, then an allgather or a gather. */
int cpm_rabenseifner(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);
/* allreduce: a reduce to process 0, then a bcast. */
int cpm_reduce_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);
/* allgather and barrier: a gather at process 0, then a bcast of everything. */
int cpm_gather_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);

/* Rooted and other operations in two or three dimensions (Kuehnemann, Rauber, Ruenger 2006); the
 * variant is a cpm_mesh. */
typedef struct {
    int dimensions;
    const char *inner; /* algorithm of the same operation in each dimension */
} cpm_mesh;
int cpm_mesh_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);

/* The extents of a mesh of n processes: the call's, or as equal as can be, the largest first.
 * CPM_EINVAL if the call's do not make n. */
int cpm_mesh_extents(const cpm_call *call, int dimensions, int extent[3], cpm_error *e);

/* alltoall by an allgather of everything; the variant names the allgather ("bruck"). */
int cpm_by_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);
/* allreduce by an allgather of all contributions, reduce_scatter by an alltoall of them: each
 * process combines them itself. The variant names the algorithm ("allgather:bruck"). */
int cpm_apart(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);

#endif
