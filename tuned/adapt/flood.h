/* Floods: rooted operations called back to back, in which ranks that only send run ahead of the
 * root: messages that it has not asked for yet take memory there, and may make it slower still.
 *
 * After some calls on end the root's verdict, what a call takes there, begins to be broadcast; who
 * has made four times as many needs it. So messages go away from the root only, nobody waits who is
 * not that far ahead, and the root has work enough meanwhile. Where calls take it long it is tried
 * whether they become shorter if senders are held back: verdicts are needed soon, and asked for at
 * once again. Where it gains that goes on, as often as needs be, and once in a while all come
 * together, to try algorithms that hold senders back themselves (tuned_adapt_flood). All ranks
 * count alike, without a message. */
#ifndef CPM_TUNED_ADAPT_FLOOD_H
#define CPM_TUNED_ADAPT_FLOOD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "collectives/operation.h"

/* Calls before the first verdict is asked for, with no other calls between but such of which a root
 * waits; those until one is needed where senders are held back, at first. */
enum { TUNED_FLOOD_ASKED = 32, TUNED_FLOOD_NEEDED = 64 };

/* Kinds of calls of a communicator that are looked at: the first ones. */
enum { TUNED_FLOODS = 16 };

/* Whether senders are held back. */
typedef enum {
    TUNED_FLOOD_FREE,  /* they are not */
    TUNED_FLOOD_TRIED, /* it is found out whether that gains */
    TUNED_FLOOD_HELD   /* it does */
} tuned_flood_state;

/* Calls of one operation, root and size. */
typedef struct {
    const cpm_operation *operation;
    int root;
    size_t bytes;
    long calls;
    long met; /* other calls before its last one */
    long due; /* something is to be done when so many calls were made */
    tuned_flood_state state;
    bool may_hold;   /* senders that begin together overflow no switch */
    bool asked;      /* a verdict is under way */
    bool heard;      /* there was one */
    bool found;      /* holding senders back has made calls shorter */
    long judged, of; /* calls before it was asked for last; those that it is of */
    long window;     /* calls until it is needed, where senders are held back, */
    long widest;     /* which is no longer than this */
    long from;       /* verdicts of calls before these say nothing of it */
    long tried;      /* calls when that was tried the last time */
    long together;   /* calls when all came together for it the last time */
    double
        verdict;  /* seconds from call to call at the root; below 0: most are short; 0: not known */
    double free;  /* seconds of a call before senders were held back; 0: they never were */
    double least; /* the shortest of late while they are */
    MPI_Request request;
    /* Of this rank: */
    double since;        /* a time after which it has made calls of these only; 0: not known */
    long since_call;     /* how many it had made then */
    long timed, lengthy; /* calls since then whose time is known, and of these such as may be worth
                            trying */
} tuned_flood;

typedef struct {
    tuned_flood at[TUNED_FLOODS];
    int count, last; /* last: that was looked for */
    int n;           /* processes */
    bool on_one_host;
} tuned_floods;

/* NULL: calls of that kind are no flood, or there are too many kinds.
 */
tuned_flood *tuned_flood_of(tuned_floods *f, const cpm_operation *o, int root, size_t bytes);

/* Whether something is to be done before this call; met: calls of other operations so far. */
static inline bool tuned_flood_is_due(tuned_flood *f, long met)
{
    if (f->met != met) {
        f->met = met;
        f->since = 0;
        if (!f->asked)
            f->due = f->calls + TUNED_FLOOD_ASKED;
    }
    return f->calls >= f->due;
}

/* Before a call of a stretch, by this rank's clock. */
static inline void tuned_flood_start(tuned_flood *f, double now)
{
    f->since = now;
    f->since_call = f->calls;
}

/* So many calls of it took so many seconds each at this rank. */
void tuned_flood_time(tuned_flood *f, double seconds, long calls);

/* What is due: the verdict is asked for or, if it was (f->asked), waited for. waits: no request may
 * be open on comm, so it is broadcast when it is needed. now: seconds. Collective at those numbers
 * of calls. */
void tuned_flood_step(tuned_flood *f, MPI_Comm comm, bool waits, int rank, double now);

/* Whether a flood was found among calls of root, of least to most bytes. */
bool tuned_flood_is_found(const tuned_floods *f, const cpm_operation *o, int root, size_t least,
                          size_t most);

/* Whether the last call was one of those whose senders are held back, or such calls have come since
 * for which only a root waits; met: as before. */
bool tuned_floods_go_on(const tuned_floods *f, long met);

#endif
