/* Predictions against observations: errors of every operation, curves over the size; and what was
 * observed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/parallel.h"
#include "tools/page/sections.h"

/* ---- which files */

static bool is_of_collective(const cpm_measurement *r)
{
    return !r->what.kind && r->summary.median > 0;
}

/* Whether a file has collectives; own: by CPM's algorithms. */
static bool has_collectives(const page_file *f, bool own)
{
    for (int i = 0; f->measurements && i < f->measurements->count; i++) {
        const cpm_measurement *r = &f->measurements->at[i];
        if (is_of_collective(r) && (!own || r->what.collective.algorithm))
            return true;
    }
    return false;
}

bool page_is_comparable(const page_cluster *k, const page_file *f)
{
    return k->main && f->n == k->main->n && (f->model || has_collectives(f, true));
}

bool page_has_comparable(const page_cluster *k)
{
    for (const page_file *f = NULL; (f = page_next(k, "measurements", f));)
        if (page_is_comparable(k, f))
            return true;
    return false;
}

bool page_has_observed(const page_cluster *k)
{
    return page_has_comparable(k) || page_has(k, "validation") || page_has(k, "comparison") ||
           page_has(k, "comparison of runs");
}

bool page_has_collectives(const page_cluster *k)
{
    for (const page_file *f = NULL; (f = page_next(k, "measurements", f));)
        if (has_collectives(f, false))
            return true;
    return false;
}

/* ---- curves: predictions of many sizes, around those that were observed */

/* Of a way to predict, and of the observations of one algorithm and root, which stand together. */
typedef struct {
    const comparison *x;
    const predictor *by;
    int first;
    size_t least, most;
    int count;
    size_t *bytes;   /* [count] */
    double *seconds; /* [count] NaN: it cannot predict this one */
} curve;

typedef struct {
    curve *at;
    int count;
} curves;

/* Walks through many processes take long. */
static int points_of(int n)
{
    return n <= 64 ? 33 : n <= 256 ? 17 : 9;
}

static bool is_same(const observation *a, const observation *b)
{
    return a->what.i == b->what.i && cpm_collective_same(&a->what.collective, &b->what.collective);
}

static int end_of(const comparison *x, int first)
{
    int end = first;
    while (end < x->in.count && is_same(&x->in.at[first], &x->in.at[end]))
        end++;
    return end;
}

