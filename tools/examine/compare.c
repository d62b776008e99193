/* cpm compare: predictions of several models against the same observations. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/vector.h"
#include "measurements/batch_calls.h"
#include "tools/examine/compare.h"
#include "tools/examine/compare_runs.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"
#include "tools/predict/native.h"

/* ---- names of models: what they are, "lmo2 joint", and of which file where several are that */

static const char *method_of(const cpm_model *m)
{
    const char *fit = cpm_metadata_get(&m->metadata, "method");
    return fit ? fit : "";
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What model k is called by besides: "" if it is the only one of its kind, or its file's name, with
 * the folders if another of them has the same. */
static const char *file_to_say(const comparison *x, int k)
{
    const cpm_model *m = x->in.model[k];
    const char *said = "";
    for (int other = 0; other < x->in.models; other += 2) {
        const cpm_model *o = x->in.model[other];
        if (other == k || o->type != m->type || strcmp(method_of(o), method_of(m)) != 0)
            continue;
        if (strcmp(base_name(x->in.file[other]), base_name(x->in.file[k])) == 0)
            return x->in.file[k];
        said = base_name(x->in.file[k]);
    }
    return said;
}

/* The caller frees it; NULL: no memory. k: of the model, not of its average. */
static char *label_of(const comparison *x, int k, const char *formula, bool averaged)
{
    char *label, file[PATH_MAX];
    const cpm_model *m = x->in.model[k];
    const char *fit = method_of(m);
    cpm_escape(file_to_say(x, k), file, sizeof file);
    for (char *c = file; *c; c++)
        *c = *c == '"' ? '\'' : *c; /* cpm plot finds models by their quoted names */
    return asprintf(&label, "%s%s%s%s%s%s%s%s", file, *file ? ": " : "", m->type->name,
                    *fit ? " " : "", fit, averaged ? ", homogeneous" : "",
                    formula ? ", formula " : "", formula ? formula : "") < 0
               ? NULL
               : label;
}

/* ---- predictions */

/* By model k, or by its average. */
static int add_predictor(comparison *x, int k, const char *formula, bool averaged)
{
    if (!cpm_vector_extend(&x->by, x->predictors, sizeof *x->by))
        return cpm_no_memory(x->e);
    predictor *p = &x->by[x->predictors++];
    *p = (predictor){
        .model = x->in.model[k + averaged],
        .averaged = averaged,
        .by = {.by_formula = formula, .formula = formula, .walking = {.batch = x->in.batch}},
        .label = label_of(x, k, formula, averaged),
        .at = calloc((size_t)x->in.count, sizeof *p->at)};
    return p->at && p->label ? CPM_OK : cpm_no_memory(x->e);
}

static bool is_first_of_name(const cpm_formula *all, const cpm_formula *f)
{
    for (; all != f; all++)
        if (strcmp(all->name, f->name) == 0)
            return false;
    return true;
}

/* Whether a formula of that name predicts any of the algorithms that were observed. */
static bool is_of_use(const comparison *x, const cpm_model *m, const char *name)
{
    for (int a = 0; a < x->in.which.count; a++)
        if (x->in.which.at[a].algorithm &&
            cpm_formula_find(m->type, x->in.which.at[a].operation->name,
                             x->in.which.at[a].algorithm->name, name))
            return true;
    return false;
}

static int add_formulas(comparison *x, int k)
{
    const cpm_model *m = x->in.model[k];
    int status = CPM_OK;
    for (const cpm_formula *f = m->type->formulas; f && f->operation && !status; f++)
        if (is_first_of_name(m->type->formulas, f) && is_of_use(x, m, f->name))
            status = add_predictor(x, k, f->name, false);
    return status;
}

static int add_predictors(comparison *x)
{
    int status = CPM_OK;
    for (int k = 0; k < x->in.models && !status; k += 2) {
        status = add_predictor(x, k, NULL, false);
        if (!status)
            status = add_predictor(x, k, NULL, true);
        if (!status && compare_of(x->c)->full && x->in.batch == CPM_ISOLATED && !x->in.mean)
            status = add_formulas(x, k);
    }
    return status;
}

/* A model that was not measured for an algorithm, or has no formula for it, predicts nothing. */
static int predict(comparison *x, const predictor *p, const observation *o, predicted *out)
{
    cpm_error why = {0};
    method by = p->by;
    by.walking.mean = o->taken.mean;
    by.walking.same = o->taken.same;
    by.walking.leaving = o->taken.apart ? cpm_model_leaving(p->model) : 0;
    cpm_collective c = cpm_experiment_collective(&o->what, p->model->n);
    int status = native_resolve(x->in.library, cpm_library_name(x->in.library), o->what.send_bytes,
                                &c, &why);
    if (status) {
        out->seconds = NAN;
        return CPM_OK;
    }
    status = method_predict(&by, p->model, &c, o->what.send_bytes, out, &why);
    if (status && status != CPM_EDATA && status != CPM_EUNKNOWN)
        return cpm_fail(x->e, status, "%s", why.text);
    if (status)
        out->seconds = NAN;
    return CPM_OK;
}

static int predict_all(comparison *x)
{
    int status = add_predictors(x);
    for (int p = 0; p < x->predictors && !status; p++)
        for (int k = 0; k < x->in.count && !status; k++)
            status = predict(x, &x->by[p], &x->in.at[k], &x->by[p].at[k]);
    return status;
}

/* ---- the table */

/* Whether an observation is one of a collective (NULL: of any). */
static bool is_of(const observation *o, const cpm_collective *of)
{
    return !of || cpm_collective_same(&o->what.collective, of);
}

double compare_mean_error(const comparison *x, const predictor *p, const cpm_collective *of)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < x->in.count; k++)
        if (is_of(&x->in.at[k], of) && !isnan(p->at[k].seconds)) {
            sum += fabs(p->at[k].seconds / x->in.at[k].value - 1);
            count++;
        }
    return count ? sum / count : NAN;
}

