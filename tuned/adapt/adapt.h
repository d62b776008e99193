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
#include "tuned/adapt/flood.h"
#include "tuned/adapt/sums.h"
#include "tuned/comm/state.h"

typedef struct {
    MPI_Request request; /* MPI_REQUEST_NULL: none is under way */
    MPI_Op combine;      /* MPI_OP_NULL likewise */
    bool at_once;        /* it was waited for at once */
    tuned_told told;     /* by this rank, as long as it is under way */
    double waited;       /* seconds until it had begun, or, where it is waited for at once, ended */
    tuned_epoch_sums all; /* what this rank says, then what all have said */
} tuned_epoch;

/* Calls of scatterv, or of gatherv, of which this rank was the root. */
typedef struct {
    size_t *sizes;    /* [n] bytes, of the last one with data; NULL: none, or no memory */
    long calls, late; /* late: it waited far longer than in others */
    double seconds, shortest;
    double last[CPM_ADAPT_KEPT]; /* seconds of call k: last[k % CPM_ADAPT_KEPT] */
} tuned_rooted;

/* What all ranks count alike of a communicator's calls, without a message. */
typedef struct {
    bool together;        /* the last call has brought all together: no rank is ahead */
    long met;             /* calls that did */
    long floods;          /* calls in which only a root waits */
    long rooted;          /* of scatterv and gatherv */
    long useful;          /* to which there are candidates, before it is open */
    double moving, moved; /* bytes of this call, and of all that brought all together, until an
                             epoch has ended */
    long put_off; /* how often the epoch that is due was, to a call that brings all together */
} tuned_alike;

/* What this rank has seen and the others have not heard of, seconds. */
typedef struct {
    bool doubt;   /* it may have counted otherwise than others */
    double worth; /* of calls to which there are candidates */
    double since; /* when all had last come together; before that, when the first call ended */
    double outside, costs; /* of calls that belong to no engine; of exchanges and deciding */
} tuned_unheard;

/* What all have heard, the same on all ranks, seconds. */
typedef struct {
    double sync;    /* of a small collective to which all come at the same time */
    double apart;   /* that ranks would wait for the last one, mean, were they to wait */
    double needed;  /* that opening takes, about; 0: not known */
    bool lost;      /* a root waited for what a switch had lost */
    double outside; /* of calls that belong to no engine */
    /* Before it is open: */
    double each;       /* a call took between the last two epochs: a program's first calls take MPI
                          longer */
    double worth;      /* of calls to which there are candidates, */
    double worth_each; /* for each call between the last two epochs */
} tuned_heard_of_all;

/* Of nonblocking calls (stretch.h). */
typedef struct {
    tuned_context *last; /* of the last one that was timed; NULL: nothing is noted of it */
    double since;        /* it began then; 0: none was, or the ranks have met since */
    long passed, most;   /* so many were only counted since; so many may be */
    bool brief;          /* calls like it are too short to be worth trying */
    int due;             /* kinds for which the ranks are to meet */
    long alone;          /* calls of which nothing was tried, since the last blocking call: */
    long met;            /* its number among those for which all wait */
    /* For meetings in calls that do not block (tuned/call/meeting.h); all know the same: */
    bool due_alone; /* a kind is due for long; */
    bool asks;      /* something may be worth trying */
    bool off;       /* there are none any more */
    long untried;   /* calls of which nothing was tried; */
    long next;      /* when that is asked next */
    long numbered;  /* calls since a meeting began */
} tuned_stretches;

/* An offer in steps (offer.h). */
typedef struct {
    enum { TUNED_ANNOUNCED, TUNED_MAKING_ROOM, TUNED_SPREADING } stage;
    MPI_Comm comm;
    MPI_Request request;
    uint64_t bytes; /* of the message; 0: there is none */
    void *message;
    int room;    /* 1: all have memory for it */
    bool failed; /* this rank has none for what follows */
} tuned_offering;

/* One after the other; all ranks know alike, but for what is offered. */
typedef struct {
    MPI_Comm comm;
    bool persistent;   /* for such calls (starts.h), for none of them else */
    int64_t count;     /* so many may follow, */
    double left, each; /* in so many seconds, of so many each */
    bool under_way;    /* one is: */
    tuned_offering one;
    bool failed; /* as one of them */
} tuned_offers;

