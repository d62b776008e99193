/* Tables of predictions: for people, and for programs. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/escape.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"
#include "tools/predict/prediction.h"

static const predicted *at(const prediction *p, int size, int choice)
{
    return &p->at[size * p->which.count + choice];
}

static bool is_fastest(const prediction *p, int size, int choice)
{
    for (int k = 0; k < p->which.count; k++)
        if (p->which.at[k].operation == p->which.at[choice].operation &&
            at(p, size, k)->seconds < at(p, size, choice)->seconds)
            return false;
    return true;
}

static const char *name_of(const prediction *p, int choice, char name[CPM_EXPERIMENT_NAME])
{
    cpm_collective_print(&p->which.at[choice], name, CPM_EXPERIMENT_NAME);
    return name;
}

/* ---- one algorithm: a row per size */

static bool ascend(const cpm_sizes *sizes)
{
    for (int i = 1; i < sizes->count; i++)
        if (sizes->at[i] < sizes->at[i - 1])
            return false;
    return sizes->count > 1;
}

/* "# bcast:native: mpich's binomial from 1024 on, scatter-ring from 16384 on"; of sizes that do not
 * ascend, what is at each: "binomial at 1024". */
static void explain_native(const prediction *p)
{
    bool ranges = ascend(&p->c->set->calls.sizes);
    for (int k = 0; k < p->which.count; k++) {
        cpm_collective what, before = p->which.at[k];
        if (before.algorithm)
            continue;
        printf("# %s:native: %s's", before.operation->name, predict_of(p->c)->library);
        for (int i = 0; i < p->c->set->calls.sizes.count; i++, before = what) {
            char name[CPM_COLLECTIVE_NAME];
            if (prediction_what(p, k, p->c->set->calls.sizes.at[i], &what, NULL))
                break; /* it was asked for before */
            cpm_collective_print_algorithm(&what, name, sizeof name);
            if (!ranges || !cpm_collective_same(&what, &before))
                printf("%s %s %s %zu%s", i ? "," : "", name, ranges ? "from" : "at",
                       p->c->set->calls.sizes.at[i], ranges ? " on" : "");
        }
        putchar('\n');
    }
}

/* What intervals are of where the model has no check; NULL: it has one, or there are none. */
static const char *unchecked(const prediction *p)
{
    return p->intervals && !p->checked.count
               ? "of the parameters, not of how far the model is off: without a check of its own "
                 "that is not known"
               : NULL;
}

static void print_head(const prediction *p)
{
    const call *c = p->c;
    unsigned outside = 0;
    char model[PATH_MAX], timing[CPM_BATCH_NAME], check[CPM_CHECKED_TEXT];
    for (int i = 0; i < c->set->calls.sizes.count * p->which.count; i++)
        outside |= p->at[i].outside;
    bool isolated = p->by.walking.batch == CPM_ISOLATED;
    cpm_combining what;
    bool combines = p->model->type->combine && choices_combine(&p->which, &what);
    cpm_batch_name(p->by.walking.batch, timing);
    printf("# cpm predict: %s, %s, %d processes, root %d, method %s%s%s%s%s\n",
           cpm_escape(c->operand[0], model, sizeof model), p->model->type->name, p->model->n,
           c->set->calls.root, p->by.text, isolated ? "" : ", timing ", isolated ? "" : timing,
           combines ? ", reductions of " : "", combines ? cpm_combinings[what].name : "");
    printf("# size: bytes of a block; times in microseconds%s\n",
           p->shared      ? " (from, if nothing is shared, to, if all is)"
           : p->intervals ? " +- half their confidence interval"
                          : "");
    if (p->which.count > 1)
        puts("# a row per algorithm, the best first; * the fastest");
    if (p->checked.count)
        printf("# check of the model: %s\n", cpm_checked_text(&p->checked, check));
    if (unchecked(p))
        printf("# intervals: %s\n", unchecked(p));
    if (p->too_many)
        puts("# without intervals, which take 40 times as long: --intervals");
    method_explain_mark(outside);
    explain_native(p);
}

static double low(const predicted *time)
{
    return fmax(0, time->seconds - time->half);
}

static double high(const predicted *time)
{
    return fmax(time->seconds, time->most) + time->half;
}

static void time_cell(table *t, const prediction *p, int size, int choice, const char *mark)
{
    const predicted *time = at(p, size, choice);
    if (p->shared)
        table_cell(t, "%s%s%.2f (%.2f..%.2f)", mark, method_mark(time->outside),
                   time->seconds * 1e6, low(time) * 1e6, high(time) * 1e6);
    else if (p->intervals)
        table_cell(t, "%s%.2f +- %.2f", mark, time->seconds * 1e6, time->half * 1e6);
    else
        table_cell(t, "%s%s%.2f", mark, method_mark(time->outside), time->seconds * 1e6);
}

static int print_one(const prediction *p, cpm_error *e)
{
    char name[CPM_EXPERIMENT_NAME];
    table t = {0};
    table_head(&t, "size", name_of(p, 0, name), NULL);
    for (int i = 0; i < p->c->set->calls.sizes.count; i++) {
        table_cell(&t, "%zu", p->c->set->calls.sizes.at[i]);
        time_cell(&t, p, i, 0, "");
    }
    return table_print(&t, "", 0, stdout, e);
}

/* ---- several: a row each */

