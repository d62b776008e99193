/* What a walk tells whoever watches it: when each message kept which processor busy. */
#ifndef CPM_SCHEDULE_TRACE_H
#define CPM_SCHEDULE_TRACE_H

/* Both functions are called once for every message, send first; seconds since the beginning of the
 * walk. message is a number that no other message under way has; it is free again when recv has
 * been called. Calls for different ranks come in no particular order of time. */
typedef struct {
    void *context;
    /* The sender's processor is busy with the message from begin to end. */
    void (*send)(void *context, int message, int from, int to, int round, double begin, double end);
    /* Its last byte arrives (where a link end is shared, when it is its turn there); the receiver's
     * processor is busy with it from begin to end. */
    void (*recv)(void *context, int message, double arrival, double begin, double end);
} cpm_trace;

#endif
