/* Messages of schedules, in the form of those that are heard; printing and comparing both. */
#include "messages.h"

#include <stdio.h>
#include <stdlib.h>

static message *add(messages *to)
{
    if (to->count < 0 || to->count == MOST_MESSAGES) {
        to->count = -1;
        return NULL;
    }
    return &to->at[to->count++];
}

/* What deferred rounds receive has been waited for after the last round only. */
static void add_deferred(const cpm_steps *steps, messages *out)
{
    int last_send = -1;
    for (int k = 0; k < steps->count; k++)
        last_send = steps->at[k].kind == CPM_SEND ? steps->at[k].round : last_send;
    for (int k = 0; k < steps->count; k++) {
        const cpm_step *step = &steps->at[k];
        message *m = step->deferred && cpm_step_receives(step) ? add(out) : NULL;
        if (m)
            *m = (message){.ahead = step->round <= last_send, .peer = step->peer, .group = -1};
    }
}

static void add_round(const cpm_schedule *s, const cpm_steps *steps, int round,
                      const cpm_block_sizes *sizes, messages *out)
{
    bool sends = false;
    for (int receives = 0; receives < 2; receives++)
        for (int k = 0; k < steps->count; k++) {
            const cpm_step *step = &steps->at[k];
            if (step->round != round || cpm_step_receives(step) != receives ||
                (receives && step->deferred))
                continue;
            message *m = add(out);
            if (m)
                *m = (message){.sends = !receives,
                               .ahead = receives && sends,
                               .peer = step->peer,
                               .bytes = (long)cpm_step_bytes(s, steps, step, sizes),
                               .group = 2 * round + receives};
            sends = sends || !receives;
        }
}

/* Receives are posted before sends are started, and then waited for. */
static void add_starts(const cpm_schedule *s, const cpm_steps *steps, int round,
                       const cpm_block_sizes *sizes, messages *out)
{
    bool follows = false;
    for (int sends = 0; sends < 2; sends++)
        for (int k = 0; k < steps->count; k++) {
            const cpm_step *step = &steps->at[k];
            if (step->round != round || cpm_step_receives(step) == sends)
                continue;
            size_t bytes = cpm_step_bytes(s, steps, step, sizes);
            message *m = add(out);
            if (!m)
                return;
            *m = (message){.sends = sends, .peer = step->peer, .bytes = (long)bytes};
            m->group = out->count > 1 ? m[-1].group + !follows : 0;
            follows = sends && messages_show_waits(bytes);
        }
}

void messages_of_schedule(const cpm_schedule *s, int rank, const cpm_block_sizes *sizes,
                          messages *out)
{
    cpm_steps steps = {0};
    out->count = cpm_schedule_rank(s, rank, &steps, NULL) ? -1 : 0;
    for (int k = 0; k < steps.count; k++)
        if (k == 0 || steps.at[k].round != steps.at[k - 1].round)
            (messages_are_starts() ? add_starts : add_round)(s, &steps, steps.at[k].round, sizes,
                                                             out);
    if (!messages_are_starts())
        add_deferred(&steps, out);
    cpm_steps_free(&steps);
}

/* ---- the form in which they are compared ---- */

static int by_peer(const void *a, const void *b)
{
    const message *x = a, *y = b;
    return (x->peer > y->peer) - (x->peer < y->peer);
}

static int end_of_group(const messages *m, int k)
{
    int end = k + 1;
    while (end < m->count && m->at[end].group == m->at[k].group)
        end++;
    return end;
}

static void sort_receives(messages *m)
{
    for (int k = 0; k < m->count; k = end_of_group(m, k))
        if (!m->at[k].sends)
            qsort(&m->at[k], (size_t)(end_of_group(m, k) - k), sizeof *m->at, by_peer);
}

static size_t print_one(const message *m, bool first, char *text, size_t size)
{
    char peer[16] = "*", bytes[32] = "";
    if (m->peer != ANYBODY)
        snprintf(peer, sizeof peer, "%d", m->peer);
    if (m->sends)
        snprintf(bytes, sizeof bytes, ":%ld", m->bytes);
    return (size_t)snprintf(text, size, "%s%s%s%s%s", first ? " " : ",", m->sends ? "S" : "R",
                            m->ahead ? "+" : "", peer, bytes);
}

bool messages_print(const messages *m, char *text, size_t size)
{
    static messages sorted;
    size_t used = 0;
    if (m->count < 0)
        return false;
    sorted = *m;
    sort_receives(&sorted);
    text[0] = '\0';
    for (int k = 0; k < sorted.count && used < size; k++) {
        bool first = k == 0 || sorted.at[k].group != sorted.at[k - 1].group;
        used += print_one(&sorted.at[k], first, text + used, size - used);
    }
    return used < size;
}

/* Libraries cut data a little otherwise than CPM, which makes parts as equal as can be: by a few
 * elements. */
static bool about_equal(long a, long b)
{
    return a < 0 || b < 0 || labs(a - b) <= 64 + (a > b ? a : b) / 8;
}

static bool equal(const message *x, const message *y)
{
    bool same_peer = x->peer == y->peer || x->peer == ANYBODY || y->peer == ANYBODY;
    return x->sends == y->sends && x->ahead == y->ahead && same_peer &&
           (!x->sends || about_equal(x->bytes, y->bytes));
}

bool messages_equal(const messages *a, const messages *b)
{
    static messages x, y;
    if (a->count < 0 || a->count != b->count)
        return false;
    x = *a;
    y = *b;
    sort_receives(&x);
    sort_receives(&y);
    for (int k = 0; k < x.count; k++)
        if (!equal(&x.at[k], &y.at[k]) ||
            (k > 0 && (x.at[k].group == x.at[k - 1].group) != (y.at[k].group == y.at[k - 1].group)))
            return false;
    return true;
}
