/* Inside of the executor: what a plan is made of. */
#ifndef CPM_EXECUTOR_PLAN_H
#define CPM_EXECUTOR_PLAN_H

#include "executor/combine.h"
#include "executor/execute.h"

/* Elements that lie one after the other. */
typedef struct {
    mpib_place place;
    size_t bytes; /* as they are sent */
    bool later;   /* of an exscan: others were combined there before */
} mpib_piece;

typedef struct {
    cpm_step_kind kind;
    int peer, round;
    int count; /* of type: what MPI is given */
    MPI_Datatype type;
    mpib_place at; /* what MPI is given: the user's bytes, or packed space */
    bool packed;   /* at is packed space */
    bool dropped;  /* a second receive into the same bytes: MPI forbids the overlap */
    bool deferred; /* its round is */
    bool input;    /* sends the user's input, or is the first to be combined with that: it comes to
                      where the result accumulates, not to packed space, if it is of one piece */
    size_t bytes;
    int first_piece, pieces;
} mpib_message;

/* Consecutive messages; how they are run is decided once. */
typedef enum {
    MPIB_MARK,
    MPIB_ONE_SEND,
    MPIB_ONE_RECEIVE,
    MPIB_ONE_OF_EACH,
    MPIB_SEVERAL,
    MPIB_DEFERRED
} mpib_round_kind;
typedef struct {
    mpib_round_kind kind;
    int begin, end;
} mpib_round;

/* In packed space: its base is no user's; an offset from MPIB_MEMORY is an address. In a plan for
 * any sizes a piece is a position, which is its offset from MPIB_MEMORY. */
enum { MPIB_PACKED = MPIB_BASES, MPIB_MEMORY, MPIB_ALL_BASES };

/* Of a run by steps. */
typedef struct {
    char *bases[MPIB_ALL_BASES];
    MPI_Comm comm;
    int tag, failed;
    int round;    /* the first that has not ended */
    bool waits;   /* it was started, */
    bool late;    /* ... but its receive was not */
    int ended;    /* messages of the round that is waited for */
    int deferred; /* the first after which deferred rounds may not have ended */
} mpib_plan_run_state;

struct mpib_plan {
    mpib_message *messages;
    int count;
    mpib_round *rounds;
    int round_count;
    mpib_piece *pieces;
    int piece_count;
    char *space;           /* packed messages */
    bool keeps;            /* the receive buffer gets what is combined, without one's own */
    ptrdiff_t accumulated; /* where the result accumulates: an offset from its base */
    bool *combined; /* [positions] while it is made: something was combined there; NULL: who cares
                     */
    MPI_Request *requests; /* [count] of the messages of rounds that are run, with statuses */
    MPI_Status *statuses;
    mpib_combiner combiner;
    mpib_plan_run_state run;
};

/* The length of a message that MPI is given, as a type of its own above INT_MAX bytes. CPM_EMPI. */
int mpib_message_size(mpib_message *m, size_t bytes, cpm_error *e);

/* Runs one round, which is not deferred. Returns MPI's error code. */
int mpib_round_run(mpib_plan *p, const mpib_round *r, char *const bases[MPIB_ALL_BASES],
                   MPI_Comm comm, int tag);

static inline bool mpib_message_combines(const mpib_message *m)
{
    return m->kind == CPM_COMBINE || m->kind == CPM_MERGE;
}

/* Whether what it brings is not yet where, or what, it is to be. */
static inline bool mpib_message_settles(const mpib_message *m)
{
    return m->packed || (m->input && m->kind == CPM_COMBINE);
}

static inline bool mpib_message_receives(const mpib_message *m)
{
    return m->kind == CPM_RECV || m->kind == CPM_COMBINE;
}

#endif
