/* Candidates: all rows of the table, and what rows can be given. */
#include "selection/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "collectives/algorithms/pieces.h"
#include "collectives/parameters.h"
#include "collectives/temporaries.h"
#include "collectives/tries.h"
#include "selection/library_defaults.h"

typedef struct {
    const cpm_model *model;
    const cpm_selector_options *options;
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

void candidates_remove(candidates *c, int k)
{
    clear(&c->at[k]);
    c->count--;
    memmove(&c->at[k], &c->at[k + 1], (size_t)(c->count - k) * sizeof *c->at);
}

static bool is_there(const candidates *c, const candidate *x)
{
    for (int k = 0; k < c->count; k++)
        if (cpm_collective_equal(&c->at[k].what, &x->what) &&
            c->at[k].what.by_library == x->what.by_library)
            return true;
    return false;
}

int candidates_add(candidates *c, candidate *x, cpm_error *e)
{
    bool there = is_there(c, x), room = cpm_vector_extend(&c->at, c->count, sizeof *c->at);
    if (there || !room)
        clear(x);
    else
        c->at[c->count++] = *x;
    return there || room ? CPM_OK : cpm_no_memory(e);
}

/* ---- what is on it */

static bool is_theirs(const lister *l, const cpm_collective *c)
{
    const cpm_target *target = l->options->theirs;
    return !target ||
           cpm_their_algorithm_of(target, c->operation->name, c->at.n, c, l->request->bytes);
}

/* Whether the library's form of it differs from CPM's: in copies of contributions, or memory. */
static bool differs_in_library(const lister *l, const cpm_collective *c)
{
    const cpm_model *m = l->model;
    const bool combines = c->operation->combines && c->combining != CPM_COMBINING_OTHER;
    const bool copies = m && combines && m->type->copies && m->type->copies(m);
    return copies || cpm_temporaries(c, (double)l->request->bytes) > 0;
}

static int add(const lister *l, const cpm_algorithm *a, const cpm_parameters *with)
{
    const cpm_collective what = {.algorithm = a, .with = *with};
    candidate x = {.what = cpm_request_collective(l->request, &what), .seconds = -1};
    x.what.by_library = l->options->theirs && differs_in_library(l, &x.what);
    int status = cpm_request_asks(l->request, &x.what, &x.allowed, l->e);
    if (status || !x.allowed || !is_theirs(l, &x.what))
        return status;
    return candidates_add(l->to, &x, l->e);
}

static double threshold_of(const void *model, const char *name)
{
    const cpm_model *m = model;
    int p = cpm_parameter_index(m->type, name);
    return p >= 0 && m->type->parameters[p].shape == CPM_SCALAR ? m->value[p][0] : NAN;
}

static int add_row(const lister *l, const cpm_algorithm *a)
{
    cpm_parameters with[CPM_MOST_TRIES];
    const cpm_thresholds thresholds = {l->model ? threshold_of : NULL, l->model};
    const cpm_request *r = l->request;
    const cpm_collective row = {.algorithm = a}, plain = cpm_request_collective(r, &row);
    if (cpm_collective_applies(&plain, NULL)) /* nor with any parameters */
        return CPM_OK;
    const cpm_call call = {.bytes = r->bytes, .sizes = r->sizes};
    const size_t largest = cpm_largest_unit(&call, r->operation->units(r->n, r->neighbours));
    int status = CPM_OK,
        count = cpm_algorithm_tries(a, r->n, largest, &thresholds, with, CPM_MOST_TRIES);
    for (int k = 0; k < count && !status; k++)
        status = add(l, a, &with[k]);
    return status;
}

static int add_rows(const lister *l)
{
    int status = CPM_OK;
    for (const cpm_algorithm *a = cpm_algorithms; a->name && !status; a++)
        if (cpm_algorithm_serves(a, l->request->operation) && (!a->theirs || l->options->theirs))
            status = add_row(l, a);
    return status;
}

bool candidates_named(const cpm_selector_options *o, const cpm_collective *c)
{
    for (int k = 0; k < o->only_count; k++)
        if (cpm_collective_same(&o->only[k], c) && cpm_parameters_given(&c->with))
            return true;
    return false;
}

static bool is_plain(const cpm_collective *c)
{
    return cpm_parameters_equal(&c->with, &(cpm_parameters){0});
}

/* Those that were named; of none, *any stays as it is. */
static int add_named(const lister *l, bool *any)
{
    int status = CPM_OK;
    for (int k = 0; k < l->options->only_count && !status; k++) {
        const cpm_collective *c = &l->options->only[k];
        if (c->operation != l->request->operation || !c->algorithm)
            continue;
        *any = true;
        int before = l->to->count;
        status = is_plain(c) ? add_row(l, c->algorithm) : CPM_OK;
        if (!status && (!is_plain(c) || l->to->count == before)) /* who names it gets it */
            status = add(l, c->algorithm, &c->with);
    }
    return status;
}

/* These come first, so that rows find them there. */
static int add_usual(const lister *l)
{
    cpm_collective usual[CPM_MOST_USUAL];
    int status = CPM_OK;
    int count =
        l->options->native ? cpm_library_default(l->options->library, l->request, usual) : 0;
    for (int k = 0; k < count && !status; k++) {
        candidate x = {
            .what = cpm_request_collective(l->request, &usual[k]), .usual = true, .seconds = -1};
        x.what.by_library = differs_in_library(l, &x.what);
        status = cpm_request_asks(l->request, &x.what, &x.allowed, l->e);
        if (!status)
            status = candidates_add(l->to, &x, l->e);
    }
    return status;
}

int candidates_list(const cpm_model *m, const cpm_selector_options *o, const cpm_request *r,
                    candidates *out, cpm_error *e)
{
    candidates all = {0};
    lister l = {m, o, r, &all, e};
    bool named = false;
    int status = add_usual(&l);
    if (!status)
        status = add_named(&l, &named);
    if (!status && !named)
        status = add_rows(&l);
    if (status)
        candidates_clear(&all);
    else
        *out = all;
    return status;
}
