/* From starts to the best mapping that can be found in time. */
#include "mapping/mapping.h"

#include <math.h>
#include <stdlib.h>

#include "mapping/nodes.h"
#include "mapping/search.h"
#include "mapping/starts.h"
#include "models/predict.h"

enum { MOST_STARTS = 64 };

void cpm_mapping_clear(cpm_mapping *m)
{
    free(m->process);
    free(m->parent);
    *m = (cpm_mapping){0};
}

void cpm_mapping_found_clear(cpm_mapping_found *f)
{
    cpm_mapping_clear(&f->mapping);
    *f = (cpm_mapping_found){0};
}

bool cpm_mapping_is_free(const cpm_mapping_problem *p)
{
    return p->what.algorithm->properties & CPM_NEEDS_TREE;
}

double cpm_mapping_predict(const cpm_mapping_problem *p, const cpm_mapping *m, double *finish,
                           cpm_error *e)
{
    cpm_collective placed = p->what;
    placed.at.mapping = m ? m->process : NULL;
    placed.at.parent = m ? m->parent : p->what.at.parent;
    return cpm_predict_collective(p->model, &placed, &p->sizes, NULL, finish, e);
}

/* ---- starts */

typedef struct {
    const cpm_mapping_problem *p;
    search *search;
    cpm_edges edges;
    cpm_growth growth;
    bool highest_first; /* what joined last is served first */
    int *nodes;         /* [n] of the algorithm's tree, in the order in which processes take them */
    search_state start[MOST_STARTS];
    int count;
} finder;

/* The place of a process in a layout that is being built. */
static int place_of(const layout *l, int process)
{
    int u = 0;
    while (u < l->n && l->process[u] != process)
        u++;
    return u;
}

/* What joined first is served first, or last; where data move towards the root it is the other way
 * round. */
static void lay_tree(const finder *f, layout *l)
{
    l->n = 0;
    for (int k = 0; k < f->edges.n; k++) {
        int process = f->growth.order[k];
        int u = k ? place_of(l, f->growth.parent[process]) : -1;
        layout_add(l, u, f->edges.collects != f->highest_first, process);
    }
}

/* Ranks in order take nodes in order; others first those that matter most. */
static int add_start(finder *f, const char *name, cpm_error *e)
{
    search_state c = {.name = name};
    int status = layout_create(f->edges.n, cpm_mapping_is_free(f->p), &c.at, e);
    if (status)
        return status;
    if (c.at.depth)
        lay_tree(f, &c.at);
    else
        for (int k = 0; k < f->edges.n; k++)
            c.at.process[name == cpm_start_in_order ? k : f->nodes[k]] = f->growth.order[k];
    status = search_score(f->search, &c.at, &c.score, e);
    if (status)
        layout_clear(&c.at);
    else
        f->start[f->count++] = c;
    return status;
}

/* Shapes over an order, where the tree is free: parents by the place in the order. */
static int flat(int v)
{
    (void)v;
    return 0;
}

static int chain(int v)
{
    return v - 1;
}

/* Everybody who has joined fetches the next one in every round. */
static int doubling(int v)
{
    int bit = 1;
    while (2 * bit <= v)
        bit *= 2;
    return v - bit;
}

/* The repository's binomial tree. */
static int binomial(int v)
{
    return v & (v - 1);
}

static int add_shapes(finder *f, const char *name, cpm_error *e)
{
    static const struct {
        int (*parent)(int v);
        bool highest_first;
    } shapes[] = {{flat, false}, {flat, true}, {chain, false}, {doubling, false}, {binomial, true}};
    int status = CPM_OK;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes && !status; k++) {
        for (int v = 0; v < f->edges.n; v++)
            f->growth.parent[f->growth.order[v]] = v ? f->growth.order[shapes[k].parent(v)] : -1;
        f->highest_first = shapes[k].highest_first;
        status = add_start(f, name, e);
    }
    f->highest_first = false;
    return status;
}

/* One is; of free trees all that time_in_order looks at. */
static bool are_enough(const finder *f, const cpm_start *next)
{
    return f->count && (!cpm_mapping_is_free(f->p) || next->name != cpm_start_in_order);
}

/* Every start once with its own tree, if it has one, and for free trees with every shape, while
 * there is time. */
static int add_starts(finder *f, cpm_error *e)
{
    int status = CPM_OK;
    for (const cpm_start *s = cpm_starts; s->name && !status; s++) {
        if (are_enough(f, s) && search_out_of_time(f->search))
            break;
        status = s->grow(&f->edges, &f->growth, e);
        if (!status && (s->has_tree || !cpm_mapping_is_free(f->p)))
            status = add_start(f, s->name, e);
        if (!status && cpm_mapping_is_free(f->p))
            status = add_shapes(f, s->name, e);
    }
    return status;
}

