/* Persistent collectives (MPI 4) by CPM's own algorithms: decided and planned once, where they are
 * made, which may wait for others; then started any number of times. The request that the
 * application gets is MPI's own persistent one, of a message to oneself that the end of a run
 * sends: it is waited for, tested and freed as any other. Where all functions that ask for its end
 * ask here before, MPI's request is started when one of them does, and never by MPI_Wait and
 * MPI_Waitall, which run the rest of the schedule. */
#ifndef CPM_TUNED_CALL_PERSISTENT_H
#define CPM_TUNED_CALL_PERSISTENT_H

#include "tuned/comm/state.h"

/* Decisions are forgotten: no report gets what is started from now on. */
void tuned_persistent_forget(tuned_state *t);

#endif
