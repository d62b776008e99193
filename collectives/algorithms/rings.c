/* Rings: what a process received in one step it sends in the next. */
#include "collectives/algorithm.h"

static int modulo(long x, int n)
{
    return (int)((x % n + n) % n);
}

static void build_ring(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int n = s->n, next = modulo(rank + 1L, n), previous = modulo(rank - 1L, n);
    for (int step = 0; step < n - 1; step++) {
        cpm_recv(out, previous, modulo(rank - 1L - step, n), 1);
        cpm_send(out, next, modulo((long)rank - step, n), 1);
        cpm_next_round(out);
    }
}

/* Block b begins at rank b + 1 and ends at rank b. */
static void build_reduce_scatter(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int n = s->n, next = modulo(rank + 1L, n), previous = modulo(rank - 1L, n);
    for (int step = 0; step < n - 1; step++) {
        cpm_combine(out, previous, modulo(rank - 2L - step, n), 1);
        cpm_send(out, next, modulo(rank - 1L - step, n), 1);
        cpm_next_round(out);
    }
}

/* Neighbour exchange (Chen, Zhang, Zhou 2005): pairs, then two blocks to alternating sides.
 *
 * Even processes meet the one above in even steps and the one below in odd steps. What came from
 * that side last time lies two blocks further now. */
static void build_neighbor(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int n = s->n, up = rank % 2 ? -1 : 1;
    int neighbor[2] = {modulo((long)rank + up, n), modulo((long)rank - up, n)};
    int pair = rank & ~1, sent = pair, from[2] = {pair, pair};
    if (n < 2)
        return;
    cpm_recv(out, neighbor[0], neighbor[0], 1);
    cpm_send(out, neighbor[0], rank, 1);
    for (int step = 1; step < n / 2; step++) {
        int side = step % 2, shift = (side ? -2 : 2) * up;
        from[side] = modulo((long)from[side] + shift, n);
        cpm_next_round(out);
        cpm_recv(out, neighbor[side], from[side], 2);
        cpm_send(out, neighbor[side], sent, 2);
        sent = from[side];
    }
}

cpm_create cpm_ring_allgather, cpm_ring_reduce_scatter, cpm_neighbor_exchange_allgather;

int cpm_ring_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = call->n;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    s->build = build_ring;
    return CPM_OK;
}

int cpm_ring_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                            cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = call->n;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    s->build = build_reduce_scatter;
    return CPM_OK;
}

int cpm_neighbor_exchange_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                                    cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = call->n;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 2};
    s->build = build_neighbor;
    return CPM_OK;
}
