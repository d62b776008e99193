/* Candidates: all rows of the table, and what rows can be given. */
#include "selection/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/algorithms/pieces.h"
#include "collectives/parameters.h"
#include "selection/usual.h"

/* Segments are powers of 4; more pieces than that are a pipeline's overhead only. */
enum { LEAST_SEGMENT = 1024, MOST_PIECES = 512 };

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

static int add_segments(const lister *l, const cpm_algorithm *a)
{
    size_t bytes = largest_block(l->request);
    int status = CPM_OK;
    for (size_t s = LEAST_SEGMENT; s < bytes && !status; s *= 4)
        if (bytes / s <= MOST_PIECES)
            status = add(l, a, (cpm_parameters){.segment = s});
    return status;
}

/* A threshold of the model that some block reaches; 0: there is none. */
static size_t reached(const lister *l, const char *threshold)
{
    const cpm_model *m = l->model;
    int p = cpm_parameter_index(m->type, threshold);
    double from = p >= 0 ? m->value[p][0] : NAN;
    return (double)largest_block(l->request) >= from ? (size_t)ceil(from) : 0;
}

/* Pieces that are just smaller than a threshold of the model (thesis 7.2), or than a part of it. */
static int add_below(const lister *l, const cpm_algorithm *a, const char *threshold, double part)
{
    double from = part * (double)reached(l, threshold);
    return from >= 2 ? add(l, a, (cpm_parameters){.segment = (size_t)ceil(from) - 1}) : CPM_OK;
}

/* Blocks one by one where together they would escalate. */
static int add_one_by_one(const lister *l, const cpm_algorithm *a)
{
    size_t from = reached(l, "M1");
    return from ? add(l, a, (cpm_parameters){.threshold = from}) : CPM_OK;
}

static int add_row(const lister *l, const cpm_algorithm *a)
{
    bool splits = strncmp(a->name, "split", 5) == 0 && a->properties & CPM_TAKES_K;
    bool gathers = splits && strcmp(a->operation, "gather") == 0;
    bool irregular = gathers && reached(l, "M1");
    int status = CPM_OK;
    if (irregular && strcmp(a->name, "split-barrier") != 0)
        return CPM_OK; /* without barriers senders send all pieces at once (thesis 7.2) */
    if (!irregular)    /* two pieces may still be too long */
        status = add(l, a, (cpm_parameters){0});
    if (!status && splits && !gathers)
        status = add_below(l, a, "S", 1);
    else if (!status && splits) /* one gather in 20 just below M1 escalates, and there are many */
        status = add_below(l, a, "M1", 0.5);
    else if (!status && a->properties & CPM_TAKES_SEGMENT)
        status = add_segments(l, a);
    if (!status && a->properties & CPM_TAKES_THRESHOLD)
        status = add_one_by_one(l, a);
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
