/* A process's branch of a tree: who its members are, and space for their blocks. */
#include "tuned/branch.h"

#include <limits.h>
#include <stdlib.h>

#include "collectives/algorithms/shapes.h"
#include "collectives/algorithms/tree.h"

/* ---- the tree ---- */

bool tuned_is_tree(const cpm_choice *c)
{
    return c->what.algorithm && (c->what.algorithm->create == cpm_tree_scatter ||
                                 c->what.algorithm->create == cpm_tree_gather);
}

static int arrange(const cpm_choice *c, const cpm_call *call, int *process, cpm_tree **out,
                   cpm_error *e)
{
    const cpm_tree_shape *shape = c->what.algorithm->variant;
    int *parent = malloc((size_t)call->n * sizeof *parent);
    int status = parent ? cpm_tree_arrange(shape, call, parent, process, e)
                        : cpm_fail(e, CPM_ENOMEM, "no memory for a tree");
    if (status == CPM_OK)
        status = cpm_tree_create(call->n, parent, shape->highest_first, out, e);
    free(parent);
    return status;
}

static int allocate(tuned_branch *b)
{
    size_t m = (size_t)b->members, most = m + 3;
    b->member = malloc(m * sizeof *b->member);
    b->child = malloc(m * sizeof *b->child);
    b->present = calloc(m, 1 + TUNED_ALIGNMENT);
    b->offset = malloc(m * sizeof *b->offset);
    b->request = malloc(2 * m * sizeof *b->request);
    b->parts.length = malloc(most * sizeof *b->parts.length);
    b->parts.place = malloc(most * sizeof *b->parts.place);
    b->parts.type = malloc(most * sizeof *b->parts.type);
    return b->member && b->child && b->present && b->offset && b->request && b->parts.length &&
           b->parts.place && b->parts.type;
}

/* Collecting, lower children come first (the mirror of trees.c). */
static void add_children(tuned_branch *b, const cpm_tree *t, int v, bool lower_first)
{
    int first = t->first_child[v], end = t->first_child[v + 1];
    bool turn = lower_first && end > first && t->child[first] > t->child[end - 1];
    for (int k = first; k < end; k++) {
        int c = t->child[turn ? end - 1 - (k - first) : k];
        int at = t->position[c] - t->position[v];
        b->child[b->children++] = (tuned_child){at, at + t->size[c]};
    }
}

static bool fill(tuned_branch *b, const cpm_choice *c, const cpm_tree *t, const int *process)
{
    int v = 0;
    while (process[v] != b->rank)
        v++;
    b->members = t->size[v];
    b->parent = t->parent[v] < 0 ? -1 : process[t->parent[v]];
    b->together = ((const cpm_tree_shape *)c->what.algorithm->variant)->together;
    if (!allocate(b))
        return false;
    for (int k = 0; k < b->members; k++)
        b->member[k] = process[t->node[t->position[v] + k]];
    add_children(b, t, v, c->what.algorithm->create == cpm_tree_gather);
    size_t passing = 0;
    for (int k = 1; b->parent >= 0 && k < b->members; k++)
        passing += b->sizes[b->member[k]];
    b->space = malloc(passing + 1);
    return b->space;
}

static int check_sizes(const size_t *sizes, int n, cpm_error *e)
{
    size_t sum = 0;
    for (int i = 0; i < n; i++) {
        if (sizes[i] > (size_t)INT_MAX - sum)
            return cpm_fail(e, CPM_EINVAL, "a message would be longer than 2 GiB");
        sum += sizes[i];
    }
    return CPM_OK;
}

static int create(const cpm_choice *choice, const cpm_call *call, tuned_branch *b, cpm_error *e)
{
    cpm_tree *t = NULL;
    int *process = malloc((size_t)call->n * sizeof *process);
    int status = process ? arrange(choice, call, process, &t, e)
                         : cpm_fail(e, CPM_ENOMEM, "no memory for a tree");
    if (status == CPM_OK && !fill(b, choice, t, process))
        status = cpm_fail(e, CPM_ENOMEM, "no memory for the messages of a tree");
    cpm_tree_free(t);
    free(process);
    return status;
}

int tuned_branch_create(const cpm_choice *choice, const size_t *sizes, int n, int root, int rank,
                        tuned_branch **out, cpm_error *e)
{
    cpm_call call = {.n = n,
                     .root = root,
                     .sizes = sizes,
                     .with = choice->what.with,
                     .mapping = choice->what.at.mapping,
                     .parent = choice->what.at.parent};
    int status = check_sizes(sizes, n, e);
    if (status != CPM_OK)
        return status;
    tuned_branch *b = calloc(1, sizeof *b);
    if (!b)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a tree");
    b->rank = rank;
    b->root = root;
    b->sizes = sizes;
    status = create(choice, &call, b, e);
    if (status == CPM_OK)
        *out = b;
    else
        tuned_branch_free(b);
    return status;
}

void tuned_branch_free(tuned_branch *b)
{
    if (!b)
        return;
    free(b->member);
    free(b->child);
    free(b->present);
    free(b->offset);
    free(b->request);
    free(b->parts.length);
    free(b->parts.place);
    free(b->parts.type);
    free(b->space);
    free(b);
}
