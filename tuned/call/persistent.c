/* The functions that make the persistent collectives of applications. */
#include "cpm/cpm_mpi.h"
#include "tuned/call/making.h"
#include "tuned/call/sides.h"

#if CPM_HAS_PERSISTENT
int cpm_barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_barrier_arguments();
    if (tuned_makes(&m, "MPI_Barrier_init", comm, &a, NULL, NULL, NULL, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Barrier_init(comm, info, request));
}

int cpm_bcast_init(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                   MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_bcast_arguments(count, type, root);
    if (tuned_makes(&m, "MPI_Bcast_init", comm, &a, NULL, NULL, buffer, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Bcast_init(buffer, count, type, root, comm, info, request));
}

int cpm_scatter_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                     int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_scatter_arguments(CPM_OP_SCATTER, send_count, send_type, recv,
                                               recv_count, recv_type, root, comm);
    if (tuned_makes(&m, "MPI_Scatter_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Scatter_init(send, send_count, send_type, recv, recv_count,
                                                   recv_type, root, comm, info, request));
}

int cpm_scatterv_init(const void *send, const int *send_counts, const int *displacements,
                      MPI_Datatype send_type, void *recv, int recv_count, MPI_Datatype recv_type,
                      int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_scatter_arguments(CPM_OP_SCATTERV, 0, send_type, recv, recv_count,
                                               recv_type, root, comm);
    const tuned_arrays arrays = tuned_scatterv_arrays(send_counts, displacements, root, comm);
    if (tuned_makes(&m, "MPI_Scatterv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return tuned_made_native(&m,
                             PMPI_Scatterv_init(send, send_counts, displacements, send_type, recv,
                                                recv_count, recv_type, root, comm, info, request));
}

int cpm_gather_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                    int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Info info,
                    MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_gather_arguments(CPM_OP_GATHER, send, send_count, send_type,
                                              recv_count, recv_type, root, comm);
    if (tuned_makes(&m, "MPI_Gather_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Gather_init(send, send_count, send_type, recv, recv_count,
                                                  recv_type, root, comm, info, request));
}

int cpm_gatherv_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                     const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                     int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_gather_arguments(CPM_OP_GATHERV, send, send_count, send_type, 0,
                                              recv_type, root, comm);
    const tuned_arrays arrays = tuned_gatherv_arrays(recv_counts, displacements, root, comm);
    if (tuned_makes(&m, "MPI_Gatherv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Gatherv_init(send, send_count, send_type, recv, recv_counts,
                                                   displacements, recv_type, root, comm, info,
                                                   request));
}

int cpm_allgather_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                       int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLGATHER, send, send_count, send_type, recv_count, recv_type);
    if (tuned_makes(&m, "MPI_Allgather_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Allgather_init(send, send_count, send_type, recv, recv_count,
                                                     recv_type, comm, info, request));
}

int cpm_allgatherv_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                        const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                        MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLGATHERV, send, send_count, send_type, 0, recv_type);
    const tuned_arrays arrays = {.recv.counts = recv_counts, .recv.displacements = displacements};
    if (tuned_makes(&m, "MPI_Allgatherv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return tuned_made_native(&m,
                             PMPI_Allgatherv_init(send, send_count, send_type, recv, recv_counts,
                                                  displacements, recv_type, comm, info, request));
}

int cpm_alltoall_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                      int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                      MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLTOALL, send, send_count, send_type, recv_count, recv_type);
    if (tuned_makes(&m, "MPI_Alltoall_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Alltoall_init(send, send_count, send_type, recv, recv_count,
                                                    recv_type, comm, info, request));
}

int cpm_alltoallv_init(const void *send, const int *send_counts, const int *send_displacements,
                       MPI_Datatype send_type, void *recv, const int *recv_counts,
                       const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_dense_arguments(CPM_OP_ALLTOALLV, send, 0, send_type, 0, recv_type);
    const tuned_arrays arrays = tuned_alltoallv_arrays(send, send_counts, send_displacements,
                                                       recv_counts, recv_displacements);
    if (tuned_makes(&m, "MPI_Alltoallv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return tuned_made_native(
        &m, PMPI_Alltoallv_init(send, send_counts, send_displacements, send_type, recv, recv_counts,
                                recv_displacements, recv_type, comm, info, request));
}

int cpm_alltoallw_init(const void *send, const int *send_counts, const int *send_displacements,
                       const MPI_Datatype *send_types, void *recv, const int *recv_counts,
                       const int *recv_displacements, const MPI_Datatype *recv_types, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_dense_arguments(CPM_OP_ALLTOALLW, send, 0, MPI_BYTE, 0, MPI_BYTE);
    const tuned_arrays arrays =
        tuned_alltoallw_arrays(send, send_counts, send_displacements, send_types, recv_counts,
                               recv_displacements, recv_types);
    if (tuned_makes(&m, "MPI_Alltoallw_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return tuned_made_native(
        &m, PMPI_Alltoallw_init(send, send_counts, send_displacements, send_types, recv,
                                recv_counts, recv_displacements, recv_types, comm, info, request));
}

int cpm_reduce_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root,
                    MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_reduction_arguments(CPM_OP_REDUCE, send, count, type, op, root);
    if (tuned_makes(&m, "MPI_Reduce_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return tuned_made_native(
        &m, PMPI_Reduce_init(send, recv, count, type, op, root, comm, info, request));
}

typedef int reduction(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm, MPI_Info info, MPI_Request *request);

/* Of no root, where all blocks have the same size. */
static int make_for_all(int operation, const char *name, reduction *own, const void *send,
                        void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_reduction_arguments(operation, send, count, type, op, 0);
    if (tuned_makes(&m, name, comm, &a, NULL, send, recv, request))
        return m.failed;
    return tuned_made_native(&m, own(send, recv, count, type, op, comm, info, request));
}

int cpm_allreduce_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return make_for_all(CPM_OP_ALLREDUCE, "MPI_Allreduce_init", PMPI_Allreduce_init, send, recv,
                        count, type, op, comm, info, request);
}

int cpm_scan_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return make_for_all(CPM_OP_SCAN, "MPI_Scan_init", PMPI_Scan_init, send, recv, count, type, op,
                        comm, info, request);
}

