/* Choices for persistent calls, by the program's own time, as for nonblocking ones (stretch.h):
 * each start is a call. But MPI demands an order only of the functions that make persistent calls:
 * "Once initialized, persistent collective operations can be started in any order and the order can
 * differ among the MPI processes in the communicator" (MPI 4.1, 7.13), and also about blocking
 * calls. So each persistent call is a kind of its own, with a number by the order in which they
 * were made, and who runs a start depends on nothing but its number among the starts of that call.
 *
 * What is tried begins and changes from a start on that all ranks agree on in rounds
 * (tuned/call/round.h). Persistent calls have a ledger of their own.
 *
 * The request of a call that is judged cannot be MPI's own, also while MPI's own routine runs it:
 * that takes up to a microsecond a start. So short calls are not judged. */
#ifndef CPM_TUNED_ADAPT_STARTS_H
#define CPM_TUNED_ADAPT_STARTS_H

#include "tuned/adapt/adapt.h"
#include "tuned/environment.h"

/* Whether persistent calls of a communicator with that state may be judged; all ranks know alike.
 * With the thread for progress they are not: MPICH 4.0.2 may lose the message to itself by which
 * the thread ends a start that MPI's own routine has run. */
static inline bool tuned_starts_serve(const tuned_state *t)
{
    return t->adapt->policy != CPM_ADAPT_THRESHOLD && !t->checked &&
           !tuned_environment_get()->progress;
}

/* A persistent call is made: its number, from 1 on; 0: it stays MPI's own, as it may be too short,
 * or there are too many. The same on all ranks. Collective. */
int tuned_starts_enter(tuned_state *t, const cpm_request *r);

#endif
