/* Who takes part in a contest: every candidate, or those that a model gives a chance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/contest.h"
#include "base/vector.h"
#include "collectives/on_groups.h"
#include "selection/candidates.h"
#include "selection/decomposed.h"
#include "selection/evaluate.h"

enum { MOST = 3, MOST_OF_ALGORITHM = 2, MOST_ON_GROUPS = 2 };

static void free_contest(const cpm_contest *x)
{
    free(x->at);
    free(x->predicted);
}

void cpm_contests_clear(cpm_contests *c)
{
    for (int k = 0; k < c->count; k++)
        free_contest(&c->at[k]);
    free(c->at);
    c->at = NULL;
    c->count = 0;
}

static int predict(const cpm_contest_field *field, const cpm_request *r, candidates *all,
                   cpm_error *e)
{
    const cpm_size_class one = {r->bytes, r->bytes};
    evaluation v = evaluation_of(field->model, r, one, field->options.effort);
    v.batch = field->options.batch;
    v.within = field->within;
    int status = evaluate_all(&v, all, e);
    return status ? status : decomposed_add(&v, &field->options, all, e);
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
    return !field->model || cpm_is_on_groups(&one->what) ||
           (one->seconds >= 0 && one->seconds <= field->within * best->seconds &&
            one->at_risk <= best->at_risk && x->count <= MOST &&
            count_of(x, one->what.algorithm) < MOST_OF_ALGORITHM);
}

static void append(cpm_contest *x, const cpm_collective *what, double predicted)
{
    if (x->predicted)
        x->predicted[x->count] = predicted >= 0 ? predicted : NAN;
    x->at[x->count++] = *what;
}

/* The library's own, and of all those that have a chance. */
static void enter(const cpm_contest_field *field, const cpm_request *r, const candidates *all,
                  cpm_contest *x)
{
    const cpm_collective native = {.operation = r->operation};
    const cpm_collective own = cpm_request_collective(r, &native);
    append(x, &own, NAN);
    for (int k = 0; k < all->count; k++)
        if (has_chance(field, x, &all->at[k], &all->at[0]))
            append(x, &all->at[k].what, all->at[k].seconds);
    x->dropped = all->count + 1 - x->count;
}

static bool is_there(const cpm_contest *x, const cpm_collective *c)
{
    for (int k = 0; k < x->count; k++)
        if (cpm_collective_same(&x->at[k], c))
            return true;
    return false;
}

/* The mesh of a candidate by the library's own routines; what was named stays as it is. */
static int enter_on_groups(const cpm_contest_field *field, const cpm_request *r,
                           const candidate *one, cpm_contest *x, int *entered, cpm_error *e)
{
    cpm_collective what;
    bool allowed = false;
    if (candidates_named(&field->options, &one->what) || !cpm_on_groups_of(&one->what, &what) ||
        is_there(x, &what))
        return CPM_OK;
    int status = cpm_request_asks(r, &what, &allowed, e);
    if (status || !allowed)
        return status;
    append(x, &what, NAN);
    (*entered)++;
    return CPM_OK;
}

static int enter_all_on_groups(const cpm_contest_field *field, const cpm_request *r,
                               const candidates *all, cpm_contest *x, cpm_error *e)
{
    int entered = 0, status = CPM_OK;
    for (int k = 0; k < all->count && field->groups && !status; k++) {
        const candidate *one = &all->at[k];
        const bool near = one->seconds >= 0 && one->seconds <= field->within * all->at[0].seconds;
        if (!field->model || (near && entered < MOST_ON_GROUPS))
            status = enter_on_groups(field, r, one, x, &entered, e);
    }
    return status;
}

/* Of what take the same time but for the gain the fastest at the size before comes first. */
static void keep_first(const cpm_contests *c, const cpm_operation *o, candidates *all)
{
    const cpm_contest *before = c->count ? &c->at[c->count - 1] : NULL;
    if (!before || before->operation != o || before->count < 2)
        return;
    for (int k = 1; k < all->count; k++) {
        const candidate x = all->at[k], *best = &all->at[0];
        if (x.seconds < 0 || x.at_risk != best->at_risk ||
            x.seconds * (1 - CPM_CONTEST_GAIN) > best->seconds)
            return;
        if (!cpm_collective_same(&x.what, &before->at[1]))
            continue;
        memmove(&all->at[1], &all->at[0], (size_t)k * sizeof *all->at);
        all->at[0] = x;
        return;
    }
}

static bool make_room(cpm_contest *x, int count, bool predicted)
{
    x->at = malloc((size_t)count * sizeof *x->at);
    x->predicted = predicted ? malloc((size_t)count * sizeof *x->predicted) : NULL;
    return x->at && (x->predicted || !predicted);
}

static int add(cpm_contests *c, const cpm_contest_field *field, const cpm_request *r,
               candidates *all, double weight, cpm_error *e)
{
    int status =
        field->model ? predict(field, r, all, e) : decomposed_add_all(&field->options, r, all, e);
    if (status)
        return status;
    if (field->model && all->count) {
        qsort(all->at, (size_t)all->count, sizeof *all->at, by_prediction);
        keep_first(c, r->operation, all);
    }
    cpm_contest x = {.operation = r->operation, .bytes = r->bytes, .weight = weight};
    if (!make_room(&x, 2 * all->count + 1, field->model != NULL) ||
        !cpm_vector_extend(&c->at, c->count, sizeof *c->at)) {
        free_contest(&x);
        return cpm_no_memory(e);
    }
    enter(field, r, all, &x);
    c->at[c->count++] = x;
    return enter_all_on_groups(field, r, all, &c->at[c->count - 1], e);
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
