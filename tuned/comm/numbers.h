/* The numbers of calls of a communicator.
 *
 * Every call of a collective has a number, the same on all ranks, and another one among those of
 * its operation and root. A call that MPI refuses at a rank has none there: other ranks may make no
 * call at all, or one that this rank makes good next, and nobody can tell them from those that go
 * on without it. Messages carry the number within operation and root: what an erroneous call leaves
 * behind is never taken for a later one's, and a rank that did not take part in a call is out of
 * step with calls of that operation and root alone, as it is with MPI's own routines. */
#ifndef CPM_TUNED_COMM_NUMBERS_H
#define CPM_TUNED_COMM_NUMBERS_H

#include "base/hash.h"
#include "tuned/comm/state.h"

/* This call of that operation and root is the next one; the other ranks know it by the same number.
 */
void tuned_numbers_count(tuned_state *t, const cpm_operation *o, int root);

/* What messages of a call carry: number: of those of that operation and root, which have the stream
 * tuned_numbers_stream. */
static inline uint64_t tuned_numbers_in(uint64_t stream, uint16_t number)
{
    return cpm_hash_mix(stream, number);
}
uint64_t tuned_numbers_stream(const tuned_state *t, const cpm_operation *o, int root);

/* Where calls of that operation and root are counted. */
uint16_t *tuned_numbers_place(const tuned_state *t, const cpm_operation *o, int root);

/* The number of the last call of that operation and root among these, from another one on in each
 * communicator. */
unsigned tuned_numbers_run(const tuned_state *t, const cpm_operation *o, int root);

/* The last call that was counted was none: MPI has refused it after all. */
void tuned_numbers_uncount(tuned_state *t, const cpm_operation *o, int root);

/* All count from the same number on. */
void tuned_numbers_from(tuned_state *t, long call);

/* The highest number that a call had in a communicator that has ended; it ends with t. */
long tuned_numbers_last(void);
void tuned_numbers_end(const tuned_state *t);

#endif
