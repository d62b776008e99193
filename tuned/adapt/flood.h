/* Floods: rooted operations called back to back, in which ranks that only send run ahead of the
 * root: messages that it has not asked for yet take memory there, and make it slower still.
 *
 * After so many calls on end the root's verdict, what a call takes there, begins to be broadcast;
 * who has made some more calls needs it. So messages go away from the root only, and nobody waits
 * who is not that far ahead. Where calls take the root long it is asked for again and again, which
 * holds senders back, as often as that keeps calls short. Once in a while all come together there,
 * to try algorithms that hold senders back themselves (tuned_adapt_flood). All ranks count alike,
 * without a message. */
#ifndef CPM_TUNED_ADAPT_FLOOD_H
#define CPM_TUNED_ADAPT_FLOOD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "collectives/operation.h"

/* Calls before the verdict is asked for, with no other calls between but such of which a root
 * waits; further ones until it is needed, at first. */
enum { TUNED_FLOOD_ASKED = 64, TUNED_FLOOD_NEEDED = 16 };

/* Kinds of calls of a communicator that are looked at: the first ones. */
enum { TUNED_FLOODS = 16 };

/* Calls of one operation, root and size. */
typedef struct {
    const cpm_operation *operation;
    int root;
    size_t bytes;
    long calls;
    long met;        /* other calls before its last one */
    long due;        /* something is to be done when so many calls were made */
    long asks;       /* it is asked for no earlier than then */
    long window;     /* calls until it is needed */
    long widest;     /* as long as it may become */
    bool asked;      /* it is under way */
    bool heard;      /* there was one */
    bool found;      /* calls have taken the root long */
    long judged, of; /* calls before it was asked for last; those that it is of */
    long together;   /* calls when all came together for it the last time */
    double verdict;  /* seconds of a call at the root; below 0: the same, most are short */
    double least;    /* the shortest verdict lately, since one was found */
    MPI_Request request;
    /* Of this rank, since it was asked for: */
    double seconds;
    long timed, lengthy; /* calls whose time is known, and of these such as may be worth trying */
} tuned_flood;

typedef struct {
    tuned_flood at[TUNED_FLOODS];
    int count, last; /* last: that was looked for */
} tuned_floods;

/* NULL: calls of that kind are no flood, or there are too many kinds. */
tuned_flood *tuned_flood_of(tuned_floods *f, const cpm_operation *o, int root, size_t bytes);

/* Whether something is to be done before this call; met: calls of other operations so far. */
static inline bool tuned_flood_is_due(tuned_flood *f, long met)
{
    if (f->met != met) {
        const long earliest = f->calls + TUNED_FLOOD_ASKED;
        f->met = met;
        if (!f->asked)
            f->due = f->asks > earliest ? f->asks : earliest;
    }
    return f->calls >= f->due;
}

/* So many calls of it took so many seconds each at this rank. */
void tuned_flood_time(tuned_flood *f, double seconds, long calls);

/* What is due: the verdict is asked for or, if it was (f->asked), waited for. waits: no request may
 * be open on comm, so it is broadcast when it is needed. Returns the seconds that this took.
 * Collective at those numbers of calls. */
double tuned_flood_step(tuned_flood *f, MPI_Comm comm, bool waits, int rank);

/* Whether calls of root, of least to most bytes, have taken it long. */
bool tuned_flood_is_found(const tuned_floods *f, const cpm_operation *o, int root, size_t least,
                          size_t most);

/* Whether a call that has taken its root long was the last one, or but for others for which only a
 * root waits; met: as before. */
bool tuned_floods_go_on(const tuned_floods *f, long met);

#endif
