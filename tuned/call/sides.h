/* What the arguments of MPI's collectives mean at this rank; what MPI ignores there is left empty.
 * Signatures have the arguments as they are. */
#ifndef CPM_TUNED_CALL_SIDES_H
#define CPM_TUNED_CALL_SIDES_H

#include "executor/collective.h"
#include "tuned/call/arguments.h"
#include "tuned/call/hot.h"

/* Negative counts are wrong: they become too large ones here. Of v-operations, whose counts are
 * arrays, count is 0. */
static inline mpib_side tuned_side_of(int count, MPI_Datatype type)
{
    return (mpib_side){.count = (size_t)count, .type = type};
}

static inline mpib_side tuned_no_side(void)
{
    return (mpib_side){.type = MPI_BYTE};
}

static inline bool tuned_is_root(MPI_Comm comm, int root)
{
    int rank = -1;
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

static inline mpib_arguments tuned_barrier_arguments(void)
{
    return (mpib_arguments){.operation = &cpm_operations[CPM_OP_BARRIER],
                            .send = tuned_no_side(),
                            .recv = tuned_no_side()};
}

static inline mpib_arguments tuned_bcast_arguments(int count, MPI_Datatype type, int root)
{
    return (mpib_arguments){.operation = &cpm_operations[CPM_OP_BCAST],
                            .send = tuned_no_side(),
                            .recv = tuned_side_of(count, type),
                            .root = root};
}

/* operation: CPM_OP_SCATTER, CPM_OP_SCATTERV. */
static inline mpib_arguments tuned_scatter_arguments(int operation, int send_count,
                                                     MPI_Datatype send_type, const void *recv,
                                                     int recv_count, MPI_Datatype recv_type,
                                                     int root, MPI_Comm comm)
{
    const bool in_place = recv == MPI_IN_PLACE;
    return (mpib_arguments){
        .operation = &cpm_operations[operation],
        .send = tuned_is_root(comm, root) ? tuned_side_of(send_count, send_type) : tuned_no_side(),
        .recv = in_place ? tuned_no_side() : tuned_side_of(recv_count, recv_type),
        .in_place = in_place,
        .root = root};
}

/* operation: CPM_OP_GATHER, CPM_OP_GATHERV. */
static inline mpib_arguments tuned_gather_arguments(int operation, const void *send, int send_count,
                                                    MPI_Datatype send_type, int recv_count,
                                                    MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    const bool in_place = send == MPI_IN_PLACE;
    return (mpib_arguments){
        .operation = &cpm_operations[operation],
        .send = in_place ? tuned_no_side() : tuned_side_of(send_count, send_type),
        .recv = tuned_is_root(comm, root) ? tuned_side_of(recv_count, recv_type) : tuned_no_side(),
        .in_place = in_place,
        .root = root};
}

/* operation: CPM_OP_ALLGATHER, CPM_OP_ALLGATHERV, CPM_OP_ALLTOALL, CPM_OP_ALLTOALLV,
 * CPM_OP_ALLTOALLW. */
static inline mpib_arguments tuned_dense_arguments(int operation, const void *send, int send_count,
                                                   MPI_Datatype send_type, int recv_count,
                                                   MPI_Datatype recv_type)
{
    const bool in_place = send == MPI_IN_PLACE;
    return (mpib_arguments){.operation = &cpm_operations[operation],
                            .send =
                                in_place ? tuned_no_side() : tuned_side_of(send_count, send_type),
                            .recv = tuned_side_of(recv_count, recv_type),
                            .in_place = in_place};
}

/* What the root alone gives is ignored elsewhere. */
static inline tuned_arrays tuned_scatterv_arrays(const int *counts, const int *displacements,
                                                 int root, MPI_Comm comm)
{
    if (!tuned_is_root(comm, root))
        return (tuned_arrays){0};
    return (tuned_arrays){.send.counts = counts, .send.displacements = displacements};
}

static inline tuned_arrays tuned_gatherv_arrays(const int *counts, const int *displacements,
                                                int root, MPI_Comm comm)
{
    if (!tuned_is_root(comm, root))
        return (tuned_arrays){0};
    return (tuned_arrays){.recv.counts = counts, .recv.displacements = displacements};
}

static inline tuned_arrays tuned_alltoallv_arrays(const void *send, const int *send_counts,
                                                  const int *send_displacements,
                                                  const int *recv_counts,
                                                  const int *recv_displacements)
{
    tuned_arrays x = {.recv.counts = recv_counts, .recv.displacements = recv_displacements};
    if (send != MPI_IN_PLACE) {
        x.send.counts = send_counts;
        x.send.displacements = send_displacements;
    }
    return x;
}

static inline tuned_arrays
tuned_alltoallw_arrays(const void *send, const int *send_counts, const int *send_displacements,
                       const MPI_Datatype *send_types, const int *recv_counts,
                       const int *recv_displacements, const MPI_Datatype *recv_types)
{
    tuned_arrays x = tuned_alltoallv_arrays(send, send_counts, send_displacements, recv_counts,
                                            recv_displacements);
    x.send.types = send == MPI_IN_PLACE ? NULL : send_types;
    x.recv.types = recv_types;
    return x;
}

static inline tuned_arrays
tuned_neighbor_alltoallw_arrays(const int *send_counts, const MPI_Aint *send_displacements,
                                const MPI_Datatype *send_types, const int *recv_counts,
                                const MPI_Aint *recv_displacements, const MPI_Datatype *recv_types)
{
    return (tuned_arrays){
        .send = {.counts = send_counts, .addresses = send_displacements, .types = send_types},
        .recv = {.counts = recv_counts, .addresses = recv_displacements, .types = recv_types}};
}

/* operation: CPM_OP_NEIGHBOR_ALLGATHER, CPM_OP_NEIGHBOR_ALLTOALL, and those with counts of their
 * own, which are 0 here. */
static inline mpib_arguments tuned_neighbor_arguments(int operation, int send_count,
                                                      MPI_Datatype send_type, int recv_count,
                                                      MPI_Datatype recv_type)
{
    return (mpib_arguments){.operation = &cpm_operations[operation],
                            .send = tuned_side_of(send_count, send_type),
                            .recv = tuned_side_of(recv_count, recv_type)};
}

/* operation: of reductions; root: 0 where there is none. */
static inline mpib_arguments tuned_reduction_arguments(int operation, const void *send, int count,
                                                       MPI_Datatype type, MPI_Op op, int root)
{
    return (mpib_arguments){.operation = &cpm_operations[operation],
                            .send = tuned_no_side(),
                            .recv = tuned_side_of(count, type),
                            .in_place = send == MPI_IN_PLACE,
                            .op = op,
                            .root = root};
}

/* root: 0 where there is none. */
static inline tuned_signature tuned_moves_signature(int operation, int root, bool in_place,
                                                    int send_count, MPI_Datatype send_type,
                                                    int recv_count, MPI_Datatype recv_type)
{
    return (tuned_signature){.operation = operation,
                             .root = root,
                             .send_count = send_count,
                             .recv_count = recv_count,
                             .in_place = in_place,
                             .send_type = send_type,
                             .recv_type = recv_type};
}

static inline tuned_signature tuned_reduction_signature(int operation, int root, const void *send,
                                                        int count, MPI_Datatype type, MPI_Op op)
{
    return (tuned_signature){.operation = operation,
                             .root = root,
                             .recv_count = count,
                             .in_place = send == MPI_IN_PLACE,
                             .recv_type = type,
                             .op = op};
}

#endif
