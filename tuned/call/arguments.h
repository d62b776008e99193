/* The arguments of a call are looked at once, before anything else: what is found is passed on.
 * What MPI's own routines refuse before they send anything is left to them: they know how to
 * complain, and the other ranks are not asked. */
#ifndef CPM_TUNED_CALL_ARGUMENTS_H
#define CPM_TUNED_CALL_ARGUMENTS_H

#include <limits.h>

#include "executor/layout.h"
#include "tuned/comm/neighbours.h"
#include "tuned/comm/state.h"

/* MPI's arrays of an operation with counts of each block. */
typedef struct {
    tuned_side_arrays send, recv;
} tuned_arrays;

typedef struct {
    bool right;   /* MPI takes them at this rank; else the rest says nothing */
    bool lasting; /* types and operation are MPI's own, whose handles always mean the same */
    bool ordered; /* the operation does not commute */
} tuned_checked;

/* Converts the arrays, which may be NULL, into the state's and sets the counts and displacements of
 * both sides. send, recv: the caller's. Local. */
tuned_checked tuned_check_arguments(tuned_state *t, mpib_arguments *a, const tuned_arrays *arrays,
                                    const void *send, const void *recv);

/* The part of it that asks nothing of MPI: root, counts, no types that are none. Local. */
bool tuned_counts_are_right(const tuned_state *t, mpib_arguments *a, const tuned_arrays *arrays);

/* How much a call moves, as far as this rank knows. */
typedef struct {
    size_t own;         /* bytes of a block, or their mean */
    const size_t *each; /* [blocks] bytes of those that may differ, the state's until the next
                           call; NULL: all are alike */
} tuned_size;

/* Of arguments that are right. */
tuned_size tuned_size_of(const tuned_state *t, const mpib_arguments *a);

/* Whether a decision for that size makes sense, or decisions on the operation are not by size.
 * Blocks without data and those of more than INT_MAX bytes are left to MPI's own routines; calls
 * with counts that an int cannot hold go there. */
static inline bool tuned_size_fits(const cpm_operation *o, const tuned_size *size)
{
    return o->sizes != CPM_KNOWN_TO_ALL || o->dataless || (size->own && size->own <= INT_MAX);
}

/* Bytes of a block of one size. */
static inline size_t tuned_block_bytes(const mpib_side *s)
{
    return s->count * mpib_type_size(s->type);
}

#endif
