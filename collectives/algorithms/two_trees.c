/* Two binary trees at once (Sanders, Speck, Traeff 2009): each carries half of the data in
 * segments, and who has children in one has none in the other, so that nobody sends more than he
 * receives.
 *
 * Rounds are counted alike by all: a node at depth d gets segment i of a tree in round i + d, and
 * sends it on in the next one. An allreduce reduces to the tops of the trees and broadcasts from
 * them at the same time. */
#include "collectives/algorithms/pieces.h"

/* One of the trees, on nodes 1 to most below 0, which is the root if there is one: those are
 * numbered from left to right, so that leaves have odd numbers. The second one's numbers are those
 * of the first mirrored, or shifted, which makes even of odd ones. */
typedef struct {
    int most;
    bool second;
} tree;

static int number_of(const tree *t, int node)
{
    if (!t->second || node == 0)
        return node;
    return t->most % 2 ? node % t->most + 1 : t->most + 1 - node;
}

static int node_of(const tree *t, int number)
{
    if (!t->second || number == 0)
        return number;
    return t->most % 2 ? (number + t->most - 2) % t->most + 1 : t->most + 1 - number;
}

static int above(const tree *t, int number)
{
    const int lowest = number & -number, up = (number ^ lowest) | 2 * lowest;
    return up > t->most ? number ^ lowest : up;
}

static int parent_of(const tree *t, int node)
{
    return node_of(t, above(t, number_of(t, node)));
}

static int depth_of(const tree *t, int node)
{
    int depth = 0;
    for (int number = number_of(t, node); number; number = above(t, number))
        depth++;
    return depth;
}

/* Returns how many. */
static int children_of(const tree *t, int node, int child[2])
{
    const int number = number_of(t, node), lowest = number & -number;
    int count = 0, half = lowest / 2;
    if (number == 0) { /* the top of all others */
        int top = 1;
        while (top <= t->most / 2)
            top *= 2;
        child[0] = node_of(t, top);
        return t->most > 0;
    }
    if (half)
        child[count++] = node_of(t, number - half);
    while (half && number + half > t->most)
        half /= 2;
    if (half)
        child[count++] = node_of(t, number + half);
    return count;
}

/* A node's part in one tree, whose segments begin at first. Node v is the process v + from_0. */
typedef struct {
    tree t;
    int n, from_0, node, depth, first, count; /* count: of the tree's segments */
} part;

static int process_at(const part *p, int node)
{
    return (int)(((long)node + p->from_0) % p->n);
}

static part part_of(const cpm_schedule *s, int from_0, int most, int node, bool second)
{
    const int half = s->pieces / 2;
    part p = {.t = {most, second}, .n = s->n, .from_0 = from_0, .node = node, .count = half};
    p.depth = depth_of(&p.t, node);
    p.first = second ? half : 0;
    return p;
}

static bool has(const part *p, int segment)
{
    return 0 <= segment && segment < p->count;
}

/* down: from the root; else backwards, to it. */
static void with_parent(const part *p, int segment, bool down, cpm_steps *out)
{
    if (!has(p, segment))
        return;
    const int parent = process_at(p, parent_of(&p->t, p->node));
    if (down)
        cpm_recv(out, parent, p->first + segment, 1);
    else
        cpm_send(out, parent, p->first + segment, 1);
}

static void with_children(const part *p, int segment, bool down, cpm_steps *out)
{
    int child[2];
    for (int k = has(p, segment) ? children_of(&p->t, p->node, child) : 0; k > 0; k--) {
        const int process = process_at(p, child[k - 1]);
        if (down)
            cpm_send(out, process, p->first + segment, 1);
        else
            cpm_combine(out, process, p->first + segment, 1);
    }
}

/* ---- rooted: process root is above both trees ---- */

/* What a node does in both. */
typedef struct {
    part of[2];
} parts;

static parts parts_below_root(const cpm_schedule *s, int rank)
{
    const int node = (int)(((long)rank - s->root + s->n) % s->n);
    parts p;
    for (int k = 0; k < 2; k++)
        p.of[k] = part_of(s, s->root, s->n - 1, node, k);
    p.of[1].depth += s->n == 2; /* two halves at once would go the same way */
    return p;
}

static void build_round(const parts *p, int round, bool down, cpm_steps *out)
{
    for (int k = 0; k < 2; k++) {
        const part *of = &p->of[k];
        if (of->node > 0)
            with_parent(of, round - of->depth, down, out);
        with_children(of, round - of->depth - 1, down, out);
    }
    cpm_next_round(out);
}

static int rounds_of(const parts *p)
{
    const int a = p->of[0].depth, b = p->of[1].depth;
    return p->of[0].count + (a > b ? a : b) + 1;
}

static void build_bcast(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const parts p = parts_below_root(s, rank);
    for (int round = 0; round < rounds_of(&p); round++)
        build_round(&p, round, true, out);
}

static void build_reduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const parts p = parts_below_root(s, rank);
    for (int round = rounds_of(&p) - 1; round >= 0; round--)
        build_round(&p, round, false, out);
}

/* ---- allreduce: each tree has a root of its own ---- */

/* The trees have all processes as nodes from 1 on, so that their tops have depth 1. A segment
 * climbs to the top, and goes down in the round after that in which it is complete there, while
 * others climb. */
static void build_both_ways(const part *p, int deepest, int round, cpm_steps *out)
{
    const int climbing = round - (deepest - p->depth), falling = round - (deepest + p->depth - 3);
    if (p->depth > 1)
        with_parent(p, climbing, false, out);
    with_children(p, climbing + 1, false, out);
    if (p->depth > 1)
        with_parent(p, falling, true, out);
    with_children(p, falling - 1, true, out);
}

static void build_allreduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const part of[] = {part_of(s, s->n - 1, s->n, rank + 1, false),
                       part_of(s, s->n - 1, s->n, rank + 1, true)};
    const int deepest = depth_of(&(tree){s->n, false}, 1); /* in both: leaves are at the left */
    for (int round = 0; round < of[0].count - 1 + 2 * (deepest - 1); round++) {
        for (int k = 0; k < 2; k++)
            build_both_ways(&of[k], deepest, round, out);
        cpm_next_round(out);
    }
}

cpm_create cpm_two_trees_bcast, cpm_two_trees_reduce, cpm_two_trees_allreduce;

static void set_pieces(const cpm_call *call, cpm_schedule *s)
{
    s->blocks = s->pieces = 2 * cpm_segments_of((call->bytes + 1) / 2, call->with.segment);
}

int cpm_two_trees_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    set_pieces(call, s);
    s->build = build_bcast;
    return CPM_OK;
}

int cpm_two_trees_reduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                         cpm_error *e)
{
    (void)a, (void)e;
    set_pieces(call, s);
    s->build = build_reduce;
    return CPM_OK;
}

int cpm_two_trees_allreduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                            cpm_error *e)
{
    (void)a, (void)e;
    set_pieces(call, s);
    s->build = build_allreduce;
    return CPM_OK;
}
