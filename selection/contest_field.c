/* Who takes part in a contest: every candidate, or those that a model gives a chance. */
#include <math.h>
#include <stdlib.h>

#include "base/vector.h"
#include "selection/candidates.h"
#include "selection/contest.h"
#include "selection/judge.h"

enum { MOST = 3, MOST_OF_ALGORITHM = 2 };

void cpm_contests_clear(cpm_contests *c)
{
    for (int k = 0; k < c->count; k++)
        free(c->at[k].at);
    free(c->at);
    c->at = NULL;
    c->count = 0;
}

static int predict(const cpm_contest_field *field, const cpm_request *r, candidates *all,
                   cpm_error *e)
{
    const cpm_size_class one = {r->bytes, r->bytes};
    judge j = judge_of(field->model, r, one, field->options.effort);
    j.batch = field->options.batch;
    j.within = field->within;
    return judge_all(&j, all, e);
}

/* What is not known comes last, before it what escalates: times do not say by how much. */
static int by_prediction(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->seconds >= 0 && y->seconds >= 0 && x->at_risk != y->at_risk)
        return x->at_risk ? 1 : -1;
    double s = x->seconds < 0 ? INFINITY : x->seconds, t = y->seconds < 0 ? INFINITY : y->seconds;
    return (s > t) - (s < t);
}

static int count_of(const cpm_contest *x, const cpm_algorithm *a)
{
    int count = 0;
    for (int k = 1; k < x->count; k++)
        count += x->at[k].algorithm == a;
    return count;
}

static bool has_chance(const cpm_contest_field *field, const cpm_contest *x, const candidate *one,
                       const candidate *best)
{
    return !field->model || (one->seconds >= 0 && one->seconds <= field->within * best->seconds &&
                             one->at_risk <= best->at_risk && x->count <= MOST &&
                             count_of(x, one->what.algorithm) < MOST_OF_ALGORITHM);
}

/* The library's own, and of all those that have a chance. */
static void enter(const cpm_contest_field *field, const cpm_request *r, const candidates *all,
                  cpm_contest *x)
{
    const cpm_collective native = {.operation = r->operation};
    x->at[x->count++] = cpm_request_collective(r, &native);
    for (int k = 0; k < all->count; k++)
        if (has_chance(field, x, &all->at[k], &all->at[0]))
            x->at[x->count++] = all->at[k].what;
    x->dropped = all->count + 1 - x->count;
}

static int add(cpm_contests *c, const cpm_contest_field *field, const cpm_request *r,
               candidates *all, double weight, cpm_error *e)
{
    int status = field->model ? predict(field, r, all, e) : CPM_OK;
    if (status)
        return status;
    if (field->model && all->count)
        qsort(all->at, (size_t)all->count, sizeof *all->at, by_prediction);
    cpm_contest x = {.operation = r->operation, .bytes = r->bytes, .weight = weight};
    x.at = malloc(((size_t)all->count + 1) * sizeof *x.at);
    if (!x.at || !cpm_vector_extend(&c->at, c->count, sizeof *c->at)) {
        free(x.at);
        return cpm_fail(e, CPM_ENOMEM, "no memory for a contest of %d algorithms", all->count);
    }
    enter(field, r, all, &x);
    c->at[c->count++] = x;
    return CPM_OK;
}

int cpm_contests_add(cpm_contests *c, const cpm_contest_field *field, const cpm_request *r,
                     double weight, cpm_error *e)
{
    candidates all = {0};
    if (!cpm_selector_asks_for(&field->options, r->operation))
        return CPM_OK;
    int status = candidates_list(field->model, &field->options, r, &all, e);
    if (!status)
        status = add(c, field, r, &all, weight, e);
    candidates_clear(&all);
    return status;
}
