/* The clock of a process: MPI_Wtime with its measured resolution, and waiting for a moment. */
#include "mpib/clock.h"

#include <math.h>
#include <sched.h>
#include <time.h>

static double wtime(const mpib_clock *self)
{
    (void)self;
    return MPI_Wtime();
}

/* The least step seen between two readings. MPI_Wtick is a fallback only: some libraries return a
 * constant, and a simulator's clock does not move between two readings. */
static double measured_resolution(const mpib_clock *clock)
{
    double least = INFINITY;
    for (int i = 0; i < 1000; i++) {
        double step = -clock->now(clock);
        step += clock->now(clock);
        if (step > 0 && step < least)
            least = step;
    }
    if (isfinite(least))
        return least;
    return fmax(MPI_Wtick(), 1e-9);
}

static bool wtime_is_global(void)
{
    int *global = NULL, found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &found);
    return found && global && *global;
}

mpib_clock mpib_clock_wtime(void)
{
    mpib_clock clock = {.now = wtime, .shared_on_host = true, .shared_anywhere = wtime_is_global()};
    clock.resolution = measured_resolution(&clock);
    return clock;
}

static void sleep_for(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

double mpib_wait_until(const mpib_clock *clock, const mpib_sync *sync, double start)
{
    enum { PATIENCE = 100 };       /* readings without any progress of the clock */
    const double oversleep = 3e-4; /* what an operating system may add to a sleep */
    double now = mpib_global_time(sync, clock->now(clock));
    if (start - now > 2 * oversleep)
        sleep_for(start - now - oversleep);
    double last = now;
    for (int still = 0; (now = mpib_global_time(sync, clock->now(clock))) < start;) {
        still = now > last ? 0 : still + 1;
        last = now;
        if (still < PATIENCE)
            sched_yield();
        else
            sleep_for(fmax(start - now, clock->resolution));
    }
    return now;
}
