/* Open MPI's Fortran bindings (mpif.h, mpi, mpi_f08) do not pass the C functions of c_bindings.c,
 * so their functions are here. Every compiler's name for a function is another name of one. In
 * mpi_f08 a handle is a structure of one INTEGER, and ierror may be left out (NULL). */
#include "tuned/preload/fortran_openmpi.h"

#include "tuned/comm/listed.h"

/* Fortran's integers are not C's in Open MPI libraries built with -i8: those stay native. */
#if defined(OPEN_MPI) && defined(CPM_FORTRAN_INTEGER_IS_INT)

void mpi_init_(fint *ierror)
{
    set(ierror, MPI_Init(NULL, NULL));
}
NAMES(mpi_init, MPI_INIT);

void mpi_init_thread_(const fint *required, fint *provided, fint *ierror)
{
    set(ierror, MPI_Init_thread(NULL, NULL, *required, provided));
}
NAMES(mpi_init_thread, MPI_INIT_THREAD);

void mpi_comm_set_info_(const fint *comm, const fint *info, fint *ierror)
{
    set(ierror, MPI_Comm_set_info(comm_of(comm), PMPI_Info_f2c(*info)));
}
NAMES(mpi_comm_set_info, MPI_COMM_SET_INFO);

void mpi_comm_dup_with_info_(const fint *comm, const fint *info, fint *made, fint *ierror)
{
    MPI_Comm other = MPI_COMM_NULL;
    int status = MPI_Comm_dup_with_info(comm_of(comm), PMPI_Info_f2c(*info), &other);
    if (status == MPI_SUCCESS)
        *made = PMPI_Comm_c2f(other);
    set(ierror, status);
}
NAMES(mpi_comm_dup_with_info, MPI_COMM_DUP_WITH_INFO);

void mpi_comm_get_info_(const fint *comm, fint *info, fint *ierror)
{
    MPI_Info known = MPI_INFO_NULL;
    int status = MPI_Comm_get_info(comm_of(comm), &known);
    if (status == MPI_SUCCESS)
        *info = PMPI_Info_c2f(known);
    set(ierror, status);
}
NAMES(mpi_comm_get_info, MPI_COMM_GET_INFO);

void mpi_barrier_(const fint *comm, fint *ierror)
{
    set(ierror, MPI_Barrier(comm_of(comm)));
}
NAMES(mpi_barrier, MPI_BARRIER);

void mpi_bcast_(void *buffer, const fint *count, const fint *type, const fint *root,
                const fint *comm, fint *ierror)
{
    set(ierror, MPI_Bcast(address(buffer), *count, type_of(type), *root, comm_of(comm)));
}
NAMES(mpi_bcast, MPI_BCAST);

void mpi_scatter_(void *send, const fint *send_count, const fint *send_type, void *recv,
                  const fint *recv_count, const fint *recv_type, const fint *root, const fint *comm,
                  fint *ierror)
{
    set(ierror, MPI_Scatter(address(send), *send_count, type_of(send_type), address(recv),
                            *recv_count, type_of(recv_type), *root, comm_of(comm)));
}
NAMES(mpi_scatter, MPI_SCATTER);

void mpi_scatterv_(void *send, const fint *send_counts, const fint *displacements,
                   const fint *send_type, void *recv, const fint *recv_count, const fint *recv_type,
                   const fint *root, const fint *comm, fint *ierror)
{
    set(ierror, MPI_Scatterv(address(send), send_counts, displacements, type_of(send_type),
                             address(recv), *recv_count, type_of(recv_type), *root, comm_of(comm)));
}
NAMES(mpi_scatterv, MPI_SCATTERV);

void mpi_gather_(void *send, const fint *send_count, const fint *send_type, void *recv,
                 const fint *recv_count, const fint *recv_type, const fint *root, const fint *comm,
                 fint *ierror)
{
    set(ierror, MPI_Gather(address(send), *send_count, type_of(send_type), address(recv),
                           *recv_count, type_of(recv_type), *root, comm_of(comm)));
}
NAMES(mpi_gather, MPI_GATHER);