typedef struct {
    bool epoch, heard; /* there was an epoch; what was said first was heard */
    bool opens;        /* the communicator, at its end */
    tuned_offers offers;
} tuned_meeting;

/* Of persistent calls (starts.h), by their numbers less 1. */
typedef struct {
    int count;                       /* all have made so many, in the same order */
    long starts[TUNED_MOST_STARTED]; /* by this rank */
    double least;      /* seconds of a small collective, the same on all ranks; 0: not known;
                          below 0: not all serve */
    bool due;          /* a round is to be held (tuned/call/round.h) */
    long untried;      /* starts of which nothing was tried by this rank; */
    long next;         /* when that is asked next */
    tuned_told told;   /* by this rank, as long as a round begins */
    cpm_ledger ledger; /* of these calls alone: rounds come at other blocking calls of each rank */
} tuned_started;

/* Rounds of the persistent calls of a communicator (tuned/call/round.h). */
typedef struct tuned_rounds {
    tuned_onset onset;    /* the first, as its memory is that of all */
    tuned_round_sums all; /* what this rank says, then what all have said */
    MPI_Op combine;
    MPI_Request request;
    bool heard; /* it was */
    tuned_offers offers;
    bool ends, ended; /* one more is to be held, or under way; the last one was held */
    struct tuned_rounds *next;
} tuned_rounds;

typedef struct tuned_adapt {
    int n;
    cpm_adapt_policy policy;
    bool at_once;  /* a kind of calls is decided on at its first */
    bool open_now; /* at the first epoch, whatever it costs */
    bool asked;    /* by the application, whose model goes before the environment's table */
    bool prepared; /* the communicator is: to open it takes no more than to agree on that */
    bool open;     /* it is */
    bool poor;     /* there was no room for what is wished */
    bool named;    /* hosts are */
    /* Numbers of calls: before the first; where the exchange of an epoch begins or ends; and from
     * origin on: when it began, those of which the last one told, when it was opened. */
    long origin, next_epoch, begun, told, opened;
    tuned_alike alike;
    tuned_unheard own;
    tuned_heard_of_all heard;
    tuned_epoch epoch;
    cpm_ledger ledger;      /* the same on all ranks; of all calls but persistent ones, */
    double lent;            /* to which it has lent so many seconds of its constant */
    tuned_rooted rooted[2]; /* scatterv, gatherv */
    tuned_floods floods;
    tuned_contexts contexts;
    tuned_stretches stretches;
    tuned_meeting meeting;
    tuned_started started;
    char *hosts; /* rank 0: what it runs on, if that is known; what is shown is remembered */
    struct tuned_adapt *previous, *next; /* all of the process */
} tuned_adapt;

/* Seconds of most calls of a kind, whatever a busy machine adds to a few. What is shorter is mostly
 * the library's own way to a neighbour's memory: what another algorithm gains there is less than
 * what finding it costs. */
static const double tuned_worth_trying = 5e-6;

/* A call's context, or NULL, and who runs it. */
typedef struct {
    tuned_context *context;
    int who;
    tuned_flood *flood; /* NULL: such calls are none */
} tuned_turn;

/* A communicator is new (tuned/comm/hooks.h): t->adapt, where the environment says that calls
 * decide; MPI's own routines are used until it is opened. False: no memory. Local. */
bool tuned_adapt_begin(tuned_state *t);

/* The same whatever the environment says. checked: its calls are compared, so it is opened at the
 * first. NULL: no memory. Local. */
tuned_adapt *tuned_adapt_create(MPI_Comm comm, cpm_adapt_policy policy, bool checked);

/* At the end of MPI what is under way is waited for, after whoever asks for that end from now on.
 */
void tuned_adapt_watch(void);

/* Before the private communicator ends, or somebody else decides. Local. */
void tuned_adapt_stop(tuned_state *t);

/* The communicator ends. While an onset is under way (tuned/call/onset.h) it goes on: the ranks
 * come to the end at other times, and none waits for them. */
void tuned_adapt_end(tuned_state *t);
bool tuned_adapt_goes_on(const tuned_state *t);

/* What communicators that live have shown is remembered; once, at the end. Local. */
void tuned_adapt_remember(void);

/* It is opened whatever that costs. Collective. */
void tuned_adapt_open_early(tuned_state *t);

