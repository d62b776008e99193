/* Idle ranks give the processor away: MPICH over UCX polls without end, and with more ranks than
 * cores every message then waits for the end of a time slice (4 to 8 ms instead of microseconds).
 *
 * MPICH calls ucp_worker_progress through the dynamic linker, and an executable that exports this
 * symbol is asked first. Where UCX is not in use nobody calls it. */
#include "mpib/yield.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

/* Polls in vain; microseconds. */
enum { PATIENT = 20, NAP = 50, LONGEST_NAP = 1000 };

/* State of the process by nature: an interposed function has no argument to carry it. */
static atomic_bool yielding = true;

void mpib_yield_when_idle(bool on)
{
    atomic_store_explicit(&yielding, on, memory_order_relaxed);
}

typedef unsigned progress_function(void *worker);

static progress_function *next_progress(void)
{
    static _Atomic(progress_function *) next;
    progress_function *found = atomic_load_explicit(&next, memory_order_relaxed);
    if (found)
        return found;
    *(void **)&found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    atomic_store_explicit(&next, found, memory_order_relaxed);
    return found;
}

/* Polls in vain since the last event. */
static _Thread_local int idle;

/* Where many yield in turn, that takes most of the processor from those that work: who has waited
 * for long sleeps, and the longer the longer. */
static void give_away(void)
{
    if (++idle <= PATIENT) {
        sched_yield();
        return;
    }
    long nap = NAP + (long)NAP * (idle - PATIENT) / 8;
    if (nap >= LONGEST_NAP) {
        nap = LONGEST_NAP;
        idle--;
    }
    nanosleep(&(struct timespec){.tv_nsec = nap * 1000}, NULL);
}

CPM_API unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    progress_function *next = next_progress();
    unsigned events = next ? next(worker) : 0;
    if (events || !atomic_load_explicit(&yielding, memory_order_relaxed))
        idle = 0;
    else
        give_away();
    return events;
}
