/* What one rank tells all others on the private communicator of a state, without waiting for them:
 * a rank that takes no part in a call, because MPI refuses its arguments there, hears it at a later
 * one. Messages of one rank and tag are heard in the order in which they were told. */
#ifndef CPM_TUNED_COMM_NOTIFY_H
#define CPM_TUNED_COMM_NOTIFY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tuned_state tuned_state;
typedef struct tuned_notice tuned_notice;

/* Tags of what is told; those of calls follow. */
enum {
    TUNED_TAG_DECISION = 1,
    TUNED_TAG_SCATTERV,
    TUNED_TAG_GATHERV,
    TUNED_TAG_RECORD,
    TUNED_FIRST_TAG = 128
};

/* The tag of the messages of this call, by its number within its operation and root: hardly any
 * other has it, or the three after it. An erroneous call may leave messages behind: no later call
 * receives them. Its late messages have the next tag (executor/any_sizes.h). told: in this call a
 * decision was told. */
int tuned_tag(const tuned_state *t, bool told);

/* The tag of the next nonblocking call by CPM's algorithms: thousands of them may be under way. */
int tuned_tag_of_begun(tuned_state *t);

/* That of the call with this number (t->begun), once there is a private communicator. */
int tuned_tag_of_begun_at(const tuned_state *t, uint64_t number);

/* Tells all other ranks; the bytes are copied. Without memory for that it waits until all have
 * heard it. */
void tuned_notify(tuned_state *t, int tag, const void *bytes, size_t size);

/* The same to one rank, another one. */
void tuned_notify_rank(tuned_state *t, int rank, int tag, const void *bytes, size_t size);

/* Waits for what a rank tells next, at most size bytes. */
void tuned_take_notice(const tuned_state *t, int rank, int tag, void *bytes, size_t size);

/* Whether a message is there. */
bool tuned_has_notice(const tuned_state *t, int rank, int tag);

/* Receives what was told and never needed; what others have not received yet stays in memory until
 * the process ends. */
void tuned_notices_clear(tuned_state *t);

#endif
