/* Operations split into several: the thesis's scatter and gather of small enough blocks, and the
 * broadcast of two halves down two subtrees.
 *
 * Pieces are numbered piece by piece, so a linear operation on all blocks' piece k is one on the
 * positions [k n, k n + n). */
#include "collectives/algorithms/phased.h"
#include "collectives/algorithms/pieces.h"
#include "collectives/tries.h"

static void separate(const cpm_schedule *s, int rank, int piece, bool barrier, cpm_steps *out)
{
    cpm_next_round(out);
    if (barrier && piece < s->pieces - 1)
        cpm_empty_barrier(s->n, rank, out);
}

static void build_scatter_pieces(const cpm_schedule *s, int rank, bool barrier, cpm_steps *out)
{
    for (int piece = 0; piece < s->pieces; piece++) {
        int64_t first = (int64_t)piece * s->n;
        if (rank != s->root)
            cpm_recv(out, s->root, first + rank, 1);
        for (int k = 1; rank == s->root && k < s->n; k++) {
            int to = (int)(((long)rank + k) % s->n);
            cpm_send(out, to, first + to, 1);
            cpm_next_round(out);
        }
        separate(s, rank, piece, barrier, out);
    }
}

static void build_gather_pieces(const cpm_schedule *s, int rank, bool barrier, cpm_steps *out)
{
    for (int piece = 0; piece < s->pieces; piece++) {
        int64_t first = (int64_t)piece * s->n;
        if (rank != s->root)
            cpm_send(out, s->root, first + rank, 1);
        for (int k = 1; rank == s->root && k < s->n; k++) {
            int from = (int)(((long)rank + k) % s->n);
            cpm_recv(out, from, first + from, 1);
            cpm_next_round(out);
        }
        separate(s, rank, piece, barrier, out);
    }
}

static void scatter(const cpm_schedule *s, int rank, cpm_steps *out)
{
    build_scatter_pieces(s, rank, false, out);
}

static void scatter_with_barriers(const cpm_schedule *s, int rank, cpm_steps *out)
{
    build_scatter_pieces(s, rank, true, out);
}

static void gather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    build_gather_pieces(s, rank, false, out);
}

static void gather_with_barriers(const cpm_schedule *s, int rank, cpm_steps *out)
{
    build_gather_pieces(s, rank, true, out);
}

cpm_create cpm_split_scatter, cpm_split_gather, cpm_split_binary;

/* Pieces of at most call->segment bytes, else call->k of them, else the row's usual number. */
static void split(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s)
{
    s->pieces = call->with.segment
                    ? cpm_segments_of(cpm_largest_unit(call, call->n), call->with.segment)
                    : cpm_usual_k(a, call);
    s->blocks = (int64_t)s->pieces * call->n;
}

int cpm_split_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)e;
    split(a, call, s);
    s->build = *(const bool *)a->variant ? scatter_with_barriers : scatter;
    return CPM_OK;
}

int cpm_split_gather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)e;
    split(a, call, s);
    s->build = *(const bool *)a->variant ? gather_with_barriers : gather;
    return CPM_OK;
}

/* ---- split binary ---- */

/* Split binary tree (Fagg et al. 2006): one half of the data goes down the left subtree, the other
 * down the right one, each in segments; then pairs of the two subtrees exchange their halves. */

/* Node v > 0 (counted from the root) is number i of the count nodes of its half, which are a binary
 * heap. */
typedef struct {
    int half, i, first, count;
} seat;

static seat seat_of(int n, int v)
{
    int left = n / 2; /* of the n - 1 nodes, the larger half */
    if (v <= left)
        return (seat){0, v - 1, 1, left};
    return (seat){1, v - 1 - left, 1 + left, n - 1 - left};
}

static int process_at(const cpm_schedule *s, int v)
{
    return (int)(((long)v + s->root) % s->n);
}

static void send_down(const cpm_schedule *s, const seat *x, int piece, cpm_steps *out)
{
    for (int child = 2 * x->i + 1; child <= 2 * x->i + 2 && child < x->count; child++)
        cpm_send(out, process_at(s, x->first + child), piece, 1);
}

static void build_inner(const cpm_schedule *s, const seat *x, int v, cpm_steps *out)
{
    int count = s->pieces / 2, from = x->half * count, other = count - from;
    int parent = x->i == 0 ? 0 : x->first + (x->i - 1) / 2;
    int left = s->n / 2, twin = x->half ? v - left : v + left;
    for (int k = 0; k <= count; k++) {
        if (k < count)
            cpm_recv(out, process_at(s, parent), from + k, 1);
        if (k > 0)
            send_down(s, x, from + k - 1, out);
        cpm_next_round(out);
    }
    if (twin >= s->n) {
        cpm_recv(out, s->root, other, count);
        return;
    }
    cpm_recv(out, process_at(s, twin), other, count);
    cpm_send(out, process_at(s, twin), from, count);
}

/* The left half has one node more if n is even: the root gives it the right half of the data. */
static void build_root(const cpm_schedule *s, cpm_steps *out)
{
    int count = s->pieces / 2, left = s->n / 2;
    for (int k = 0; k < count; k++) {
        if (s->n > 1)
            cpm_send(out, process_at(s, 1), k, 1);
        if (s->n > 2)
            cpm_send(out, process_at(s, 1 + left), count + k, 1);
        cpm_next_round(out);
    }
    if (s->n % 2 == 0)
        cpm_send(out, process_at(s, left), count, count);
}

static void split_binary(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int v = (int)(((long)rank - s->root + s->n) % s->n);
    seat x = seat_of(s->n, v);
    if (v == 0)
        build_root(s, out);
    else
        build_inner(s, &x, v, out);
}

int cpm_split_binary(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = s->pieces = 2 * cpm_segments_of((call->bytes + 1) / 2, call->with.segment);
    s->build = split_binary;
    return CPM_OK;
}
