/* How far the fastest algorithms are from the least time that any schedule takes, by a model. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/parallel.h"
#include "selection/lower_bound.h"
#include "tools/frame/output.h"
#include "tools/predict/prediction.h"

typedef struct {
    const prediction *p;
    cpm_lower_bound *at; /* [sizes * operations], of operations that were asked for */
    int of[CPM_OPERATIONS], operations;
} bounds;

static int work_out(void *context, int k, cpm_error *e)
{
    const bounds *b = context;
    const cpm_collective *what = &b->p->which.at[b->of[k % b->operations]];
    const size_t bytes = b->p->c->set->calls.sizes.at[k / b->operations];
    return cpm_lower_bound_of(b->p->model, what, bytes, &b->at[k], e);
}

/* The first choice of each operation stands for it: placement and combining are those of all. */
static void find_operations(bounds *b)
{
    const choices *which = &b->p->which;
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (int k = 0; k < which->count; k++)
            if (which->at[k].operation == o) {
                b->of[b->operations++] = k;
                break;
            }
}

static int fastest(const prediction *p, int size, const cpm_operation *o)
{
    const int count = p->which.count;
    int best = -1;
    for (int k = 0; k < count; k++)
        if (p->which.at[k].operation == o &&
            (best < 0 || p->at[size * count + k].seconds < p->at[size * count + best].seconds))
            best = k;
    return best;
}

static void add_row(cpm_report_tables *all, const bounds *b, int size, int operation)
{
    const prediction *p = b->p;
    const cpm_operation *o = p->which.at[b->of[operation]].operation;
    const cpm_lower_bound *bound = &b->at[size * b->operations + operation];
    const int best = fastest(p, size, o);
    const double seconds = p->at[size * p->which.count + best].seconds;
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print_algorithm(&p->which.at[best], name, sizeof name);
    cpm_report_tables_row(all, "snrssrr", o->name, (long)p->c->set->calls.sizes.at[size],
                          1e6 * bound->seconds, bound->limit, name, 1e6 * seconds,
                          bound->seconds > 0 ? seconds / bound->seconds : NAN);
}

static int print(const bounds *b, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"operation", 0}, {"size", 0},    {"bound_us", 2}, {"limit", 0},
        {"best", 0},      {"best_us", 2}, {"over", 2},     {NULL, 0}};
    static const cpm_report_table table = {"bounds", NULL, columns};
    const prediction *p = b->p;
    const call *c = p->c;
    char model[PATH_MAX];
    cpm_report_tables all = {.title = "predict"};
    cpm_report_tables_metadata(&all, "model", "s", p->model->type->name);
    cpm_report_tables_metadata(&all, "processes", "n", (long)p->model->n);
    cpm_report_tables_metadata(&all, "root", "n", (long)c->set->calls.root);
    cpm_report_tables_begin(&all, &table);
    for (int o = 0; o < b->operations; o++)
        for (int i = 0; i < c->set->calls.sizes.count; i++)
            add_row(&all, b, i, o);
    if (c->set->out.format == CPM_FORMAT_TEXT)
        printf("# cpm predict: %s, %s, %d processes, root %d: the best possible\n"
               "# size: bytes of a block; times in microseconds\n"
               "# bound: by this model no schedule of messages takes less; limit: why\n"
               "# best: the fastest of these algorithms, and its time over the bound\n",
               cpm_escape(c->operand[0], model, sizeof model), p->model->type->name, p->model->n,
               c->set->calls.root);
    return output_sheets(&all, c->set->out.format, e);
}

int bounds_print(const prediction *p, cpm_error *e)
{
    bounds b = {.p = p};
    find_operations(&b);
    const int count = b.operations * p->c->set->calls.sizes.count;
    b.at = calloc((size_t)count + 1, sizeof *b.at);
    int status = b.at ? cpm_parallel(count, p->c->set->predicting.threads, work_out, &b, e)
                      : cpm_no_memory(e);
    if (!status)
        status = print(&b, e);
    free(b.at);
    return status;
}
