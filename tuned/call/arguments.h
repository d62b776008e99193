/* What MPI's own routines refuse before they send anything. It is left to them: they know how to
 * complain, and the other ranks are not asked. */
#ifndef CPM_TUNED_SOUND_H
#define CPM_TUNED_SOUND_H

#include "tuned/call/call.h"

/* Whether MPI takes these arguments at this rank. Converts the arrays, which may be NULL, into the
 * state's and sets the counts and displacements of both sides. send, recv: the caller's. Local. */
bool tuned_arguments_are_right(tuned_state *t, mpib_arguments *a, const tuned_arrays *arrays,
                               const void *send, const void *recv);

/* The part of it that asks nothing of MPI: root, counts, no types that are none. Local. */
bool tuned_counts_are_right(const tuned_state *t, mpib_arguments *a, const tuned_arrays *arrays);

#endif
