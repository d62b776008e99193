/* What a person who waits at a terminal is told: how long it will take, if that is long. */
#ifndef CPM_TOOLS_FRAME_ANNOUNCE_H
#define CPM_TOOLS_FRAME_ANNOUNCE_H

#include <pthread.h>
#include <stdatomic.h>

#include "tools/frame/command.h"

/* About how much of it there is. Called in a thread of its own. */
typedef double announce_all(const void *context);

typedef struct announcement {
    _Atomic int64_t through; /* what is done */
    const call *c;
    const char *what; /* "messages to walk through" */
    double unit;      /* one of them is so much of what is done */
    double first;     /* of what is done so much at the beginning takes longer, and tells nothing */
    int at_once;      /* so many are under way, each of which counts when it is done; 0: unknown */
    announce_all *all;
    const void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wakes;
    bool watches, over;
} announcement;

/* Where what is done is to be counted; NULL where stderr is no terminal: nobody waits there. */
_Atomic int64_t *announce_counter(announcement *a);

/* Where a person waits: after two seconds, or later if it proves slow or goes on at another rate, one
 * line says how much there is, and how long it will take at this rate, if that is more than a
 * minute. a has c, what, unit, all and context; between announce_begin and announce_end it stays
 * where it is. */
void announce_begin(announcement *a);
void announce_end(announcement *a);

#endif
