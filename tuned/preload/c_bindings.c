/* The MPI functions that libcpm-tuned.so puts in front of the MPI library's own.
 *
 * Everything else of MPI is not touched, but for communicators.c, info.c, init.c and
 * persistent.c. */
#include "tuned/preload/active.h"

int MPI_Barrier(MPI_Comm comm)
{
    return is_active() ? cpm_barrier(comm) : PMPI_Barrier(comm);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return is_active() ? cpm_bcast(buffer, count, type, root, comm)
                       : PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Scatter(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    return is_active()
               ? cpm_scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm)
               : PMPI_Scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
}

int MPI_Scatterv(const void *send, const int *send_counts, const int *displacements,
                 MPI_Datatype send_type, void *recv, int recv_count, MPI_Datatype recv_type,
                 int root, MPI_Comm comm)
{
    return is_active() ? cpm_scatterv(send, send_counts, displacements, send_type, recv, recv_count,
                                      recv_type, root, comm)
                       : PMPI_Scatterv(send, send_counts, displacements, send_type, recv,
                                       recv_count, recv_type, root, comm);
}

int MPI_Gather(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
               MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    return is_active()
               ? cpm_gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm)
               : PMPI_Gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
}

int MPI_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                const int *recv_counts, const int *displacements, MPI_Datatype recv_type, int root,
                MPI_Comm comm)
{
    return is_active() ? cpm_gatherv(send, send_count, send_type, recv, recv_counts, displacements,
                                     recv_type, root, comm)
                       : PMPI_Gatherv(send, send_count, send_type, recv, recv_counts, displacements,
                                      recv_type, root, comm);
}

int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                  int recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    return is_active()
               ? cpm_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm)
               : PMPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int MPI_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                   const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                   MPI_Comm comm)
{
    return is_active() ? cpm_allgatherv(send, send_count, send_type, recv, recv_counts,
                                        displacements, recv_type, comm)
                       : PMPI_Allgatherv(send, send_count, send_type, recv, recv_counts,
                                         displacements, recv_type, comm);
}

int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                 int recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    return is_active()
               ? cpm_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm)
               : PMPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int MPI_Alltoallv(const void *send, const int *send_counts, const int *send_displacements,
                  MPI_Datatype send_type, void *recv, const int *recv_counts,
                  const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm)
{
    return is_active() ? cpm_alltoallv(send, send_counts, send_displacements, send_type, recv,
                                       recv_counts, recv_displacements, recv_type, comm)
                       : PMPI_Alltoallv(send, send_counts, send_displacements, send_type, recv,
                                        recv_counts, recv_displacements, recv_type, comm);
}

int MPI_Alltoallw(const void *send, const int *send_counts, const int *send_displacements,
                  const MPI_Datatype *send_types, void *recv, const int *recv_counts,
                  const int *recv_displacements, const MPI_Datatype *recv_types, MPI_Comm comm)
{
    return is_active() ? cpm_alltoallw(send, send_counts, send_displacements, send_types, recv,
                                       recv_counts, recv_displacements, recv_types, comm)
                       : PMPI_Alltoallw(send, send_counts, send_displacements, send_types, recv,
                                        recv_counts, recv_displacements, recv_types, comm);
}

int MPI_Reduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    return is_active() ? cpm_reduce(send, recv, count, type, op, root, comm)
                       : PMPI_Reduce(send, recv, count, type, op, root, comm);
}

int MPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    return is_active() ? cpm_allreduce(send, recv, count, type, op, comm)
                       : PMPI_Allreduce(send, recv, count, type, op, comm);
}

int MPI_Scan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return is_active() ? cpm_scan(send, recv, count, type, op, comm)
                       : PMPI_Scan(send, recv, count, type, op, comm);
}

int MPI_Exscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return is_active() ? cpm_exscan(send, recv, count, type, op, comm)
                       : PMPI_Exscan(send, recv, count, type, op, comm);
}

int MPI_Reduce_scatter(const void *send, void *recv, const int *recv_counts, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm)
{
    return is_active() ? cpm_reduce_scatter(send, recv, recv_counts, type, op, comm)
                       : PMPI_Reduce_scatter(send, recv, recv_counts, type, op, comm);
}

int MPI_Reduce_scatter_block(const void *send, void *recv, int recv_count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm)
{
    return is_active() ? cpm_reduce_scatter_block(send, recv, recv_count, type, op, comm)
                       : PMPI_Reduce_scatter_block(send, recv, recv_count, type, op, comm);
}

#ifndef CPM_SMPI
int MPI_Neighbor_allgather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                           int recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    return is_active() ? cpm_neighbor_allgather(send, send_count, send_type, recv, recv_count,
                                                recv_type, comm)
                       : PMPI_Neighbor_allgather(send, send_count, send_type, recv, recv_count,
                                                 recv_type, comm);
}

int MPI_Neighbor_alltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                          int recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    return is_active() ? cpm_neighbor_alltoall(send, send_count, send_type, recv, recv_count,
                                               recv_type, comm)
                       : PMPI_Neighbor_alltoall(send, send_count, send_type, recv, recv_count,
                                                recv_type, comm);
}

int MPI_Neighbor_allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                            const int *recv_counts, const int *displacements,
                            MPI_Datatype recv_type, MPI_Comm comm)
{
    return is_active() ? cpm_neighbor_allgatherv(send, send_count, send_type, recv, recv_counts,
                                                 displacements, recv_type, comm)
                       : PMPI_Neighbor_allgatherv(send, send_count, send_type, recv, recv_counts,
                                                  displacements, recv_type, comm);
}

int MPI_Neighbor_alltoallv(const void *send, const int *send_counts, const int *send_displacements,
                           MPI_Datatype send_type, void *recv, const int *recv_counts,
                           const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm)
{
    return is_active()
               ? cpm_neighbor_alltoallv(send, send_counts, send_displacements, send_type, recv,
                                        recv_counts, recv_displacements, recv_type, comm)
               : PMPI_Neighbor_alltoallv(send, send_counts, send_displacements, send_type, recv,
                                         recv_counts, recv_displacements, recv_type, comm);
}

int MPI_Neighbor_alltoallw(const void *send, const int *send_counts,
                           const MPI_Aint *send_displacements, const MPI_Datatype *send_types,
                           void *recv, const int *recv_counts, const MPI_Aint *recv_displacements,
                           const MPI_Datatype *recv_types, MPI_Comm comm)
{
    return is_active()
               ? cpm_neighbor_alltoallw(send, send_counts, send_displacements, send_types, recv,
                                        recv_counts, recv_displacements, recv_types, comm)
               : PMPI_Neighbor_alltoallw(send, send_counts, send_displacements, send_types, recv,
                                         recv_counts, recv_displacements, recv_types, comm);
}

int MPI_Op_free(MPI_Op *op)
{
    return cpm_op_free(op);
}
#endif