/* The mean of log(time over the fastest of its operation): what an algorithm loses. */
static double loss_of(const prediction *p, int choice)
{
    double sum = 0;
    for (int i = 0; i < p->c->set->calls.sizes.count; i++) {
        double best = INFINITY;
        for (int k = 0; k < p->which.count; k++)
            if (p->which.at[k].operation == p->which.at[choice].operation)
                best = fmin(best, at(p, i, k)->seconds);
        double seconds = at(p, i, choice)->seconds;
        sum += seconds > 0 ? log(seconds / best) : 0;
    }
    return sum;
}

typedef struct {
    double loss;
    int choice;
} ranked;

static int by_loss(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss < y->loss ? -1 : 1;
    return (x->choice > y->choice) - (x->choice < y->choice);
}

/* The choices of one operation, the best first; returns how many. */
static int rank_operation(const prediction *p, const cpm_operation *operation, ranked *out)
{
    int count = 0;
    for (int k = 0; k < p->which.count; k++)
        if (p->which.at[k].operation == operation)
            out[count++] = (ranked){loss_of(p, k), k};
    qsort(out, (size_t)count, sizeof *out, by_loss);
    return count;
}

static void fastest_row(table *t, const prediction *p, const ranked *order, int count)
{
    table_cell(t, "# fastest");
    for (int i = 0; i < p->c->set->calls.sizes.count; i++) {
        int best = order[0].choice;
        for (int k = 1; k < count; k++)
            if (at(p, i, order[k].choice)->seconds < at(p, i, best)->seconds)
                best = order[k].choice;
        table_cell(t, "%s", cpm_collective_algorithm(&p->which.at[best]));
    }
}

static int print_operation(const prediction *p, const cpm_operation *operation, ranked *order,
                           cpm_error *e)
{
    char name[CPM_EXPERIMENT_NAME];
    int count = rank_operation(p, operation, order), sizes = p->c->set->calls.sizes.count;
    table t = {.columns = 1 + sizes};
    if (count == 0)
        return CPM_OK;
    table_cell(&t, "# %s", operation->name);
    for (int i = 0; i < sizes; i++)
        table_cell(&t, "%zu", p->c->set->calls.sizes.at[i]);
    for (int k = 0; k < count; k++) {
        table_cell(&t, "%s", name_of(p, order[k].choice, name));
        for (int i = 0; i < sizes; i++)
            time_cell(&t, p, i, order[k].choice, is_fastest(p, i, order[k].choice) ? "* " : "");
    }
    if (count > 1)
        fastest_row(&t, p, order, count);
    return table_print(&t, "", 1, stdout, e);
}

static int print_text(const prediction *p, cpm_error *e)
{
    print_head(p);
    if (p->which.count == 1)
        return print_one(p, e);
    ranked *order = malloc((size_t)p->which.count * sizeof *order);
    int status = order ? CPM_OK : cpm_no_memory(e);
    for (const cpm_operation *o = cpm_operations; o->name && !status; o++)
        status = print_operation(p, o, order, e);
    free(order);
    return status;
}

/* Of a row: NaN where there are no intervals. */
static void add_prediction(cpm_report_tables *all, const prediction *p, int size, int choice)
{
    char name[CPM_EXPERIMENT_NAME], outside[METHOD_OUTSIDE];
    const predicted *time = at(p, size, choice);
    cpm_report_tables_row(all, "snnsrrrs", name_of(p, choice, name), (long)p->c->set->calls.root,
                          (long)p->c->set->calls.sizes.at[size], p->by.text, time->seconds * 1e6,
                          p->intervals || p->shared ? low(time) * 1e6 : NAN,
                          p->intervals || p->shared ? high(time) * 1e6 : NAN,
                          method_outside(time->outside, outside));
}

static int print_report_tables(const prediction *p, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"algorithm", 0}, {"root", 0},    {"size", 0},    {"method", 0}, {"predicted_us", 2},
        {"low_us", 2},    {"high_us", 2}, {"outside", 0}, {NULL, 0}};
    static const cpm_report_table predictions = {"predictions", NULL, columns};
    char timing[CPM_BATCH_NAME], check[CPM_CHECKED_TEXT];
    cpm_report_tables all = {.title = "predict"};
    cpm_batch_name(p->by.walking.batch, timing);
    cpm_report_tables_metadata(&all, "model", "s", p->model->type->name);
    cpm_report_tables_metadata(&all, "processes", "n", (long)p->model->n);
    if (*p->beyond)
        cpm_report_tables_metadata(&all, "extrapolated", "s", p->beyond);
    if (p->checked.count)
        cpm_report_tables_metadata(&all, "check", "s", cpm_checked_text(&p->checked, check));
    if (unchecked(p))
        cpm_report_tables_metadata(&all, "intervals", "s", unchecked(p));
    cpm_report_tables_metadata(&all, "root", "n", (long)p->c->set->calls.root);
    cpm_report_tables_metadata(&all, "method", "s", p->by.text);
    cpm_report_tables_metadata(&all, "timing", "s", timing);
    cpm_report_tables_begin(&all, &predictions);
    for (int i = 0; i < p->c->set->calls.sizes.count; i++)
        for (int k = 0; k < p->which.count; k++)
            add_prediction(&all, p, i, k);
    return output_sheets(&all, p->c->set->out.format, e);
}

int prediction_print(const prediction *p, cpm_error *e)
{
    return (p->c->set->out.format == CPM_FORMAT_TEXT ? print_text : print_report_tables)(p, e);
}
