/* Info keys of communicators: MPI libraries forget those that they do not know. */
#include "cpm/cpm_mpi.h"

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    int status = PMPI_Comm_set_info(comm, info);
    if (comm != MPI_COMM_NULL) /* other ranks may have had success */
        cpm_tuned_set_info(comm, status == MPI_SUCCESS ? info : MPI_INFO_NULL);
    return status;
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made)
{
    int status = PMPI_Comm_dup_with_info(comm, info, made);
    if (status == MPI_SUCCESS) {
        cpm_tuned_set_info(*made, info);
        cpm_tuned_made(comm, *made);
    }
    return status;
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    int status = PMPI_Comm_get_info(comm, info);
    if (status == MPI_SUCCESS)
        cpm_tuned_get_info(comm, *info);
    return status;
}
