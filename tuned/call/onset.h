/* From which call on decisions hold that nonblocking calls need and no blocking call has made. A
 * nonblocking call may not wait for others, which may have come to other calls already. So:
 *
 * 1. Where all know that something is wanted, rank 0 tells its decision, and all begin a barrier
 *    that nobody waits for.
 * 2. A rank that sees the barrier ended knows that all take part. It says the number of the next
 *    call that it will begin: the ranks begin to find the greatest of these numbers.
 * 3. The decision holds from some calls after that number on. A rank may begin so many calls after
 *    it has said its number: they are older than the decision whatever the others say. One that
 *    begins more, and has not heard of the others, waits for them. They can say their number
 *    whenever they are in MPI.
 *
 * A blocking call for which all wait ends it at once. */
#ifndef CPM_TUNED_CALL_ONSET_H
#define CPM_TUNED_CALL_ONSET_H

#include "tuned/comm/state.h"

/* In a nonblocking call that was counted, before it is decided on. What holds from it on can be
 * found; what is wanted is told. Returns whether something holds that did not. */
bool tuned_onset_call(tuned_state *t);

/* In a blocking call for which all wait: what was told holds from it on. */
void tuned_onset_settle(tuned_state *t);

/* All go on as far as messages have come; returns whether any has not ended. Not while MPI's own
 * state is in use. The other one also lets go what has ended, and is none of CPM's thread. */
bool tuned_onset_advance_all(void);
void tuned_onset_look_at_all(void);

/* All ranks forget what was decided: what is under way is waited for. */
void tuned_onset_forget(tuned_state *t);

#endif
