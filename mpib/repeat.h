/* Repetitions of one experiment between a measuring process and its helpers. */
#ifndef CPM_MPIB_REPEAT_H
#define CPM_MPIB_REPEAT_H

#include <mpi.h>

#include "base/error.h"
#include "base/statistics.h"
#include "mpib/clock.h"

typedef struct {
    int measurer;
    int helper[2];
    int helpers;
    double (*run)(void *context); /* this rank's part; returns its seconds, or with an answer_pause
                                     at a helper those that it paused */
    void *context;
    double pause; /* seconds that all compute before each repetition: messages through memory are
                     faster one behind the other than after other work; 0: none */
    double answer_pause; /* the same before a helper answers, which is then taken off; 0: none */
    const mpib_clock *clock; /* of the pause; the measurer's p->max_seconds pass by it */
} mpib_exchange;

/* Runs x until it is precise enough. All its processes call this, nobody else; the others may do
 * the same with exchanges of their own. At the measurer samples[p->max_reps] and *reps are set.
 * Never returns early: a failure of the statistics (CPM_ENOMEM) stops the repetitions of all its
 * processes and is returned at the measurer. */
int mpib_repeat(MPI_Comm comm, const mpib_exchange *x, const cpm_precision *p, double *samples,
                int *reps, cpm_error *e);

/* The same of several experiments that are to begin at the same moment: before each repetition all
 * processes of comm meet, then those of a host again (here; MPI_COMM_NULL: they are not known), and
 * all experiments are repeated until each is precise. x: the own one, NULL: none; its pauses are
 * not made. Collective. */
int mpib_repeat_together(MPI_Comm comm, MPI_Comm here, const mpib_exchange *x,
                         const cpm_precision *p, double *samples, int *reps, cpm_error *e);

#endif
