/* A binary heap; equal times leave in the order in which they came, so that a walk is the same in
 * every run. */
#include "collectives/schedule/events.h"

#include <stdlib.h>

#include "base/vector.h"

static bool before(const cpm_event *a, const cpm_event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void swap(cpm_event *a, cpm_event *b)
{
    cpm_event c = *a;
    *a = *b;
    *b = c;
}

bool cpm_events_add(cpm_events *e, double time, int kind, int index)
{
    if (!cpm_vector_reserve(&e->at, &e->capacity, e->count + 1, sizeof *e->at))
        return false;
    int k = e->count++;
    e->at[k] = (cpm_event){time, e->added++, kind, index};
    for (int up = (k - 1) / 2; k > 0 && before(&e->at[k], &e->at[up]); k = up, up = (k - 1) / 2)
        swap(&e->at[k], &e->at[up]);
    return true;
}

cpm_event cpm_events_take(cpm_events *e)
{
    cpm_event first = e->at[0];
    e->at[0] = e->at[--e->count];
    for (int k = 0;;) {
        int least = k;
        for (int child = 2 * k + 1; child <= 2 * k + 2 && child < e->count; child++)
            if (before(&e->at[child], &e->at[least]))
                least = child;
        if (least == k)
            return first;
        swap(&e->at[k], &e->at[least]);
        k = least;
    }
}

void cpm_events_free(cpm_events *e)
{
    free(e->at);
    *e = (cpm_events){0};
}