/* The conditions that do not hold for some observation of a collective (NULL: of any). */
static unsigned outside(const comparison *x, const predictor *p, const cpm_collective *of)
{
    unsigned all = 0;
    for (int k = 0; k < x->in.count; k++)
        all |= is_of(&x->in.at[k], of) ? p->at[k].outside : 0;
    return all;
}

/* How far observations of the same differ: half the range over several files, else half the
 * interval; the median, relative. */
static double variation(const comparison *x, const cpm_collective *of)
{
    size_t count = 0;
    for (int k = 0; k < x->in.count; k++) {
        const observation *o = &x->in.at[k];
        if (!is_of(o, of))
            continue;
        double half = o->files > 1 ? (o->most - o->least) / 2 : (o->high - o->low) / 2;
        x->half[count++] = half / o->value;
    }
    gsl_sort(x->half, 1, count);
    return gsl_stats_median_from_sorted_data(x->half, 1, count);
}

static void percent_cell(table *t, const char *mark, double share)
{
    if (isnan(share))
        table_cell(t, "-");
    else
        table_cell(t, "%s%.1f %%", mark, 100 * share);
}

/* A row or column of the table: an algorithm, or all of them; a way to predict, or how much the
 * observations vary. */
static void algorithm_cell(table *t, const comparison *x, int a)
{
    char name[CPM_EXPERIMENT_NAME] = "all";
    if (a < x->in.which.count)
        cpm_collective_print(&x->in.which.at[a], name, sizeof name);
    table_cell(t, "%s", name);
}

static void predictor_cell(table *t, const comparison *x, int p)
{
    table_cell(t, "%s", p < x->predictors ? x->by[p].label : "observations");
}

static void value_cell(table *t, const comparison *x, int p, int a)
{
    const cpm_collective *of = a < x->in.which.count ? &x->in.which.at[a] : NULL;
    if (p == x->predictors)
        percent_cell(t, "", variation(x, of));
    else
        percent_cell(t, method_mark(outside(x, &x->by[p], of)),
                     compare_mean_error(x, &x->by[p], of));
}

/* Algorithms go down, or predictors. */
static void fill_table(const comparison *x, bool down, const char *corner, table *t)
{
    int algorithms = x->in.which.count + 1, predictors = x->predictors + 1;
    int rows = down ? algorithms : predictors, columns = down ? predictors : algorithms;
    t->columns = 1 + columns;
    table_cell(t, "%s", corner);
    for (int c = 0; c < columns; c++)
        (down ? predictor_cell : algorithm_cell)(t, x, c);
    for (int r = 0; r < rows; r++) {
        (down ? algorithm_cell : predictor_cell)(t, x, r);
        for (int c = 0; c < columns; c++)
            value_cell(t, x, down ? c : r, down ? r : c);
    }
}

