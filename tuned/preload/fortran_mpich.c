/* MPICH's Fortran bindings call the C functions of c_bindings.c and init.c, all but those of
 * mpi_f08 without a buffer, which call PMPI's. */
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

void mpi_barrier_f08_(const MPI_Fint *comm, MPI_Fint *ierror)
{
    set(ierror, MPI_Barrier(MPI_Comm_f2c(*comm)));
}
#endif
