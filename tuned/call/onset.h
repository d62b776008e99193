/* From which nonblocking call on something holds that no blocking call has settled. A nonblocking
 * call may not wait for others, which may have come to other calls already. So:
 *
 * 1. All begin, at the same call, what nobody waits for: a barrier, or more before it (meeting.h).
 * 2. A rank that sees the barrier ended knows that all take part, and that all that came before is
 *    behind them. It says the number of the next call that it will begin: the ranks begin to find
 *    the greatest of these numbers.
 * 3. What was agreed on holds from some calls after that number on. A rank may begin so many calls
 *    after it has said its number: they are older than that whatever the others say. One that
 *    begins more, and has not heard of the others, waits for them. They can say their number
 *    whenever they are in MPI.
 *
 * A blocking call for which all wait ends it at once.
 *
 * Where a thread of CPM's goes on with calls (background.h) it goes on with the barrier and the
 * numbers, too. What comes before is none of its own: the program's thread goes on with it when it
 * begins a call, and no rank waits for that. */
#ifndef CPM_TUNED_CALL_ONSET_H
#define CPM_TUNED_CALL_ONSET_H

#include "tuned/comm/state.h"

/* ---- whatever is to hold */

/* All begin it, on the private communicator, when what comes before the barrier is under way;
 * gathers: goes on with that, and returns whether it has ended; NULL: nothing comes before. It may
 * set t->onset.most.failed. */
void tuned_onset_begin(tuned_state *t, bool (*gathers)(tuned_state *t));

/* Whether the next call that is counted is one of an onset. */
bool tuned_onset_is_on(const tuned_state *t);

/* A call of that number begins: whether what was agreed on holds from it on, at all ranks. */
bool tuned_onset_holds(tuned_state *t, long call);

/* The same of several series of calls (round.h): o has its comm, gathers and series. A call of one
 * of them begins: whether all have agreed by now. Then it is to be ended, and holds from such a
 * call of each series on. */
void tuned_onset_enter(tuned_onset *o, tuned_state *t);
bool tuned_onset_is_agreed(tuned_onset *o, int series, long call);
void tuned_onset_end(tuned_onset *o);
long tuned_onset_from(const tuned_onset *o, int series);
bool tuned_onset_is_open(const tuned_onset *o);

/* In a blocking call: waits until all agree, so that it holds from that one on. Whether anything
 * was under way. */
bool tuned_onset_wait(tuned_state *t);

/* ---- decisions that nonblocking calls need */

/* In a nonblocking call that was counted, before it is decided on. What holds from it on can be
 * found; what is wanted is told: by rank 0, in that call. Returns whether something holds that did
 * not. */
bool tuned_onset_call(tuned_state *t);

/* In a blocking call for which all wait: what was told holds from it on. */
void tuned_onset_settle(tuned_state *t);

/* ---- all */

/* All processes of MPI_COMM_WORLD say that they will do so: at the end of MPI who is early then
 * waits for the others, as MPI itself mostly does. */
void tuned_onset_watch(void);

/* What is under way when MPI ends is waited for, before whoever has asked for that end. */
void tuned_onset_watch_end(void);

/* All go on as far as messages have come, and as the caller's thread may; returns whether any has
 * not ended with which CPM's thread may go on. Not while MPI's own state is in use. The other one
 * also lets go what has ended, and is none of CPM's thread. */
bool tuned_onset_advance_all(void);
void tuned_onset_look_at_all(void);

/* All ranks forget what was decided: what is under way is waited for. Not where a communicator
 * ends: there it goes on. */
void tuned_onset_forget(tuned_state *t);

#endif
