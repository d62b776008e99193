/* Who is called whenever MPI looks for messages: nonblocking calls by CPM's algorithms go on there.
 *
 * MPICH over UCX calls ucp_worker_progress through the dynamic linker, and a preloaded library is
 * asked first; libcpm-yield may be the next. Open MPI calls whoever registers. MPICH over another
 * layer calls nobody: nonblocking calls are its own there. */
#include "tuned/preload/progress.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#include "cpm/cpm_mpi.h"

static int calls; /* under way */

#ifdef OPEN_MPI

static int look_after_calls(void)
{
    if (calls)
        cpm_tuned_advance(true);
    return 0;
}

void cpm_progress_begin(void)
{
    int (*add)(int (*)(void)) = NULL;
    *(void **)&add = dlsym(RTLD_DEFAULT, "opal_progress_register");
    if (add && add(look_after_calls) == 0)
        cpm_tuned_progresses(&calls);
}

#else

typedef unsigned progress_function(void *worker);

static progress_function *next;

static void find_next(void)
{
    *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
}

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    if (!next)
        find_next();
    const unsigned events = next ? next(worker) : 0;
    if (calls)
        cpm_tuned_advance(events > 0);
    return events;
}

void cpm_progress_begin(void)
{
    cpm_tuned_progresses(&calls);
}

#endif
