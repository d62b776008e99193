/* Collects what a walk tells: a message is added when it is sent and completed when it is received;
 * its number in the trace leads from one to the other. */
#include "collectives/schedule/timeline.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/vector.h"

static bool make_room(cpm_timeline *t, int message)
{
    return cpm_vector_extend(&t->at, t->count, sizeof *t->at) &&
           cpm_vector_reserve(&t->under_way, &t->numbers, message + 1, sizeof *t->under_way);
}

static void sent(void *context, int message, int from, int to, size_t bytes, int round,
                 double begin, double end)
{
    cpm_timeline *t = context;
    t->failed = t->failed || !make_room(t, message);
    if (t->failed)
        return;
    t->under_way[message] = t->count;
    t->at[t->count++] = (cpm_timed_message){.from = from,
                                            .to = to,
                                            .bytes = bytes,
                                            .round = round,
                                            .send_begin = begin,
                                            .send_end = end};
}

static void left(void *context, int message, double time)
{
    cpm_timeline *t = context;
    if (!t->failed)
        t->at[t->under_way[message]].left = time;
}

static void received(void *context, int message, double arrival, double begin, double end)
{
    cpm_timeline *t = context;
    if (t->failed)
        return;
    cpm_timed_message *m = &t->at[t->under_way[message]];
    m->arrival = arrival;
    m->recv_begin = begin;
    m->recv_end = end;
}

cpm_trace cpm_timeline_trace(cpm_timeline *t)
{
    return (cpm_trace){.context = t, .send = sent, .leave = left, .recv = received};
}

int cpm_timeline_check(const cpm_timeline *t, cpm_error *e)
{
    return t->failed ? cpm_no_memory(e) : CPM_OK;
}

void cpm_timeline_free(cpm_timeline *t)
{
    free(t->at);
    free(t->under_way);
    *t = (cpm_timeline){0};
}
