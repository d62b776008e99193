/* What happens when: a queue of events in the order of their times. A heap; equal times leave in
 * the order in which they came, so that a walk is the same in every run. Walks do little else than
 * to add and take events, so both are here to be built into them. */
#ifndef CPM_SCHEDULE_EVENTS_H
#define CPM_SCHEDULE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/vector.h"

typedef struct {
    double time;
    long order; /* of events at the same time: first in, first out */
    int kind, index;
} cpm_event;

/* Zero is an empty one. */
typedef struct {
    cpm_event *at;
    int64_t capacity;
    int count;
    long added;
} cpm_events;

/* Children of a place: four stand in two lines of a cache. */
enum { CPM_EVENT_CHILDREN = 4 };

/* Without branches: which of two events comes first cannot be guessed. */
static inline int cpm_event_before(const cpm_event *a, const cpm_event *b)
{
    return (a->time < b->time) | ((a->time == b->time) & (a->order < b->order));
}

/* False: out of memory. */
static inline bool cpm_events_add(cpm_events *e, double time, int kind, int index)
{
    if (!cpm_vector_reserve(&e->at, &e->capacity, e->count + 1, sizeof *e->at))
        return false;
    cpm_event added = {time, e->added++, kind, index};
    int k = e->count++;
    for (int up = (k - 1) / CPM_EVENT_CHILDREN; k > 0 && cpm_event_before(&added, &e->at[up]);
         k = up, up = (k - 1) / CPM_EVENT_CHILDREN)
        e->at[k] = e->at[up];
    e->at[k] = added;
    return true;
}

/* Of the children of place k; -1: it has none. Where there are all, two pairs are compared, and
 * their first ones. */
static inline int cpm_events_first_child(const cpm_events *e, int k)
{
    int first = CPM_EVENT_CHILDREN * k + 1;
    if (first + CPM_EVENT_CHILDREN <= e->count) {
        const cpm_event *child = &e->at[first];
        int a = cpm_event_before(&child[1], &child[0]);
        int b = 2 + cpm_event_before(&child[3], &child[2]);
        return first + a + (b - a) * cpm_event_before(&child[b], &child[a]);
    }
    int least = first < e->count ? first : -1;
    for (int child = first + 1; child < e->count; child++)
        if (cpm_event_before(&e->at[child], &e->at[least]))
            least = child;
    return least;
}

/* Removes the earliest; there must be one. */
static inline cpm_event cpm_events_take(cpm_events *e)
{
    cpm_event first = e->at[0], last = e->at[--e->count];
    int k = 0;
    for (int child = cpm_events_first_child(e, 0);
         child >= 0 && cpm_event_before(&e->at[child], &last);
         child = cpm_events_first_child(e, k)) {
        e->at[k] = e->at[child];
        k = child;
    }
    e->at[k] = last;
    return first;
}

static inline void cpm_events_free(cpm_events *e)
{
    free(e->at);
    *e = (cpm_events){0};
}

#endif
