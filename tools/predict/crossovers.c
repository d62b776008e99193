/* Where the fastest algorithm changes: binary search between sizes whose winners differ. */
#include <limits.h>

#include "base/escape.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"
#include "tools/predict/prediction.h"

/* Sizes are found to this part of themselves. */
static const double tolerance = 0.01;

typedef struct {
    const prediction *p;
    const cpm_operation *operation;
    table *rows;
    cpm_report_tables *all; /* NULL: rows */
    unsigned *outside;      /* all conditions that do not hold of a time that is shown */
    cpm_error *e;
} search;

/* The fastest choice of an operation at some size. */
typedef struct {
    int choice; /* -1: there is none */
    predicted time;
} winner;

static void add_row(const search *s, size_t from, const winner *w)
{
    char name[CPM_COLLECTIVE_NAME], outside[METHOD_OUTSIDE];
    cpm_collective_print(&s->p->which.at[w->choice], name, sizeof name);
    if (s->all) {
        cpm_report_tables_row(s->all, "ssnrs", s->operation->name, name, (long)from,
                              w->time.seconds * 1e6, method_outside(w->time.outside, outside));
        return;
    }
    table_cell(s->rows, "%zu", from);
    table_cell(s->rows, "%s", name);
    table_cell(s->rows, "%s%.2f", method_mark(w->time.outside), w->time.seconds * 1e6);
    *s->outside |= w->time.outside;
}

/* What is as fast as the fastest but for rounding does not replace one before it in the table. */
static int find_winner(const search *s, size_t bytes, winner *out)
{
    const choices *which = &s->p->which;
    winner one, best = {.choice = -1};
    int status = CPM_OK;
    for (int k = 0; k < which->count && !status; k++) {
        if (which->at[k].operation != s->operation)
            continue;
        one.choice = k;
        status = prediction_time(s->p, k, bytes, &one.time, s->e);
        if (best.choice < 0 || one.time.seconds < best.time.seconds * (1 - 1e-9))
            best = one;
    }
    if (!status)
        *out = best;
    return status;
}

/* Finds the changes in (low, high], whose winners are given. */
static int search_between(const search *s, size_t low, int first, size_t high, const winner *last)
{
    if (first == last->choice)
        return CPM_OK;
    size_t middle = low + (high - low) / 2;
    if (high - low <= 1 || (double)(high - low) <= tolerance * (double)low) {
        add_row(s, high, last);
        return CPM_OK;
    }
    winner between;
    int status = find_winner(s, middle, &between);
    if (!status)
        status = search_between(s, low, first, middle, &between);
    return status ? status : search_between(s, middle, between.choice, high, last);
}

/* At the first of the sizes that were asked for, which ascend, and between them up to the last. */
static int search_operation(const search *s)
{
    const cpm_sizes *sizes = &s->p->c->set->calls.sizes;
    winner before, next;
    int status = find_winner(s, sizes->at[0], &before);
    if (status || before.choice < 0)
        return status;
    add_row(s, sizes->at[0], &before);
    for (int i = 1; i < sizes->count && !status; i++) {
        status = find_winner(s, sizes->at[i], &next);
        if (!status)
            status = search_between(s, sizes->at[i - 1], before.choice, sizes->at[i], &next);
        before = next;
    }
    return status;
}

static int search_all(const search *s)
{
    int status = CPM_OK;
    for (const cpm_operation *o = cpm_operations; o->name && !status; o++) {
        search one = *s;
        one.operation = o;
        status = search_operation(&one);
    }
    return status;
}

static int print_text(const prediction *p, const char *timing, cpm_error *e)
{
    table t = {0};
    unsigned outside = 0;
    char model[PATH_MAX];
    bool isolated = p->by.walking.batch == CPM_ISOLATED;
    table_head(&t, "from", "algorithm", "us", NULL);
    int status = search_all(&(search){.p = p, .rows = &t, .outside = &outside, .e = e});
    printf("# cpm predict: %s, %s, %d processes, root %d%s%s: the fastest algorithm from each size "
           "on\n",
           cpm_escape(p->c->operand[0], model, sizeof model), p->model->type->name, p->model->n,
           p->c->set->calls.root, isolated ? "" : ", timing ", isolated ? "" : timing);
    printf("# size: bytes of a block, to %g %%; us: predicted time of that size\n",
           100 * tolerance);
    method_explain_mark(outside);
    int end = table_print(&t, "", 2, stdout, e);
    return status ? status : end;
}

static int print_report_tables(const prediction *p, const char *timing, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {{"operation", 0}, {"algorithm", 0},
                                                      {"from", 0},      {"predicted_us", 2},
                                                      {"outside", 0},   {NULL, 0}};
    static const cpm_report_table crossovers = {"crossovers", NULL, columns};
    cpm_report_tables all = {.title = "predict"};
    cpm_report_tables_metadata(&all, "model", "s", p->model->type->name);
    cpm_report_tables_metadata(&all, "processes", "n", (long)p->model->n);
    cpm_report_tables_metadata(&all, "root", "n", (long)p->c->set->calls.root);
    cpm_report_tables_metadata(&all, "method", "s", p->by.text);
    cpm_report_tables_metadata(&all, "timing", "s", timing);
    cpm_report_tables_metadata(&all, "tolerance", "r", tolerance);
    cpm_report_tables_begin(&all, &crossovers);
    int status = search_all(&(search){.p = p, .all = &all, .e = e});
    if (!status)
        return output_sheets(&all, p->c->set->out.format, e);
    cpm_report_tables_clear(&all);
    return status;
}

int crossovers_print(const prediction *p, cpm_error *e)
{
    char timing[CPM_BATCH_NAME];
    cpm_batch_name(p->by.walking.batch, timing);
    return (p->c->set->out.format == CPM_FORMAT_TEXT ? print_text : print_report_tables)(p, timing,
                                                                                         e);
}
