/* Blocks that follow each other on a circulant graph: a broadcast of b blocks in b - 1 +
 * ceil(log2 n) rounds, which is the least there can be for any n, and a reduction as the same
 * backwards (Traeff 2023, arXiv 2312.11236, and 2024, arXiv 2407.18004).
 *
 * Nodes are counted from the root. In round i each sends to the node skip[i mod degree] further and
 * receives from the one that far before it. In each turn of the skips a node gets `degree` new
 * blocks, the same ones a turn later plus degree. */
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

/* All of a node's. */
typedef struct {
    graph g;
    int64_t last, from, to;   /* the last block; rounds [from, to): whole turns end with the last */
    turn own, of[MOST_SKIPS]; /* of[k]: of the node skip[k] further */
} node_turns;

static node_turns turns_of(const cpm_schedule *s, int node)
{
    node_turns t = {.g = graph_of(s->n), .last = s->pieces - 1};
    const int64_t rounds = t.last + t.g.degree;
    t.from = (t.g.degree - rounds % t.g.degree) % t.g.degree;
    t.to = t.from + rounds;
    t.own = turn_of(&t.g, s->n, node);
    for (int k = 0; k < t.g.degree; k++)
        t.of[k] = turn_of(&t.g, s->n, (node + t.g.skip[k]) % s->n);
    return t;
}

static int64_t numbered(const node_turns *t, const turn *of, int64_t round)
{
    return of->block[round % t->g.degree] + round - round % t->g.degree - t->from;
}

/* The block that comes in a round, -1: none. What would be blocks beyond the last one are it, which
 * comes once only. */
static int64_t block_in(const node_turns *t, const turn *of, int64_t round)
{
    const int64_t block = numbered(t, of, round);
    if (block < t->last)
        return block < 0 ? -1 : block;
    for (int64_t r = round - 1; r >= t->from && r > round - t->g.degree; r--)
        if (numbered(t, of, r) >= t->last)
            return -1;
    return t->last;
}

/* down: from the root; else backwards, to it. */
static void build_round(const cpm_schedule *s, const node_turns *t, int node, int64_t round,
                        bool down, cpm_steps *out)
{
    const int k = (int)(round % t->g.degree);
    const int64_t skip = t->g.skip[k];
    const int64_t got = node == 0 ? -1 : block_in(t, &t->own, round);
    const int64_t given = (node + skip) % s->n == 0 ? -1 : block_in(t, &t->of[k], round);
    const int before = (int)((node + s->root + s->n - skip) % s->n);
    const int after = (int)((node + s->root + skip) % s->n);
    if (got >= 0)
        cpm_steps_add(out, down ? CPM_RECV : CPM_SEND, before, got, 1);
    if (given >= 0)
        cpm_steps_add(out, down ? CPM_SEND : CPM_COMBINE, after, given, 1);
    cpm_next_round(out);
}

static int node_at(const cpm_schedule *s, int rank)
{
    return (int)(((int64_t)rank - s->root + s->n) % s->n);
}

static void build_bcast(const cpm_schedule *s, int rank, cpm_steps *out)
{
    if (s->n == 1)
        return;
    const node_turns t = turns_of(s, node_at(s, rank));
    for (int64_t round = t.from; round < t.to; round++)
        build_round(s, &t, node_at(s, rank), round, true, out);
}

static void build_reduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    if (s->n == 1)
        return;
    const node_turns t = turns_of(s, node_at(s, rank));
    for (int64_t round = t.to - 1; round >= t.from; round--)
        build_round(s, &t, node_at(s, rank), round, false, out);
}

cpm_create cpm_circulant_bcast, cpm_circulant_reduce;

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
