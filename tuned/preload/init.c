/* What all processes have to do together, because some of them may call no collective at all,
 * begins with MPI. Nothing is done at MPI_Finalize itself but that CPM's thread ends: attributes of
 * MPI_COMM_SELF end there. Other tools that are preloaded begin with MPI, too: theirs is called,
 * not the library's at once. */
#include "tuned/preload/active.h"
#include "tuned/preload/library.h"
#include "tuned/preload/progress.h"

const int *cpm_activity;

#ifndef CPM_SMPI
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

typedef int initializer(int *argc, char ***argv, int required, int *provided);

static int told = -1; /* the level that the program was told, where MPI's own is another */

/* MPI has no clock yet. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int begun(int status, double start)
{
    if (status == MPI_SUCCESS) {
        const double seconds = now() - start;
        cpm_progress_begin();
        cpm_persistent_begin();
        cpm_tuned_begin(cpm_names_nonblocking() ? seconds : 0);
        cpm_activity = cpm_tuned_activity();
    }
    return status;
}

static int begin_as_asked(int *argc, char ***argv, int required, int *provided)
{
    initializer *next = (initializer *)dlsym(RTLD_NEXT, "MPI_Init_thread");
    return next ? next(argc, argv, required, provided)
                : PMPI_Init_thread(argc, argv, required, provided);
}

static void say_no_thread(const char *why)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "cpm: --progress (CPM_PROGRESS): there is no thread: %s\n", why);
}

/* The level that MPI gives is the one that the program asked for, or less. */
static int begin_for_thread(int *argc, char ***argv, int required, int *provided)
{
    int given = MPI_THREAD_SINGLE;
    const int status = begin_as_asked(argc, argv, MPI_THREAD_MULTIPLE, &given);
    if (status != MPI_SUCCESS)
        return status;
    *provided = told = required < given ? required : given;
    if (required == MPI_THREAD_MULTIPLE)
        say_no_thread("the program itself asks for MPI_THREAD_MULTIPLE, with which its nonblocking "
                      "calls are MPI's own");
    else if (given != MPI_THREAD_MULTIPLE)
        say_no_thread("it needs MPI_THREAD_MULTIPLE, which this MPI does not give; calls go on "
                      "while the program is in MPI");
    else if (!cpm_tuned_thread_begin())
        say_no_thread("the system gives none; nonblocking calls are MPI's own");
    return status;
}

int MPI_Init(int *argc, char ***argv)
{
    cpm_leave_other_mpi_alone();
    const double start = now();
    if (cpm_tuned_wants_thread())
        return begun(begin_for_thread(argc, argv, MPI_THREAD_SINGLE, &(int){0}), start);
    int (*next)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "MPI_Init");
    return begun(next ? next(argc, argv) : PMPI_Init(argc, argv), start);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    cpm_leave_other_mpi_alone();
    const double start = now();
    return begun(cpm_tuned_wants_thread() ? begin_for_thread(argc, argv, required, provided)
                                          : begin_as_asked(argc, argv, required, provided),
                 start);
}

int MPI_Query_thread(int *provided)
{
    const int status = PMPI_Query_thread(provided);
    if (status == MPI_SUCCESS && told >= 0)
        *provided = told;
    return status;
}

int MPI_Finalize(void)
{
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");
    cpm_tuned_thread_end();
    return next ? next() : PMPI_Finalize();
}
#endif
