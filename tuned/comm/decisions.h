/* What was decided on a communicator. Rank 0 decides, all are told and keep it: the answer is the
 * same everywhere though processors, libraries and files may differ. A rank that took no part in
 * the call hears it when it first needs to know. */
#ifndef CPM_TUNED_COMM_DECISIONS_H
#define CPM_TUNED_COMM_DECISIONS_H

#include "base/hash.h"
#include "selection/selector.h"
#include "tuned/comm/counts.h"
#include "tuned/comm/plans.h"

typedef struct tuned_state tuned_state;

typedef struct tuned_decision {
    const cpm_operation *operation;
    int root; /* -1: any */
    bool ordered, nonblocking;
    cpm_combining combining;
    uint64_t sizes; /* hash of the sizes of all blocks if it is for these only; else 0 */
    cpm_choice choice;
    long call;         /* in which it was told, as rank 0 counts */
    long from;         /* the first call for which it holds; LONG_MAX: not agreed on yet */
    uint64_t stream;   /* of that call, which tells it from all others at ranks that missed some */
    bool met;          /* a call has gone by it */
    tuned_plans plans; /* those of nonblocking calls while none is under way by them */
    tuned_count *counts; /* for the report */
    struct tuned_decision *next;
} tuned_decision;

/* Memory for what rank 0 may say, so that hearing it does not fail. */
typedef struct {
    tuned_decision *decision;
    void *mapping, *parent, *expected; /* [n] */
    void *message;
} tuned_room;

typedef struct {
    cpm_hash by_call;
    tuned_decision *all;
    long heard; /* all that was told up to this call */
    tuned_room room;
    struct {
        size_t bytes;
        int root;
        bool ordered, begun;
        cpm_combining combining;
        tuned_decision *decision;
    } last[CPM_OPERATIONS];
    /* For the report: calls of which nothing was decided; decisions, and the seconds they took. */
    tuned_decision undecided[CPM_OPERATIONS];
    int made;
    double deciding;
} tuned_decisions;

/* False: no memory. */
bool tuned_decisions_prepare(tuned_decisions *d, int n);

/* The decision that holds for that call, if one was heard. Local. */
tuned_decision *tuned_find(const tuned_decisions *d, const cpm_request *r, uint64_t sizes_hash,
                           long call);

/* The decision for the call of that number, this or an earlier one; NULL: MPI's own routine, as
 * rank 0 takes no part, or has no memory. Where none is known rank 0 tells one; the others hear
 * what it has told up to then. sizes_hash is 0 where all know the sizes by themselves. */
tuned_decision *tuned_decide(tuned_state *t, const cpm_request *r, uint64_t sizes_hash, long call);

/* Rank 0 tells what is to hold from some call on that all have yet to agree on. */
void tuned_decide_for_later(tuned_state *t, const cpm_request *r);

/* The same at the other ranks, which wait for it; call: in which it was told. At rank 0 it is
 * known. NULL: nothing was. */
tuned_decision *tuned_decided_for_later(tuned_state *t, const cpm_request *r, long call);

/* MPI refuses a call of that operation at this rank: rank 0 says so, as others may wait for its
 * decision in a call that they make now. If they make none they decide nothing in the next one, if
 * it is of the same operation, and neither does rank 0. */
void tuned_decide_nothing(tuned_state *t, const cpm_operation *o);

/* Whether calls of that operation are MPI's own, whatever is chosen, as CPM takes no graph of the
 * communicator. Nothing is agreed on for them: programs leave them out at processes that have no
 * neighbours. */
bool tuned_lacks_graph(const tuned_state *t, const cpm_operation *o);

/* Rank 0 says once why what is named is not run there. Local. */
void tuned_say_graph_is_lacking(tuned_state *t, const cpm_operation *o);

uint64_t tuned_hash(const size_t *sizes, int n);

/* Decisions are forgotten; the room for others stays. */
void tuned_decisions_forget(tuned_decisions *d);
void tuned_decisions_clear(tuned_decisions *d);

#endif
