/* The nonblocking collectives of applications. */
#include "cpm/cpm_mpi.h"
#include "tuned/call/begun.h"
#include "tuned/call/sides.h"

int cpm_ibarrier(MPI_Comm comm, MPI_Request *request)
{
    const tuned_signature s = {.operation = CPM_OP_BARRIER};
    const tuned_passing *passed = tuned_pass(comm, &s);
    if (passed)
        return tuned_pass_end(passed, PMPI_Ibarrier(comm, request));
    tuned_beginning b;
    mpib_arguments a = tuned_barrier_arguments();
    if (tuned_begin(&b, "MPI_Ibarrier", comm, &a, NULL, NULL, NULL, request))
        return b.failed;
    return tuned_begin_native(&b, &s, PMPI_Ibarrier(comm, request));
}

int cpm_ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    const tuned_signature s = {
        .operation = CPM_OP_BCAST, .root = root, .recv_count = count, .recv_type = type};
    const tuned_passing *passed = tuned_pass(comm, &s);
    if (passed)
        return tuned_pass_end(passed, PMPI_Ibcast(buffer, count, type, root, comm, request));
    tuned_beginning b;
    mpib_arguments a = tuned_bcast_arguments(count, type, root);
    if (tuned_begin(&b, "MPI_Ibcast", comm, &a, NULL, NULL, buffer, request))
        return b.failed;
    return tuned_begin_native(&b, &s, PMPI_Ibcast(buffer, count, type, root, comm, request));
}

int cpm_iscatter(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                 int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    const tuned_signature s = tuned_moves_signature(CPM_OP_SCATTER, root, recv == MPI_IN_PLACE,
                                                    send_count, send_type, recv_count, recv_type);
    const tuned_passing *passed = tuned_pass(comm, &s);
    if (passed)
        return tuned_pass_end(passed, PMPI_Iscatter(send, send_count, send_type, recv, recv_count,
                                                    recv_type, root, comm, request));
    tuned_beginning b;
    mpib_arguments a = tuned_scatter_arguments(CPM_OP_SCATTER, send_count, send_type, recv,
                                               recv_count, recv_type, root, comm);
    if (tuned_begin(&b, "MPI_Iscatter", comm, &a, NULL, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, &s,
                              PMPI_Iscatter(send, send_count, send_type, recv, recv_count,
                                            recv_type, root, comm, request));
}

int cpm_iscatterv(const void *send, const int *send_counts, const int *displacements,
                  MPI_Datatype send_type, void *recv, int recv_count, MPI_Datatype recv_type,
                  int root, MPI_Comm comm, MPI_Request *request)
{
    tuned_beginning b;
    mpib_arguments a = tuned_scatter_arguments(CPM_OP_SCATTERV, 0, send_type, recv, recv_count,
                                               recv_type, root, comm);
    const tuned_arrays arrays = tuned_scatterv_arrays(send_counts, displacements, root, comm);
    if (tuned_begin(&b, "MPI_Iscatterv", comm, &a, &arrays, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, NULL,
                              PMPI_Iscatterv(send, send_counts, displacements, send_type, recv,
                                             recv_count, recv_type, root, comm, request));
}

int cpm_igather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                MPI_Request *request)
{
    const tuned_signature s = tuned_moves_signature(CPM_OP_GATHER, root, send == MPI_IN_PLACE,
                                                    send_count, send_type, recv_count, recv_type);
    const tuned_passing *passed = tuned_pass(comm, &s);
    if (passed)
        return tuned_pass_end(passed, PMPI_Igather(send, send_count, send_type, recv, recv_count,
                                                   recv_type, root, comm, request));
    tuned_beginning b;
    mpib_arguments a = tuned_gather_arguments(CPM_OP_GATHER, send, send_count, send_type,
                                              recv_count, recv_type, root, comm);
    if (tuned_begin(&b, "MPI_Igather", comm, &a, NULL, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, &s,
                              PMPI_Igather(send, send_count, send_type, recv, recv_count, recv_type,
                                           root, comm, request));
}

int cpm_igatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                 const int *recv_counts, const int *displacements, MPI_Datatype recv_type, int root,
                 MPI_Comm comm, MPI_Request *request)
{
    tuned_beginning b;
    mpib_arguments a = tuned_gather_arguments(CPM_OP_GATHERV, send, send_count, send_type, 0,
                                              recv_type, root, comm);
    const tuned_arrays arrays = tuned_gatherv_arrays(recv_counts, displacements, root, comm);
    if (tuned_begin(&b, "MPI_Igatherv", comm, &a, &arrays, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, NULL,
                              PMPI_Igatherv(send, send_count, send_type, recv, recv_counts,
                                            displacements, recv_type, root, comm, request));
}

int cpm_iallgather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                   int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request)
{
    const tuned_signature s = tuned_moves_signature(CPM_OP_ALLGATHER, 0, send == MPI_IN_PLACE,
                                                    send_count, send_type, recv_count, recv_type);
    const tuned_passing *passed = tuned_pass(comm, &s);
    if (passed)
        return tuned_pass_end(passed, PMPI_Iallgather(send, send_count, send_type, recv, recv_count,
                                                      recv_type, comm, request));
    tuned_beginning b;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLGATHER, send, send_count, send_type, recv_count, recv_type);
    if (tuned_begin(&b, "MPI_Iallgather", comm, &a, NULL, send, recv, request))
        return b.failed;
    return tuned_begin_native(
        &b, &s,
        PMPI_Iallgather(send, send_count, send_type, recv, recv_count, recv_type, comm, request));
}

