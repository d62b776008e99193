#include "tuned/call/staged.h"

#include <stdlib.h>

#include "tuned/call/device.h"
#include "tuned/comm/neighbours.h"

/* ---- what a side has */

/* all: blocks, where there are several. */
static tuned_staged_side of_blocks(const mpib_side *s, cpm_blocks which, int all)
{
    tuned_staged_side out = {.type = s->type, .count = s->count};
    out.blocks = which == CPM_NO_BLOCK ? 0 : which == CPM_ONE_BLOCK ? 1 : all;
    if (which > CPM_ONE_BLOCK) {
        out.counts = s->counts;
        out.places = s->displacements;
        out.types = s->types;
    }
    return out;
}

/* Type and counts of reductions are those of the receive side; in place, all are there. */
static void set_reduction(tuned_staged *s, const tuned_state *t, const mpib_arguments *a)
{
    const bool each = !cpm_operation_is_whole(a->operation);
    const bool gets = a->operation->after(t->n, a->root, t->rank, each ? t->rank : 0, NULL);
    const cpm_blocks all = each ? CPM_BLOCK_OF_EACH : CPM_ONE_BLOCK;
    s->send = of_blocks(&a->recv, a->in_place ? CPM_NO_BLOCK : all, t->n);
    s->recv = of_blocks(&a->recv, !gets ? CPM_NO_BLOCK : a->in_place ? all : CPM_ONE_BLOCK, t->n);
    if (a->recv.counts && !a->in_place)
        s->recv.count = a->recv.counts[t->rank];
}

static void set_sides(tuned_staged *s, const tuned_state *t, const mpib_arguments *a)
{
    const bool root = t->rank == a->root, near = cpm_operation_is_of_neighbours(a->operation);
    const int sent = near ? tuned_neighbours_count(t, CPM_SEND_SIDE) : t->n;
    const int received = near ? tuned_neighbours_count(t, CPM_RECV_SIDE) : t->n;
    s->send = of_blocks(&a->send, cpm_operation_blocks(a->operation, CPM_SEND_SIDE, root), sent);
    s->recv =
        of_blocks(&a->recv, cpm_operation_blocks(a->operation, CPM_RECV_SIDE, root), received);
}

typedef struct {
    ptrdiff_t from, to; /* bytes */
} range;

typedef struct {
    MPI_Datatype type;
    int count;
    ptrdiff_t extent, at; /* bytes; at: from the buffer's address */
} block;

/* Of side s; before: the block before it, NULL: it is the first. */
static block block_of(const tuned_staged_side *s, int k, const block *before)
{
    MPI_Aint lower, extent;
    block b = {.type = s->types ? s->types[k] : s->type,
               .count = (int)(s->counts ? s->counts[k] : s->count)};
    PMPI_Type_get_extent(b.type, &lower, &extent);
    b.extent = extent;
    if (s->places)
        b.at = s->places[k] * (s->types ? 1 : extent);
    else if (before)
        b.at = before->at + before->count * extent;
    return b;
}

/* Bytes from the buffer's address; a type's extent may be below 0. */
static range range_of(const tuned_staged_side *s)
{
    MPI_Aint lower, true_extent;
    range r = {0};
    bool any = false;
    block b;
    for (int k = 0; k < s->blocks; k++) {
        b = block_of(s, k, k ? &b : NULL);
        PMPI_Type_get_true_extent(b.type, &lower, &true_extent);
        const ptrdiff_t ends[] = {b.at + lower, b.at + (b.count - 1) * b.extent + lower};
        for (int end = 0; b.count && end < 2; end++) {
            r.from = !any || ends[end] < r.from ? ends[end] : r.from;
            r.to = !any || ends[end] + true_extent > r.to ? ends[end] + true_extent : r.to;
            any = true;
        }
    }
    return r;
}

/* ---- copies */

static int copy(const tuned_staged_side *s, const tuned_state *t, const char *from, char *to,
                int tag)
{
    int failed = MPI_SUCCESS;
    block b;
    for (int k = 0; k < s->blocks && !failed; k++) {
        b = block_of(s, k, k ? &b : NULL);
        if (b.count)
            failed = PMPI_Sendrecv(from + b.at, b.count, b.type, t->rank, tag, to + b.at, b.count,
                                   b.type, t->rank, tag, t->inside, MPI_STATUS_IGNORE);
    }
    return failed;
}

static int stage_side(tuned_staged_side *s, const tuned_state *t, const void *user, int tag)
{
    if (!s->blocks || !tuned_on_device(user, NULL))
        return MPI_SUCCESS;
    const range r = range_of(s);
    s->room = malloc((size_t)(r.to - r.from) + 1);
    if (!s->room)
        return MPI_ERR_NO_MEM;
    s->copy = (char *)s->room - r.from;
    const int failed = copy(s, t, user, s->copy, tag);
    if (failed) { /* nothing of it may go back */
        free(s->room);
        s->room = NULL;
    }
    return failed;
}

int tuned_stage(tuned_staged *s, const tuned_state *t, const mpib_arguments *a, int tag,
                const void **send, void **recv)
{
    *s = (tuned_staged){.received = *recv};
    if (!t->on_device)
        return MPI_SUCCESS;
    if (a->operation->combines)
        set_reduction(s, t, a);
    else
        set_sides(s, t, a);
    int failed = stage_side(&s->send, t, *send, tag);
    if (!failed)
        failed = stage_side(&s->recv, t, *recv, tag);
    *send = s->send.room ? s->send.copy : *send;
    *recv = s->recv.room ? s->recv.copy : *recv;
    return failed;
}

int tuned_unstage(tuned_staged *s, const tuned_state *t, int tag)
{
    int failed = MPI_SUCCESS;
    if (s->recv.room)
        failed = copy(&s->recv, t, s->recv.copy, s->received, tag);
    free(s->send.room);
    free(s->recv.room);
    return failed;
}
