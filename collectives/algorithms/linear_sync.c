/* Linear gather in which only one large block is on its way to the root at a time: no buffer of a
 * switch overflows.
 *
 * Blocks below the call's threshold (usually none) are sent at once; then the root asks for the
 * others, one after the other, by a message without data. A process needs to know the size of its
 * own block only, the root those of all: so gatherv can do without telling sizes. */
#include <stdlib.h>

#include "collectives/algorithm.h"

static bool waits(const cpm_schedule *s, int rank)
{
    const bool *all = s->state;
    return all[rank];
}

static void build_sender(const cpm_schedule *s, int rank, cpm_steps *out)
{
    if (waits(s, rank))
        cpm_recv(out, s->root, 0, 0);
    cpm_next_round(out);
    cpm_send(out, s->root, rank, 1);
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    if (rank != s->root) {
        build_sender(s, rank, out);
        return;
    }
    for (int from = 0; from < s->n; from++)
        if (from != rank && !waits(s, from))
            cpm_recv(out, from, from, 1);
    for (int from = 0; from < s->n; from++) {
        if (from == rank || !waits(s, from))
            continue;
        cpm_next_round(out);
        cpm_send(out, from, 0, 0);
        cpm_recv(out, from, from, 1);
    }
}

/* ---- in two parts ---- */

/* As Open MPI's where it is told of no first part: all blocks are asked for, the whole block is the
 * first part, and the second one is an empty message, which the root waits for at the end. */
static void build_in_two(const cpm_schedule *s, int rank, cpm_steps *out)
{
    if (rank != s->root) {
        cpm_recv(out, s->root, 0, 0);
        cpm_next_round(out);
        cpm_send(out, s->root, rank, 1);
        cpm_next_round(out);
        cpm_send(out, s->root, 0, 0);
        return;
    }
    for (int from = 0; from < s->n; from++) {
        if (from == rank)
            continue;
        cpm_send(out, from, 0, 0);
        cpm_recv(out, from, from, 1);
        cpm_next_round(out);
        cpm_recv(out, from, 0, 0);
        cpm_defer_round(out);
    }
}

cpm_create cpm_linear_sync_gather, cpm_linear_sync_in_two;
int cpm_linear_sync_in_two(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = call->n;
    s->build = build_in_two;
    return CPM_OK;
}

int cpm_linear_sync_gather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e)
{
    (void)a;
    bool *all = malloc((size_t)call->n * sizeof *all);
    if (!all)
        return cpm_no_memory(e);
    for (int i = 0; i < call->n; i++)
        all[i] = (call->sizes ? call->sizes[i] : call->bytes) >= cpm_threshold(&call->with, 0);
    s->blocks = call->n;
    s->state = all;
    s->free_state = free;
    s->build = build;
    return CPM_OK;
}