static int by_score(const void *a, const void *b)
{
    const search_state *x = a, *y = b;
    return layout_better(x->score, y->score) ? -1 : layout_better(y->score, x->score);
}

/* Without a mapping; of a free tree the fastest of the starts that leave ranks in order. */
static double time_in_order(const finder *f)
{
    double seconds = INFINITY;
    if (!cpm_mapping_is_free(f->p))
        return cpm_mapping_predict(f->p, NULL, NULL, NULL);
    for (int k = 0; k < f->count; k++)
        if (f->start[k].name == cpm_start_in_order)
            seconds = fmin(seconds, f->start[k].score.seconds);
    return seconds;
}

/* Of sorted starts, those that are worth the same are the same as a rule: one of them is enough. */
static void drop_doubles(finder *f)
{
    int kept = 1;
    for (int k = 1; k < f->count; k++) {
        if (layout_better(f->start[kept - 1].score, f->start[k].score))
            f->start[kept++] = f->start[k];
        else
            layout_clear(&f->start[k].at);
    }
    f->count = kept;
}

/* ---- the search */

static int keep(const layout *l, cpm_mapping *out, cpm_error *e)
{
    layout copy = {0};
    int status = layout_create(l->n, l->depth != NULL, &copy, e);
    if (status)
        return status;
    layout_copy(l, &copy);
    if (copy.depth)
        layout_set_parents(&copy);
    free(copy.depth);
    *out = (cpm_mapping){copy.n, copy.process, copy.parent};
    return CPM_OK;
}

static int find(finder *f, cpm_mapping_found *out, cpm_error *e)
{
    int status = add_starts(f, e);
    if (status)
        return status;
    out->in_order = time_in_order(f);
    qsort(f->start, (size_t)f->count, sizeof *f->start, by_score);
    out->started = f->start[0].score.seconds;
    drop_doubles(f);
    status = search_descend(f->search, f->start, f->count, e);
    qsort(f->start, (size_t)f->count, sizeof *f->start, by_score);
    search_state *best = &f->start[0];
    if (!status)
        status = search_shake(f->search, best, e);
    if (status)
        return status;
    out->converged = !search_out_of_time(f->search);
    out->tried = search_tried(f->search);
    out->seconds = best->score.seconds;
    out->start = best->name;
    return keep(&best->at, &out->mapping, e);
}

static int open_finder(finder *f, const cpm_mapping_effort *effort, cpm_error *e)
{
    size_t n = (size_t)f->p->model->n;
    f->growth.order = malloc(n * sizeof *f->growth.order);
    f->growth.parent = malloc(n * sizeof *f->growth.parent);
    f->nodes = malloc(n * sizeof *f->nodes);
    if (!f->growth.order || !f->growth.parent || !f->nodes)
        return cpm_no_memory(e);
    int status = search_open(f->p, effort, &f->search, e);
    if (!status)
        status = cpm_edges_create(f->p, &f->edges, e);
    if (!status && !cpm_mapping_is_free(f->p))
        status = cpm_nodes_by_work(f->p, f->edges.collects, f->nodes, e);
    return status;
}

static void close_finder(finder *f)
{
    for (int k = 0; k < f->count; k++)
        layout_clear(&f->start[k].at);
    free(f->growth.order);
    free(f->growth.parent);
    free(f->nodes);
    cpm_edges_clear(&f->edges);
    search_close(f->search);
}

static int check(const cpm_mapping_problem *p, const cpm_mapping_effort *effort, cpm_error *e)
{
    if (!(p->what.algorithm->properties & CPM_TAKES_MAPPING))
        return cpm_fail(e, CPM_EINVAL, "%s:%s takes no mapping: all its processes do the same",
                        p->what.algorithm->operation, p->what.algorithm->name);
    if (p->model->type->predict)
        return cpm_fail(e, CPM_EDATA,
                        "model %s does not predict from messages and knows no other mapping",
                        p->model->type->name);
    if (!(effort->seconds > 0) || effort->attempts < 1)
        return cpm_fail(e, CPM_EINVAL, "a search needs time and attempts above 0");
    return CPM_OK;
}

int cpm_mapping_find(const cpm_mapping_problem *p, const cpm_mapping_effort *effort,
                     cpm_mapping_found *out, cpm_error *e)
{
    finder f = {.p = p};
    cpm_mapping_found found = {0};
    int status = check(p, effort, e);
    if (!status)
        status = open_finder(&f, effort, e);
    if (!status)
        status = find(&f, &found, e);
    close_finder(&f);
    if (!status)
        *out = found;
    return status;
}
