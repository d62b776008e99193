/* Nonblocking calls by CPM's own algorithms: their schedules go on whenever the process is inside
 * MPI (tuned/comm/progress.h). The request that the application gets is a generalized one: it is
 * waited for and tested as any other.
 *
 * A nonblocking call cannot wait for what rank 0 decides. What it needs and nobody has decided yet
 * is run by MPI's own routine, and decided in the next blocking call for which all wait. So all
 * ranks know the same decisions at the same call. */
#ifndef CPM_TUNED_CALL_BEGUN_H
#define CPM_TUNED_CALL_BEGUN_H

#include "tuned/call/arguments.h"
#include "tuned/comm/state.h"

typedef struct {
    const char *function; /* "MPI_Ibcast" */
    tuned_state *state;   /* NULL: the call has no number */
    const cpm_operation *operation;
    int root;
    double start; /* of what a profile counts; below 0: nothing is counted */
    int failed;   /* where CPM runs it */
} tuned_beginning;

/* Whether CPM runs the call: then it has begun, and b->failed is what the caller returns. Else the
 * caller calls MPI's own routine and gives what it returned to tuned_begin_native. */
bool tuned_begin(tuned_beginning *b, const char *function, MPI_Comm comm, mpib_arguments *a,
                 const tuned_arrays *arrays, const void *send, void *recv, MPI_Request *request);
int tuned_begin_native(const tuned_beginning *b, int status);

/* Decides what nonblocking calls needed. In a call for which all wait. */
void tuned_begun_decide(tuned_state *t);

/* Decisions are forgotten: what is under way keeps no plan. */
void tuned_begun_forget(tuned_state *t);

#endif
