/* What all processes have to do together, because some of them may call no collective at all,
 * begins with MPI. Nothing is done at MPI_Finalize itself: attributes of MPI_COMM_SELF end there.
 * Other tools that are preloaded begin with MPI, too: theirs is called, not the library's at once.
 */
#include "cpm/cpm_mpi.h"
#include "tuned/preload/library.h"
#include "tuned/preload/progress.h"

#ifndef CPM_SMPI
#include <dlfcn.h>

static int begun(int status)
{
    if (status == MPI_SUCCESS) {
        cpm_progress_begin();
        cpm_persistent_begin();
        cpm_tuned_begin();
    }
    return status;
}

int MPI_Init(int *argc, char ***argv)
{
    cpm_leave_other_mpi_alone();
    int (*next)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "MPI_Init");
    return begun(next ? next(argc, argv) : PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    cpm_leave_other_mpi_alone();
    int (*next)(int *, char ***, int, int *) =
        (int (*)(int *, char ***, int, int *))dlsym(RTLD_NEXT, "MPI_Init_thread");
    return begun(next ? next(argc, argv, required, provided)
                      : PMPI_Init_thread(argc, argv, required, provided));
}
#endif
