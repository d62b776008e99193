/* Where the fastest algorithm changes: binary search between sizes whose winners differ. */
#include <stdlib.h>

#include "tools/prediction.h"
#include "tools/table.h"

/* Sizes are found to this part of themselves. */
static const double tolerance = 0.01;

typedef struct {
    const prediction *p;
    const cpm_operation *operation;
    crossovers_found *found;
    void *context;
    cpm_error *e;
} search;

/* A choice at some size. */
typedef struct {
    predicted time;
    bool escalates;
} outcome;

static int try(const search *s, int choice, size_t bytes, outcome *out)
{
    out->escalates = false;
    int status = prediction_time(s->p, choice, bytes, &out->time, s->e);
    if (!status && s->p->escalates)
        status = s->p->escalates(s->p, choice, bytes, &out->escalates, s->e);
    return status;
}

/* What is as fast as the fastest but for rounding does not replace one before it in the table. */
static bool is_better(const outcome *a, const outcome *b)
{
    return a->escalates != b->escalates ? b->escalates
                                        : a->time.seconds < b->time.seconds * (1 - 1e-9);
}

static int find_winner(const search *s, size_t bytes, int *winner, predicted *time)
{
    const choices *which = &s->p->which;
    outcome best = {0}, one;
    int status = CPM_OK;
    *winner = -1;
    for (int k = 0; k < which->count && !status; k++) {
        if (which->at[k].operation != s->operation)
            continue;
        status = try(s, k, bytes, &one);
        if (!status && (*winner < 0 || is_better(&one, &best))) {
            *winner = k;
            best = one;
        }
    }
    *time = best.time;
    return status;
}

/* Finds the changes in (low, high], whose winners are given. */
static int search_between(const search *s, size_t low, int first, size_t high, int last,
                          const predicted *time)
{
    if (first == last)
        return CPM_OK;
    size_t middle = low + (high - low) / 2;
    if (high - low <= 1 || (double)(high - low) <= tolerance * (double)low)
        return s->found(s->context, high, last, time, s->e);
    int winner;
    predicted between = {0};
    int status = find_winner(s, middle, &winner, &between);
    if (!status)
        status = search_between(s, low, first, middle, winner, &between);
    return status ? status : search_between(s, middle, winner, high, last, time);
}

int crossovers_find(const prediction *p, const cpm_operation *operation, crossovers_found *found,
                    void *context, cpm_error *e)
{
    const search s = {p, operation, found, context, e};
    const cpm_sizes *sizes = &p->c->set.sizes;
    int winner, next;
    predicted time = {0};
    int status = find_winner(&s, sizes->at[0], &winner, &time);
    if (status || winner < 0)
        return status;
    status = found(context, sizes->at[0], winner, &time, e);
    for (int i = 1; i < sizes->count && !status; i++) {
        status = find_winner(&s, sizes->at[i], &next, &time);
        if (!status)
            status = search_between(&s, sizes->at[i - 1], winner, sizes->at[i], next, &time);
        winner = next;
    }
    return status;
}

/* ---- as a table for people */

typedef struct {
    const prediction *p;
    table *t;
    unsigned outside;
} printed;

static int add_row(void *context, size_t from, int winner, const predicted *time, cpm_error *e)
{
    (void)e;
    printed *to = context;
    char name[CPM_EXPERIMENT_NAME];
    cpm_collective_print(&to->p->which.at[winner], name, sizeof name);
    table_cell(to->t, "%zu", from);
    table_cell(to->t, "%s", name);
    table_cell(to->t, "%s%.2f", method_mark(time->outside), time->seconds * 1e6);
    to->outside |= time->outside;
    return CPM_OK;
}

int crossovers_print(const prediction *p, cpm_error *e)
{
    table t = {.columns = 3};
    printed to = {p, &t, 0};
    int status = CPM_OK;
    table_cell(&t, "# from");
    table_cell(&t, "algorithm");
    table_cell(&t, "us");
    for (const cpm_operation *o = cpm_operations; o->name && !status; o++)
        status = crossovers_find(p, o, add_row, &to, e);
    printf(
        "# cpm predict: %s, %s, %d processes, root %d: the fastest algorithm from each size on\n",
        p->c->operand[0], p->model->type->name, p->model->n, p->c->set.root);
    printf("# size: bytes of a block, to %g %%; us: predicted time of that size\n",
           100 * tolerance);
    method_explain_mark(to.outside);
    int end = table_print(&t, "", 2, stdout, e);
    return status ? status : end;
}