/* Before each call, whether MPI takes its arguments or not. Collective at some numbers. */
void tuned_adapt_epoch(tuned_state *t);
static inline bool tuned_adapt_is_due(const tuned_adapt *a, long call)
{
    return a && call >= a->next_epoch;
}

/* Whether rank 0 notes calls before it is open: lessons may promise something for them. */
bool tuned_adapt_expects(const tuned_state *t);

/* Before a call for which only a root waits: the flood that it may be one of, or NULL, and what is
 * due there. Collective at some numbers; *met: all have come together. */
tuned_flood *tuned_adapt_flood(tuned_state *t, const cpm_request *r, bool *met);

/* Notes such a call, by MPI's own routine; it has data, as one whose turn is asked for. Local. */
void tuned_adapt_note(tuned_state *t, const cpm_request *r, tuned_turn *out);

/* Of calls whose sizes the others do not know: notes whether they are other ones than before, which
 * makes times incomparable. The tuner of thresholds compares calls of any sizes, as the paper's
 * does. Local. */
void tuned_adapt_look_at_sizes(const tuned_state *t, tuned_context *x, const mpib_arguments *a);

/* Whose turn a call is, in an open communicator: NULL: MPI's own routine. */
tuned_decision *tuned_adapt_turn(tuned_state *t, const cpm_request *r, const mpib_arguments *a,
                                 tuned_turn *out);

/* A call of o, of that root if it has one, has taken so long. */
void tuned_adapt_count(tuned_state *t, const cpm_operation *o, int root, const tuned_turn *turn,
                       double seconds);

/* A call of that turn is over: how many like it need not be watched before
 * the next one. 0: something is tried there, or it is early: what the first calls take is to be
 * known. */
long tuned_adapt_spare(const tuned_state *t, const tuned_turn *turn);

/* Calls of that turn that were only counted: they took about so many seconds each. The last one of
 * all such calls is of o. */
void tuned_adapt_passed(tuned_state *t, const cpm_operation *o, const tuned_turn *turn, long calls,
                        double seconds);
void tuned_adapt_passed_last(tuned_adapt *a, const cpm_operation *o);

/* Bytes that a process gives or gets, about. */
double tuned_adapt_bytes(const cpm_request *r);

/* A nonblocking call has begun: before the first epoch its bytes count, if it is one of the first
 * of which nothing is tried. Local. */
enum { TUNED_FIRST_BEGUN = 256 };
void tuned_adapt_begun(tuned_state *t, const cpm_request *r);

/* A call that this rank leaves to MPI, as cpm_tuned_pass() says, while others may count it. */
void tuned_adapt_pass(tuned_state *t, cpm_waiting who);

/* MPI refuses the arguments of a call at this rank, which is no call then: the others may make it,
 * or not, so this rank may count otherwise than they do from now on. With the next exchange trying
 * ends. */
void tuned_adapt_refuse(tuned_adapt *a);

/* No rank ends such a call before all have begun it. (But for one without data, which is rare.) */
static inline bool tuned_brings_together(const cpm_operation *o)
{
    return !o->rooted && o->sizes == CPM_KNOWN_TO_ALL && !o->contributes &&
           !cpm_operation_is_of_neighbours(o);
}

static inline cpm_waiting tuned_waiting(const cpm_operation *o)
{
    bool gathers = o->rooted && (o->combines || o->recv.at_root == CPM_BLOCK_OF_EACH);
    return tuned_brings_together(o) ? CPM_ALL_WAIT : gathers ? CPM_ROOT_WAITS : CPM_NOBODY_WAITS;
}

/* What of the seconds that a rank waited for others counts as a cost: those that come early would
 * have waited in the next call anyway. */
double tuned_adapt_cost(const tuned_adapt *a, double waited);

/* What this rank tells the others of its times: it is theirs from now on. What all ranks said comes
 * into the ledger, which is that of persistent calls, or that of all others. */
tuned_told tuned_adapt_tell(tuned_adapt *a, tuned_common_sums *to);
void tuned_adapt_hear(tuned_adapt *a, const tuned_common_sums *all, bool persistent);

/* Seconds of calls that belong to no engine, and of what is no call: as all have heard, and what
 * this rank has not told yet, or not heard of. Local. */
tuned_told tuned_adapt_outside(const tuned_adapt *a);

#endif
