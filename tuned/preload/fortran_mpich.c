/* MPICH's Fortran bindings call the C functions of c_bindings.c, communicators.c, info.c and
 * init.c, all but those of mpi_f08 without a buffer, which call PMPI's. */
#include "cpm/cpm_mpi.h"

#if !defined(OPEN_MPI) && !defined(CPM_SMPI)
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* only Fortran calls them */

static void set(MPI_Fint *ierror, int status)
{
    if (ierror)
        *ierror = status;
}

void mpi_init_f08_(MPI_Fint *ierror)
{
    set(ierror, MPI_Init(NULL, NULL));
}

void mpi_init_thread_f08_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror)
{
    set(ierror, MPI_Init_thread(NULL, NULL, *required, provided));
}

void mpi_query_thread_f08_(MPI_Fint *provided, MPI_Fint *ierror)
{
    set(ierror, MPI_Query_thread(provided));
}

void mpi_finalize_f08_(MPI_Fint *ierror)
{
    set(ierror, MPI_Finalize());
}

void mpi_comm_free_f08_(MPI_Fint *comm, MPI_Fint *ierror)
{
    MPI_Comm ends = MPI_Comm_f2c(*comm);
    int status = MPI_Comm_free(&ends);
    *comm = MPI_Comm_c2f(ends);
    set(ierror, status);
}

void mpi_comm_disconnect_f08_(MPI_Fint *comm, MPI_Fint *ierror)
{
    MPI_Comm ends = MPI_Comm_f2c(*comm);
    int status = MPI_Comm_disconnect(&ends);
    *comm = MPI_Comm_c2f(ends);
    set(ierror, status);
}

void mpi_comm_set_info_f08_(const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *ierror)
{
    set(ierror, MPI_Comm_set_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info)));
}

void mpi_comm_dup_with_info_f08_(const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *made,
                                 MPI_Fint *ierror)
{
    MPI_Comm other = MPI_COMM_NULL;
    int status = MPI_Comm_dup_with_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &other);
    if (status == MPI_SUCCESS)
        *made = MPI_Comm_c2f(other);
    set(ierror, status);
}

void mpi_comm_get_info_f08_(const MPI_Fint *comm, MPI_Fint *info, MPI_Fint *ierror)
{
    MPI_Info known = MPI_INFO_NULL;
    int status = MPI_Comm_get_info(MPI_Comm_f2c(*comm), &known);
    if (status == MPI_SUCCESS)
        *info = MPI_Info_c2f(known);
    set(ierror, status);
}

void mpi_barrier_f08_(const MPI_Fint *comm, MPI_Fint *ierror)
{
    set(ierror, MPI_Barrier(MPI_Comm_f2c(*comm)));
}

void mpi_ibarrier_f08_(const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made;
    const int status = MPI_Ibarrier(MPI_Comm_f2c(*comm), &made);
    if (status == MPI_SUCCESS)
        *request = MPI_Request_c2f(made);
    set(ierror, status);
}

/* Handles of Fortran are those of C, and so are statuses of mpi_f08. */
void mpi_waitall_f08_(const MPI_Fint *count, MPI_Fint *requests, MPI_F08_status *statuses,
                      MPI_Fint *ierror)
{
    MPI_Status *ended =
        statuses == MPI_F08_STATUSES_IGNORE ? MPI_STATUSES_IGNORE : (MPI_Status *)statuses;
    set(ierror, MPI_Waitall(*count, requests, ended));
}

#if CPM_HAS_PERSISTENT
void mpi_start_f08_(MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request started = MPI_Request_f2c(*request);
    set(ierror, MPI_Start(&started));
}

void mpi_startall_f08_(const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ierror)
{
    set(ierror, MPI_Startall(*count, requests));
}

void mpi_request_free_f08_(MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request freed = MPI_Request_f2c(*request);
    const int status = MPI_Request_free(&freed);
    *request = MPI_Request_c2f(freed);
    set(ierror, status);
}
#endif
#endif