int cpm_exscan_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return make_for_all(CPM_OP_EXSCAN, "MPI_Exscan_init", PMPI_Exscan_init, send, recv, count, type,
                        op, comm, info, request);
}

int cpm_reduce_scatter_init(const void *send, void *recv, const int *recv_counts, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a = tuned_reduction_arguments(CPM_OP_REDUCE_SCATTER, send, 0, type, op, 0);
    const tuned_arrays arrays = {.recv.counts = recv_counts};
    if (tuned_makes(&m, "MPI_Reduce_scatter_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return tuned_made_native(
        &m, PMPI_Reduce_scatter_init(send, recv, recv_counts, type, op, comm, info, request));
}

int cpm_reduce_scatter_block_init(const void *send, void *recv, int recv_count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return make_for_all(CPM_OP_REDUCE_SCATTER, "MPI_Reduce_scatter_block_init",
                        PMPI_Reduce_scatter_block_init, send, recv, recv_count, type, op, comm,
                        info, request);
}

#ifndef CPM_SMPI
typedef int exchange(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                     int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                     MPI_Request *request);

static int make_for_neighbours(int operation, const char *name, exchange *own, const void *send,
                               int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                               MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                               MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a =
        tuned_neighbor_arguments(operation, send_count, send_type, recv_count, recv_type);
    if (tuned_makes(&m, name, comm, &a, NULL, send, recv, request))
        return m.failed;
    return tuned_made_native(
        &m, own(send, send_count, send_type, recv, recv_count, recv_type, comm, info, request));
}

int cpm_neighbor_allgather_init(const void *send, int send_count, MPI_Datatype send_type,
                                void *recv, int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                                MPI_Info info, MPI_Request *request)
{
    return make_for_neighbours(CPM_OP_NEIGHBOR_ALLGATHER, "MPI_Neighbor_allgather_init",
                               PMPI_Neighbor_allgather_init, send, send_count, send_type, recv,
                               recv_count, recv_type, comm, info, request);
}

int cpm_neighbor_alltoall_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                               int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                               MPI_Request *request)
{
    return make_for_neighbours(CPM_OP_NEIGHBOR_ALLTOALL, "MPI_Neighbor_alltoall_init",
                               PMPI_Neighbor_alltoall_init, send, send_count, send_type, recv,
                               recv_count, recv_type, comm, info, request);
}

int cpm_neighbor_allgatherv_init(const void *send, int send_count, MPI_Datatype send_type,
                                 void *recv, const int *recv_counts, const int *displacements,
                                 MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                                 MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLGATHERV, send_count, send_type, 0, recv_type);
    const tuned_arrays arrays = {.recv.counts = recv_counts, .recv.displacements = displacements};
    if (tuned_makes(&m, "MPI_Neighbor_allgatherv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Neighbor_allgatherv_init(send, send_count, send_type, recv,
                                                               recv_counts, displacements,
                                                               recv_type, comm, info, request));
}

int cpm_neighbor_alltoallv_init(const void *send, const int *send_counts,
                                const int *send_displacements, MPI_Datatype send_type, void *recv,
                                const int *recv_counts, const int *recv_displacements,
                                MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                                MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLTOALLV, 0, send_type, 0, recv_type);
    const tuned_arrays arrays = tuned_alltoallv_arrays(send, send_counts, send_displacements,
                                                       recv_counts, recv_displacements);
    if (tuned_makes(&m, "MPI_Neighbor_alltoallv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Neighbor_alltoallv_init(send, send_counts, send_displacements,
                                                              send_type, recv, recv_counts,
                                                              recv_displacements, recv_type, comm,
                                                              info, request));
}

int cpm_neighbor_alltoallw_init(const void *send, const int *send_counts,
                                const MPI_Aint *send_displacements, const MPI_Datatype *send_types,
                                void *recv, const int *recv_counts,
                                const MPI_Aint *recv_displacements, const MPI_Datatype *recv_types,
                                MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    tuned_making m;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLTOALLW, 0, MPI_BYTE, 0, MPI_BYTE);
    const tuned_arrays arrays = tuned_neighbor_alltoallw_arrays(
        send_counts, send_displacements, send_types, recv_counts, recv_displacements, recv_types);
    if (tuned_makes(&m, "MPI_Neighbor_alltoallw_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return tuned_made_native(&m, PMPI_Neighbor_alltoallw_init(send, send_counts, send_displacements,
                                                              send_types, recv, recv_counts,
                                                              recv_displacements, recv_types, comm,
                                                              info, request));
}
#endif
#endif
