/* What was decided on a communicator. Rank 0 decides, all are told and keep it: the answer is the
 * same everywhere though processors, libraries and files may differ. */
#ifndef CPM_TUNED_DECISIONS_H
#define CPM_TUNED_DECISIONS_H

#include "base/hash.h"
#include "selection/selector.h"
#include "tuned/plans.h"

typedef struct tuned_state tuned_state;

typedef struct tuned_decision {
    const cpm_operation *operation;
    int root; /* -1: any */
    bool ordered;
    uint64_t sizes; /* hash of the sizes of all blocks if it is for these only; else 0 */
    cpm_choice choice;
    tuned_plans plans;
    /* For the report: */
    long calls;
    double spent, expected; /* seconds of this rank; expected is negative if it is not known */
    size_t smallest, largest;
    struct tuned_decision *next;
} tuned_decision;

typedef struct {
    cpm_hash by_call;
    tuned_decision *all;
    struct {
        size_t bytes;
        int root;
        bool ordered;
        tuned_decision *decision;
    } last[CPM_OPERATIONS];
    struct tuned_told *told; /* of operations whose sizes only the root knows */
    /* For the report: calls of which nothing was decided; decisions, and the seconds they took. */
    tuned_decision undecided[CPM_OPERATIONS];
    int made;
    double deciding;
} tuned_decisions;

/* The decision if there is one already. Local. */
tuned_decision *tuned_find(const tuned_decisions *d, const cpm_request *r, uint64_t sizes_hash);

/* The decision for a call, NULL if it is MPI's own routine for lack of memory. Collective when it
 * is the first of its kind. sizes_hash is 0 where all know the sizes by themselves. */
tuned_decision *tuned_decide(tuned_state *t, const cpm_request *r, uint64_t sizes_hash);

uint64_t tuned_hash(const size_t *sizes, int n);

void tuned_decisions_clear(tuned_decisions *d);

#endif
