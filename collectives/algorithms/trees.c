/* Rooted operations over any tree: T shapes and O operations are T + O functions.
 *
 * The tree is over nodes, and a process sits at each. Blocks of scatter and gather are counted in
 * preorder positions of the tree, so that a subtree's blocks are one run. */
#include <stdlib.h>

#include "collectives/algorithms/pieces.h"
#include "collectives/algorithms/shapes.h"
#include "collectives/algorithms/tree.h"

typedef struct {
    cpm_tree *tree;
    int *process; /* [n] process at a node */
    int *node;    /* [n] node of a process */
    int *order;   /* [n] process at a position */
    bool together, keeps_order;
} placed_tree;

static void placed_free(void *state)
{
    placed_tree *p = state;
    cpm_tree_free(p->tree);
    free(p->process);
    free(p->node);
    free(p->order);
    free(p);
}

/* The largest power of k not above x. */
static int power_in(int x, int k)
{
    int power = 1;
    while (power <= x / k)
        power *= k;
    return power;
}

/* Children are there in ascending order; those of higher digits move before the others. */
static void highest_digit_first(cpm_tree *t, int k)
{
    for (int v = 0; v < t->n; v++)
        for (int i = t->first_child[v]; i < t->first_child[v + 1]; i++) {
            int c = t->child[i], digit = power_in(c - v, k), j = i;
            for (; j > t->first_child[v] && power_in(t->child[j - 1] - v, k) < digit; j--)
                t->child[j] = t->child[j - 1];
            t->child[j] = c;
        }
}

static int arrange(placed_tree *p, const cpm_tree_shape *shape, const cpm_call *call, cpm_error *e)
{
    int *parent = malloc((size_t)call->n * sizeof *parent);
    int code = parent ? cpm_tree_arrange(shape, call, parent, p->process, e) : cpm_no_memory(e);
    if (!code)
        code = cpm_tree_create(call->n, parent, shape->order == CPM_HIGHEST_FIRST, &p->tree, e);
    free(parent);
    if (!code && shape->order == CPM_HIGHEST_DIGIT_FIRST)
        highest_digit_first(p->tree, call->with.k > 1 ? call->with.k : shape->k);
    for (int v = 0; v < call->n && !code; v++) {
        p->node[p->process[v]] = v;
        p->order[p->tree->position[v]] = p->process[v];
    }
    return code;
}

static int placed_create(const cpm_algorithm *a, const cpm_call *call, placed_tree **out,
                         cpm_error *e)
{
    const cpm_tree_shape *shape = a->variant;
    size_t n = (size_t)call->n;
    placed_tree *p = calloc(1, sizeof *p);
    if (!p)
        return cpm_no_memory(e);
    p->process = malloc(n * sizeof *p->process);
    p->node = malloc(n * sizeof *p->node);
    p->order = malloc(n * sizeof *p->order);
    p->together = shape->together;
    p->keeps_order = shape->keeps_order;
    int code = CPM_OK;
    if (!p->process || !p->node || !p->order)
        code = cpm_no_memory(e);
    if (!code)
        code = arrange(p, shape, call, e);
    if (code)
        placed_free(p);
    else
        *out = p;
    return code;
}

static bool is_identity(const int *order, int n)
{
    for (int p = 0; p < n; p++)
        if (order[p] != p)
            return false;
    return true;
}

typedef void build_function(const cpm_schedule *s, int rank, cpm_steps *out);

static int create(const cpm_algorithm *a, const cpm_call *call, int64_t units, int pieces,
                  build_function *build, cpm_schedule *s, cpm_error *e)
{
    placed_tree *p = NULL;
    int code = placed_create(a, call, &p, e);
    if (code)
        return code;
    s->blocks = units * pieces;
    s->pieces = pieces;
    s->order = units == 1 || is_identity(p->order, call->n) ? NULL : p->order;
    s->build = build;
    s->state = p;
    s->free_state = placed_free;
    return CPM_OK;
}

/* A process's place in the tree. */
typedef struct {
    const cpm_tree *tree;
    const int *process;
    int node, parent; /* parent: process, -1 at the root */
    int first, end;   /* of its children */
    bool together, keeps_order;
} place;

static place place_of(const cpm_schedule *s, int rank)
{
    const placed_tree *p = s->state;
    const cpm_tree *t = p->tree;
    int v = p->node[rank];
    return (place){.tree = t,
                   .process = p->process,
                   .node = v,
                   .parent = t->parent[v] < 0 ? -1 : p->process[t->parent[v]],
                   .first = t->first_child[v],
                   .end = t->first_child[v + 1],
                   .together = p->together,
                   .keeps_order = p->keeps_order};
}

