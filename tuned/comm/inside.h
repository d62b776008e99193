/* The private communicator of a state, for messages within collectives. */
#ifndef CPM_TUNED_COMM_INSIDE_H
#define CPM_TUNED_COMM_INSIDE_H

#include "tuned/comm/state.h"

/* Whether this process may have another one, or has it. Local. */
bool tuned_inside_has_room(const tuned_state *t);

/* MPI may have no communicator left, which is no error of the application's: false. Collective. */
bool tuned_inside_make(tuned_state *t);

/* All have made it, and keep it, or give it back. */
void tuned_inside_keep(tuned_state *t);
void tuned_inside_drop(tuned_state *t);

/* Another one, t->aside, for what no rank orders by its calls, if all ranks have room, and are able
 * to otherwise. Whether it is there. Collective. */
bool tuned_inside_another(tuned_state *t, bool able);

/* Whom to ask whether MPI takes types and operations, as errors are returned there: the private
 * communicator or, before there is one, one of this process alone, until tuned_inside_asked, by one
 * thread at a time. MPI_COMM_NULL: nobody, as simulated processes share what is static. */
MPI_Comm tuned_inside_ask(const tuned_state *t);
void tuned_inside_asked(const tuned_state *t);

/* The one of this process alone ends until it is asked again. MPICH 4.0 has room for four
 * communicators; the next one takes it 3.5 ms. */
void tuned_inside_make_room(void);

/* What was kept ends, while MPI works. */
void tuned_inside_free(tuned_state *t);

#endif
