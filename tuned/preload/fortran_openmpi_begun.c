/* The same for nonblocking collectives. */
#include "tuned/preload/fortran_openmpi.h"

#if defined(OPEN_MPI) && defined(CPM_FORTRAN_INTEGER_IS_INT)

static void begun(fint *request, MPI_Request made, fint *ierror, int status)
{
    if (status == MPI_SUCCESS)
        *request = PMPI_Request_c2f(made);
    set(ierror, status);
}

void mpi_op_free_(fint *op, fint *ierror)
{
    MPI_Op own = op_of(op);
    const int status = MPI_Op_free(&own);
    if (status == MPI_SUCCESS)
        *op = PMPI_Op_c2f(own);
    set(ierror, status);
}
NAMES(mpi_op_free, MPI_OP_FREE);

void mpi_ibarrier_(const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Ibarrier(comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_ibarrier, MPI_IBARRIER);

void mpi_ibcast_(void *buffer, const fint *count, const fint *type, const fint *root,
                 const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status =
        MPI_Ibcast(address(buffer), *count, type_of(type), *root, comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_ibcast, MPI_IBCAST);

void mpi_iscatter_(void *send, const fint *send_count, const fint *send_type, void *recv,
                   const fint *recv_count, const fint *recv_type, const fint *root,
                   const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Iscatter(address(send), *send_count, type_of(send_type), address(recv),
                                    *recv_count, type_of(recv_type), *root, comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_iscatter, MPI_ISCATTER);

void mpi_iscatterv_(void *send, const fint *send_counts, const fint *displacements,
                    const fint *send_type, void *recv, const fint *recv_count,
                    const fint *recv_type, const fint *root, const fint *comm, fint *request,
                    fint *ierror)
{
    MPI_Request made;
    const int status =
        MPI_Iscatterv(address(send), send_counts, displacements, type_of(send_type), address(recv),
                      *recv_count, type_of(recv_type), *root, comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_iscatterv, MPI_ISCATTERV);

void mpi_igather_(void *send, const fint *send_count, const fint *send_type, void *recv,
                  const fint *recv_count, const fint *recv_type, const fint *root, const fint *comm,
                  fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Igather(address(send), *send_count, type_of(send_type), address(recv),
                                   *recv_count, type_of(recv_type), *root, comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_igather, MPI_IGATHER);

void mpi_igatherv_(void *send, const fint *send_count, const fint *send_type, void *recv,
                   const fint *recv_counts, const fint *displacements, const fint *recv_type,
                   const fint *root, const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status =
        MPI_Igatherv(address(send), *send_count, type_of(send_type), address(recv), recv_counts,
                     displacements, type_of(recv_type), *root, comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_igatherv, MPI_IGATHERV);

void mpi_iallgather_(void *send, const fint *send_count, const fint *send_type, void *recv,
                     const fint *recv_count, const fint *recv_type, const fint *comm, fint *request,
                     fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Iallgather(address(send), *send_count, type_of(send_type), address(recv),
                                      *recv_count, type_of(recv_type), comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_iallgather, MPI_IALLGATHER);

void mpi_iallgatherv_(void *send, const fint *send_count, const fint *send_type, void *recv,
                      const fint *recv_counts, const fint *displacements, const fint *recv_type,
                      const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status =
        MPI_Iallgatherv(address(send), *send_count, type_of(send_type), address(recv), recv_counts,
                        displacements, type_of(recv_type), comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_iallgatherv, MPI_IALLGATHERV);

void mpi_ialltoall_(void *send, const fint *send_count, const fint *send_type, void *recv,
                    const fint *recv_count, const fint *recv_type, const fint *comm, fint *request,
                    fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Ialltoall(address(send), *send_count, type_of(send_type), address(recv),
                                     *recv_count, type_of(recv_type), comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_ialltoall, MPI_IALLTOALL);

void mpi_ialltoallv_(void *send, const fint *send_counts, const fint *send_displacements,
                     const fint *send_type, void *recv, const fint *recv_counts,
                     const fint *recv_displacements, const fint *recv_type, const fint *comm,
                     fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Ialltoallv(address(send), send_counts, send_displacements,
                                      type_of(send_type), address(recv), recv_counts,
                                      recv_displacements, type_of(recv_type), comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_ialltoallv, MPI_IALLTOALLV);

void mpi_ialltoallw_(void *send, const fint *send_counts, const fint *send_displacements,
                     const fint *send_types, void *recv, const fint *recv_counts,
                     const fint *recv_displacements, const fint *recv_types, const fint *comm,
                     fint *request, fint *ierror)
{
    MPI_Request made;
    const int blocks = processes_of(comm), sent = address(send) == MPI_IN_PLACE ? 0 : blocks;
    MPI_Datatype *types = types_of(send_types, sent, recv_types, blocks);
    const int status =
        types ? MPI_Ialltoallw(address(send), send_counts, send_displacements, types, address(recv),
                               recv_counts, recv_displacements, types + sent, comm_of(comm), &made)
              : MPI_ERR_NO_MEM;
    free(types);
    begun(request, made, ierror, status);
}
NAMES(mpi_ialltoallw, MPI_IALLTOALLW);

void mpi_ineighbor_allgather_(void *send, const fint *send_count, const fint *send_type, void *recv,
                              const fint *recv_count, const fint *recv_type, const fint *comm,
                              fint *request, fint *ierror)
{
    MPI_Request made;
    const int status =
        MPI_Ineighbor_allgather(address(send), *send_count, type_of(send_type), address(recv),
                                *recv_count, type_of(recv_type), comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_ineighbor_allgather, MPI_INEIGHBOR_ALLGATHER);

void mpi_ineighbor_alltoall_(void *send, const fint *send_count, const fint *send_type, void *recv,
                             const fint *recv_count, const fint *recv_type, const fint *comm,
                             fint *request, fint *ierror)
{
    MPI_Request made;
    const int status =
        MPI_Ineighbor_alltoall(address(send), *send_count, type_of(send_type), address(recv),
                               *recv_count, type_of(recv_type), comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_ineighbor_alltoall, MPI_INEIGHBOR_ALLTOALL);

void mpi_ireduce_(void *send, void *recv, const fint *count, const fint *type, const fint *op,
                  const fint *root, const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Ireduce(address(send), address(recv), *count, type_of(type), op_of(op),
                                   *root, comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_ireduce, MPI_IREDUCE);

void mpi_iallreduce_(void *send, void *recv, const fint *count, const fint *type, const fint *op,
                     const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Iallreduce(address(send), address(recv), *count, type_of(type),
                                      op_of(op), comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_iallreduce, MPI_IALLREDUCE);

void mpi_iscan_(void *send, void *recv, const fint *count, const fint *type, const fint *op,
                const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Iscan(address(send), address(recv), *count, type_of(type), op_of(op),
                                 comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_iscan, MPI_ISCAN);

void mpi_iexscan_(void *send, void *recv, const fint *count, const fint *type, const fint *op,
                  const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Iexscan(address(send), address(recv), *count, type_of(type), op_of(op),
                                   comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_iexscan, MPI_IEXSCAN);

void mpi_ireduce_scatter_(void *send, void *recv, const fint *recv_counts, const fint *type,
                          const fint *op, const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Ireduce_scatter(address(send), address(recv), recv_counts, type_of(type),
                                           op_of(op), comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_ireduce_scatter, MPI_IREDUCE_SCATTER);

void mpi_ireduce_scatter_block_(void *send, void *recv, const fint *recv_count, const fint *type,
                                const fint *op, const fint *comm, fint *request, fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Ireduce_scatter_block(address(send), address(recv), *recv_count,
                                                 type_of(type), op_of(op), comm_of(comm), &made);
    begun(request, made, ierror, status);
}
NAMES(mpi_ireduce_scatter_block, MPI_IREDUCE_SCATTER_BLOCK);
#endif
