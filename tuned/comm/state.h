/* What is known of a communicator: who decides there, what was decided, its private communicator.
 *
 * It hangs on the communicator as an attribute, so it ends with it and is not inherited. A
 * communicator's collectives are called one after the other, so its state needs no lock. */
#ifndef CPM_TUNED_COMM_STATE_H
#define CPM_TUNED_COMM_STATE_H

#include "collectives/topology_tree.h"
#include "models/model.h"
#include "tuned/comm/decisions.h"
#include "tuned/comm/hints.h"
#include "tuned/comm/notify.h"

enum { TUNED_REMEMBERED = 16, TUNED_MOST_WANTED = 16, TUNED_MOST_STARTED = 64 };

typedef struct tuned_adapt tuned_adapt;

typedef struct {
    MPI_Op op;
    MPI_Datatype type;
} tuned_pair;

/* What is to hold from some nonblocking call on, while the ranks agree on it (tuned/call/onset.h).
 * Each persistent call is a series of its own; all others are one. */
typedef struct tuned_onset {
    enum { TUNED_NO_ONSET, TUNED_GATHERING, TUNED_COMING, TUNED_AGREEING, TUNED_AGREED } stage;
    struct tuned_state *of;
    MPI_Comm comm;                          /* where the ranks agree */
    bool (*gathers)(struct tuned_state *t); /* goes on; whether what comes first has ended */
    void (*agreed)(struct tuned_state *t);  /* all have; or NULL */
    int count;                              /* of what was wanted: the first so many are decided */
    long first; /* the call in which the first of them was told; each has the next number */
    int series; /* so many, of each of which: */
    long begun[TUNED_MOST_STARTED]; /* number of the last call of this rank */
    long next[TUNED_MOST_STARTED];  /* of the one after it when the rank said so */
    struct {
        long failed;                     /* 1: it lacks what is to hold */
        long latest[TUNED_MOST_STARTED]; /* those numbers */
    } most;                              /* of this rank, then of all the greatest */
    MPI_Request request;                 /* of what is under way */
    bool listed;                         /* among those with an onset; the next of them: */
    struct tuned_onset *after;
} tuned_onset;

