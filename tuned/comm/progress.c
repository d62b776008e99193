#include "tuned/comm/progress.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>

#include "cpm/cpm_mpi.h"

/* MPI may look for messages in some of its calls only. */
enum { TRIES = 100 };

static int *wanted; /* of who is called; NULL: nobody is */
static bool heard;
static bool by_thread;

void cpm_tuned_progresses(int *calls)
{
    wanted = calls;
}

void tuned_progress_by_thread(void)
{
    by_thread = true;
}

void tuned_progress_want(int more)
{
    if (wanted)
        *wanted += more;
}

void tuned_progress_heard(void)
{
    heard = true;
}

/* MPICH does not look for messages to oneself. */
static bool is_heard(void)
{
    *wanted = 1;
    for (int k = 0; k < TRIES && !heard; k++)
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE);
    *wanted = 0;
    return heard;
}

/* No two threads call MPI at once, and there is a world, which a session does not have. */
static bool is_possible(void)
{
    int initialized = 0, level = MPI_THREAD_MULTIPLE;
    PMPI_Initialized(&initialized);
    PMPI_Query_thread(&level);
    return initialized && level != MPI_THREAD_MULTIPLE;
}

bool tuned_progress_known(void)
{
    if (by_thread)
        return true;
    static atomic_int known = -1; /* threads that ask at once find the same */
    if (atomic_load(&known) < 0 && wanted)
        atomic_store(&known, is_possible() && is_heard());
    return atomic_load(&known) > 0;
}
