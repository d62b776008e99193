/* MPICH raises an error of a request on MPI_COMM_WORLD, whatever its communicator is: errors return
 * there while any thread waits. */
#include "executor/wait.h"

#include <stdbool.h>

#ifdef MPICH_VERSION
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int waiting; /* threads */
static MPI_Errhandler before;

/* Whether several threads call MPI at once, which does not change. */
static bool is_shared(void)
{
    static atomic_int level = -1;
    int found = atomic_load_explicit(&level, memory_order_relaxed);
    if (found < 0) {
        PMPI_Query_thread(&found);
        atomic_store_explicit(&level, found, memory_order_relaxed);
    }
    return found == MPI_THREAD_MULTIPLE;
}

static void lock(void)
{
    if (is_shared())
        pthread_mutex_lock(&guard);
}

static void unlock(void)
{
    if (is_shared())
        pthread_mutex_unlock(&guard);
}

static void begin(void)
{
    lock();
    if (waiting++ == 0) {
        PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    unlock();
}

static void end(void)
{
    lock();
    if (--waiting == 0) {
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
        PMPI_Errhandler_free(&before);
    }
    unlock();
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

/* What has failed is done with, and MPI_REQUEST_NULL from now on. */
int mpib_test_each(MPI_Request *requests, int count, int *ended)
{
    int first = MPI_SUCCESS, flag = 1;
    begin();
    while (*ended < count && flag) {
        const int failed = PMPI_Test(&requests[*ended], &flag, MPI_STATUS_IGNORE);
        first = first ? first : failed;
        flag = flag || failed;
        *ended += flag;
    }
    end();
    return first;
}

int mpib_wait_all(MPI_Request *requests, MPI_Status *statuses, int count)
{
    begin();
    int waited = PMPI_Waitall(count, requests, statuses);
    int first = waited ? first_of(requests, statuses, count, waited) : MPI_SUCCESS;
    end();
    return first;
}
