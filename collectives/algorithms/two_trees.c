/* Two binary trees at once (Sanders, Speck, Traeff 2009): each carries half of the data in
 * segments, and who has children in one has none in the other, so that nobody sends more than he
 * receives.
 *
 * Rounds are counted alike by all: a node at depth d gets segment i of a tree in round i + d, and
 * sends it on in the next one. */
#include "collectives/algorithms/pieces.h"

/* One of the trees, on nodes 1 to most below the root, which is 0: those are numbered from left to
 * right, so that leaves have odd numbers. The second one's numbers are those of the first mirrored,
 * or shifted, which makes even of odd ones. */
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

/* A node's part in a round of one tree, whose segments begin at first. */
typedef struct {
    const cpm_schedule *s;
    tree t;
    int node, depth, first, count; /* count: of the tree's segments */
} part;

static int process_at(const cpm_schedule *s, int node)
{
    return (int)(((long)node + s->root) % s->n);
}

static part part_of(const cpm_schedule *s, int node, bool second)
{
    part p = {.s = s, .t = {s->n - 1, second}, .node = node, .count = s->pieces / 2};
    const bool follows = second && s->n == 2; /* two halves at once would go the same way */
    p.depth = depth_of(&p.t, node) + follows;
    p.first = second ? p.count : 0;
    return p;
}

static bool has(const part *p, int segment)
{
    return 0 <= segment && segment < p->count;
}

/* down: from the root; else backwards, to it. */
static void with_parent(const part *p, int round, bool down, cpm_steps *out)
{
    const int segment = round - p->depth;
    if (p->node == 0 || !has(p, segment))
        return;
    const int parent = process_at(p->s, parent_of(&p->t, p->node));
    if (down)
        cpm_recv(out, parent, p->first + segment, 1);
    else
        cpm_send(out, parent, p->first + segment, 1);
}

static void with_children(const part *p, int round, bool down, cpm_steps *out)
{
    int child[2];
    const int segment = round - p->depth - 1;
    for (int k = has(p, segment) ? children_of(&p->t, p->node, child) : 0; k > 0; k--) {
        const int process = process_at(p->s, child[k - 1]);
        if (down)
            cpm_send(out, process, p->first + segment, 1);
        else
            cpm_combine(out, process, p->first + segment, 1);
    }
}

static void build_round(const part of[2], int round, bool down, cpm_steps *out)
{
    for (int k = 0; k < 2; k++) {
        with_parent(&of[k], round, down, out);
        with_children(&of[k], round, down, out);
    }
    cpm_next_round(out);
}

static int rounds_of(const part of[2])
{
    const int deeper = of[0].depth > of[1].depth ? of[0].depth : of[1].depth;
    return of[0].count + deeper + 1;
}

static void build_bcast(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int node = (int)(((long)rank - s->root + s->n) % s->n);
    const part of[] = {part_of(s, node, false), part_of(s, node, true)};
    for (int round = 0; round < rounds_of(of); round++)
        build_round(of, round, true, out);
}

static void build_reduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int node = (int)(((long)rank - s->root + s->n) % s->n);
    const part of[] = {part_of(s, node, false), part_of(s, node, true)};
    for (int round = rounds_of(of) - 1; round >= 0; round--)
        build_round(of, round, false, out);
}

cpm_create cpm_two_trees_bcast, cpm_two_trees_reduce;

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