void mpi_gatherv_(void *send, const fint *send_count, const fint *send_type, void *recv,
                  const fint *recv_counts, const fint *displacements, const fint *recv_type,
                  const fint *root, const fint *comm, fint *ierror)
{
    set(ierror, MPI_Gatherv(address(send), *send_count, type_of(send_type), address(recv),
                            recv_counts, displacements, type_of(recv_type), *root, comm_of(comm)));
}
NAMES(mpi_gatherv, MPI_GATHERV);

void mpi_allgather_(void *send, const fint *send_count, const fint *send_type, void *recv,
                    const fint *recv_count, const fint *recv_type, const fint *comm, fint *ierror)
{
    set(ierror, MPI_Allgather(address(send), *send_count, type_of(send_type), address(recv),
                              *recv_count, type_of(recv_type), comm_of(comm)));
}
NAMES(mpi_allgather, MPI_ALLGATHER);

void mpi_allgatherv_(void *send, const fint *send_count, const fint *send_type, void *recv,
                     const fint *recv_counts, const fint *displacements, const fint *recv_type,
                     const fint *comm, fint *ierror)
{
    set(ierror, MPI_Allgatherv(address(send), *send_count, type_of(send_type), address(recv),
                               recv_counts, displacements, type_of(recv_type), comm_of(comm)));
}
NAMES(mpi_allgatherv, MPI_ALLGATHERV);

void mpi_alltoall_(void *send, const fint *send_count, const fint *send_type, void *recv,
                   const fint *recv_count, const fint *recv_type, const fint *comm, fint *ierror)
{
    set(ierror, MPI_Alltoall(address(send), *send_count, type_of(send_type), address(recv),
                             *recv_count, type_of(recv_type), comm_of(comm)));
}
NAMES(mpi_alltoall, MPI_ALLTOALL);

void mpi_alltoallv_(void *send, const fint *send_counts, const fint *send_displacements,
                    const fint *send_type, void *recv, const fint *recv_counts,
                    const fint *recv_displacements, const fint *recv_type, const fint *comm,
                    fint *ierror)
{
    set(ierror, MPI_Alltoallv(address(send), send_counts, send_displacements, type_of(send_type),
                              address(recv), recv_counts, recv_displacements, type_of(recv_type),
                              comm_of(comm)));
}
NAMES(mpi_alltoallv, MPI_ALLTOALLV);

void mpi_alltoallw_(void *send, const fint *send_counts, const fint *send_displacements,
                    const fint *send_types, void *recv, const fint *recv_counts,
                    const fint *recv_displacements, const fint *recv_types, const fint *comm,
                    fint *ierror)
{
    const int blocks = processes_of(comm), sent = address(send) == MPI_IN_PLACE ? 0 : blocks;
    MPI_Datatype *types = types_of(send_types, sent, recv_types, blocks);
    set(ierror,
        types ? MPI_Alltoallw(address(send), send_counts, send_displacements, types, address(recv),
                              recv_counts, recv_displacements, types + sent, comm_of(comm))
              : MPI_ERR_NO_MEM);
    free(types);
}
NAMES(mpi_alltoallw, MPI_ALLTOALLW);

void mpi_neighbor_allgather_(void *send, const fint *send_count, const fint *send_type, void *recv,
                             const fint *recv_count, const fint *recv_type, const fint *comm,
                             fint *ierror)
{
    set(ierror,
        MPI_Neighbor_allgather(address(send), *send_count, type_of(send_type), address(recv),
                               *recv_count, type_of(recv_type), comm_of(comm)));
}
NAMES(mpi_neighbor_allgather, MPI_NEIGHBOR_ALLGATHER);

void mpi_neighbor_alltoall_(void *send, const fint *send_count, const fint *send_type, void *recv,
                            const fint *recv_count, const fint *recv_type, const fint *comm,
                            fint *ierror)
{
    set(ierror, MPI_Neighbor_alltoall(address(send), *send_count, type_of(send_type), address(recv),
                                      *recv_count, type_of(recv_type), comm_of(comm)));
}
NAMES(mpi_neighbor_alltoall, MPI_NEIGHBOR_ALLTOALL);

