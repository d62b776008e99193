/* The fastest variant of each algorithm is mapped, and any tree with the segments that suit it. */
#include "selection/mapped.h"

#include <stdlib.h>

#include "mapping/mapping.h"

/* How many are mapped, free trees included; and how many predictions a search is worth beginning
 * for: its starts take about as many. */
enum { MOST_MAPPED = 4, LEAST_PREDICTIONS = 60, ATTEMPTS = 20, SEED = 1 };

typedef struct {
    candidate at[MOST_MAPPED];
    int count;
} chosen;

static bool is_chosen(const chosen *all, const cpm_algorithm *a)
{
    for (int k = 0; k < all->count; k++)
        if (all->at[k].what.algorithm == a)
            return true;
    return false;
}

/* The fastest promising one of an algorithm that takes a mapping and was not chosen yet. */
static const candidate *next(const candidates *c, const candidate *best, const chosen *all)
{
    const candidate *found = NULL;
    for (int k = 0; k < c->count; k++) {
        const candidate *x = &c->at[k];
        if (x->allowed && x->what.algorithm->properties & CPM_TAKES_MAPPING &&
            candidate_is_promising(x, best) && !is_chosen(all, x->what.algorithm) &&
            (!found || candidate_time(x) < candidate_time(found)))
            found = x;
    }
    return found;
}

static const cpm_algorithm *free_tree(const cpm_operation *o)
{
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (cpm_algorithm_serves(a, o) && a->properties & CPM_NEEDS_TREE &&
            a->properties & CPM_TAKES_MAPPING)
            return a;
    return NULL;
}

static void choose(chosen *all, const cpm_algorithm *a, const candidate *like)
{
    candidate *x = &all->at[all->count++];
    *x = (candidate){.what = like->what, .allowed = true, .effort = like->effort, .seconds = -1};
    x->what.algorithm = a;
    x->what.by_library = like->what.by_library && !like->usual;
}

/* Free trees as the fastest mapped algorithm: whole, or in its segments. */
static void choose_all(const evaluation *v, const candidates *c, const candidate *best, chosen *all)
{
    const cpm_algorithm *tree = free_tree(v->request.operation);
    const candidate *x = next(c, best, all), *fastest = x;
    if (!fastest || !tree)
        return;
    choose(all, tree, fastest);
    const cpm_model *m = v->model; /* where all are alike seats do not matter */
    bool same = m->classes.count == 1 && m->across.count == 0 && m->switches.count == 0;
    for (; x && !same && all->count < MOST_MAPPED; x = next(c, best, all))
        choose(all, x->what.algorithm, x);
}

static int map(const evaluation *v, candidate *x, double seconds, cpm_error *e)
{
    const cpm_request *r = &v->request;
    cpm_mapping_problem p = {
        .model = v->model, .what = x->what, .sizes = {.bytes = r->bytes, .each = r->sizes}};
    cpm_mapping_effort effort = {
        .seconds = seconds, .seed = SEED, .attempts = ATTEMPTS, .threads = 1};
    cpm_mapping_found found = {0};
    cpm_error why = {0};
    int status = cpm_mapping_find(&p, &effort, &found, &why);
    if (status)
        return status == CPM_ENOMEM ? cpm_fail(e, status, "%s", why.text) : CPM_OK;
    x->what.at.mapping = found.mapping.process;
    x->what.at.parent = found.mapping.parent;
    return evaluate_one(v, x, e);
}

int mapped_add(const evaluation *v, double seconds, candidates *c, cpm_error *e)
{
    chosen all = {.count = 0};
    const candidate *best = candidates_best(c);
    int status = CPM_OK;
    if (!best || v->request.ordered || v->model->type->predict || !(seconds > 0))
        return CPM_OK;
    choose_all(v, c, best, &all);
    for (int k = 0; k < all.count && !status; k++) {
        candidate *x = &all.at[k];
        double mine = seconds / all.count;
        if (x->effort * LEAST_PREDICTIONS > mine)
            continue;
        status = map(v, x, mine, e);
        if (!status && x->what.at.mapping)
            status = candidates_add(c, x, e);
    }
    return status;
}
