/* Nonblocking calls in the checked mode (CPM_CHECK=1): each rank tells rank 0 of the communicator
 * what it says of its call, by a message that nobody waits for. Rank 0 compares what has come
 * whenever it is in a collective, and whenever MPI looks for messages if it can hear of that
 * (tuned/comm/progress.h). It names the first difference on a communicator: later ones may follow
 * from it. When the communicator has ended there it goes on until it has ended at all ranks. Only
 * when MPI ends it waits for what is under way, no longer than some seconds. */
#ifndef CPM_TUNED_CALL_RECORDS_H
#define CPM_TUNED_CALL_RECORDS_H

#include "tuned/call/record.h"
#include "tuned/comm/state.h"

/* Nothing if the state is not checked, or they have begun. Local. */
void tuned_records_begin(tuned_state *t);

/* This rank has made its next nonblocking call, which MPI has taken. r: from tuned_record_make,
 * freed here; NULL: its arguments are not known. Local. */
void tuned_records_give(tuned_state *t, tuned_record *r);

/* Compares what has come. Local. */
void tuned_records_look(tuned_state *t);
void tuned_records_look_at_all(void); /* of the process, while no other thread is in MPI */

/* The communicator ends. */
void tuned_records_end(tuned_state *t);

#endif
