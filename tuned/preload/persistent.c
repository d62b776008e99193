/* Persistent collectives are started and freed as all persistent requests are. */
#include "cpm/cpm_mpi.h"

#if CPM_HAS_PERSISTENT && !defined(CPM_SMPI)
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
#endif
