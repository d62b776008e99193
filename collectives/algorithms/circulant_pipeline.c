/* Blocks that follow each other on a circulant graph: a broadcast of b blocks in b - 1 +
 * ceil(log2 n) rounds, which is the least there can be for any n, and a reduction as the same
 * backwards (Traeff 2023, arXiv 2312.11236, and 2024, arXiv 2407.18004).
 *
 * Nodes are counted from the root. In round i each sends to the node skip[i mod degree] further and
 * receives from the one that far before it. In each turn of the skips a node gets `degree` new
 * blocks, the same ones a turn later plus degree. */
#include <stdlib.h>

#include "collectives/algorithms/pieces.h"

enum { MOST_SKIPS = 32 };

typedef struct {
    int degree;                   /* ceil(log2 n) */
    int64_t skip[MOST_SKIPS + 1]; /* skip[degree] == n, halved and rounded up below */
} graph;

static graph graph_of(int n)
{
    graph g = {0};
    while ((int64_t)1 << g.degree < n)
        g.degree++;
    g.skip[g.degree] = n;
    for (int k = g.degree; k > 0; k--)
        g.skip[k - 1] = (g.skip[k] + 1) / 2;
    return g;
}

/* ---- what a node gets in a turn ---- */

/* block[k] is the one that it gets by skip k: counted from the first block of the turn, and below 0
 * one of a turn before. */
typedef struct {
    int block[MOST_SKIPS];
    /* Of the search: paths from the root of falling skips, counted as if it were n before. */
    int64_t goal, /* the node */
        limit;    /* the last path's end: the next one ends before it */
    int found;
    bool used[MOST_SKIPS + 1]; /* skips that end a path */
} turn;

/* The next block comes by skip[found]: from a path's end far enough for that skip and not too far
 * for it and the smaller ones, which the path's last skip names. */
static bool too_near(const graph *g, const turn *t, int64_t node)
{
    return t->found == g->degree || node > t->goal - g->skip[t->found + 1];
}

/* Extends the path to a node by skips up to e. */
static void search(const graph *g, turn *t, int64_t node, int e)
{
    for (; e >= 0 && !too_near(g, t, node); e--) {
        const int64_t end = node + g->skip[e];
        if (t->used[e] || end > t->goal - g->skip[t->found] || end >= t->limit)
            continue;
        if (!too_near(g, t, end))
            search(g, t, end, e);
        if (too_near(g, t, node))
            return;
        t->limit = end;
        t->used[e] = true;
        t->block[t->found++] = e;
    }
}

/* The block that reaches a node first: the last of the falling skips that lead there. */
static int first_block(const graph *g, int64_t node)
{
    for (int k = g->degree - 1; k >= 0; k--) {
        if (node == g->skip[k])
            return k;
        if (g->skip[k] < node)
            node -= g->skip[k];
    }
    return g->degree;
}

static turn turn_of(const graph *g, int n, int64_t node)
{
    const int first = first_block(g, node);
    turn t = {.goal = n + node, .limit = 2 * (int64_t)n};
    t.used[first] = first < g->degree;
    search(g, &t, 0, g->degree);
    for (int k = 0; k < g->degree; k++)
        t.block[k] = t.block[k] == g->degree ? first : t.block[k] - g->degree;
    return t;
}

/* ---- rounds ---- */

typedef struct {
    graph g;
    int64_t last, from, to; /* the last block; rounds [from, to): whole turns end with the last */
} pipeline;

static pipeline pipeline_of(int n, int blocks)
{
    pipeline p = {.g = graph_of(n), .last = blocks - 1};
    if (n == 1)
        return p;
    const int64_t rounds = p.last + p.g.degree;
    p.from = (p.g.degree - rounds % p.g.degree) % p.g.degree;
    p.to = p.from + rounds;
    return p;
}

static int64_t numbered(const pipeline *p, const turn *of, int64_t round)
{
    return of->block[round % p->g.degree] + round - round % p->g.degree - p->from;
}

/* The block that comes in a round, -1: none. What would be blocks beyond the last one are it, which
 * comes once only. */
static int64_t block_in(const pipeline *p, const turn *of, int64_t round)
{
    const int64_t block = numbered(p, of, round);
    if (block < p->last)
        return block < 0 ? -1 : block;
    for (int64_t r = round - 1; r >= p->from && r > round - p->g.degree; r--)
        if (numbered(p, of, r) >= p->last)
            return -1;
    return p->last;
}

