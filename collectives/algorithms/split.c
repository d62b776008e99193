/* Operations split into several: the thesis's scatter and gather of small enough blocks, and the
 * broadcast of two halves down two subtrees.
 *
 * Pieces are numbered piece by piece, so a linear operation on all blocks' piece k is one on the
 * positions [k n, k n + n). */
#include "collectives/algorithms/phased.h"
#include "collectives/algorithms/pieces.h"
#include "collectives/algorithms/shapes.h"
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
                    : cpm_library_default_k(a, call);
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

/* Split binary tree (Fagg et al. 2006), as Open MPI has it: one half of the data goes down the left
 * subtree of the binary tree, the other down the right one, each in segments and to one child after
 * the other; then pairs of the two subtrees exchange their halves.
 *
 * Odd nodes (counted from the root) are the left subtree, and node 2 i + 1 is the twin of 2 i + 2.
 */

static int process_at(const cpm_schedule *s, int v)
{
    return (int)(((long)v + s->root) % s->n);
}

/* Nodes of the level in which v is. */
static int width_at(int v)
{
    int width = 1;
    while (v > 2 * width - 2)
        width *= 2;
    return width;
}

/* The last child goes together with what comes next. */
static void send_down(const cpm_schedule *s, int v, int piece, cpm_steps *out)
{
    int width = width_at(v);
    for (int child = v + width; child <= v + 2 * width && child < s->n; child += width) {
        cpm_next_round(out);
        cpm_send(out, process_at(s, child), piece, 1);
    }
}

static void build_inner(const cpm_schedule *s, int v, cpm_steps *out)
{
    int count = s->pieces / 2, from = v % 2 ? 0 : count, other = count - from;
    int twin = v % 2 ? v + 1 : v - 1, parent = process_at(s, cpm_binary_parent(s->n, 0, v));
    for (int k = 0; k <= count; k++) {
        if (k > 0)
            send_down(s, v, from + k - 1, out);
        if (k < count)
            cpm_recv(out, parent, from + k, 1);
        cpm_next_round(out);
    }
    if (twin == s->n) {
        cpm_recv(out, s->root, other, count);
        return;
    }
    cpm_recv(out, process_at(s, twin), other, count);
    cpm_send(out, process_at(s, twin), from, count);
}

/* The left subtree has one node more if n is even: the root gives it the right half of the data. */
static void build_root(const cpm_schedule *s, cpm_steps *out)
{
    int count = s->pieces / 2;
    for (int k = 0; k < count; k++)
        for (int child = 1; child <= 2 && child < s->n; child++) {
            cpm_send(out, process_at(s, child), child == 1 ? k : count + k, 1);
            cpm_next_round(out);
        }
    if (s->n % 2 == 0)
        cpm_send(out, process_at(s, s->n - 1), count, count);
}

static void split_binary(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int v = (int)(((long)rank - s->root + s->n) % s->n);
    if (v == 0)
        build_root(s, out);
    else
        build_inner(s, v, out);
}

int cpm_split_binary(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = s->pieces = 2 * cpm_segments_of((call->bytes + 1) / 2, call->with.segment);
    s->build = split_binary;
    return CPM_OK;
}
