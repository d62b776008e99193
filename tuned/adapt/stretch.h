/* Choices for nonblocking calls, by the program's own time. What such a call costs is not the time
 * from its beginning to its end, in which the program may compute. So calls of a kind are compared
 * by their stretches: the seconds from the beginning of one to that of the next of its kind,
 * whatever the program does there. What is spent, in ledgers and reports, are the seconds to the
 * next nonblocking call of any kind: no second is counted twice.
 *
 * A nonblocking call may not wait for others. So the ranks meet in blocking calls for which all
 * wait anyway: there the engine hears what was seen, and what is tried changes. Where none come
 * they meet step by step while the program goes on (tuned/call/meeting.h), once the communicator is
 * open or prepared (open.h). */
#ifndef CPM_TUNED_ADAPT_STRETCH_H
#define CPM_TUNED_ADAPT_STRETCH_H

#include "tuned/adapt/adapt.h"

/* Whether nonblocking calls of a communicator with that state are judged. */
bool tuned_stretch_serves(const tuned_state *t);

/* Calls like one that MPI's own routine runs, which need only be counted. */
typedef struct {
    long *counted;
    const long *most; /* as long as *counted is not above it */
} tuned_uncounted;

/* Such a call begins, whoever knows its sizes. NULL, or one without an algorithm: MPI's
 * own routine runs it. */
tuned_decision *tuned_stretch_turn(tuned_state *t, const cpm_request *r, const mpib_arguments *with,
                                   tuned_uncounted *like_it);

/* A persistent call is started, which has that number (starts.h). NULL or one without an algorithm,
 * likewise. MPI has refused it: it was none. */
tuned_decision *tuned_stretch_start(tuned_state *t, const cpm_request *r);
void tuned_stretch_start_failed(tuned_adapt *a, const cpm_request *r);

/* STAR's policies: what has no candidates yet gets some. In a blocking call for which all wait. */
void tuned_stretch_offer(tuned_state *t);

/* What the ranks did for so many seconds belongs to no stretch. */
void tuned_stretch_leave_out(tuned_adapt *a, double seconds);

/* Whether the ranks are to meet: all know at the same blocking call. */
bool tuned_stretch_is_due(const tuned_adapt *a);

/* In a blocking call for which all wait. */
void tuned_stretch_meet(tuned_state *t);

/* The ranks have met for something else: stretches in which they did so tell nothing. Those of
 * persistent calls go on, as all ranks need as many of them. */
void tuned_stretch_break(tuned_adapt *a);

/* Kinds of nonblocking calls in an order that is the same on all ranks: the first that is so; NULL:
 * none is. is: what all know alike. */
tuned_context *tuned_stretch_first(const tuned_adapt *a, bool (*is)(const tuned_context *));

/* Whether a period of such a kind is over. */
bool tuned_stretch_is_over(const tuned_context *x);

/* At rank 0: a kind, of persistent calls or of others, that has no candidates yet; NULL: there is
 * none. */
const tuned_context *tuned_stretch_without_candidates(const tuned_adapt *a, bool persistent);

#endif
