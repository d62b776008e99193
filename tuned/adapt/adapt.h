/* Choices by the application's own calls, within a budget (doc/adapt.md).
 *
 * A communicator is opened, and what comes into question for its calls is worked out, when what
 * that costs fits into the budget; until then there are MPI's own routines and no messages. When
 * that is the ranks find out together at certain numbers of calls, which all count alike. */
#ifndef CPM_TUNED_ADAPT_ADAPT_H
#define CPM_TUNED_ADAPT_ADAPT_H

#include "cpm/cpm_mpi.h"
#include "executor/collective.h"
#include "tuned/adapt/context.h"
#include "tuned/comm/state.h"

/* What the ranks sum in a look: picoseconds; of rank 0 alone: what opening took before, what
 * reading what the environment names and an offer take, and how many kinds of calls it
 * would decide on. */
enum {
    TUNED_EPOCH_OUTSIDE,
    TUNED_EPOCH_WORTH, /* of calls to which there are candidates, before it is open */
    TUNED_EPOCH_COSTS,
    TUNED_EPOCH_CONSTANT,
    TUNED_EPOCH_OPENING,
    TUNED_EPOCH_READING,
    TUNED_EPOCH_OFFER,
    TUNED_EPOCH_WISHES,
    TUNED_EPOCH_NAMES,  /* something is remembered, so hosts are to be known */
    TUNED_EPOCH_LEARNT, /* what lessons would have saved of the calls so far */
    TUNED_EPOCH_LATE,   /* calls in which a root waited for long */
    TUNED_EPOCH_FULL,   /* ranks that may not have another private communicator */
    TUNED_EPOCH_CHECKS, /* of rank 0: what is to be opened, as tuned_asked */
    TUNED_EPOCH_MODEL,
    TUNED_EPOCH_LAYOUT,
    TUNED_EPOCH_DOUBTS,  /* ranks that may have counted otherwise: engines would end at once */
    TUNED_EPOCH_ELAPSED, /* since all had come together */
    TUNED_EPOCH_LONGEST, /* that of a rank, the longest instead of the sum: below 0 */
    TUNED_EPOCH_WORDS
};

typedef struct {
    MPI_Request request; /* MPI_REQUEST_NULL: none is under way */
    MPI_Op combine;      /* MPI_OP_NULL likewise */
    bool at_once;        /* it was waited for at once */
    double waited;       /* seconds until it had begun, or, where it is waited for at once, ended */
    int64_t say[TUNED_EPOCH_WORDS];
} tuned_epoch;

/* Calls of scatterv, or of gatherv, of which this rank was the root. */
typedef struct {
    size_t *sizes;    /* [n] bytes, of the last one with data; NULL: none, or no memory */
    long calls, late; /* late: it waited far longer than in others */
    double seconds, shortest;
    double last[CPM_ADAPT_KEPT]; /* seconds of call k: last[k % CPM_ADAPT_KEPT] */
} tuned_rooted;

typedef struct tuned_adapt {
    cpm_adapt_policy policy;
    bool at_once;  /* a kind of calls is decided on at its first */
    bool open_now; /* at the first look, whatever it costs */
    bool asked;    /* by the application, whose model goes before the environment's table */
    bool open;     /* the communicator is */
    bool doubt;    /* this rank may have counted otherwise than others */
    long origin, next_epoch; /* numbers of calls: before the first; where a look begins or ends */
    bool together;           /* the last call has brought all together: no rank is ahead */
    bool poor;               /* there was no room for what is wished */
    bool named;              /* hosts are */
    long met;                /* calls that did */
    long floods;             /* calls in which only a root waits */
    double moving, moved;    /* bytes of this call, and of all that brought all together, until
                                a look has begun */
    double needed;           /* seconds that opening takes, about; 0: not known */
    long begun, told;        /* calls when a look began; those of which the last one told */
    long opened;             /* calls when it was */
    double sync;             /* seconds of a small collective to which all come at the same time */
    long useful;  /* calls to which there are candidates, before it is open: all count alike */
    double worth; /* seconds of this rank in calls to which there are candidates */
    double since; /* when all had last come together; before that, when the first call ended */
    double apart; /* seconds that ranks would wait for the last one, mean, were they to wait */
    double outside, costs; /* seconds that the others have not heard of: of calls that belong to no
                              engine, of looking and deciding */
    tuned_epoch epoch;
    cpm_ledger ledger;      /* the same on all ranks */
    tuned_rooted rooted[2]; /* scatterv, gatherv */
    long rooted_calls;
    bool lost; /* a root was heard to wait for what a switch had lost */
    tuned_contexts contexts;
    char *hosts; /* rank 0: what it runs on, if that is known; what is shown is remembered */
    int n;
    struct tuned_adapt *previous, *next; /* all of the process */
} tuned_adapt;

