/* What happens when: a queue of events in the order of their times. */
#ifndef CPM_SCHEDULE_EVENTS_H
#define CPM_SCHEDULE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double time;
    long order; /* of events at the same time: first in, first out */
    int kind, index;
} cpm_event;

/* A heap; zero is an empty one. */
typedef struct {
    cpm_event *at;
    int64_t capacity;
    int count;
    long added;
} cpm_events;

/* False: out of memory. */
bool cpm_events_add(cpm_events *e, double time, int kind, int index);
/* Removes the earliest; there must be one. */
cpm_event cpm_events_take(cpm_events *e);
void cpm_events_free(cpm_events *e);

#endif
