/* Layouts first, then one dimension after the other: all combinations would be many. */
#include "selection/decomposed.h"

#include <stdlib.h>

#include "collectives/algorithms/mesh.h"

enum { MOST_MESHES = 3, MOST_OTHERS = sizeof((cpm_mesh){0}.others) / sizeof(char *) };

static const cpm_mesh *mesh_of(const cpm_collective *c)
{
    return c->algorithm->properties & CPM_TAKES_INNER ? c->algorithm->variant : NULL;
}

static bool has_inner(const cpm_collective *c)
{
    return c->with.inner[0] || c->with.inner[1] || c->with.inner[2];
}

/* The row of the i-th algorithm that is worth trying in a dimension; 0: there is none. */
static int other(const cpm_collective *c, int i)
{
    const cpm_algorithm *row = NULL;
    const char *name = mesh_of(c)->others[i];
    if (!name || cpm_algorithm_find(c->algorithm->operation, name, &row, NULL))
        return 0;
    return 1 + (int)(row - cpm_algorithms);
}

static candidate copy_of(const candidate *x)
{
    candidate copy = {.what = x->what, .effort = x->effort, .seconds = -1};
    copy.what.by_library = x->what.by_library && !x->usual;
    return copy;
}

/* ---- by predictions */

typedef struct {
    const evaluation *v;
    candidates *c;
    cpm_error *e;
} search;

/* What less is gained by another algorithm is not worth a longer name, nor a rule of its own. */
static const double worth = 0.01;

/* Replaces best if the other algorithm makes it faster. */
static int try_inner(const search *s, candidate *best, int d, int row)
{
    candidate x = copy_of(best);
    x.what.with.inner[d] = row;
    int status = cpm_request_asks(&s->v->request, &x.what, &x.allowed, s->e);
    if (!status && x.allowed)
        status = evaluate_one(s->v, &x, s->e);
    const bool better = !status && x.seconds >= 0 && x.at_risk <= best->at_risk &&
                        x.seconds < best->seconds * (1 - worth);
    free(better ? best->finish : x.finish);
    if (better)
        *best = x;
    return status;
}

/* What is as fast as another one but for rounding would win and lose by chance. */
static bool is_wanted(const search *s, const candidate *x)
{
    const candidate *best = candidates_best(s->c);
    return has_inner(&x->what) && x->seconds < (1 - worth) * s->v->within * best->seconds;
}

static int improve(const search *s, const candidate *mesh)
{
    candidate best = *mesh;
    best.finish = NULL;
    /* the search for the best may have left it when it was slower than another */
    int status = best.seconds < 0 ? evaluate_one(s->v, &best, s->e) : CPM_OK;
    for (int d = 0; d < mesh_of(&mesh->what)->dimensions && !status && best.seconds >= 0; d++)
        for (int i = 0; i < MOST_OTHERS && !status; i++) {
            const int row = other(&mesh->what, i);
            status = row ? try_inner(s, &best, d, row) : CPM_OK;
        }
    if (!status && is_wanted(s, &best))
        return candidates_add(s->c, &best, s->e);
    free(best.finish);
    return status;
}

static bool is_chosen(const int *chosen, int count, int k)
{
    for (int i = 0; i < count; i++)
        if (chosen[i] == k)
            return true;
    return false;
}

/* The fastest promising mesh that was not chosen yet; -1: there is none. */
static int next(const candidates *c, const cpm_selector_options *o, const int *chosen, int count)
{
    const candidate *best = candidates_best(c);
    int found = -1;
    for (int k = 0; k < c->count && best; k++) {
        const candidate *x = &c->at[k];
        if (mesh_of(&x->what) && x->allowed && candidate_is_promising(x, best) &&
            !candidates_named(o, &x->what) && !is_chosen(chosen, count, k) &&
            (found < 0 || candidate_time(x) < candidate_time(&c->at[found])))
            found = k;
    }
    return found;
}

int decomposed_add(const evaluation *v, const cpm_selector_options *o, candidates *c, cpm_error *e)
{
    const search s = {v, c, e};
    int chosen[MOST_MESHES], count = 0, status = CPM_OK;
    for (int k; count < MOST_MESHES && (k = next(c, o, chosen, count)) >= 0; count++)
        chosen[count] = k;
    for (int i = 0; i < count && !status; i++) {
        const candidate mesh = c->at[chosen[i]]; /* appending moves the list */
        status = improve(&s, &mesh);
    }
    return status;
}

/* ---- all */

static int add_variant(const cpm_request *r, const candidate *mesh, int row, candidates *c,
                       cpm_error *e)
{
    candidate x = copy_of(mesh);
    for (int d = 0; d < mesh_of(&x.what)->dimensions; d++)
        x.what.with.inner[d] = row;
    int status = cpm_request_asks(r, &x.what, &x.allowed, e);
    return status || !x.allowed ? status : candidates_add(c, &x, e);
}

int decomposed_add_all(const cpm_selector_options *o, const cpm_request *r, candidates *c,
                       cpm_error *e)
{
    const int count = c->count;
    int status = CPM_OK;
    for (int k = 0; k < count; k++) {
        const candidate mesh = c->at[k];
        if (!mesh_of(&mesh.what) || mesh.what.with.segment || has_inner(&mesh.what) ||
            candidates_named(o, &mesh.what))
            continue;
        for (int i = 0; i < MOST_OTHERS && !status; i++) {
            const int row = other(&mesh.what, i);
            status = row ? add_variant(r, &mesh, row, c, e) : CPM_OK;
        }
    }
    return status;
}
