/* Partners that alternate between both sides, nearer to each other than those of recursive doubling
 * are: at distances 1, -1, 3, -5, 11, ... of even ranks, and the same the other way of odd ones. n
 * is a power of two. Swing (De Sensi et al. 2024) meets them in this order; binomial trees of them
 * (De Sensi et al. 2025, Bine) the other way round. */
#include "collectives/algorithms/swing.h"
#include "collectives/algorithms/shapes.h"

int cpm_swing_partner(int n, int rank, int k)
{
    const int64_t power = (int64_t)1 << (k + 1);
    const int64_t distance = (1 - (k % 2 ? power : -power)) / 3;
    const int64_t to = rank + (rank % 2 ? -distance : distance);
    return (int)((to % n + n) % n);
}

int cpm_swing_steps(int n)
{
    int steps = 0;
    while (1 << steps < n)
        steps++;
    return steps;
}

/* What rank reaches from step k on: itself, and what its partners do. */
static void name_reached(int n, int steps, int rank, int k, cpm_steps *out)
{
    cpm_and(out, rank, 1);
    for (; k < steps; k++)
        name_reached(n, steps, cpm_swing_partner(n, rank, k), k + 1, out);
}

/* A rank gives away what its partner reaches later. */
static void build_reduce_scatter(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int steps = cpm_swing_steps(s->n);
    for (int k = 0; k < steps; k++) {
        const int peer = cpm_swing_partner(s->n, rank, k);
        cpm_combine(out, peer, 0, 0);
        name_reached(s->n, steps, rank, k + 1, out);
        cpm_send(out, peer, 0, 0);
        name_reached(s->n, steps, peer, k + 1, out);
        cpm_next_round(out);
    }
}

static void build_allgather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int steps = cpm_swing_steps(s->n);
    for (int k = steps - 1; k >= 0; k--) {
        const int peer = cpm_swing_partner(s->n, rank, k);
        cpm_recv(out, peer, 0, 0);
        name_reached(s->n, steps, peer, k + 1, out);
        cpm_send(out, peer, 0, 0);
        name_reached(s->n, steps, rank, k + 1, out);
        cpm_next_round(out);
    }
}

/* All of it in each step. */
static void build_allreduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int steps = cpm_swing_steps(s->n);
    for (int k = 0; k < steps; k++) {
        cpm_combine(out, cpm_swing_partner(s->n, rank, k), 0, s->blocks);
        cpm_send(out, cpm_swing_partner(s->n, rank, k), 0, s->blocks);
        cpm_next_round(out);
    }
}

cpm_create cpm_swing_reduce_scatter, cpm_swing_allgather, cpm_swing_allreduce;

static int set(cpm_schedule *s, int64_t blocks,
               void (*build)(const cpm_schedule *, int, cpm_steps *))
{
    s->blocks = blocks;
    s->build = build;
    if (s->n > 1)
        s->symmetry = (cpm_symmetry){CPM_SHIFTS, 2};
    return CPM_OK;
}

int cpm_swing_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                             cpm_error *e)
{
    (void)a, (void)e;
    return set(s, call->n, build_reduce_scatter);
}

int cpm_swing_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    return set(s, call->n, build_allgather);
}

int cpm_swing_allreduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)call, (void)e;
    return set(s, 1, build_allreduce);
}

/* ---- trees ---- */

/* A node of a binomial tree is its parent's partner of the step that its lowest set bit names,
 * which comes after those of the higher bits. */
static int arrange(const cpm_call *call, int *parent, int *process, cpm_error *e)
{
    (void)e;
    for (int node = 0; node < call->n; node++) {
        int place = 0;
        if (node > 0)
            parent[node] = node & (node - 1);
        for (int k = cpm_swing_steps(call->n) - 1; k >= 0; k--)
            if (node >> k & 1)
                place = cpm_swing_partner(call->n, place, k);
        process[node] = (place + call->root) % call->n;
    }
    return CPM_OK;
}

const cpm_tree_shape cpm_tree_bine = {.order = CPM_HIGHEST_FIRST, .arrange = arrange};
