/* The clock of a process: MPI_Wtime with its measured resolution, and waiting for a moment. */
#include "mpib/clock.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static double wtime(const mpib_clock *self)
{
    (void)self;
    return MPI_Wtime();
}

enum { STEPS = 1000 };

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Steps between two readings, ascending. */
static void measure_steps(const mpib_clock *clock, double steps[STEPS])
{
    for (int i = 0; i < STEPS; i++) {
        steps[i] = -clock->now(clock);
        steps[i] += clock->now(clock);
    }
    qsort(steps, STEPS, sizeof *steps, ascending);
}

/* The least step seen between two readings. MPI_Wtick is a fallback only: some libraries return a
 * constant, and a simulator's clock does not move between two readings. */
static double least_step(const double steps[STEPS])
{
    for (int i = 0; i < STEPS; i++)
        if (steps[i] > 0)
            return steps[i];
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
    double steps[STEPS];
    measure_steps(&clock, steps);
    clock.resolution = least_step(steps);
    clock.reading = steps[STEPS / 2];
    return clock;
}

void mpib_compute_for(const mpib_clock *clock, double seconds)
{
    if (!(clock->reading > 0) || !(seconds > 0))
        return;
    double begin = clock->now(clock);
    while (clock->now(clock) - begin < seconds)
        continue;
}

/* No less: where only sleeping moves the clock, what is left of a nanosecond costs another sleep.
 */
static void sleep_for(double seconds)
{
    double whole = floor(seconds), nanoseconds = fmin(ceil((seconds - whole) * 1e9), 999999999);
    struct timespec t = {.tv_sec = (time_t)whole, .tv_nsec = (long)nanoseconds};
    nanosleep(&t, NULL);
}

void mpib_pass_time(const mpib_clock *clock, double seconds)
{
    if (clock->reading > 0)
        mpib_compute_for(clock, seconds);
    else if (seconds > 0)
        sleep_for(seconds);
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
        if (clock->yields)
            sched_yield();
        still = now > last ? 0 : still + 1;
        last = now;
        if (still >= PATIENCE)
            sleep_for(fmax(start - now, clock->resolution));
    }
    return now;
}
