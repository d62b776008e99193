/* MPICH's Fortran bindings call the C functions of c_bindings.c, all but one: that of mpi_f08
 * without a buffer calls PMPI_Barrier. */
#include "cpm/cpm_mpi.h"

#if !defined(OPEN_MPI) && !defined(CPM_SMPI)
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* only Fortran calls it */

void mpi_barrier_f08_(const MPI_Fint *comm, MPI_Fint *ierror)
{
    int status = MPI_Barrier(MPI_Comm_f2c(*comm));
    if (ierror)
        *ierror = status;
}
#endif
