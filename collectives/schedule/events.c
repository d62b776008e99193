/* A heap; equal times leave in the order in which they came, so that a walk is the same in
 * every run. */
#include "collectives/schedule/events.h"

#include <stdlib.h>

#include "base/vector.h"

/* Without branches: which of two events comes first cannot be guessed. */
static inline int before(const cpm_event *a, const cpm_event *b)
{
    return (a->time < b->time) | ((a->time == b->time) & (a->order < b->order));
}

/* Children of a place: four stand in two lines of a cache. */
enum { CHILDREN = 4 };

bool cpm_events_add(cpm_events *e, double time, int kind, int index)
{
    if (!cpm_vector_reserve(&e->at, &e->capacity, e->count + 1, sizeof *e->at))
        return false;
    cpm_event added = {time, e->added++, kind, index};
    int k = e->count++;
    for (int up = (k - 1) / CHILDREN; k > 0 && before(&added, &e->at[up]);
         k = up, up = (k - 1) / CHILDREN)
        e->at[k] = e->at[up];
    e->at[k] = added;
    return true;
}

/* Of the children of place k; -1: it has none. Where there are all, two pairs are compared, and
 * their first ones. */
static inline int first_child(const cpm_events *e, int k)
{
    int first = CHILDREN * k + 1;
    if (first + CHILDREN <= e->count) {
        const cpm_event *child = &e->at[first];
        int a = before(&child[1], &child[0]), b = 2 + before(&child[3], &child[2]);
        return first + a + (b - a) * before(&child[b], &child[a]);
    }
    int least = first < e->count ? first : -1;
    for (int child = first + 1; child < e->count; child++)
        if (before(&e->at[child], &e->at[least]))
            least = child;
    return least;
}

cpm_event cpm_events_take(cpm_events *e)
{
    cpm_event first = e->at[0], last = e->at[--e->count];
    int k = 0;
    for (int child = first_child(e, 0); child >= 0 && before(&e->at[child], &last);
         child = first_child(e, k)) {
        e->at[k] = e->at[child];
        k = child;
    }
    e->at[k] = last;
    return first;
}

void cpm_events_free(cpm_events *e)
{
    free(e->at);
    *e = (cpm_events){0};
}
