/* Adds up what is on its way to each receiver, from one beginning or end of a message to the next.
 */
#include "selection/escalation.h"

#include <math.h>
#include <stdlib.h>

static double scalar(const cpm_model *m, const char *name)
{
    int p = cpm_parameter_index(m->type, name);
    return p >= 0 && m->type->parameters[p].shape == CPM_SCALAR ? m->value[p][0] : NAN;
}

bool cpm_switch_buffer_of(const cpm_model *m, cpm_switch_buffer *out)
{
    double first = scalar(m, "M1"), last = scalar(m, "M2");
    if (isnan(first))
        return false;
    *out = (cpm_switch_buffer){(m->whole - 1) * first, isnan(last) ? INFINITY : last};
    return true;
}

/* A message begins (bytes above 0) or ends. */
typedef struct {
    int to, from;
    double time, bytes;
} change;

static int by_receiver_and_time(const void *a, const void *b)
{
    const change *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes); /* ends first */
}

/* Bytes get into the network while the sender sends; what has to wait for its receiver first does
 * so where it is. */
static double begins(const cpm_timed_message *m)
{
    return m->left > m->send_end ? m->left : m->send_begin;
}

static bool fills(const cpm_switch_buffer *b, const cpm_timed_message *m)
{
    return m->bytes > 0 && (double)m->bytes < b->synchronous;
}

/* Which process alone sends to each, or one of these. */
enum { NOBODY = -1, SEVERAL = -2 };

static void find_senders(const cpm_switch_buffer *b, const cpm_timeline *run, int n, int *sender)
{
    for (int to = 0; to < n; to++)
        sender[to] = NOBODY;
    for (int k = 0; k < run->count; k++) {
        const cpm_timed_message *m = &run->at[k];
        if (fills(b, m) && sender[m->to] != m->from)
            sender[m->to] = sender[m->to] == NOBODY ? m->from : SEVERAL;
    }
}

/* To those to which several send. */
static int list_changes(const cpm_switch_buffer *b, const cpm_timeline *run, const int *sender,
                        change *out)
{
    int count = 0;
    for (int k = 0; k < run->count; k++) {
        const cpm_timed_message *m = &run->at[k];
        double bytes = (double)m->bytes;
        if (!fills(b, m) || sender[m->to] != SEVERAL)
            continue;
        out[count++] = (change){m->to, m->from, begins(m), bytes};
        out[count++] = (change){m->to, m->from, m->arrival, -bytes};
    }
    qsort(out, (size_t)count, sizeof *out, by_receiver_and_time);
    return count;
}

/* under_way[n]: messages from each process to the receiver, 0 before and after. */
static bool overflows(const cpm_switch_buffer *b, const change *at, int count, int *under_way)
{
    double sum = 0;
    int senders = 0;
    bool any = false;
    for (int k = 0; k < count; k++) {
        int *mine = &under_way[at[k].from];
        sum += at[k].bytes;
        if (at[k].bytes > 0)
            senders += (*mine)++ == 0;
        else
            senders -= --(*mine) == 0;
        any = any || (senders >= 2 && sum >= b->bytes);
    }
    return any;
}

int cpm_escalates(const cpm_switch_buffer *b, const cpm_timeline *run, int n, bool *out,
                  cpm_error *e)
{
    change *at = malloc((2 * (size_t)run->count + 1) * sizeof *at);
    int *under_way = calloc((size_t)n, sizeof *under_way);
    int *sender = malloc((size_t)n * sizeof *sender);
    int status = at && under_way && sender ? cpm_timeline_check(run, e) : cpm_no_memory(e);
    if (status == CPM_OK) {
        find_senders(b, run, n, sender);
        *out = overflows(b, at, list_changes(b, run, sender, at), under_way);
    }
    free(at);
    free(under_way);
    free(sender);
    return status;
}

/* ---- what is posted together ---- */

/* In one round, or while one that was deferred may still be on its way. */
static bool has_long_together(const cpm_switch_buffer *b, const cpm_schedule *s,
                              const cpm_steps *steps, const cpm_block_sizes *sizes)
{
    int round = -1, from = -1;
    bool deferred = false;
    for (int k = 0; k < steps->count; k++) {
        const cpm_step *step = &steps->at[k];
        if (!cpm_step_is_message(step) || !cpm_step_receives(step) ||
            (double)cpm_step_bytes(s, steps, step, sizes) < b->synchronous)
            continue;
        if ((step->round == round || deferred) && step->peer != from)
            return true;
        deferred = deferred || step->deferred;
        round = step->round;
        from = step->peer;
    }
    return false;
}

int cpm_receives_long_together(const cpm_switch_buffer *b, const cpm_schedule *s,
                               const cpm_block_sizes *sizes, bool *out, cpm_error *e)
{
    cpm_steps steps = {0};
    bool found = false;
    int status = CPM_OK;
    for (int rank = 0; rank < s->n && !status && !found; rank++) {
        status = cpm_schedule_rank(s, rank, &steps, e);
        found = !status && has_long_together(b, s, &steps, sizes);
    }
    cpm_steps_free(&steps);
    if (!status)
        *out = found;
    return status;
}
