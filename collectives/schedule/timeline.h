/* The time line of a predicted run: every message with its times, as a walk's trace tells them. */
#ifndef CPM_COLLECTIVES_SCHEDULE_TIMELINE_H
#define CPM_COLLECTIVES_SCHEDULE_TIMELINE_H

#include <stdint.h>

#include "base/error.h"
#include "collectives/schedule/trace.h"

/* Seconds since the beginning of the walk. */
typedef struct {
    int from, to, round; /* round of the sender */
    size_t bytes;
    double send_begin, send_end; /* the sender's processor is busy with it */
    double left;                 /* when it is on its way */
    double arrival;              /* of its last byte */
    double recv_begin, recv_end; /* the receiver's processor is busy with it */
} cpm_timed_message;

/* Messages in the order in which they were sent by the walk; zero is an empty one. */
typedef struct {
    cpm_timed_message *at;
    int count;
    int *under_way;  /* the message that has a number of the trace */
    int64_t numbers; /* for which there is room */
    int failed;      /* out of memory; cpm_timeline_check reports it */
} cpm_timeline;

/* A trace that appends to t. */
cpm_trace cpm_timeline_trace(cpm_timeline *t);

/* CPM_ENOMEM if messages are missing. */
int cpm_timeline_check(const cpm_timeline *t, cpm_error *e);

void cpm_timeline_free(cpm_timeline *t);

#endif
