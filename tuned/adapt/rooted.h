/* Scatterv and gatherv that adapt: the root alone knows sizes.
 *
 * Their calls are a kind for each root, whatever the sizes. The root tells those of a call when
 * candidates are worked out (offer.h), and these are compared only as long as calls are like
 * that one: when statistics are exchanged the root says whether they were. Every way to run them is
 * right for any sizes: by an algorithm in which a process needs to know its own only
 * (CPM_OWN_SIZE), or as in executor/any_sizes.h. */
#ifndef CPM_TUNED_ADAPT_ROOTED_H
#define CPM_TUNED_ADAPT_ROOTED_H

#include "executor/collective.h"
#include "tuned/adapt/adapt.h"

static inline bool tuned_is_rooted(const cpm_operation *o)
{
    return o->sizes == CPM_KNOWN_TO_ROOT;
}

/* Nonblocking calls cannot wait for what a root tells: their kind has whatever sizes. */
static inline bool tuned_is_told_by_root(const tuned_kind *k)
{
    return !k->begun && tuned_is_rooted(k->operation);
}

/* Before a call of scatterv or gatherv: its root keeps the sizes, and notes in x, if there is one
 * with candidates, whether they are unlike those that were told. */
void tuned_rooted_note(tuned_state *t, tuned_context *x, const mpib_arguments *a);

/* A call of scatterv or gatherv, of which this rank was the root, has taken so long. */
void tuned_rooted_count(tuned_adapt *a, const cpm_operation *o, double seconds);

/* What a root knows of its calls. */
typedef struct {
    bool known; /* the sizes of one */
    /* Where it waited in some far longer than in others: the mean seconds of calls, and what they
     * may take if senders do not get in each other's way; else 0. */
    double native, calm;
    /* Calls so far, all by MPI's own routine: how many, their seconds, and those of the last ones.
     */
    long calls;
    double seconds, last[CPM_ADAPT_KEPT];
} tuned_heard;

/* Whether calls are compared by what the root takes, instead of by the mean of all ranks: others
 * may leave early, and wait in what follows until the root has got everything. */
static inline bool tuned_is_of_root(const cpm_operation *o)
{
    return o == &cpm_operations[CPM_OP_GATHERV];
}

/* All learn that of a root, and the sizes of its last call with data into t->sizes. Collective. */
tuned_heard tuned_rooted_tell(const tuned_state *t, const cpm_operation *o, int root);

/* x keeps the sizes of t->sizes, and room for plans. False: no memory. */
bool tuned_rooted_enter(const tuned_state *t, tuned_context *x);

/* The plan of candidate who for any sizes; NULL: it is planned with what this rank knows of
 * this call. CPM_ENOMEM and the like. Local. */
int tuned_rooted_plan(const tuned_state *t, const tuned_context *x, int who,
                      const mpib_arguments *a, mpib_collective **out);

#endif
