/* MPICH raises an error of a request on MPI_COMM_WORLD, whatever its communicator is: errors return
 * there while any thread waits. */
#include "executor/wait.h"

#ifdef MPICH_VERSION
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int waiting; /* threads */
static MPI_Errhandler before;

static void begin(void)
{
    pthread_mutex_lock(&guard);
    if (waiting++ == 0) {
        PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    pthread_mutex_unlock(&guard);
}

static void end(void)
{
    pthread_mutex_lock(&guard);
    if (--waiting == 0) {
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
        PMPI_Errhandler_free(&before);
    }
    pthread_mutex_unlock(&guard);
}
#else
static void begin(void)
{
}

static void end(void)
{
}
#endif

static int first_of(MPI_Request *requests, MPI_Status *statuses, int count, int waited)
{
    int first = MPI_SUCCESS;
    for (int i = 0; i < count; i++) {
        if (statuses[i].MPI_ERROR == MPI_ERR_PENDING)
            statuses[i].MPI_ERROR = PMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        first = first ? first : statuses[i].MPI_ERROR;
    }
    return first ? first : waited;
}

/* What has failed is done with, and MPI_REQUEST_NULL from now on; the others are still to be asked.
 */
static int first_of_some(const MPI_Request *requests, const MPI_Status *statuses, int count,
                         bool *all)
{
    int first = MPI_SUCCESS;
    *all = true;
    for (int i = 0; i < count; i++) {
        const int code = statuses[i].MPI_ERROR;
        *all = *all && requests[i] == MPI_REQUEST_NULL;
        first = first || code == MPI_ERR_PENDING ? first : code;
    }
    return first;
}

int mpib_test_all(MPI_Request *requests, MPI_Status *statuses, int count, bool *all)
{
    int flag = 0, first = MPI_SUCCESS;
    begin();
    int tested = PMPI_Testall(count, requests, &flag, statuses);
    *all = flag;
    if (tested)
        first = first_of_some(requests, statuses, count, all);
    end();
    return tested && !first ? tested : first;
}

int mpib_wait_all(MPI_Request *requests, MPI_Status *statuses, int count)
{
    begin();
    int waited = PMPI_Waitall(count, requests, statuses);
    int first = waited ? first_of(requests, statuses, count, waited) : MPI_SUCCESS;
    end();
    return first;
}