int cpm_iallgatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                    const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                    MPI_Comm comm, MPI_Request *request)
{
    tuned_beginning b;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLGATHERV, send, send_count, send_type, 0, recv_type);
    const tuned_arrays arrays = {.recv.counts = recv_counts, .recv.displacements = displacements};
    if (tuned_begin(&b, "MPI_Iallgatherv", comm, &a, &arrays, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, NULL,
                              PMPI_Iallgatherv(send, send_count, send_type, recv, recv_counts,
                                               displacements, recv_type, comm, request));
}

int cpm_ialltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                  int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request)
{
    const tuned_signature s = tuned_moves_signature(CPM_OP_ALLTOALL, 0, send == MPI_IN_PLACE,
                                                    send_count, send_type, recv_count, recv_type);
    const tuned_passing *passed = tuned_pass(comm, &s);
    if (passed)
        return tuned_pass_end(passed, PMPI_Ialltoall(send, send_count, send_type, recv, recv_count,
                                                     recv_type, comm, request));
    tuned_beginning b;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLTOALL, send, send_count, send_type, recv_count, recv_type);
    if (tuned_begin(&b, "MPI_Ialltoall", comm, &a, NULL, send, recv, request))
        return b.failed;
    return tuned_begin_native(
        &b, &s,
        PMPI_Ialltoall(send, send_count, send_type, recv, recv_count, recv_type, comm, request));
}

