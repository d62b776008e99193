/* What a person who waits at a terminal is told: how long it will take, if that is long. */
#ifndef CPM_TOOLS_ANNOUNCE_H
#define CPM_TOOLS_ANNOUNCE_H

#include <pthread.h>
#include <stdatomic.h>

#include "tools/command.h"

/* About how many messages are to be walked through. Called in a thread of its own. */
typedef double announce_messages(const void *context);

typedef struct announcement {
    _Atomic int64_t through; /* messages */
    const call *c;
    announce_messages *messages;
    const void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wakes;
    bool watches, over;
} announcement;

/* Where stderr is a terminal: what m counts in; else it does not count. */
void announce_in(announcement *a, cpm_model *m);

/* After the first second of what m predicts one line says how many messages there are, and how long
 * they will take at that second's rate, if that is more than a minute; nothing if m does not count.
 * Between announce_begin and announce_end a stays where it is. */
void announce_begin(announcement *a, const call *c, const cpm_model *m, announce_messages *messages,
                    const void *context);
void announce_end(announcement *a);

#endif
