/* The time that a rank takes to run a plan. */
#ifndef CPM_MPIB_STOPWATCH_H
#define CPM_MPIB_STOPWATCH_H

#include "executor/execute.h"
#include "mpib/clock.h"

/* What a rank's time is taken by. */
typedef struct {
    const mpib_clock *clock;
    double pause;  /* seconds that it computes before it sends what follows a receive; 0: none */
    double paused; /* set to the seconds that it did */
    char *written; /* the last value of what is sent, for CPM_REWRITE; NULL: that does nothing */
} mpib_stopwatch;

/* mpib_plan_run, and sets the seconds of this rank's time unless it fails: from CPM_START to
 * CPM_STOP if it has these steps, pauses included. */
int mpib_plan_time(mpib_plan *p, char *const bases[MPIB_BASES], mpib_stopwatch *watch,
                   MPI_Comm comm, int tag, double *seconds);

#endif
