/* Clocks, and one global time from many local clocks. */
#ifndef CPM_MPIB_CLOCK_H
#define CPM_MPIB_CLOCK_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"

/* A clock of this process. Tests give every rank a wrong one. */
typedef struct mpib_clock {
    double (*now)(const struct mpib_clock *self); /* seconds */
    double resolution;                            /* seconds, above 0 */
    double reading; /* seconds that a reading takes: every interval contains it once */
    void *context;
    bool shared_on_host;  /* the processes of one machine probably read the same clock */
    bool shared_anywhere; /* all processes probably do; synchronising verifies either claim */
    bool yields; /* who waits for a moment gives its processor to others, as ranks share them */
} mpib_clock;

/* MPI_Wtime, its resolution and reading measured. */
mpib_clock mpib_clock_wtime(void);

/* Local time -> time of rank 0's clock: global = local + offset + drift * (local - since). */
typedef struct {
    double offset; /* seconds */
    double drift;  /* seconds per second; 0 until measured twice */
    double since;  /* local time of the first synchronisation */
    double error;  /* bound on |global - true| at the last synchronisation: half the shortest round
                      trip plus the resolutions, or the resolutions alone if the clock is rank 0's
                      own; seconds; 0: never synchronised */
} mpib_sync;

/* Synchronises all ranks with rank 0: round trips, so many with each, the shortest of which bounds
 * the offset. A clock
 * that is said to be shared with rank 0 keeps offset 0, unless a round trip contradicts it: on
 * links that are slower one way than the other no round trip could find that out. *sync is all zero
 * before the first call. Called again later with the same sync, it also estimates the drift, once
 * the change of the offset can be told from the error. sync->error is set on every rank,
 * *worst (may be NULL) to the largest of all on every rank. Collective. CPM_EMPI. */
enum { MPIB_SYNC_TRIPS = 50, MPIB_SYNC_FEW_TRIPS = 6 };
int mpib_synchronize(MPI_Comm comm, const mpib_clock *clock, int trips, mpib_sync *sync,
                     double *worst, cpm_error *e);

double mpib_global_time(const mpib_sync *sync, double local);

/* Computes for so many seconds: like mpib_wait_until, but never sleeps, so for short times only,
 * and not at all by a clock that takes no time to read (a simulator's). Local. */
void mpib_compute_for(const mpib_clock *clock, double seconds);

/* The same, but where a clock moves only while somebody sleeps this process does. */
void mpib_pass_time(const mpib_clock *clock, double seconds);

/* Waits until global time start: sleeps while it is far, then spins, as a process that gives way
 * comes back later than a message through memory takes, and with cold caches; with bounded
 * patience, so that a clock which only moves while somebody sleeps (a simulator's) is waited for
 * too. By a clock that yields it gives way all the same: others may have to run to get here.
 * Returns the global time at which it noticed. Local. */
double mpib_wait_until(const mpib_clock *clock, const mpib_sync *sync, double start);

#endif
