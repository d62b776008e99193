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

/* What was kept ends, while MPI works. */
void tuned_inside_free(tuned_state *t);

#endif