int cpm_ialltoallv(const void *send, const int *send_counts, const int *send_displacements,
                   MPI_Datatype send_type, void *recv, const int *recv_counts,
                   const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm,
                   MPI_Request *request)
{
    tuned_beginning b;
    mpib_arguments a = tuned_dense_arguments(CPM_OP_ALLTOALLV, send, 0, send_type, 0, recv_type);
    const tuned_arrays arrays = tuned_alltoallv_arrays(send, send_counts, send_displacements,
                                                       recv_counts, recv_displacements);
    if (tuned_begin(&b, "MPI_Ialltoallv", comm, &a, &arrays, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, NULL,
                              PMPI_Ialltoallv(send, send_counts, send_displacements, send_type,
                                              recv, recv_counts, recv_displacements, recv_type,
                                              comm, request));
}

int cpm_ialltoallw(const void *send, const int *send_counts, const int *send_displacements,
                   const MPI_Datatype *send_types, void *recv, const int *recv_counts,
                   const int *recv_displacements, const MPI_Datatype *recv_types, MPI_Comm comm,
                   MPI_Request *request)
{
    tuned_beginning b;
    mpib_arguments a = tuned_dense_arguments(CPM_OP_ALLTOALLW, send, 0, MPI_BYTE, 0, MPI_BYTE);
    const tuned_arrays arrays =
        tuned_alltoallw_arrays(send, send_counts, send_displacements, send_types, recv_counts,
                               recv_displacements, recv_types);
    if (tuned_begin(&b, "MPI_Ialltoallw", comm, &a, &arrays, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, NULL,
                              PMPI_Ialltoallw(send, send_counts, send_displacements, send_types,
                                              recv, recv_counts, recv_displacements, recv_types,
                                              comm, request));
}

int cpm_ireduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request *request)
{
    const tuned_signature s = tuned_reduction_signature(CPM_OP_REDUCE, root, send, count, type, op);
    const tuned_passing *passed = tuned_pass(comm, &s);
    if (passed)
        return tuned_pass_end(passed,
                              PMPI_Ireduce(send, recv, count, type, op, root, comm, request));
    tuned_beginning b;
    mpib_arguments a = tuned_reduction_arguments(CPM_OP_REDUCE, send, count, type, op, root);
    if (tuned_begin(&b, "MPI_Ireduce", comm, &a, NULL, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, &s,
                              PMPI_Ireduce(send, recv, count, type, op, root, comm, request));
}

typedef int reduction(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm, MPI_Request *request);

/* Of no root, where all blocks have the same size. Inlined, as nanoseconds count. */
static inline __attribute__((always_inline)) int
reduce_for_all(int operation, const char *name, reduction *own, const void *send, void *recv,
               int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    const tuned_signature s = tuned_reduction_signature(operation, 0, send, count, type, op);
    const tuned_passing *passed = tuned_pass(comm, &s);
    if (passed)
        return tuned_pass_end(passed, own(send, recv, count, type, op, comm, request));
    tuned_beginning b;
    mpib_arguments a = tuned_reduction_arguments(operation, send, count, type, op, 0);
    if (tuned_begin(&b, name, comm, &a, NULL, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, &s, own(send, recv, count, type, op, comm, request));
}

int cpm_iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    return reduce_for_all(CPM_OP_ALLREDUCE, "MPI_Iallreduce", PMPI_Iallreduce, send, recv, count,
                          type, op, comm, request);
}

int cpm_iscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request *request)
{
    return reduce_for_all(CPM_OP_SCAN, "MPI_Iscan", PMPI_Iscan, send, recv, count, type, op, comm,
                          request);
}

int cpm_iexscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Request *request)
{
    return reduce_for_all(CPM_OP_EXSCAN, "MPI_Iexscan", PMPI_Iexscan, send, recv, count, type, op,
                          comm, request);
}

int cpm_ireduce_scatter(const void *send, void *recv, const int *recv_counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    tuned_beginning b;
    mpib_arguments a = tuned_reduction_arguments(CPM_OP_REDUCE_SCATTER, send, 0, type, op, 0);
    const tuned_arrays arrays = {.recv.counts = recv_counts};
    if (tuned_begin(&b, "MPI_Ireduce_scatter", comm, &a, &arrays, send, recv, request))
        return b.failed;
    return tuned_begin_native(
        &b, NULL, PMPI_Ireduce_scatter(send, recv, recv_counts, type, op, comm, request));
}

int cpm_ireduce_scatter_block(const void *send, void *recv, int recv_count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return reduce_for_all(CPM_OP_REDUCE_SCATTER, "MPI_Ireduce_scatter_block",
                          PMPI_Ireduce_scatter_block, send, recv, recv_count, type, op, comm,
                          request);
}

#ifndef CPM_SMPI
typedef int exchange(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                     int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request);

