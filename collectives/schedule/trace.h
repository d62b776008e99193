/* What a walk tells whoever watches it: when each message kept which processor busy. */
#ifndef CPM_COLLECTIVES_SCHEDULE_TRACE_H
#define CPM_COLLECTIVES_SCHEDULE_TRACE_H

#include <stddef.h>

#include "base/error.h"

/* The first three are called once for every message, in the order of these lines; seconds since the
 * beginning of the walk. message is a number that no other message under way has; it is free again
 * when recv has been called. Calls for different ranks come in no particular order of time. */
typedef struct {
    void *context;
    /* The sender's processor is busy with the message from begin to end. */
    void (*send)(void *context, int message, int from, int to, size_t bytes, int round,
                 double begin, double end);
    /* It is on its way: the sender has done its part, and a receiver that must be waited for is
     * ready. */
    void (*leave)(void *context, int message, double time);
    /* Its last byte arrives (where a link end is shared, when it is its turn there); the receiver's
     * processor is busy with it from begin to end. */
    void (*recv)(void *context, int message, double arrival, double begin, double end);
    /* The flow walk has gone one step further, for which it looked so often at a message under way.
     * Anything but CPM_OK ends the walk with that failure. May be NULL. */
    int (*step)(void *context, double looks, cpm_error *e);
} cpm_trace;

#endif
