#include "tuned/call/background.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

enum { PAUSE = 20000 }; /* nanoseconds between two looks while the program is not in MPI */

static pthread_mutex_t mutex;
static pthread_cond_t active = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool (*look)(void);
static bool on, ends;
static atomic_uint heard;
static _Thread_local bool is_here;

bool tuned_background_is_on(void)
{
    return on;
}

bool tuned_background_is_here(void)
{
    return is_here;
}

void tuned_background_lock(void)
{
    if (on)
        pthread_mutex_lock(&mutex);
}

void tuned_background_unlock(void)
{
    if (on)
        pthread_mutex_unlock(&mutex);
}

void tuned_background_wake(void)
{
    if (on)
        pthread_cond_signal(&active);
}

void tuned_background_hear(void)
{
    atomic_fetch_add_explicit(&heard, 1, memory_order_relaxed);
}

static void rest(void)
{
    const unsigned before = atomic_load(&heard);
    sched_yield();
    if (atomic_load(&heard) == before)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
}

static void *run(void *unused)
{
    is_here = true;
    pthread_mutex_lock(&mutex);
    while (!ends)
        if (look()) {
            pthread_mutex_unlock(&mutex);
            rest();
            pthread_mutex_lock(&mutex);
        } else {
            pthread_cond_wait(&active, &mutex);
        }
    pthread_mutex_unlock(&mutex);
    return unused;
}

/* Signals are for the program's threads. */
static bool create(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

bool tuned_background_begin(bool (*look_at_active)(void))
{
    pthread_mutexattr_t nested;
    pthread_mutexattr_init(&nested);
    pthread_mutexattr_settype(&nested, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &nested);
    pthread_mutexattr_destroy(&nested);
    look = look_at_active;
    on = create();
    return on;
}

void tuned_background_end(void)
{
    if (!on)
        return;
    pthread_mutex_lock(&mutex);
    ends = true;
    pthread_cond_signal(&active);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    on = false;
}