/* ---- one root ---- */

/* A node's turns, and those of the nodes that it sends to. */
typedef struct {
    pipeline p;
    int node;
    turn own, of[MOST_SKIPS]; /* of[k]: of the node skip[k] further */
} node_turns;

static node_turns turns_of(const cpm_schedule *s, int rank)
{
    node_turns t = {.p = pipeline_of(s->n, s->pieces)};
    t.node = (int)(((int64_t)rank - s->root + s->n) % s->n);
    t.own = turn_of(&t.p.g, s->n, t.node);
    for (int k = 0; k < t.p.g.degree; k++)
        t.of[k] = turn_of(&t.p.g, s->n, (t.node + t.p.g.skip[k]) % s->n);
    return t;
}

/* down: from the root; else backwards, to it. */
static void build_round(const cpm_schedule *s, const node_turns *t, int64_t round, bool down,
                        cpm_steps *out)
{
    const int k = (int)(round % t->p.g.degree);
    const int64_t skip = t->p.g.skip[k];
    const int64_t got = t->node == 0 ? -1 : block_in(&t->p, &t->own, round);
    const int64_t given = (t->node + skip) % s->n == 0 ? -1 : block_in(&t->p, &t->of[k], round);
    const int before = (int)((t->node + s->root + s->n - skip) % s->n);
    const int after = (int)((t->node + s->root + skip) % s->n);
    if (got >= 0)
        cpm_steps_add(out, down ? CPM_RECV : CPM_SEND, before, got, 1);
    if (given >= 0)
        cpm_steps_add(out, down ? CPM_SEND : CPM_COMBINE, after, given, 1);
    cpm_next_round(out);
}

static void build_bcast(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const node_turns t = turns_of(s, rank);
    for (int64_t round = t.p.from; round < t.p.to; round++)
        build_round(s, &t, round, true, out);
}

static void build_reduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const node_turns t = turns_of(s, rank);
    for (int64_t round = t.p.to - 1; round >= t.p.from; round--)
        build_round(s, &t, round, false, out);
}

/* ---- every process is a root ---- */

/* Adds to the last message what rank gets in a round of all others' broadcasts. */
static void name_new(const cpm_schedule *s, const pipeline *p, int rank, int64_t round,
                     cpm_steps *out)
{
    const turn *turns = s->state;
    for (int node = 1; node < s->n; node++) {
        const int64_t block = block_in(p, &turns[node], round);
        if (block >= 0)
            cpm_and(out, block * s->n + (rank - node + s->n) % s->n, 1);
    }
}

static void build_allgather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const pipeline p = pipeline_of(s->n, s->pieces);
    for (int64_t round = p.from; round < p.to; round++) {
        const int64_t skip = p.g.skip[round % p.g.degree];
        const int after = (int)((rank + skip) % s->n);
        cpm_recv(out, (int)((rank - skip + s->n) % s->n), 0, 0);
        name_new(s, &p, rank, round, out);
        cpm_send(out, after, 0, 0);
        name_new(s, &p, after, round, out);
        cpm_next_round(out);
    }
}

cpm_create cpm_circulant_bcast, cpm_circulant_reduce, cpm_circulant_allgather_pieces;

int cpm_circulant_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = s->pieces = cpm_segments(call);
    s->build = build_bcast;
    return CPM_OK;
}

int cpm_circulant_reduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                         cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = s->pieces = cpm_segments(call);
    s->build = build_reduce;
    return CPM_OK;
}

/* Of blocks that are not alike the longest ones are cut, too, so that nobody waits for one. */
int cpm_circulant_allgather_pieces(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                                   cpm_error *e)
{
    const graph g = graph_of(call->n);
    turn *turns = malloc((size_t)call->n * sizeof *turns);
    (void)a;
    if (!turns)
        return cpm_no_memory(e);
    for (int node = 0; node < call->n; node++)
        turns[node] = turn_of(&g, call->n, node);
    s->pieces = cpm_segments_of(cpm_largest_unit(call, call->n), call->with.segment);
    s->blocks = (int64_t)call->n * s->pieces;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    s->build = build_allgather;
    s->state = turns;
    s->free_state = free;
    return CPM_OK;
}
