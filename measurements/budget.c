/* Every round gets as many repetitions as any other: precision grows evenly. */
#include "measurements/budget.h"

#include <math.h>
#include <stdlib.h>

#include "base/vector.h"

static bool alike(const cpm_experiment *a, const cpm_experiment *b)
{
    return a->kind == b->kind && a->collective.operation == b->collective.operation &&
           a->collective.algorithm == b->collective.algorithm && a->count == b->count &&
           a->send_bytes == b->send_bytes && a->reply_bytes == b->reply_bytes;
}

static cpm_round_cost *find(const cpm_costs *c, const cpm_experiment *x)
{
    for (int q = 0; q < c->count; q++)
        if (alike(&c->known[q].like, x))
            return &c->known[q];
    return NULL;
}

bool cpm_costs_known(const cpm_costs *c, const cpm_experiment *x)
{
    return find(c, x) != NULL;
}

void cpm_costs_clear(cpm_costs *c)
{
    free(c->known);
    *c = (cpm_costs){0};
}

int cpm_costs_learn(cpm_costs *c, const cpm_experiment *x, int reps, double seconds, cpm_error *e)
{
    cpm_round_cost *known = find(c, x);
    if (!known) {
        if (!cpm_vector_extend(&c->known, c->count, sizeof *c->known))
            return cpm_no_memory(e);
        known = &c->known[c->count++];
        *known = (cpm_round_cost){.like = *x};
    }
    known->seconds += seconds;
    known->reps += reps;
    return CPM_OK;
}

static double dearest(const cpm_costs *c)
{
    double most = 0;
    for (int q = 0; q < c->count; q++)
        most = fmax(most, c->known[q].seconds / c->known[q].reps);
    return most;
}

static int first_of(const cpm_design *d, int round)
{
    return round ? d->end[round - 1] : 0;
}

double cpm_costs_of(const cpm_costs *c, const cpm_design *d, int first)
{
    double sum = 0, unknown = dearest(c);
    for (int r = first; r < d->rounds; r++) {
        const cpm_round_cost *known = find(c, &d->at[first_of(d, r)]);
        sum += known ? known->seconds / known->reps : unknown;
    }
    return sum;
}

int cpm_budget_reps(const cpm_costs *c, const cpm_design *d, int first, double left,
                    const cpm_precision *p)
{
    double once = cpm_costs_of(c, d, first), reps = once > 0 ? left / once : p->min_reps;
    /* of one that is measured for the first time the least, to learn what it takes */
    if (reps < p->min_reps || !find(c, &d->at[first_of(d, first)]))
        return p->min_reps;
    return reps > p->max_reps ? p->max_reps : (int)reps;
}

static bool is_first(const cpm_design *d, int round)
{
    const cpm_experiment *x = &d->at[first_of(d, round)];
    for (int r = 0; r < round; r++)
        if (alike(&d->at[first_of(d, r)], x))
            return false;
    return x->kind != NULL;
}

/* A round, or its first experiment alone, or the rest of it. */
typedef enum { WHOLE, FIRST, REST } part;

static int add_round(const cpm_design *d, int round, part what, cpm_design *to, cpm_error *e)
{
    int begin = first_of(d, round) + (what == REST), status = CPM_OK;
    int end = what == FIRST ? begin + 1 : d->end[round];
    for (int q = begin; q < end && !status; q++)
        status = cpm_design_add(to, &d->at[q], e);
    return status ? status : cpm_design_close_round(to, e);
}

int cpm_budget_order(cpm_design *d, cpm_error *e)
{
    cpm_design ordered = {0};
    int status = CPM_OK;
    for (int r = 0; r < d->rounds && !status; r++)
        if (is_first(d, r))
            status = add_round(d, r, FIRST, &ordered, e);
    for (int r = 0; r < d->rounds && !status; r++)
        if (is_first(d, r))
            status = add_round(d, r, REST, &ordered, e);
    for (int r = 0; r < d->rounds && !status; r++)
        if (!is_first(d, r))
            status = add_round(d, r, WHOLE, &ordered, e);
    if (status) {
        cpm_design_clear(&ordered);
        return status;
    }
    cpm_design_clear(d);
    *d = ordered;
    return CPM_OK;
}
