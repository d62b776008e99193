/* Nonblocking calls by CPM's own algorithms: their schedules go on whenever the process is inside
 * MPI (tuned/comm/progress.h). The request that the application gets is a generalized one: it is
 * waited for and tested as any other.
 *
 * A nonblocking call cannot wait for what rank 0 decides. What it needs and nobody has decided yet
 * is run by MPI's own routine, and decided in the next blocking call for which all wait, or told in
 * the next one that does not block (tuned/call/onset.h). So all ranks know the same decisions at
 * the same call. */
#ifndef CPM_TUNED_CALL_BEGUN_H
#define CPM_TUNED_CALL_BEGUN_H

#include <stdatomic.h>

#include "tuned/adapt/stretch.h"
#include "tuned/call/arguments.h"
#include "tuned/call/hot.h"
#include "tuned/call/record.h"
#include "tuned/comm/state.h"

/* Calls like one that was passed on to MPI's own routine, which are passed on until something is
 * decided. */
typedef struct {
    tuned_signature of;
    MPI_Comm comm;
    unsigned long changes;   /* so many when it was kept */
    tuned_state *state;      /* NULL: none is known */
    tuned_uncounted like_it; /* calls of the state, or of a stretch */
    uint16_t *run;           /* of the state: their number */
} tuned_passing;

enum { TUNED_PASSING = 64 };
extern tuned_passing tuned_passing_here[TUNED_PASSING];
extern atomic_ulong tuned_begun_changes; /* in what is decided, or which communicators there are */

/* Counts the call, if nothing is to be learnt of it: then the caller calls MPI's own routine and
 * gives what it returned to tuned_pass_end. NULL: tuned_begin is asked. */
static inline tuned_passing *tuned_pass(MPI_Comm comm, const tuned_signature *s)
{
    tuned_passing *p = &tuned_passing_here[(tuned_mark(s) >> 8) % TUNED_PASSING];
    /* Without changes what it counts in is still there. */
    if (p->comm != comm || !p->run ||
        p->changes != atomic_load_explicit(&tuned_begun_changes, memory_order_relaxed) ||
        *p->like_it.counted > *p->like_it.most || !tuned_are_same(&p->of, s))
        return NULL;
    ++*p->like_it.counted;
    ++*p->run;
    return p;
}

/* Returns what the call returns to the application. */
int tuned_pass_end(const tuned_passing *p, int status);

typedef struct {
    const char *function; /* "MPI_Ibcast" */
    MPI_Comm comm;
    tuned_state *state;  /* NULL: the call has no number */
    tuned_state *judged; /* where calls decide: NULL: they do not, on this one */
    bool unknown;        /* its communicator has no state yet */
    tuned_uncounted like_it;
    long *numbered; /* where the ranks meet, it has a number, too; NULL: they do not */
    const cpm_operation *operation;
    int root;
    tuned_state *checked; /* where the ranks compare calls; NULL: they do not */
    tuned_record *record; /* what this rank says of it; NULL: it is not known */
    bool lasting;         /* types and operation are MPI's own */
    double start;         /* of what a profile counts; below 0: nothing is counted */
    int failed;           /* where CPM runs it */
} tuned_beginning;

/* Whether CPM runs the call: then it has begun, and b->failed is what the caller returns. Else the
 * caller calls MPI's own routine and gives what it returned to tuned_begin_native. s: by which
 * later calls are passed on; NULL: they are not. */
bool tuned_begin(tuned_beginning *b, const char *function, MPI_Comm comm, mpib_arguments *a,
                 const tuned_arrays *arrays, const void *send, void *recv, MPI_Request *request);
int tuned_begin_native(tuned_beginning *b, const tuned_signature *s, int status);

/* Whether CPM could run calls of a communicator with that state that do not block. */
bool tuned_begun_serves(const tuned_state *t);

/* Whether it could run a call with these arguments: of a size that is decided on, no operation of
 * the program's own on types of its own, and one message at most from a process to the same
 * neighbour: which of several is which block, Open MPI says otherwise where calls do not block. */
bool tuned_begun_takes(const tuned_state *t, const mpib_arguments *a, const tuned_size *size);

/* What is to be decided for it. */
cpm_request tuned_begun_request(tuned_state *t, mpib_arguments *a, const tuned_checked *checked,
                                const tuned_size *size);

/* d, or NULL if it is for MPI's own routine, or none that can go on by steps, or one whose sizes
 * would have to be told. */
tuned_decision *tuned_begun_runs(tuned_decision *d);

/* What tuned_plans_take gives for a call of that size. */
int tuned_begun_plan(tuned_plans *plans, const tuned_decision *d, const mpib_arguments *a, int n,
                     const tuned_size *size, tuned_plan **out);

/* Calls that were passed on are to be looked at. */
void tuned_begun_changed(void);

/* Decides what nonblocking calls needed. In a call for which all wait. */
void tuned_begun_decide(tuned_state *t);

/* Decisions are forgotten: what is under way keeps no plan. */
void tuned_begun_forget(tuned_state *t);

#endif
