/* Making a persistent collective (MPI 4): decided and planned once, which may wait for others, or,
 * where calls decide, by MPI's own routine and then judged start by start (tuned/adapt/starts.h).
 */
#ifndef CPM_TUNED_CALL_MAKING_H
#define CPM_TUNED_CALL_MAKING_H

#include "tuned/call/arguments.h"

typedef struct {
    const char *function; /* "MPI_Bcast_init" */
    tuned_state *state;   /* NULL: it has no number */
    const cpm_operation *operation;
    int root, failed;
    double start;
    /* Where calls decide: */
    tuned_state *judged; /* NULL: they do not, on this one */
    mpib_arguments *arguments;
    tuned_checked checked;
    size_t bytes; /* of a block */
    const void *send;
    void *recv;
    MPI_Request *request;
} tuned_making;

/* Whether CPM has made it, or has found that ranks differ: m->failed is what the caller returns.
 * Else the caller calls MPI's own routine and gives what it returned to tuned_made_native, which
 * returns what the function returns. */
bool tuned_makes(tuned_making *m, const char *function, MPI_Comm comm, mpib_arguments *a,
                 const tuned_arrays *arrays, const void *send, void *recv, MPI_Request *request);
int tuned_made_native(const tuned_making *m, int status);

#endif
