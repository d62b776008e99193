/* Collective operations as rows: who holds which unit before and after, whether contributions are
 * combined, and what MPI's arguments mean.
 *
 * From its row alone the checker knows what right means and the executor lays out buffers. */
#ifndef CPM_COLLECTIVES_OPERATION_H
#define CPM_COLLECTIVES_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "collectives/neighbours.h"

/* The two sides of a call; of a bcast, which has one buffer, and of reductions, which have one type
 * and count for both, everything is said at the receive side. */
typedef enum { CPM_NEITHER_SIDE, CPM_SEND_SIDE, CPM_RECV_SIDE } cpm_side;

/* Blocks of a side at a rank. */
typedef enum {
    CPM_NO_BLOCK,
    CPM_ONE_BLOCK,
    CPM_BLOCK_OF_EACH,
    CPM_BLOCK_OF_NEIGHBOUR, /* of each that it sends to, or receives from */
} cpm_blocks;

/* Who knows the sizes of all blocks without being told. */
typedef enum { CPM_KNOWN_TO_ALL, CPM_KNOWN_TO_ROOT, CPM_KNOWN_TO_NOBODY } cpm_knowledge;

typedef struct {
    const char *name; /* "scatter" */
    const char
        *like; /* a v-operation has the algorithms of this one ("scatterv": "scatter"); NULL */
    const char *plain; /* the algorithm that plays an MPI library's routine */
    bool rooted;
    bool combines; /* processes contribute to every unit, all or those that .contributes names */
    bool dataless; /* its units have no bytes, whatever the message size: they are tokens */
    bool counts;   /* where a side has a block of each process there is a count for each */
    cpm_knowledge sizes;
    cpm_side in_place; /* may be MPI_IN_PLACE; in scatter and gather at the root */
    struct {
        cpm_blocks at_root, elsewhere; /* the same if there is no root */
    } send, recv;
    /* 1 for bcast, n for scatter and gather; alltoall: unit i*n + j goes from i to j;
       neighbor_alltoall: one for each edge of g, which is NULL for all others. */
    int64_t (*units)(int n, const cpm_neighbours *g);
    bool (*before)(int n, int root, int rank, int64_t unit, const cpm_neighbours *g);
    bool (*after)(int n, int root, int rank, int64_t unit, const cpm_neighbours *g);
    /* To what a rank has at the end; NULL: each process does. */
    bool (*contributes)(int process, int rank);
    bool leaves_own_out; /* a rank's result is what it combined its own contribution with */
    bool types;          /* with each count comes a type of its own */
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
    CPM_OP_ALLTOALLW,
    CPM_OP_ALLREDUCE,
    CPM_OP_SCAN,
    CPM_OP_EXSCAN,
    CPM_OP_BARRIER,
    CPM_OP_NEIGHBOR_ALLGATHER,
    CPM_OP_NEIGHBOR_ALLGATHERV,
    CPM_OP_NEIGHBOR_ALLTOALL,
    CPM_OP_NEIGHBOR_ALLTOALLV,
    CPM_OP_NEIGHBOR_ALLTOALLW,
    CPM_OPERATIONS
};

/* All operations; ends with a row whose name is NULL. */
extern const cpm_operation cpm_operations[];

/* The blocks of a side (not CPM_NEITHER_SIDE) at a rank. */
cpm_blocks cpm_operation_blocks(const cpm_operation *o, cpm_side side, bool at_root);

/* The side whose count a rank goes by: what is not significant there, or may be MPI_IN_PLACE, it is
 * not. */
cpm_side cpm_operation_significant(const cpm_operation *o, bool at_root);

/* Whether it is one of neighbours, and nothing without their graph. */
bool cpm_operation_is_of_neighbours(const cpm_operation *o);

/* Whether only who sends a block and who receives it know its size, and tell it to nobody: it takes
 * algorithms with CPM_OWN_SIZE alone. */
bool cpm_operation_ends_know_sizes(const cpm_operation *o);

/* Whether there is one unit whatever the number of processes. */
bool cpm_operation_is_whole(const cpm_operation *o);

/* Whether units are pairs of processes: every rank has a block for each and one from each. */
bool cpm_operation_is_of_pairs(const cpm_operation *o);

/* Whether benchmarks call it with MPI_IN_PLACE: a block that stays at its process is where the
 * operation wants it. Copying it is no message, and no algorithm spares it. */
bool cpm_operation_stays_in_place(const cpm_operation *o, bool at_root);

/* Their names. As cpm_names. */
const char *cpm_operation_named(int k);

/* The row of that name. CPM_EUNKNOWN, with the list of known ones. */
int cpm_operation_find(const char *name, const cpm_operation **out, cpm_error *e);

#endif
