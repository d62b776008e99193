/* One call of a collective: is it CPM's to run, and how long did it take? */
#ifndef CPM_TUNED_CALL_CALL_H
#define CPM_TUNED_CALL_CALL_H

#include "tuned/adapt/adapt.h"
#include "tuned/call/arguments.h"
#include "tuned/call/check.h"
#include "tuned/call/hot.h"
#include "tuned/comm/announced.h"
#include "tuned/comm/state.h"
#include "tuned/report/observed.h"

typedef struct {
    tuned_state *state; /* NULL: nothing is decided or counted */
    const cpm_operation *operation;
    tuned_decision *decision;
    tuned_turn turn;                 /* where the calls themselves decide */
    const mpib_arguments *arguments; /* the caller's */
    tuned_checked checked;
    mpib_collective *collective;
    bool for_any_sizes;             /* so it was planned, and is run with arguments */
    bool kept;                      /* by the decision */
    bool observed;                  /* its arguments are right */
    bool counted;                   /* it has a number */
    tuned_by by;                    /* whose turn it was */
    const tuned_decision *compared; /* of turns, whoever's it was */
    int root, failed, tag;
    double start; /* seconds; below 0: calls are not counted */
    size_t bytes; /* of a block; 0 if not all ranks know it */
    size_t own;   /* as far as this rank knows it */
} tuned_call;

/* Whether CPM runs the call: then tuned_call_run does, else the caller calls MPI's own routine and
 * gives what it returned to tuned_call_native. Sides that MPI ignores at this rank are empty (type
 * MPI_BYTE). send, recv: the caller's buffers. */
bool tuned_call_begin(tuned_call *c, MPI_Comm comm, mpib_arguments *a, const tuned_arrays *arrays,
                      const void *send, const void *recv);

/* Both return what the collective returns to the application. s: by which later calls are passed
 * on; NULL: they are not. */
int tuned_call_run(tuned_call *c, const tuned_signature *s, const void *send, void *recv);
int tuned_call_native(tuned_call *c, const tuned_signature *s, int status);

/* What is asked of who decides, for a call with arguments that are right; these get the private
 * communicator. */
cpm_request tuned_request_of(tuned_state *t, mpib_arguments *a, const tuned_checked *checked,
                             size_t bytes);

/* The state of a communicator, made if this is its first call; NULL: there is nothing to decide, or
 * MPI refuses the call at this rank. Collective then. */
tuned_state *tuned_call_state(MPI_Comm comm, mpib_arguments *a, const tuned_arrays *arrays,
                              const void *send, const void *recv);

/* In the checked mode the ranks compare what they say of a call that blocks; one says what differs.
 * right: MPI takes the arguments at this rank. Returns what the call returns then, else
 * MPI_SUCCESS. Collective. */
int tuned_call_check(tuned_state *t, mpib_arguments *a, tuned_form form, bool right);

/* MPI's error class for a status. */
int tuned_error_of(int status);

/* Calls that were passed on (hot.h). */
typedef struct {
    const cpm_operation *operation;
    int root;
    long calls;
    double seconds, gap, end; /* of each; between them; MPI_Wtime at the end of the last one */
    size_t bytes, own;        /* as tuned_call has them */
    tuned_turn turn;
    tuned_decision *decision;
} tuned_passed;
void tuned_call_passed(tuned_state *t, const tuned_passed *p);

/* A call that CPM ran has failed, as MPI says it: the communicator's error handler hears of it. */
void tuned_call_failed(const tuned_state *t, const cpm_operation *o, int failed);

/* What MPI said of a call that is not counted: it refused it before it sent anything. */
bool tuned_call_is_refusal(int status);
void tuned_call_refused(tuned_state *t, const cpm_operation *o, int root);

#endif
