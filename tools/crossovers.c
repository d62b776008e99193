/* Where the fastest algorithm changes: binary search between sizes whose winners differ. */
#include <stdlib.h>

#include "tools/prediction.h"
#include "tools/table.h"

/* Sizes are found to this part of themselves. */
static const double tolerance = 0.01;

typedef struct {
    const prediction *p;
    const cpm_operation *operation;
    table *rows;
    cpm_error *e;
} search;

/* From so many bytes on that choice is the fastest; it takes seconds for as many. */
static void found(const search *s, size_t from, int winner, double seconds)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print(&s->p->which.at[winner], name, sizeof name);
    table_cell(s->rows, "%zu", from);
    table_cell(s->rows, "%s", name);
    table_us(s->rows, seconds);
}

/* What is as fast as the fastest but for rounding does not replace one before it in the table. */
static int find_winner(const search *s, size_t bytes, int *winner, double *seconds)
{
    const choices *which = &s->p->which;
    double one;
    int status = CPM_OK;
    *winner = -1;
    for (int k = 0; k < which->count && !status; k++) {
        if (which->at[k].operation != s->operation)
            continue;
        status = prediction_time(s->p, k, bytes, &one, s->e);
        if (!status && (*winner < 0 || one < *seconds * (1 - 1e-9))) {
            *winner = k;
            *seconds = one;
        }
    }
    return status;
}

/* Finds the changes in (low, high], whose winners are given. */
static int search_between(const search *s, size_t low, int first, size_t high, int last,
                          double seconds)
{
    if (first == last)
        return CPM_OK;
    size_t middle = low + (high - low) / 2;
    if (high - low <= 1 || (double)(high - low) <= tolerance * (double)low) {
        found(s, high, last, seconds);
        return CPM_OK;
    }
    int winner;
    double time = 0;
    int status = find_winner(s, middle, &winner, &time);
    if (!status)
        status = search_between(s, low, first, middle, winner, time);
    return status ? status : search_between(s, middle, winner, high, last, seconds);
}

/* At the first of the sizes that were asked for, which ascend, and between them up to the last. */
static int search_operation(const search *s)
{
    const cpm_sizes *sizes = &s->p->c->set.sizes;
    int winner, next;
    double seconds = 0;
    int status = find_winner(s, sizes->at[0], &winner, &seconds);
    if (status || winner < 0)
        return status;
    found(s, sizes->at[0], winner, seconds);
    for (int i = 1; i < sizes->count && !status; i++) {
        status = find_winner(s, sizes->at[i], &next, &seconds);
        if (!status)
            status = search_between(s, sizes->at[i - 1], winner, sizes->at[i], next, seconds);
        winner = next;
    }
    return status;
}

int crossovers_print(const prediction *p, cpm_error *e)
{
    table t = {.columns = 3};
    int status = CPM_OK;
    printf(
        "# cpm predict: %s, %s, %d processes, root %d: the fastest algorithm from each size on\n",
        p->c->operand[0], p->model->type->name, p->model->n, p->c->set.root);
    printf("# size: bytes of a block, to %g %%; us: predicted time of that size\n",
           100 * tolerance);
    table_cell(&t, "# from");
    table_cell(&t, "algorithm");
    table_cell(&t, "us");
    for (const cpm_operation *o = cpm_operations; o->name && !status; o++)
        status = search_operation(&(search){p, o, &t, e});
    int end = table_print(&t, "", 2, stdout, e);
    return status ? status : end;
}