static int exchange_with_neighbours(int operation, const char *name, exchange *own,
                                    const void *send, int send_count, MPI_Datatype send_type,
                                    void *recv, int recv_count, MPI_Datatype recv_type,
                                    MPI_Comm comm, MPI_Request *request)
{
    const tuned_signature s =
        tuned_moves_signature(operation, 0, false, send_count, send_type, recv_count, recv_type);
    const tuned_passing *passed = tuned_pass(comm, &s);
    if (passed)
        return tuned_pass_end(
            passed, own(send, send_count, send_type, recv, recv_count, recv_type, comm, request));
    tuned_beginning b;
    mpib_arguments a =
        tuned_neighbor_arguments(operation, send_count, send_type, recv_count, recv_type);
    if (tuned_begin(&b, name, comm, &a, NULL, send, recv, request))
        return b.failed;
    return tuned_begin_native(
        &b, &s, own(send, send_count, send_type, recv, recv_count, recv_type, comm, request));
}

int cpm_ineighbor_allgather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                            int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                            MPI_Request *request)
{
    return exchange_with_neighbours(CPM_OP_NEIGHBOR_ALLGATHER, "MPI_Ineighbor_allgather",
                                    PMPI_Ineighbor_allgather, send, send_count, send_type, recv,
                                    recv_count, recv_type, comm, request);
}

int cpm_ineighbor_alltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                           int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                           MPI_Request *request)
{
    return exchange_with_neighbours(CPM_OP_NEIGHBOR_ALLTOALL, "MPI_Ineighbor_alltoall",
                                    PMPI_Ineighbor_alltoall, send, send_count, send_type, recv,
                                    recv_count, recv_type, comm, request);
}

int cpm_ineighbor_allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                             const int *recv_counts, const int *displacements,
                             MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request)
{
    tuned_beginning b;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLGATHERV, send_count, send_type, 0, recv_type);
    const tuned_arrays arrays = {.recv.counts = recv_counts, .recv.displacements = displacements};
    if (tuned_begin(&b, "MPI_Ineighbor_allgatherv", comm, &a, &arrays, send, recv, request))
        return b.failed;
    return tuned_begin_native(&b, NULL,
                              PMPI_Ineighbor_allgatherv(send, send_count, send_type, recv,
                                                        recv_counts, displacements, recv_type, comm,
                                                        request));
}

int cpm_ineighbor_alltoallv(const void *send, const int *send_counts, const int *send_displacements,
                            MPI_Datatype send_type, void *recv, const int *recv_counts,
                            const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm,
                            MPI_Request *request)
{
    tuned_beginning b;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLTOALLV, 0, send_type, 0, recv_type);
    const tuned_arrays arrays = tuned_alltoallv_arrays(send, send_counts, send_displacements,
                                                       recv_counts, recv_displacements);
    if (tuned_begin(&b, "MPI_Ineighbor_alltoallv", comm, &a, &arrays, send, recv, request))
        return b.failed;
    return tuned_begin_native(
        &b, NULL,
        PMPI_Ineighbor_alltoallv(send, send_counts, send_displacements, send_type, recv,
                                 recv_counts, recv_displacements, recv_type, comm, request));
}

int cpm_ineighbor_alltoallw(const void *send, const int *send_counts,
                            const MPI_Aint *send_displacements, const MPI_Datatype *send_types,
                            void *recv, const int *recv_counts, const MPI_Aint *recv_displacements,
                            const MPI_Datatype *recv_types, MPI_Comm comm, MPI_Request *request)
{
    tuned_beginning b;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLTOALLW, 0, MPI_BYTE, 0, MPI_BYTE);
    const tuned_arrays arrays = tuned_neighbor_alltoallw_arrays(
        send_counts, send_displacements, send_types, recv_counts, recv_displacements, recv_types);
    if (tuned_begin(&b, "MPI_Ineighbor_alltoallw", comm, &a, &arrays, send, recv, request))
        return b.failed;
    return tuned_begin_native(
        &b, NULL,
        PMPI_Ineighbor_alltoallw(send, send_counts, send_displacements, send_types, recv,
                                 recv_counts, recv_displacements, recv_types, comm, request));
}
#endif