/* The longer list goes down. */
static int print_text(const comparison *x)
{
    bool down = x->in.which.count > x->predictors, repeated = x->in.at[0].files > 1;
    table t = {0};
    char timing[CPM_BATCH_NAME];
    cpm_batch_name(x->in.batch, timing);
    printf("# cpm compare: %d observations of %d processes%s%s\n"
           "# mean absolute relative error over sizes and roots\n"
           "# observations: how much they vary: median %s\n",
           x->in.count, x->in.n, x->in.batch == CPM_ISOLATED ? "" : ", timing ",
           x->in.batch == CPM_ISOLATED ? "" : timing,
           repeated ? "half range of the files" : "half confidence interval");
    unsigned all = 0;
    for (int p = 0; p < x->predictors; p++)
        all |= outside(x, &x->by[p], NULL);
    method_explain_mark(all);
    fill_table(x, down, down ? "# algorithm" : "# model", &t);
    return table_print(&t, "", 1, stdout, x->e);
}

static void add_prediction(cpm_report_tables *all, const comparison *x, int p, int k)
{
    const observation *o = &x->in.at[k];
    const predicted *by = &x->by[p].at[k];
    char name[CPM_EXPERIMENT_NAME], outside[METHOD_OUTSIDE];
    cpm_experiment_name(&o->what, name, sizeof name);
    cpm_report_tables_row(all, "ssnnrrrrrs", x->by[p].label, name, (long)o->what.i,
                          (long)o->what.send_bytes, by->seconds * 1e6, o->value * 1e6, o->low * 1e6,
                          o->high * 1e6, by->seconds / o->value - 1,
                          method_outside(by->outside, outside));
}

/* What cpm plot reads. */
static void fill(cpm_report_tables *all, const comparison *x)
{
    static const cpm_report_table_column columns[] = {
        {"model", 0},        {"algorithm", 0},   {"root", 0},      {"size", 0},
        {"predicted_us", 2}, {"observed_us", 2}, {"ci_low_us", 2}, {"ci_high_us", 2},
        {"error", 4},        {"outside", 0},     {NULL, 0}};
    static const cpm_report_table predictions = {"predictions", NULL, columns};
    *all = (cpm_report_tables){.title = "comparison"};
    cpm_report_tables_metadata(all, "processes", "n", (long)x->in.n);
    cpm_report_tables_begin(all, &predictions);
    for (int p = 0; p < x->predictors; p++)
        for (int k = 0; k < x->in.count; k++)
            if (!isnan(x->by[p].at[k].seconds))
                add_prediction(all, x, p, k);
}

static int write_tsv(const comparison *x)
{
    cpm_report_tables all;
    fill(&all, x);
    int status = output_sheets_to(&all, x->c->set->out.path, CPM_FILE_COMPARISON, x->e);
    cpm_report_tables_clear(&all);
    return status;
}

/* The table for people: a row for each model and algorithm, of "observations" how much they vary.
 */
static void add_means(cpm_report_tables *all, const comparison *x)
{
    static const cpm_report_table_column columns[] = {
        {"model", 0}, {"algorithm", 0}, {"mean_error", 4}, {NULL, 0}};
    static const cpm_report_table means = {"means", NULL, columns};
    char name[CPM_EXPERIMENT_NAME];
    cpm_report_tables_begin(all, &means);
    for (int p = 0; p <= x->predictors; p++)
        for (int a = 0; a <= x->in.which.count; a++) {
            const cpm_collective *of = a < x->in.which.count ? &x->in.which.at[a] : NULL;
            bool predicts = p < x->predictors;
            if (of)
                cpm_collective_print(of, name, sizeof name);
            cpm_report_tables_row(
                all, "ssr", predicts ? x->by[p].label : "observations", of ? name : "all",
                predicts ? compare_mean_error(x, &x->by[p], of) : variation(x, of));
        }
}