/* ---- bcast ---- */

static void send_piece(const place *p, int piece, cpm_steps *out)
{
    for (int k = p->first; k < p->end; k++)
        cpm_send(out, p->process[p->tree->child[k]], piece, 1);
}

/* While a segment is received the one before it is sent on. */
static void build_pipeline(const place *p, int pieces, cpm_steps *out)
{
    for (int k = 0; k <= pieces; k++) {
        if (k < pieces && p->parent >= 0)
            cpm_recv(out, p->parent, k, 1);
        if (k > 0)
            send_piece(p, k - 1, out);
        cpm_next_round(out);
    }
}

static void build_bcast(const cpm_schedule *s, int rank, cpm_steps *out)
{
    place p = place_of(s, rank);
    if (s->pieces > 1) {
        build_pipeline(&p, s->pieces, out);
        return;
    }
    if (p.parent >= 0)
        cpm_recv(out, p.parent, 0, 1);
    cpm_next_round(out);
    for (int k = p.first; k < p.end; k++) {
        cpm_send(out, p.process[p.tree->child[k]], 0, 1);
        if (!p.together)
            cpm_next_round(out);
    }
}

/* ---- scatter and gather ---- */

static void build_scatter(const cpm_schedule *s, int rank, cpm_steps *out)
{
    place p = place_of(s, rank);
    const cpm_tree *t = p.tree;
    if (p.parent >= 0)
        cpm_recv(out, p.parent, t->position[p.node], t->size[p.node]);
    cpm_next_round(out);
    for (int k = p.first; k < p.end; k++) {
        int c = t->child[k];
        cpm_send(out, p.process[c], t->position[c], t->size[c]);
        if (!p.together)
            cpm_next_round(out);
    }
}

/* Child k of those that send to a parent: the lower ones first (the smallest binomial subtree is
 * ready first). */
static int sender(const place *p, int k)
{
    const int *child = p->tree->child;
    bool highest_first = p->end > p->first && child[p->first] > child[p->end - 1];
    return child[highest_first ? p->end - 1 - k : p->first + k];
}

/* The mirror of scatter, as blocking code does it: one child after the other. A root that took
 * whatever comes would invite all large messages at once; taken in turn, those above the rendezvous
 * threshold come one by one. */
static void build_gather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    place p = place_of(s, rank);
    const cpm_tree *t = p.tree;
    for (int k = 0; k < p.end - p.first; k++) {
        int c = sender(&p, k);
        cpm_recv(out, p.process[c], t->position[c], t->size[c]);
        if (!p.together)
            cpm_next_round(out);
    }
    cpm_next_round(out);
    if (p.parent >= 0)
        cpm_send(out, p.parent, t->position[p.node], t->size[p.node]);
}

/* ---- reduce ---- */

static void combine_child(const place *p, int process, int piece, cpm_steps *out)
{
    cpm_combine(out, process, piece, 1);
    if (!p->together)
        cpm_next_round(out);
}

/* Contributions of higher ranks come first and in their order, then those of lower ranks from the
 * highest on: so a linear tree combines in the order of ranks whatever the root. */
static void combine_by_rank(const place *p, int rank, int piece, cpm_steps *out)
{
    int children = p->end - p->first;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < children; k++) {
            int c = p->process[sender(p, side ? children - 1 - k : k)];
            if ((c < rank) == (side == 1))
                combine_child(p, c, piece, out);
        }
}

static void combine_piece(const place *p, int rank, int piece, cpm_steps *out)
{
    if (p->keeps_order) {
        combine_by_rank(p, rank, piece, out);
        return;
    }
    for (int k = 0; k < p->end - p->first; k++)
        combine_child(p, p->process[sender(p, k)], piece, out);
}

/* One child after the other. While a segment is sent on the first child's next one is received. */
static void build_reduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    place p = place_of(s, rank);
    for (int k = 0; k <= s->pieces; k++) {
        if (k > 0 && p.parent >= 0)
            cpm_send(out, p.parent, k - 1, 1);
        if (k < s->pieces)
            combine_piece(&p, rank, k, out);
        cpm_next_round(out);
    }
}

int cpm_tree_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    return create(a, call, 1, cpm_segments(call), build_bcast, s, e);
}

int cpm_tree_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    return create(a, call, call->n, 1, build_scatter, s, e);
}

int cpm_tree_gather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    return create(a, call, call->n, 1, build_gather, s, e);
}

int cpm_tree_reduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    return create(a, call, 1, cpm_segments(call), build_reduce, s, e);
}