struct tuned_state {
    MPI_Comm comm;      /* the application's; only collectives may be called there */
    mpib_groups groups; /* of inside */
    MPI_Comm inside; /* of the same ranks, for messages within collectives; MPI_COMM_NULL: nothing
                        is chosen or checked */
    MPI_Comm aside;  /* another one, for rounds of persistent calls; MPI_COMM_NULL: none yet */
    int n, rank;
    long call, since; /* numbers of this call, and of that with which the decisions begin */
    long met;         /* calls but for those in which only a root waits for others */
    long refused;     /* the number that this rank's call would have had that MPI refused last; 0:
                         none */
    bool behind;      /* MPI has refused a call at this rank that others may have counted */
    uint64_t stream;  /* of this call: what its messages carry */
    uint16_t *runs; /* [CPM_OPERATIONS * n] calls by operation and root, whose number comes round */
    long nothing[CPM_OPERATIONS]; /* number of the last call of which rank 0 said that it decides
                                     nothing; 0: none */
    long most_tag;
    bool native;    /* MPI's own routines for everything */
    bool on_device; /* a buffer of the call at hand is in a device's memory */
    bool checked;   /* before each call the ranks compare what they say */
    long compared;  /* nonblocking calls of this rank of which the ranks compare what they say */
    struct tuned_records *records; /* of these; NULL: none yet */
    cpm_selector *selector;        /* rank 0, which decides; elsewhere NULL */
    cpm_model *model;              /* of the ranks, if selector borrows it */
    cpm_hosts hosts;               /* of the ranks; empty: not known, or nothing is to be decided */
    cpm_topology *topology;        /* of the ranks, the same on all; NULL: not known */
    cpm_neighbours *neighbours;    /* the same */
    bool graph_is_lacking;         /* which was said */
    bool lonely;                   /* where calls decide: a process has no neighbours */
    int *block_at[2];  /* [neighbours] which of MPI's blocks is that to, or from, each of them */
    size_t *sizes;     /* [n] bytes of blocks of the call at hand */
    size_t *counts[2]; /* [n] of the call at hand: to send, to receive */
    ptrdiff_t *displacements[2];
    MPI_Datatype *types[2];
    tuned_hints hints;  /* what the application says of this communicator */
    tuned_adapt *adapt; /* the calls themselves decide; NULL: they do not */
    tuned_decisions decisions;
    bool progresses; /* on all ranks nonblocking calls can go on in any call of MPI */
    int held;        /* by such calls under way, by persistent ones, and by what is compared */
    uint64_t begun;  /* so many have had tags */
    bool orphan;     /* the communicator has ended, but it is held */
    cpm_request wanted[TUNED_MOST_WANTED]; /* [wanted_count] what they need that is not decided */
    int wanted_count;
    long pass_most; /* nonblocking calls are passed on as long as the last call's number is not
                       above it */
    tuned_onset onset;
    struct tuned_rounds *rounds; /* of persistent calls (tuned/call/round.h); NULL: none yet */
    int early; /* so many communicators made of this one had a state from the start */
    struct tuned_announced *announced; /* of operations whose sizes only the root knows */
    tuned_notice *notices;             /* that others have not all heard yet */
    /* What is MPI's own and was found sound, by a hash: */
    MPI_Datatype named[TUNED_REMEMBERED];
    tuned_pair fitting[TUNED_REMEMBERED]; /* operations and types that they can combine */
    struct tuned_slots *slots;            /* calls that are passed on (tuned/call/hot.h) */
    struct tuned_group *group;            /* of calls that are observed; NULL: they are not */
    tuned_state *previous, *next;         /* all states of the process, for the report */
};

/* Whether a communicator may have one: between groups, and for one process alone, there is nothing
 * to decide. Local. */
bool tuned_state_is_possible(MPI_Comm comm);

/* The state of a communicator, made at its first call if the environment is active; NULL: nothing
 * is to be decided there. The first call is collective, unless the calls themselves are to decide:
 * then it is local, and MPI's own routines are used until the state is opened. */
tuned_state *tuned_state_of(MPI_Comm comm);

/* Whether tuned_state_of would make none: *out is what it gives. Local. */
bool tuned_state_known(MPI_Comm comm, tuned_state **out);

/* Of a communicator whose state is not known. Where making it is collective: a state by which this
 * rank can see, before it calls others, whether MPI takes its arguments; NULL: it is not
 * collective, or there is no memory. Local; for tuned_state_first or tuned_state_drop. */
tuned_state *tuned_state_draft(MPI_Comm comm);
void tuned_state_drop(tuned_state *draft);

/* tuned_state_of where the state is not known: the draft, which may be NULL, becomes it. */
tuned_state *tuned_state_first(MPI_Comm comm, tuned_state *draft);

/* Something needs the state of a communicator that may end before it, until it lets it go. */
void tuned_state_hold(tuned_state *t);
void tuned_state_let_go(tuned_state *t);

/* The same, made whether the environment is active or not. Collective. */
tuned_state *tuned_state_make(MPI_Comm comm);

/* Somebody else is going to decide: all hooks hear of it, and what was decided is forgotten. Local.
 */
void tuned_state_forget(tuned_state *t);

/* The same, and decisions begin afresh. Collective. */
void tuned_state_renew(tuned_state *t);

/* NULL: not known. */
static inline const cpm_hosts *tuned_state_hosts(const tuned_state *t)
{
    return t->hosts.of ? &t->hosts : NULL;
}

/* Whether it is so on every rank. Collective. */
static inline bool tuned_all(MPI_Comm comm, bool own)
{
    int good = own;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    return good;
}

#endif
