/* Calls of one kind on a communicator, the ways in question to run them, and whose turn it is. All
 * ranks count alike, so all know without a message. */
#ifndef CPM_TUNED_ADAPT_CONTEXT_H
#define CPM_TUNED_ADAPT_CONTEXT_H

#include "adapt/adapt.h"
#include "base/hash.h"
#include "executor/collective.h"
#include "tuned/adapt/saved.h"
#include "tuned/adapt/sums.h"
#include "tuned/comm/decisions.h"

/* What calls have in common. */
typedef struct {
    const cpm_operation *operation;
    int root;
    bool ordered;
    size_t least, most; /* bytes of a block, both included */
    bool begun;         /* nonblocking ones (stretch.h) */
    int persistent;     /* number of the one that is started again and again (starts.h); 0: none */
} tuned_kind;

/* Of nonblocking calls: what begins with the last one that was timed. */
typedef struct {
    int who;
    long calls;    /* that have begun in it, all run by who; 0: there is none */
    long spare;    /* so many may follow the first in it: all know alike */
    long unlooked; /* the same, where nobody needs to look at them: MPI's own routine runs them */
    double since, spent;
} tuned_stretch;

/* What this rank saw of one candidate since the last exchange, in picoseconds. */
typedef struct {
    int who;
    long calls;                        /* 0: the place is free */
    int64_t spent;                     /* of this rank in all calls */
    int64_t sum, last[CPM_ADAPT_KEPT]; /* its part of what is compared; of call k: last[k %
                                          CPM_ADAPT_KEPT] */
} tuned_tally;

typedef struct tuned_context {
    /* What each call that is passed on looks at (tuned/call/hot.h): */
    cpm_adapt *engine; /* NULL: nobody has decided, or it ended */
    cpm_adapt_period period;
    long spare; /* calls that need not be watched before the next one that must be */

    tuned_kind kind;
    bool ended;                  /* MPI's own routine for good */
    bool held;                   /* from some call on it has an engine, which is there yet */
    tuned_decision **candidates; /* [count] which the state's decisions own; 0: MPI's own */
    tuned_saved *saved;          /* [count] */
    int count;
    tuned_saved_sum before; /* of engines that ended, */
    long calls_before;      /* and their calls */
    int made;               /* calls of the period */
    long calls;
    double spent;          /* seconds of this rank, before there was an engine, */
    long noted;            /* in so many calls; */
    long watched, lengthy; /* those that were timed, and of these such as may be worth trying */
    tuned_tally seen[TUNED_TALLIES];
    uint64_t sizes; /* hash of the own sizes, where others do not know them */
    bool changed;
    bool of_root; /* calls are compared by what the root takes, not by the mean of all ranks */
    int thrown;   /* periods of no use, as sizes had changed */
    /* Where only the root knows sizes (rooted.h): */
    bool noted_by_root;      /* it can tell them */
    size_t *announced;       /* [n] bytes of calls that are compared; NULL: no candidates */
    mpib_collective **plans; /* [count] for any sizes; NULL: not made yet, or not needed */
    int renewed;             /* how often other sizes were told */
    tuned_stretch stretch;
    long from, first;      /* of a persistent one: numbers of its starts with which the period, and
                              trying, begin, the same on all ranks; 0: none is known */
    long to;               /* from that one on nothing is tried; 0: none is known */
    tuned_decision *until; /* what runs those that come before the period; NULL: MPI's own */
    double each;           /* seconds of a call, the same on all ranks; 0: not known */
    struct {
        bool ended;          /* it was waited for at once: all is heard */
        int failed;          /* what MPI said of it */
        MPI_Request request; /* MPI_REQUEST_NULL: none is under way */
        int meanwhile;       /* calls since it began */
        int kept[TUNED_TALLIES];
        long calls[TUNED_TALLIES];
        int who[TUNED_TALLIES];
        double cost; /* seconds of the last one, and of this one so far */
        /* Of this rank, as long as it is under way: seconds of its calls; the rest. */
        double own[TUNED_TALLIES];
        tuned_told told;
        tuned_exchange_sums all; /* what this rank says, then what all have said */
    } exchange;
    struct tuned_context *next;
} tuned_context;

/* Calls that were looked up lately, and what was found; NULL: nothing. */
typedef struct {
    const cpm_operation *operation;
    size_t bytes;
    int root;
    bool ordered, begun;
    int persistent;
    tuned_context *context;
} tuned_recent;

enum { TUNED_RECENT = 64 }; /* a power of two */

typedef struct {
    tuned_context *all;
    int count;
    cpm_hash by_kind;
    int exact[CPM_OPERATIONS]; /* contexts of one size */
    tuned_recent recent[TUNED_RECENT];
} tuned_contexts;

/* The context of such calls, or NULL. All ranks find the same one with an engine. */
tuned_context *tuned_contexts_find(tuned_contexts *all, const cpm_request *r);

/* x has got an engine: calls that were of another context may be of this one now. */
void tuned_contexts_decided(tuned_contexts *all, const tuned_context *x);

/* The kind of such calls: of this very size, or of its class where many sizes are known. */
tuned_kind tuned_contexts_kind(const tuned_contexts *all, const cpm_request *r);

/* The context of that kind, a new one without an engine where there is none. NULL: no memory, or
 * there are too many. */
tuned_context *tuned_contexts_enter(tuned_contexts *all, const tuned_kind *k);

/* No exchange may be under way. */
void tuned_contexts_clear(tuned_contexts *all);

/* What calls of the context saved: with an engine, and those that came and went. Those that nobody
 * has heard of yet are this rank's. */
tuned_saved_sum tuned_context_saved(const tuned_context *x);

/* What was told and is of no use to the engine was nevertheless spent. */
void tuned_context_keep_own(tuned_context *x);

/* The engine ends, and what was kept for its candidates. ended stays as it is. */
void tuned_context_stop(tuned_context *x);

/* Adds a call by who to what was seen: of this rank, and its part of what is compared. */
void tuned_context_see(tuned_context *x, int who, int64_t spent, int64_t compared);

/* The same of so many calls that were not timed: sums. The last CPM_ADAPT_KEPT of a period must be.
 */
void tuned_context_pass(tuned_context *x, int who, long calls, int64_t spent, int64_t compared);

#endif
