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
#include <stdint.h>
#include <time.h>

/* Nanoseconds: after so long in vain a rank sleeps; at most so long. */
enum { PATIENT = 1000000, LONGEST_NAP = 1000000 };

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

/* Of this thread, nanoseconds: when it began to wait, and was last seen to; 0: it does not. */
static _Thread_local int64_t since, last;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000 * (int64_t)t.tv_sec + t.tv_nsec;
}

/* Where many yield in turn, that takes most of the processor from those that work: who has waited
 * for long sleeps, for an eighth of the time that it has waited, so that it is late by little. */
static void give_away(void)
{
    int64_t t = now();
    if (t - last > PATIENT) /* something else was done meanwhile */
        since = t;
    int64_t nap = (t - since) / 8;
    if (t - since < PATIENT)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = nap < LONGEST_NAP ? nap : LONGEST_NAP}, NULL);
    last = now();
}

CPM_API unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    progress_function *next = next_progress();
    unsigned events = next ? next(worker) : 0;
    if (events || !atomic_load_explicit(&yielding, memory_order_relaxed))
        last = 0;
    else
        give_away();
    return events;
}
