/* Collective operations as rows: who holds which unit before and after, and whether contributions
 * are combined.
 *
 * From its row alone the checker knows what right means and the executor lays out buffers. */
#ifndef CPM_ALGORITHMS_OPERATION_H
#define CPM_ALGORITHMS_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct {
    const char *name; /* "scatter" */
    const char
        *like; /* a v-operation has the algorithms of this one ("scatterv": "scatter"); NULL */
    bool rooted;
    bool combines; /* every process contributes to every unit */
    bool dataless; /* its units have no bytes, whatever the message size: they are tokens */
    int64_t (*units)(int n); /* 1 for bcast, n for scatter and gather; alltoall: unit i*n + j goes
                                from i to j */
    bool (*before)(int n, int root, int rank, int64_t unit);
    bool (*after)(int n, int root, int rank, int64_t unit);
} cpm_operation;

/* The rows of operations. */
enum {
    CPM_OP_BCAST,
    CPM_OP_SCATTER,
    CPM_OP_SCATTERV,
    CPM_OP_GATHER,
    CPM_OP_GATHERV,
    CPM_OP_REDUCE,
    CPM_OP_REDUCE_SCATTER,
    CPM_OP_ALLGATHER,
    CPM_OP_ALLGATHERV,
    CPM_OP_ALLTOALL,
    CPM_OP_ALLTOALLV,
    CPM_OP_ALLREDUCE,
    CPM_OP_BARRIER,
    CPM_OPERATIONS
};

/* All operations; ends with a row whose name is NULL. */
extern const cpm_operation cpm_operations[];

/* The row of that name. CPM_EUNKNOWN, with the list of known ones. */
int cpm_operation_find(const char *name, const cpm_operation **out, cpm_error *e);

#endif
