/* Persistent collectives are started and freed as all persistent requests are. They end sooner
 * where all functions that ask for the end of requests are here: no tool of the same functions is
 * between this library and MPI, nor MPICH's mpi_f08, which calls MPI by its profiling names. */
#include "cpm/cpm_mpi.h"
#include "tuned/preload/progress.h"

#if !defined(CPM_SMPI) && (CPM_HAS_PERSISTENT || !defined(OPEN_MPI))
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    return cpm_waitall(count, requests, statuses);
}

#endif

#if CPM_HAS_PERSISTENT && !defined(CPM_SMPI)
#include <dlfcn.h>
#include <stddef.h>

int MPI_Start(MPI_Request *request)
{
    return cpm_start(request);
}

int MPI_Startall(int count, MPI_Request requests[])
{
    return cpm_startall(count, requests);
}

int MPI_Request_free(MPI_Request *request)
{
    return cpm_request_free(request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return cpm_wait(request, status);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    cpm_tuned_before_completion(count, requests);
    return PMPI_Waitany(count, requests, index, status);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *ended, int indices[],
                 MPI_Status statuses[])
{
    cpm_tuned_before_completion(count, requests);
    return PMPI_Waitsome(count, requests, ended, indices, statuses);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    cpm_tuned_before_completion(1, request);
    return PMPI_Test(request, flag, status);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    cpm_tuned_before_completion(count, requests);
    return PMPI_Testall(count, requests, flag, statuses);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    cpm_tuned_before_completion(count, requests);
    return PMPI_Testany(count, requests, index, flag, status);
}

int MPI_Testsome(int count, MPI_Request requests[], int *ended, int indices[],
                 MPI_Status statuses[])
{
    cpm_tuned_before_completion(count, requests);
    return PMPI_Testsome(count, requests, ended, indices, statuses);
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    cpm_tuned_before_completion(1, &request);
    return PMPI_Request_get_status(request, flag, status);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                               MPI_Status statuses[])
{
    cpm_tuned_before_completion(count, requests);
    return PMPI_Request_get_status_all(count, requests, flag, statuses);
}

int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                               MPI_Status *status)
{
    cpm_tuned_before_completion(count, requests);
    return PMPI_Request_get_status_any(count, requests, index, flag, status);
}

int MPI_Request_get_status_some(int count, const MPI_Request requests[], int *ended, int indices[],
                                MPI_Status statuses[])
{
    cpm_tuned_before_completion(count, requests);
    return PMPI_Request_get_status_some(count, requests, ended, indices, statuses);
}
#endif

/* MPI's two names of a function are one address. */
static bool nobody_is_between(void)
{
    return dlsym(RTLD_DEFAULT, "MPI_Wait") == (void *)MPI_Wait &&
           dlsym(RTLD_NEXT, "MPI_Wait") == dlsym(RTLD_DEFAULT, "PMPI_Wait");
}

void cpm_persistent_begin(void)
{
    if (nobody_is_between() && !dlsym(RTLD_DEFAULT, "mpi_wait_f08_"))
        cpm_tuned_completes();
}
#else
void cpm_persistent_begin(void)
{
}
#endif