/* A call's context, or NULL, and who runs it. */
typedef struct {
    tuned_context *context;
    int who;
} tuned_turn;

/* A communicator is new (tuned/comm/hooks.h): t->adapt, where the environment says that calls
 * decide; MPI's own routines are used until it is opened. False: no memory. Local. */
bool tuned_adapt_begin(tuned_state *t);

/* The same whatever the environment says. checked: its calls are compared, so it is opened at the
 * first. NULL: no memory. Local. */
tuned_adapt *tuned_adapt_create(MPI_Comm comm, cpm_adapt_policy policy, bool checked);

/* Before the private communicator ends, or somebody else decides. Local. */
void tuned_adapt_stop(tuned_state *t);

/* What communicators that live have shown is remembered; once, at the end. Local. */
void tuned_adapt_remember(void);

/* Before each call, whether MPI takes its arguments or not. Collective at some numbers. */
void tuned_adapt_epoch(tuned_state *t);
static inline bool tuned_adapt_is_due(const tuned_adapt *a, long call)
{
    return a && call >= a->next_epoch;
}

/* Whether rank 0 notes calls before it is open: lessons may promise something for them. */
bool tuned_adapt_expects(const tuned_state *t);

/* Notes such a call, by MPI's own routine; it has data, as one whose turn is asked for. Local. */
void tuned_adapt_note(tuned_state *t, const cpm_request *r, tuned_turn *out);

/* Whose turn a call is, in an open communicator: NULL: MPI's own routine. */
tuned_decision *tuned_adapt_turn(tuned_state *t, const cpm_request *r, const mpib_arguments *a,
                                 tuned_turn *out);

/* A call of o, of that root if it has one, has taken so long. */
void tuned_adapt_count(tuned_state *t, const cpm_operation *o, int root, const tuned_turn *turn,
                       double seconds);

/* A call that this rank leaves to MPI, as cpm_tuned_pass() says, while others may count it. */
void tuned_adapt_pass(tuned_state *t, cpm_waiting who);

/* MPI refuses the arguments of a call at this rank, which is no call then: the others may make it,
 * or not, so this rank may count otherwise than they do from now on. With the next meeting trying
 * ends. */
void tuned_adapt_refuse(tuned_adapt *a);

/* No rank ends such a call before all have begun it. (But for one without data, which is rare.) */
static inline bool tuned_brings_together(const cpm_operation *o)
{
    return !o->rooted && o->sizes == CPM_KNOWN_TO_ALL;
}

static inline cpm_waiting tuned_waiting(const cpm_operation *o)
{
    bool gathers = o->rooted && (o->combines || o->recv.at_root == CPM_BLOCK_OF_EACH);
    return tuned_brings_together(o) ? CPM_ALL_WAIT : gathers ? CPM_ROOT_WAITS : CPM_NOBODY_WAITS;
}

/* What of the seconds that a rank waited for others counts as a cost: those that come early would
 * have waited in the next call anyway. */
double tuned_adapt_cost(const tuned_adapt *a, double waited);

/* What n ranks said of their times, in picoseconds, comes into the ledger. */
void tuned_adapt_hear(tuned_adapt *a, int n, int64_t outside, int64_t costs);

#endif
