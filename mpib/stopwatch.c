#include "mpib/stopwatch.h"

#include <math.h>

typedef struct {
    mpib_stopwatch *watch;
    const mpib_plan *plan;
    char *const *bases;
    double begin, start, stop; /* local times; stop is negative until it is known */
} moments;

static double now(const moments *w)
{
    return w->watch->clock->now(w->watch->clock);
}

static void pass_mark(void *context, cpm_step_kind kind)
{
    static const mpib_sync local = {0};
    moments *w = context;
    if (kind == CPM_MERGE || kind == CPM_RENEW) /* a reading of the clock takes as long */
        return;
    const double time = now(w);
    if (kind == CPM_START)
        w->start = time;
    else if (kind == CPM_STOP)
        w->stop = time;
    else if (kind == CPM_REWRITE && w->watch->written)
        mpib_plan_write_sent(w->plan, w->bases, ++*w->watch->written);
    else if (kind == CPM_WAIT)
        mpib_wait_until(w->watch->clock, &local, time + 2 * (time - w->begin));
}

/* Its length has a reading of the clock in it, too, that a message behind it waits for. */
static void pause_before(void *context)
{
    moments *w = context;
    mpib_stopwatch *watch = w->watch;
    if (!(watch->pause > 0) || !(watch->clock->reading > 0))
        return;
    const double begin = now(w);
    mpib_compute_for(watch->clock, watch->pause);
    watch->paused += now(w) - begin + watch->clock->reading;
}

int mpib_plan_time(mpib_plan *p, char *const bases[MPIB_BASES], mpib_stopwatch *watch,
                   MPI_Comm comm, int tag, double *seconds)
{
    moments w = {.watch = watch, .plan = p, .bases = bases, .stop = -1};
    const mpib_observer observer = {pass_mark, pause_before, &w};
    w.begin = w.start = now(&w);
    watch->paused = 0;
    int failed = mpib_plan_observe(p, bases, &observer, comm, tag);
    if (!failed)
        *seconds = fmax(0, (w.stop < 0 ? now(&w) : w.stop) - w.start - watch->clock->reading);
    return failed;
}
