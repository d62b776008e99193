/* Butterflies of Swing's partners whose messages lie together (De Sensi et al. 2025, Bine): half of
 * the data goes to the nearest process, a quarter to the next one. n is a power of two.
 *
 * Each rank has a place among the blocks. What it reaches from step k on are the n / 2^k blocks
 * around its place, so that every message is one run. */
#include "collectives/algorithm.h"
#include "collectives/algorithms/swing.h"

/* ---- places ---- */

/* The steps that lead from rank 0 to rank, in their order, as bits. In base -2 the distance of step
 * k is k + 1 ones; both sides in turn make of two steps the ones between them. */
static unsigned steps_to(int n, int rank)
{
    const unsigned odd_digits = 0xAAAAAAAA;
    const unsigned distance = (unsigned)(rank % 2 ? rank : -rank);
    const unsigned digits = ((distance + odd_digits) ^ odd_digits) & (unsigned)(n - 1);
    return digits ^ digits >> 1;
}

/* The first step decides on the half, the next one on the quarter. */
static int place_of(int n, int rank)
{
    const unsigned steps = steps_to(n, rank);
    int place = 0;
    for (int k = 0; k < cpm_swing_steps(n); k++)
        place = 2 * place + (int)(steps >> k & 1);
    return place;
}

/* The first of count blocks around a rank's place. */
static int first_of(int n, int rank, int count)
{
    return place_of(n, rank) & ~(count - 1);
}

/* The last step on the way from a rank to another one, -1: they are the same. */
static int last_step(int n, int from, int to)
{
    int last = -1;
    for (int k = 0; k < cpm_swing_steps(n); k++)
        if ((steps_to(n, from) ^ steps_to(n, to)) >> k & 1) {
            from = cpm_swing_partner(n, from, k);
            last = k;
        }
    return last;
}

static int rank_at(int n, int place)
{
    int rank = 0;
    for (int k = 0, count = n / 2; count > 0; k++, count /= 2)
        if (place & count)
            rank = cpm_swing_partner(n, rank, k);
    return rank;
}

/* ---- phases ---- */

/* A rank gives away the half that its partner keeps. */
static void halve(int n, int rank, cpm_steps *out)
{
    for (int k = 0, count = n / 2; count > 0; k++, count /= 2) {
        const int peer = cpm_swing_partner(n, rank, k);
        cpm_combine(out, peer, first_of(n, rank, count), count);
        cpm_send(out, peer, first_of(n, peer, count), count);
        cpm_next_round(out);
    }
}

/* The same backwards. */
static void collect(int n, int rank, cpm_steps *out)
{
    for (int k = cpm_swing_steps(n) - 1, count = 1; k >= 0; k--, count *= 2) {
        const int peer = cpm_swing_partner(n, rank, k);
        cpm_recv(out, peer, first_of(n, peer, count), count);
        cpm_send(out, peer, first_of(n, rank, count), count);
        cpm_next_round(out);
    }
}

/* From the root down the tree of first steps: each gets the blocks around its place. */
static void scatter(int n, int root, int rank, cpm_steps *out)
{
    const int got = last_step(n, root, rank);
    int count = n >> (got + 1);
    if (got >= 0)
        cpm_recv(out, cpm_swing_partner(n, rank, got), first_of(n, rank, count), count);
    cpm_next_round(out);
    for (int k = got + 1; count > 1; k++) {
        const int peer = cpm_swing_partner(n, rank, k);
        count /= 2;
        cpm_send(out, peer, first_of(n, peer, count), count);
        cpm_next_round(out);
    }
}

static void gather(int n, int root, int rank, cpm_steps *out)
{
    const int given = last_step(n, root, rank);
    int count = 1;
    for (int k = cpm_swing_steps(n) - 1; k > given; k--, count *= 2) {
        const int peer = cpm_swing_partner(n, rank, k);
        cpm_recv(out, peer, first_of(n, peer, count), count);
        cpm_next_round(out);
    }
    if (given >= 0)
        cpm_send(out, cpm_swing_partner(n, rank, given), first_of(n, rank, count), count);
}

/* ---- algorithms ---- */

static void build_allreduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    halve(s->n, rank, out);
    collect(s->n, rank, out);
}

static void build_reduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    halve(s->n, rank, out);
    gather(s->n, s->root, rank, out);
}

static void build_bcast(const cpm_schedule *s, int rank, cpm_steps *out)
{
    scatter(s->n, s->root, rank, out);
    collect(s->n, rank, out);
}

/* A block goes to the process at its place first, or from there last: one small message more, and
 * nothing need be rearranged. */
static void build_allgather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int place = place_of(s->n, rank);
    if (place != rank) {
        cpm_recv(out, place, place, 1);
        cpm_send(out, rank_at(s->n, rank), rank, 1);
    }
    cpm_next_round(out);
    collect(s->n, rank, out);
}

static void build_reduce_scatter(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int place = place_of(s->n, rank);
    halve(s->n, rank, out);
    if (place != rank) {
        cpm_recv(out, rank_at(s->n, rank), rank, 1);
        cpm_send(out, place, place, 1);
    }
}

cpm_create cpm_bine_allreduce, cpm_bine_reduce, cpm_bine_bcast, cpm_bine_allgather,
    cpm_bine_reduce_scatter;

/* Of one buffer pieces have whatever number is convenient. */
static int cut(cpm_schedule *s, void (*build)(const cpm_schedule *, int, cpm_steps *))
{
    s->blocks = s->pieces = s->n;
    s->build = build;
    return CPM_OK;
}

int cpm_bine_allreduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)call, (void)e;
    if (s->n > 1)
        s->symmetry = (cpm_symmetry){CPM_SHIFTS, 2};
    return cut(s, build_allreduce);
}

int cpm_bine_reduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)call, (void)e;
    return cut(s, build_reduce);
}

int cpm_bine_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)call, (void)e;
    return cut(s, build_bcast);
}

int cpm_bine_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = call->n;
    s->build = build_allgather;
    return CPM_OK;
}

int cpm_bine_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                            cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = call->n;
    s->build = build_reduce_scatter;
    return CPM_OK;
}
