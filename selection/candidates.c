/* Candidates: all rows of the table, and what rows can be given. */
#include "selection/candidates.h"

#include <math.h>
#include <stdlib.h>

#include "collectives/algorithms/pieces.h"
#include "collectives/parameters.h"
#include "collectives/tries.h"
#include "selection/usual.h"

typedef struct {
    const cpm_model *model;
    const cpm_request *request;
    candidates *to;
    cpm_error *e;
} lister;

/* ---- the list */

static void clear(candidate *x)
{
    free((int *)x->what.at.mapping);
    free((int *)x->what.at.parent);
    free(x->finish);
    *x = (candidate){0};
}

void candidates_clear(candidates *c)
{
    for (int k = 0; k < c->count; k++)
        clear(&c->at[k]);
    free(c->at);
    *c = (candidates){0};
}

static bool is_there(const candidates *c, const candidate *x)
{
    for (int k = 0; k < c->count; k++)
        if (cpm_collective_equal(&c->at[k].what, &x->what))
            return true;
    return false;
}

int candidates_add(candidates *c, candidate *x, cpm_error *e)
{
    if (c->count == c->capacity && !is_there(c, x)) {
        int capacity = c->capacity ? 2 * c->capacity : 64;
        candidate *at = realloc(c->at, (size_t)capacity * sizeof *at);
        if (!at) {
            clear(x);
            return cpm_fail(e, CPM_ENOMEM, "no memory for a list of algorithms");
        }
        c->at = at;
        c->capacity = capacity;
    }
    if (is_there(c, x))
        clear(x);
    else
        c->at[c->count++] = *x;
    return CPM_OK;
}

/* ---- what is on it */

static int add(const lister *l, const cpm_algorithm *a, cpm_parameters with)
{
    const cpm_collective what = {.algorithm = a, .with = with};
    candidate x = {
        .what = cpm_request_collective(l->request, &what), .allowed = true, .seconds = -1};
    if (cpm_request_allows(l->request, &x.what, NULL))
        return CPM_OK;
    return candidates_add(l->to, &x, l->e);
}

static size_t largest_block(const cpm_request *r)
{
    cpm_call call = {.bytes = r->bytes, .sizes = r->sizes};
    return cpm_largest_unit(&call, r->operation->units(r->n));
}

static double threshold_of(const void *model, const char *name)
{
    const cpm_model *m = model;
    int p = cpm_parameter_index(m->type, name);
    return p >= 0 ? m->value[p][0] : NAN;
}

static int add_row(const lister *l, const cpm_algorithm *a)
{
    const cpm_thresholds thresholds = {threshold_of, l->model};
    cpm_parameters with[CPM_MOST_TRIES];
    int status = CPM_OK;
    int count = cpm_algorithm_tries(a, l->request->n, largest_block(l->request), &thresholds, with,
                                    CPM_MOST_TRIES);
    for (int k = 0; k < count && !status; k++)
        status = add(l, a, with[k]);
    return status;
}

/* These come first, so that rows find them there. */
static int add_usual(const lister *l, cpm_library library)
{
    const cpm_algorithm *usual[CPM_MOST_USUAL];
    int count = cpm_usual(library, l->request, usual), status = CPM_OK;
    for (int k = 0; k < count && !status; k++) {
        const cpm_collective what = {.algorithm = usual[k]};
        candidate x = {
            .what = cpm_request_collective(l->request, &what), .usual = true, .seconds = -1};
        x.allowed = cpm_request_allows(l->request, &x.what, NULL) == CPM_OK;
        status = candidates_add(l->to, &x, l->e);
    }
    return status;
}

int candidates_list(const cpm_model *m, cpm_library library, const cpm_request *r, candidates *out,
                    cpm_error *e)
{
    candidates all = {0};
    lister l = {m, r, &all, e};
    int status = add_usual(&l, library);
    for (const cpm_algorithm *a = cpm_algorithms; a->name && !status; a++)
        if (cpm_algorithm_serves(a, r->operation))
            status = add_row(&l, a);
    if (status)
        candidates_clear(&all);
    else
        *out = all;
    return status;
}