void mpi_neighbor_allgatherv_(void *send, const fint *send_count, const fint *send_type, void *recv,
                              const fint *recv_counts, const fint *displacements,
                              const fint *recv_type, const fint *comm, fint *ierror)
{
    set(ierror,
        MPI_Neighbor_allgatherv(address(send), *send_count, type_of(send_type), address(recv),
                                recv_counts, displacements, type_of(recv_type), comm_of(comm)));
}
NAMES(mpi_neighbor_allgatherv, MPI_NEIGHBOR_ALLGATHERV);

void mpi_neighbor_alltoallv_(void *send, const fint *send_counts, const fint *send_displacements,
                             const fint *send_type, void *recv, const fint *recv_counts,
                             const fint *recv_displacements, const fint *recv_type,
                             const fint *comm, fint *ierror)
{
    set(ierror, MPI_Neighbor_alltoallv(address(send), send_counts, send_displacements,
                                       type_of(send_type), address(recv), recv_counts,
                                       recv_displacements, type_of(recv_type), comm_of(comm)));
}
NAMES(mpi_neighbor_alltoallv, MPI_NEIGHBOR_ALLTOALLV);

void mpi_neighbor_alltoallw_(void *send, const fint *send_counts,
                             const MPI_Aint *send_displacements, const fint *send_types, void *recv,
                             const fint *recv_counts, const MPI_Aint *recv_displacements,
                             const fint *recv_types, const fint *comm, fint *ierror)
{
    const MPI_Comm c = comm_of(comm);
    const int sent = c == MPI_COMM_NULL ? 0 : tuned_listed_blocks(c, CPM_SEND_SIDE);
    const int received = c == MPI_COMM_NULL ? 0 : tuned_listed_blocks(c, CPM_RECV_SIDE);
    MPI_Datatype *types = types_of(send_types, sent, recv_types, received);
    set(ierror, types ? MPI_Neighbor_alltoallw(address(send), send_counts, send_displacements,
                                               types, address(recv), recv_counts,
                                               recv_displacements, types + sent, c)
                      : MPI_ERR_NO_MEM);
    free(types);
}
NAMES(mpi_neighbor_alltoallw, MPI_NEIGHBOR_ALLTOALLW);

void mpi_reduce_(void *send, void *recv, const fint *count, const fint *type, const fint *op,
                 const fint *root, const fint *comm, fint *ierror)
{
    set(ierror, MPI_Reduce(address(send), address(recv), *count, type_of(type), op_of(op), *root,
                           comm_of(comm)));
}
NAMES(mpi_reduce, MPI_REDUCE);

void mpi_allreduce_(void *send, void *recv, const fint *count, const fint *type, const fint *op,
                    const fint *comm, fint *ierror)
{
    set(ierror, MPI_Allreduce(address(send), address(recv), *count, type_of(type), op_of(op),
                              comm_of(comm)));
}
NAMES(mpi_allreduce, MPI_ALLREDUCE);

void mpi_scan_(void *send, void *recv, const fint *count, const fint *type, const fint *op,
               const fint *comm, fint *ierror)
{
    set(ierror,
        MPI_Scan(address(send), address(recv), *count, type_of(type), op_of(op), comm_of(comm)));
}
NAMES(mpi_scan, MPI_SCAN);

void mpi_exscan_(void *send, void *recv, const fint *count, const fint *type, const fint *op,
                 const fint *comm, fint *ierror)
{
    set(ierror,
        MPI_Exscan(address(send), address(recv), *count, type_of(type), op_of(op), comm_of(comm)));
}
NAMES(mpi_exscan, MPI_EXSCAN);

void mpi_reduce_scatter_(void *send, void *recv, const fint *recv_counts, const fint *type,
                         const fint *op, const fint *comm, fint *ierror)
{
    set(ierror, MPI_Reduce_scatter(address(send), address(recv), recv_counts, type_of(type),
                                   op_of(op), comm_of(comm)));
}
NAMES(mpi_reduce_scatter, MPI_REDUCE_SCATTER);

void mpi_reduce_scatter_block_(void *send, void *recv, const fint *recv_count, const fint *type,
                               const fint *op, const fint *comm, fint *ierror)
{
    set(ierror, MPI_Reduce_scatter_block(address(send), address(recv), *recv_count, type_of(type),
                                         op_of(op), comm_of(comm)));
}
NAMES(mpi_reduce_scatter_block, MPI_REDUCE_SCATTER_BLOCK);
#endif