static int print_report_tables(const comparison *x)
{
    cpm_report_tables all;
    fill(&all, x);
    if (x->c->set->out.format == CPM_FORMAT_JSON)
        add_means(&all, x);
    return output_sheets(&all, x->c->set->out.format, x->e);
}

/* ---- the subcommand */

static int predict_observed(comparison *x)
{
    int status = output_check(x->c->set->out.path, CPM_FILE_COMPARISON, x->e);
    if (!status)
        status = compare_read(x->c, &x->in, x->e);
    if (status)
        return status;
    x->half = malloc((size_t)x->in.count * sizeof *x->half);
    if (!x->half)
        return cpm_no_memory(x->e);
    status = predict_all(x);
    if (!status && x->c->set->out.path)
        status = write_tsv(x);
    return status;
}

void compare_clear(comparison *x)
{
    for (int p = 0; p < x->predictors; p++) {
        free(x->by[p].label);
        free(x->by[p].at);
    }
    free(x->by);
    free(x->half);
    compare_input_free(&x->in);
}

int compare_predict(call *c, comparison *out, cpm_error *e)
{
    *out = (comparison){.c = c, .e = e};
    return predict_observed(out);
}

void compare_tabulate(const comparison *x, table *t)
{
    fill_table(x, true, "algorithm", t);
}

static int compare(comparison *x)
{
    int status = predict_observed(x);
    if (status)
        return status;
    return (x->c->set->out.format == CPM_FORMAT_TEXT ? print_text : print_report_tables)(x);
}

static int run(call *c, cpm_error *e)
{
    comparison x = {.c = c, .e = e};
    if (compare_is_of_runs(c))
        return compare_runs(c, e);
    int status = compare(&x);
    compare_clear(&x);
    return status;
}

/* clang-format off */
static const option own[] = {
    {"formulas", 0, NULL, "also use the closed formulas of the models",
     offsetof(compare_settings, full), NULL},
    {"library", 0, "LIBRARY", "OP:native was measured of this MPI library (openmpi, openmpi5 or "
     "mpich; default: what the file names)", offsetof(compare_settings, library), set_text},
    {"only", 0, "NAME", "of other benchmarks' files with tables of several MPI libraries or machines, "
     "take those that are called NAME there", offsetof(compare_settings, only), set_text},
    {"output", 'o', "FILE.tsv", "write every prediction to a file, for cpm plot; of two runs, "
                                "write the table",
     offsetof(settings, out.path), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_compare = {
    .name = "compare",
    .operands = "[FILE.mod ...] FILE.meas|FILE ... [OP[:ALGORITHM] ...]",
    .summary = "compare models with the same observations, or two runs",
    .description =
        "Predicts collectives that were observed (measurements of cpm bench coll -o or cpm "
        "validate --meas) with several models of the same processes. Prints the mean absolute "
        "relative error of each model, and of each model with averaged parameters. Models of one "
        "type and method are named by their files. Several files of the same collectives are "
        "repeated observations: their mean counts, and their spread is printed. Different roots "
        "need a file each. Outputs of other benchmarks are observations, too (doc/import.md); "
        "where they print means over the processes, so are the predictions. Observe with --timing "
        "global to compare "
        "with predictions in which all processes start together. If each "
        "process took its own time, a model that was fitted to such times predicts how they leave "
        "the barrier, too.\nTwo files of measurements "
        "without a model are two runs, measured with --raw. For each collective in both files, "
        "prints the medians and how much the second run is shifted, with its confidence "
        "interval. A rank test at a level of 5 %, corrected for all collectives, tells whether "
        "they differ. Needs no MPI.",
    .example = "mpiexec -n 4 cpm model -M hockney -o hockney.mod\n"
               "mpiexec -n 4 cpm bench coll gather:linear --timing global -o observed.meas\n"
               "cpm compare cluster.mod hockney.mod observed.meas -o table.tsv\n"
               "cpm plot table.tsv\n"
               "mpiexec -n 4 cpm bench coll bcast --raw -o before.meas\n"
               "mpiexec -n 4 cpm bench coll bcast --raw -o after.meas\n"
               "cpm compare before.meas after.meas",
    .min_operands = 2,
    .max_operands = 1000,
    .settings = sizeof(compare_settings),
    .options = {own, format_options, placement_options, graph_options, topology_options,
                layout_options, force_options},
    .run = run,
};
