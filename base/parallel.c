/* Threads take the next k until all are taken. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>

enum { MOST_THREADS = 256 };

typedef struct {
    cpm_parallel_function *do_one;
    void *context;
    pthread_mutex_t lock; /* of what follows */
    int next, count;      /* those from next on are not begun; none is behind a failure */
    int failed;           /* the least k that failed, or count */
    int status;
    cpm_error *e;
} work;

static int take(work *w)
{
    pthread_mutex_lock(&w->lock);
    int k = w->next < w->count ? w->next++ : -1;
    pthread_mutex_unlock(&w->lock);
    return k;
}

static void note_failure(work *w, int k, int status, const cpm_error *e)
{
    pthread_mutex_lock(&w->lock);
    if (k < w->failed) {
        w->failed = k;
        w->status = status;
        if (w->e)
            *w->e = *e;
    }
    w->count = w->next; /* what was begun is ended: it may be a lesser k that fails */
    pthread_mutex_unlock(&w->lock);
}

static void *do_some(void *context)
{
    work *w = context;
    for (int k = take(w); k >= 0; k = take(w)) {
        cpm_error e = {0};
        int status = w->do_one(w->context, k, &e);
        if (status)
            note_failure(w, k, status, &e);
    }
    return NULL;
}

int cpm_threads(int threads)
{
    cpu_set_t own;
    if (threads > 0)
        return threads;
    return sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : 1;
}

int cpm_parallel(int count, int threads, cpm_parallel_function *do_one, void *context, cpm_error *e)
{
    work w = {.do_one = do_one, .context = context, .count = count, .failed = count, .e = e};
    pthread_t thread[MOST_THREADS];
    int begun = 0, wanted = cpm_threads(threads);
    if (wanted > count)
        wanted = count;
    pthread_mutex_init(&w.lock, NULL);
    while (begun + 1 < wanted && begun < MOST_THREADS &&
           pthread_create(&thread[begun], NULL, do_some, &w) == 0)
        begun++;
    do_some(&w);
    for (int k = 0; k < begun; k++)
        pthread_join(thread[k], NULL);
    pthread_mutex_destroy(&w.lock);
    return w.status;
}
