/* Clocks, and one global time from many local clocks. */
#ifndef CPM_MPIB_CLOCK_H
#define CPM_MPIB_CLOCK_H

#include <mpi.h>

#include "mpib/base/error.h"

/* A clock of this process. Tests give every rank a wrong one. */
typedef struct mpib_clock {
    double (*now)(const struct mpib_clock *self); /* seconds */
    double resolution;                            /* seconds */
    void *context;
} mpib_clock;

/* MPI_Wtime, its resolution measured. */
mpib_clock mpib_clock_wtime(void);

/* Local time -> time of rank 0's clock: global = local + offset + drift * (local - since). */
typedef struct {
    double offset; /* seconds */
    double drift;  /* seconds per second; 0 until measured twice */
    double since;  /* local time of the first synchronisation */
    double error;  /* bound on |global - true| at the last synchronisation: half the shortest round
                      trip plus the resolutions; seconds */
} mpib_sync;

/* Synchronises all ranks with rank 0: round trips, the shortest of which bounds the offset. Called
 * again later with the same sync, it also estimates the drift. sync->error is set on every rank,
 * *worst (may be NULL) to the largest of all on every rank. Collective. CPM_EMPI. */
int mpib_synchronize(MPI_Comm comm, const mpib_clock *clock, mpib_sync *sync, double *worst,
                     cpm_error *e);

double mpib_global_time(const mpib_sync *sync, double local);

#endif
