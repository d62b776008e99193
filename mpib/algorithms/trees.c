/* Rooted operations over any tree: T shapes and O operations are T + O functions.
 *
 * The tree is over nodes; mapping says which process sits at a node. Blocks of scatter and gather
 * are counted in preorder positions of the tree, so that a subtree's blocks are one run. */
#include "mpib/algorithms/trees.h"

#include <stdlib.h>

#include "mpib/algorithms/tree.h"

typedef struct {
    cpm_tree *tree;
    int *process; /* [n] process at a node */
    int *node;    /* [n] node of a process */
    int *order;   /* [n] process at a position */
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

static void place(placed_tree *p, const cpm_call *call)
{
    for (int v = 0; v < call->n; v++) {
        int process = call->mapping ? call->mapping[v] : (int)(((long)v + call->root) % call->n);
        p->process[v] = process;
        p->node[process] = v;
        p->order[p->tree->position[v]] = process;
    }
}

static int placed_create(const cpm_algorithm *a, const cpm_call *call, placed_tree **out,
                         cpm_error *e)
{
    size_t n = (size_t)call->n;
    placed_tree *p = calloc(1, sizeof *p);
    if (!p)
        return cpm_fail(e, CPM_ENOMEM, "out of memory for a tree of %d processes", call->n);
    p->process = malloc(n * sizeof *p->process);
    p->node = malloc(n * sizeof *p->node);
    p->order = malloc(n * sizeof *p->order);
    int code = CPM_OK;
    if (!p->process || !p->node || !p->order)
        code = cpm_fail(e, CPM_ENOMEM, "out of memory for a tree of %d processes", call->n);
    if (!code)
        code = cpm_tree_create(call->n, a->variant, &p->tree, e);
    if (code) {
        placed_free(p);
        return code;
    }
    place(p, call);
    *out = p;
    return CPM_OK;
}

static bool is_identity(const int *order, int n)
{
    for (int p = 0; p < n; p++)
        if (order[p] != p)
            return false;
    return true;
}

typedef void build_function(const cpm_schedule *s, int rank, cpm_steps *out);

static int create(const cpm_algorithm *a, const cpm_call *call, int64_t blocks,
                  build_function *build, cpm_schedule *s, cpm_error *e)
{
    placed_tree *p = NULL;
    int code = placed_create(a, call, &p, e);
    if (code)
        return code;
    s->blocks = blocks;
    s->order = blocks == 1 || is_identity(p->order, call->n) ? NULL : p->order;
    s->build = build;
    s->state = p;
    s->free_state = placed_free;
    return CPM_OK;
}

static void build_bcast(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const placed_tree *p = s->state;
    const cpm_tree *t = p->tree;
    int v = p->node[rank];
    if (t->parent[v] >= 0)
        cpm_recv(out, p->process[t->parent[v]], 0, 1);
    for (int k = t->first_child[v]; k < t->first_child[v + 1]; k++) {
        cpm_next_round(out);
        cpm_send(out, p->process[t->child[k]], 0, 1);
    }
}

static void build_scatter(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const placed_tree *p = s->state;
    const cpm_tree *t = p->tree;
    int v = p->node[rank];
    if (t->parent[v] >= 0)
        cpm_recv(out, p->process[t->parent[v]], t->position[v], t->size[v]);
    for (int k = t->first_child[v]; k < t->first_child[v + 1]; k++) {
        int c = t->child[k];
        cpm_next_round(out);
        cpm_send(out, p->process[c], t->position[c], t->size[c]);
    }
}

/* The mirror of scatter, as blocking code does it: one child after the other, the lower ones first
 * (the smallest binomial subtree is ready first). A root that took whatever comes would invite all
 * large messages at once; taken in turn, those above the rendezvous threshold come one by one. */
static void build_gather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const placed_tree *p = s->state;
    const cpm_tree *t = p->tree;
    int v = p->node[rank], first = t->first_child[v], end = t->first_child[v + 1];
    bool highest_first = end > first && t->child[first] > t->child[end - 1];
    for (int k = 0; k < end - first; k++) {
        int c = t->child[highest_first ? end - 1 - k : first + k];
        cpm_next_round(out);
        cpm_recv(out, p->process[c], t->position[c], t->size[c]);
    }
    cpm_next_round(out);
    if (t->parent[v] >= 0)
        cpm_send(out, p->process[t->parent[v]], t->position[v], t->size[v]);
}

int cpm_tree_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    return create(a, call, 1, build_bcast, s, e);
}

int cpm_tree_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    return create(a, call, call->n, build_scatter, s, e);
}

int cpm_tree_gather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    return create(a, call, call->n, build_gather, s, e);
}
