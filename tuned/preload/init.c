/* What all processes have to do together, because some of them may call no collective at all,
 * begins with MPI. Nothing is done at MPI_Finalize itself: attributes of MPI_COMM_SELF end there.
 */
#include "cpm/cpm_mpi.h"

#ifndef CPM_SMPI
static int begun(int status)
{
    if (status == MPI_SUCCESS && cpm_tuned_active())
        cpm_tuned_begin();
    return status;
}

int MPI_Init(int *argc, char ***argv)
{
    return begun(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return begun(PMPI_Init_thread(argc, argv, required, provided));
}
#endif
