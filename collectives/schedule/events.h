/* What happens when: a queue of events in the order of their times. A heap; equal times leave in
 * the order in which they came, so that a walk is the same in every run. Walks do little else than
 * to add and take events, so both are here to be built into them. */
#ifndef CPM_COLLECTIVES_SCHEDULE_EVENTS_H
#define CPM_COLLECTIVES_SCHEDULE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

typedef struct {
    double time;    /* not negative */
    uint32_t order; /* of events at the same time: first in, first out; of 2^32 and more before each
                       other by chance */
    uint32_t kind : 3, index : 29;
} cpm_event;

/* Children of a place, which are one line of a cache: place 0 is the last of the first line. */
enum { CPM_EVENT_CHILDREN = 4, CPM_EVENT_MOST_INDEX = (1 << 29) - 1 };

typedef struct {
    cpm_event of[CPM_EVENT_CHILDREN];
} cpm_event_line;

/* Zero is an empty one. */
typedef struct {
    cpm_event_line *line;
    int64_t lines;
    int count;
    uint32_t added;
} cpm_events;

static inline cpm_event *cpm_events_at(const cpm_events *e, int place)
{
    return (cpm_event *)e->line + place + CPM_EVENT_CHILDREN - 1;
}

/* The one that comes next; there must be one. */
static inline const cpm_event *cpm_events_first(const cpm_events *e)
{
    return cpm_events_at(e, 0);
}

__extension__ typedef unsigned __int128 cpm_event_number;

/* Numbers that are not negative are in the order of their bits. */
static inline cpm_event_number cpm_event_key(const cpm_event *a)
{
    uint64_t time;
    memcpy(&time, &a->time, sizeof time);
    return (cpm_event_number)time << 64 | a->order;
}

/* Without branches: which of two events comes first cannot be guessed. */
static inline int cpm_event_before(const cpm_event *a, const cpm_event *b)
{
    return cpm_event_key(a) < cpm_event_key(b);
}

/* False: out of memory. */
static inline bool cpm_events_add(cpm_events *e, double time, unsigned kind, int index)
{
    int64_t lines = ((int64_t)e->count + 2L * CPM_EVENT_CHILDREN - 1) / CPM_EVENT_CHILDREN;
    if (index > CPM_EVENT_MOST_INDEX ||
        !cpm_vector_reserve(&e->line, &e->lines, lines, sizeof *e->line))
        return false;
    cpm_event added = {time, e->added++, kind, (uint32_t)index};
    int k = e->count++;
    for (int up = (k - 1) / CPM_EVENT_CHILDREN;
         k > 0 && cpm_event_before(&added, cpm_events_at(e, up));
         k = up, up = (k - 1) / CPM_EVENT_CHILDREN)
        *cpm_events_at(e, k) = *cpm_events_at(e, up);
    *cpm_events_at(e, k) = added;
    return true;
}

/* Of the children of place k; -1: it has none. Where there are all, two pairs are compared, and
 * their first ones. */
static inline int cpm_events_first_child(const cpm_events *e, int k)
{
    int first = CPM_EVENT_CHILDREN * k + 1;
    const cpm_event *child = cpm_events_at(e, first);
    if (first + CPM_EVENT_CHILDREN <= e->count) {
        int a = cpm_event_before(&child[1], &child[0]);
        int b = 2 + cpm_event_before(&child[3], &child[2]);
        return first + a + (b - a) * cpm_event_before(&child[b], &child[a]);
    }
    int least = first < e->count ? first : -1;
    for (int other = first + 1; other < e->count; other++)
        if (cpm_event_before(cpm_events_at(e, other), cpm_events_at(e, least)))
            least = other;
    return least;
}

/* Removes the earliest; there must be one. */
static inline cpm_event cpm_events_take(cpm_events *e)
{
    cpm_event first = *cpm_events_at(e, 0), last = *cpm_events_at(e, --e->count);
    int k = 0;
    for (int child = cpm_events_first_child(e, 0);
         child >= 0 && cpm_event_before(cpm_events_at(e, child), &last);
         child = cpm_events_first_child(e, k)) {
        *cpm_events_at(e, k) = *cpm_events_at(e, child);
        k = child;
    }
    *cpm_events_at(e, k) = last;
    return first;
}

static inline void cpm_events_free(cpm_events *e)
{
    free(e->line);
    *e = (cpm_events){0};
}

#endif
