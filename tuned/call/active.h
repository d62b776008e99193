/* Active collectives: nonblocking and persistent ones under way by CPM's own algorithms. Their
 * schedules go on whenever the process is inside MPI (tuned/comm/progress.h). One list of the
 * process, in the order in which they began; only one thread of the program is in MPI at a time.
 * With a thread of CPM's own (tuned/call/background.h) that one goes on with them: what else it
 * would have to touch when a run ends is left to the program's. */
#ifndef CPM_TUNED_CALL_ACTIVE_H
#define CPM_TUNED_CALL_ACTIVE_H

#include "tuned/call/arguments.h"
#include "tuned/call/staged.h"
#include "tuned/comm/state.h"

typedef struct tuned_active {
    struct tuned_active *next;
    tuned_state *state;
    tuned_decision *decision;    /* for the report; NULL: it was forgotten */
    mpib_collective *collective; /* in use until the run has ended */
    MPI_Request native;          /* MPI's own persistent one, which runs instead; else
                                    MPI_REQUEST_NULL */
    MPI_Datatype types[2];       /* of its arguments, if it holds copies; else MPI_DATATYPE_NULL */
    MPI_Datatype *block_types;   /* [block_types_held] of blocks, if it holds copies */
    int block_types_held;
    bool holds_op;
    MPI_Op op; /* of the program's own, which it holds then */
    int tag;
    size_t bytes; /* of a block */
    /* Set by the run: */
    int failed;
    bool is_staged;
    tuned_staged staged;                       /* then */
    double start, seconds;                     /* of what a report counts */
    void (*ended)(struct tuned_active *run);   /* the request is to be completed */
    void (*settled)(struct tuned_active *run); /* nothing is left to be done; or NULL */
} tuned_active;

/* The program may free its types and operations at once: copies take the types' place in a, whose
 * types of blocks are the state's, if they are not MPI's own. False: no memory; what is held is to
 * be let go, too. */
bool tuned_active_hold_types(tuned_active *r, mpib_arguments *a, bool lasting);
void tuned_active_let_types_go(tuned_active *r);

/* Begins it. a: with types and counts that last; finishes: it is likely to be waited for by
 * tuned_active_wait. Returns MPI's error code; then it has not begun. */
int tuned_active_begin(tuned_active *r, const mpib_arguments *a, const void *send, void *recv,
                       bool finishes);

/* The same of one that MPI's own routine runs, whose native request is there. */
int tuned_active_begin_native(tuned_active *r);

/* All go on as far as messages have come. */
void tuned_active_go_on(void);

/* Whether one is. */
bool tuned_active_any(void);

/* Waits for one by CPM's algorithm, unless it has ended. */
void tuned_active_wait(tuned_active *r);

/* Does what the thread has left to do. */
void tuned_active_settle(void);

/* Decisions are forgotten. */
void tuned_active_forget(tuned_state *t);

/* Runs wait meanwhile: their list is in use, or MPI's own state. Returns what to give to resume.
 * May be nested. */
bool tuned_active_pause(void);
void tuned_active_resume(bool before);

#endif