static int by_size(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Evenly over the logarithm, and the observed ones. */
static int set_sizes(curve *c, int end, cpm_error *e)
{
    int points = points_of(c->x->in.n), count = 0;
    size_t room = (size_t)(points + end - c->first);
    c->bytes = calloc(room, sizeof *c->bytes);
    c->seconds = calloc(room, sizeof *c->seconds);
    if (!c->bytes || !c->seconds)
        return cpm_no_memory(e);
    for (int i = c->first; i < end; i++)
        c->bytes[count++] = c->x->in.at[i].what.send_bytes;
    double least = log2(fmax(1, (double)c->least / 4)), most = log2((double)c->most * 4);
    for (int i = 0; i < points && c->most; i++)
        c->bytes[count++] = (size_t)round(exp2(least + (most - least) * i / (points - 1)));
    qsort(c->bytes, (size_t)count, sizeof *c->bytes, by_size);
    for (int i = 0; i < count; i++)
        if (!i || c->bytes[i] != c->bytes[c->count - 1])
            c->bytes[c->count++] = c->bytes[i];
    return CPM_OK;
}

static int begin_curve(curve *c, const comparison *x, const predictor *by, int first, int end,
                       cpm_error *e)
{
    *c = (curve){.x = x, .by = by, .first = first, .least = SIZE_MAX};
    for (int i = first; i < end; i++) {
        size_t bytes = x->in.at[i].what.send_bytes;
        c->least = bytes < c->least ? bytes : c->least;
        c->most = bytes > c->most ? bytes : c->most;
    }
    return set_sizes(c, end, e);
}

static int begin_curves(const comparison *x, curves *out, cpm_error *e)
{
    int status = CPM_OK;
    out->at = calloc((size_t)x->predictors * (size_t)x->in.count, sizeof *out->at);
    if (!out->at)
        return cpm_no_memory(e);
    for (int p = 0; p < x->predictors && !status; p++)
        for (int i = 0; i < x->in.count && !x->by[p].averaged && !status; i = end_of(x, i))
            status = begin_curve(&out->at[out->count++], x, &x->by[p], i, end_of(x, i), e);
    return status;
}

/* One of a curve's points that cannot be predicted is left out. */
static int predict_curve(void *context, int number, cpm_error *e)
{
    curve *c = &((curves *)context)->at[number];
    const observation *o = &c->x->in.at[c->first];
    const cpm_collective what = cpm_experiment_collective(&o->what, c->by->model->n);
    for (int i = 0; i < c->count; i++) {
        predicted value;
        cpm_error why = {0};
        int status = method_predict(&c->by->by, c->by->model, &what, c->bytes[i], &value, &why);
        if (status == CPM_ENOMEM)
            return cpm_fail(e, status, "%s", why.text);
        c->seconds[i] = status ? NAN : value.seconds;
    }
    return CPM_OK;
}

static json_t *describe(const block_list *to, const char *model, const cpm_experiment *what)
{
    char name[CPM_EXPERIMENT_NAME];
    json_t *object = json_object();
    cpm_experiment_name(what, name, sizeof name);
    block_set_text(to, object, "model", model);
    block_set_text(to, object, "algorithm", name);
    block_set(to, object, "root", json_integer(what->i));
    return object;
}

static void add_curve(const block_list *to, json_t *list, const curve *c)
{
    json_t *object = describe(to, c->by->label, &c->x->in.at[c->first].what);
    json_t *at = block_set_list(to, object, "at");
    for (int i = 0; i < c->count; i++) {
        if (isnan(c->seconds[i]))
            continue;
        json_t *point = block_append_list(to, at);
        block_append(to, point, json_integer((json_int_t)c->bytes[i]));
        block_append(to, point, block_number(c->seconds[i] * 1e6, 5));
    }
    block_append(to, list, object);
}

static int add_curves(const block_list *to, json_t *block, const comparison *x, cpm_error *e)
{
    curves all = {0};
    json_t *list = block_set_list(to, block, "curves");
    int status = begin_curves(x, &all, e);
    if (!status)
        status = cpm_parallel(all.count, 0, predict_curve, &all, e);
    for (int i = 0; i < all.count; i++) {
        if (!status)
            add_curve(to, list, &all.at[i]);
        free(all.at[i].bytes);
        free(all.at[i].seconds);
    }
    free(all.at);
    return status;
}

/* ---- models against observations */

static void add_prediction(table *t, const comparison *x, const predictor *by, int i)
{
    const observation *o = &x->in.at[i];
    char name[CPM_EXPERIMENT_NAME];
    cpm_experiment_name(&o->what, name, sizeof name);
    table_cell(t, "%s", by->label);
    table_cell(t, "%s", name);
    table_cell(t, "%d", o->what.i);
    table_cell(t, "%zu", o->what.send_bytes);
    table_us(t, by->at[i].seconds);
    table_us(t, o->value);
    table_us(t, o->low);
    table_us(t, o->high);
    table_cell(t, "%.4f", by->at[i].seconds / o->value - 1);
}

/* The rows are those of the file that cpm compare writes. */
static int make_charts(const page_cluster *k, const comparison *x, cpm_error *e)
{
    table t = {0};
    json_t *block = block_add(&k->to, "comparison");
    table_head(&t, "model", "algorithm", "root", "size", "predicted_us", "observed_us", "ci_low_us",
               "ci_high_us", "error", NULL);
    for (int p = 0; p < x->predictors; p++)
        for (int i = 0; i < x->in.count; i++)
            if (!isnan(x->by[p].at[i].seconds))
                add_prediction(&t, x, &x->by[p], i);
    block_set_table(&k->to, block, &t);
    return add_curves(&k->to, block, x, e);
}

static int make_comparison(const page_cluster *k, cpm_error *e)
{
    const page_findings *f = k->found;
    table t = {0};
    if (f->uncompared.code)
        return page_without(k, "Not compared", &f->uncompared, e);
    int status = make_charts(k, &f->x, e);
    if (status)
        return status;
    compare_tabulate(&f->x, &t);
    block_table(&k->to, &t,
                "Mean absolute relative error of predictions over sizes and roots; "
                "observations: how much these vary. \"homogeneous\": the same model "
                "with the averages of its parameters",
                NULL);
    block_command(&k->to, "Made by ", f->operand);
    return CPM_OK;
}

/* ---- tables that were given */

static int read_rows(cpm_lines *l, table *t)
{
    int status = CPM_OK;
    for (char *line; (line = cpm_lines_next(l, &status));) {
        int cells = 0;
        if (*line == '#')
            continue;
        for (char *word; (word = strsep(&line, "\t")); cells++)
            if (!t->columns || t->count < t->columns || cells < t->columns)
                table_cell(t, "%s", word);
        if (!t->columns)
            t->columns = cells;
        for (; cells < t->columns; cells++)
            table_cell(t, "-");
    }
    return status;
}

static int read_table(const char *path, table *t, cpm_error *e)
{
    cpm_lines l;
    int status = cpm_lines_open(&l, path, e);
    if (!status)
        status = read_rows(&l, t);
    cpm_lines_close(&l);
    return status;
}

/* With charts, which show its rows below; or rows only. */
static int make_tables(const page_cluster *k, const char *kind, bool charts, cpm_error *e)
{
    int status = CPM_OK;
    for (const page_file *f = NULL; !status && (f = page_next(k, kind, f));) {
        table t = {0};
        block_heading(&k->to, "%s", page_base_name(f->path));
        status = read_table(f->path, &t, e);
        if (!status && charts)
            block_set_table(&k->to, block_add(&k->to, "comparison"), &t);
        else if (!status)
            block_table(&k->to, &t, f->path, "All rows");
        table_clear(&t);
    }
    return status;
}

int page_accuracy(const page_cluster *k, cpm_error *e)
{
    int status = k->found->compared ? make_comparison(k, e) : CPM_OK;
    if (!status)
        status = make_tables(k, "validation", true, e);
    if (!status)
        status = make_tables(k, "comparison", true, e);
    if (!status)
        status = make_tables(k, "comparison of runs", false, e);
    return status;
}

/* ---- what was observed */

static void add_observations(table *t, const page_file *f)
{
    char name[CPM_EXPERIMENT_NAME];
    for (int i = 0; i < f->measurements->count; i++) {
        const cpm_measurement *r = &f->measurements->at[i];
        if (!is_of_collective(r))
            continue;
        cpm_experiment_name(&r->what, name, sizeof name);
        table_cell(t, "%s", name);
        table_cell(t, "%d", r->what.i);
        table_cell(t, "%zu", r->what.send_bytes);
        table_us(t, cpm_summary_value(&r->summary, f->measurements->statistic));
        table_us(t, r->summary.ci_low);
        table_us(t, r->summary.ci_high);
        table_cell(t, "%d", r->summary.reps);
        table_cell(t, "%s", page_base_name(f->path));
    }
}

int page_observations(const page_cluster *k, cpm_error *e)
{
    table t = {0};
    (void)e;
    table_head(&t, "collective", "root", "bytes", "time [us]", "from [us]", "to [us]",
               "repetitions", "file", NULL);
    for (const page_file *f = NULL; (f = page_next(k, "measurements", f));)
        add_observations(&t, f);
    block_table(&k->to, &t, "Observed collectives; from, to: confidence interval",
                "Every observation with its confidence interval");
    return CPM_OK;
}
