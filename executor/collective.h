/* Collective operations by the algorithms of the repository, with the arguments of MPI's. */
#ifndef CPM_EXECUTOR_COLLECTIVE_H
#define CPM_EXECUTOR_COLLECTIVE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "collectives/collective.h"
#include "executor/groups.h"

/* One side of a call: the blocks that a rank gives, or those that it gets. */
typedef struct {
    size_t count;         /* elements of each block, if counts is NULL */
    const size_t *counts; /* [blocks] of each process's block (v-operations, reduce_scatter), or of
                             each neighbour's */
    const ptrdiff_t *displacements; /* [blocks] where they begin, in elements, but in bytes with
                                       types; NULL (without types): one after the other */
    MPI_Datatype type;
    const MPI_Datatype *types; /* [blocks] of each; NULL: all have the same */
} mpib_side;

/* The arguments of an MPI collective; types, operation and communicator must live as long as what
 * is planned with them. What MPI ignores at a rank is ignored here too. bcast has one buffer, and
 * reductions one type and count (reduce_scatter: one count or counts): they are given in recv, at
 * every rank. */
typedef struct {
    const cpm_operation *operation;
    mpib_side send, recv;
    bool in_place; /* MPI_IN_PLACE at this rank, as the standard has it for the operation */
    MPI_Op op;
    int root;
    MPI_Comm comm;
    mpib_groups *groups; /* of the communicator, for meshes in whose lines MPI's own routines run;
                            borrowed; NULL: who plans makes its own */
} mpib_arguments;

static inline const mpib_side *mpib_side_of(const mpib_arguments *a, cpm_side which)
{
    return which == CPM_SEND_SIDE ? &a->send : &a->recv;
}

static inline MPI_Datatype mpib_type_of_block(const mpib_side *s, int block)
{
    return s->types ? s->types[block] : s->type;
}

static inline size_t mpib_count_of_block(const mpib_side *s, int block)
{
    return s->counts ? s->counts[block] : s->count;
}

/* A call that was planned: its messages with addresses, space and requests. */
typedef struct mpib_collective mpib_collective;

/* Plans a call. Collective if the operation has blocks of different sizes, which are made known to
 * all ranks then, unless the algorithm needs none of others (CPM_OWN_SIZE); if the algorithm is on
 * groups (collectives/on_groups.h) that are not there yet; and if the environment says CPM_CHECK=1,
 * for every operation: then what the ranks say of sizes is compared. Otherwise local. Operation,
 * root and number of processes are those of the arguments. CPM_EINVAL: the algorithm does not
 * apply, the operation does not commute and the algorithm reorders, sizes differ between ranks
 * (checked); CPM_EMPI: an inter-communicator; CPM_ENOMEM. */
int mpib_collective_create(const cpm_collective *what, const mpib_arguments *arguments,
                           mpib_collective **out, cpm_error *e);

/* The same, local for every operation (but for groups): all ranks give the same sizes of the units,
 * in bytes. */
int mpib_collective_create_sized(const cpm_collective *what, const mpib_arguments *arguments,
                                 const cpm_block_sizes *sizes, mpib_collective **out, cpm_error *e);

/* Scatterv or gatherv, whose sizes the root alone knows, planned for calls of whatever sizes:
 * messages carry those that their receivers do not know. expected: [n] bytes, the same at every
 * rank, that shape the schedule; calls of these sizes take no more messages than it has. Of
 * arguments only operation, root and communicator count. Local, errors as above. */
int mpib_collective_create_any_sizes(const cpm_collective *what, const mpib_arguments *arguments,
                                     const size_t *expected, mpib_collective **out, cpm_error *e);

/* Runs that one, with the arguments of this call; as mpib_collective_run, but tag + 1 is used too,
 * and space is allocated for sizes that are larger than ever before. */
int mpib_collective_run_any_sizes(mpib_collective *c, const mpib_arguments *arguments,
                                  const void *send, void *recv, int tag);

/* Runs it with these buffers (send is ignored where MPI_IN_PLACE was given and in a bcast). Nothing
 * is allocated here, unless a reduction has one buffer as both. tag: of all its messages; calls
 * that are under way at the same time in one communicator need different ones. Returns MPI's error
 * code, where the communicator's errors return: the first, after everything has been sent and
 * received that others wait for; MPI_ERR_TRUNCATE also where a rank's own block is longer than its
 * place. */
int mpib_collective_run(mpib_collective *c, const void *send, void *recv, int tag);

/* The same by steps: begin starts the first messages, and each advance goes on as far as messages
 * have come, or finish waits for the rest, which begin may hear of before. Not for algorithms on
 * groups or any sizes. One run at a time. True: it has ended, and *failed is what
 * mpib_collective_run returns. */
void mpib_collective_begin(mpib_collective *c, const void *send, void *recv, bool finishes,
                           int tag);
bool mpib_collective_advance(mpib_collective *c, int *failed);
int mpib_collective_finish(mpib_collective *c);

/* Of the space that it holds to pack and forward blocks in. */
size_t mpib_collective_bytes(const mpib_collective *c);

void mpib_collective_free(mpib_collective *c);

/* Whether the MPI library has a routine of its own: simulators have none of neighbours. */
bool mpib_native_is_there(const cpm_operation *o);

/* The MPI library's own routine with the same arguments; those of neighbours whose counts differ
 * need a communicator with a distributed graph. CPM_EINVAL: a count is above INT_MAX;
 * CPM_EMPI, where the communicator's errors return. */
int mpib_native_run(const mpib_arguments *arguments, const void *send, void *recv, cpm_error *e);

/* Arrays that MPI reads until a nonblocking call has ended. */
typedef struct {
    void *arrays[2];
} mpib_native;

/* The same as a nonblocking call; *kept is cleared by mpib_native_clear when *request has ended,
 * or after a failure. */
int mpib_native_begin(const mpib_arguments *arguments, const void *send, void *recv,
                      MPI_Request *request, mpib_native *kept, cpm_error *e);
void mpib_native_clear(mpib_native *kept);

#endif
