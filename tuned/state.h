/* What is known of a communicator: who decides there, what was decided, its private communicator.
 *
 * It hangs on the communicator as an attribute, so it ends with it and is not inherited. A
 * communicator's collectives are called one after the other, so its state needs no lock. */
#ifndef CPM_TUNED_STATE_H
#define CPM_TUNED_STATE_H

#include "tuned/decisions.h"

struct tuned_state {
    MPI_Comm comm;   /* the application's; only collectives may be called there */
    MPI_Comm inside; /* of the same ranks, for messages within collectives; MPI_COMM_NULL before */
    int n, rank;
    bool native;            /* MPI's own routines for everything */
    cpm_selector *selector; /* rank 0, which decides; elsewhere NULL */
    cpm_model *model;       /* of the ranks, if selector borrows it */
    size_t *sizes;          /* [n] bytes of blocks of the call at hand */
    size_t *counts[2];      /* [n] of the call at hand: to send, to receive */
    ptrdiff_t *displacements[2];
    tuned_decisions decisions;
    tuned_state *previous, *next; /* all states of the process, for the report */
};

/* The state of a communicator, made at its first call if the environment is active; NULL: nothing
 * is to be decided there. The first call is collective. */
tuned_state *tuned_state_of(MPI_Comm comm);

/* The state with another model: see cpm_use_model. */
int tuned_state_use_model(MPI_Comm comm, const cpm_model *m, cpm_error *e);

/* Whether it is so on every rank. Collective. */
bool tuned_all(MPI_Comm comm, bool own);

/* Makes state->inside. Collective; false on every rank if MPI has no communicator left. */
bool tuned_state_open_inside(tuned_state *t);

#endif
