/* cpm compare: predictions of several models against the same observations. */
#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/choices.h"
#include "tools/measuring.h"
#include "tools/options.h"
#include "tools/table.h"

/* One collective of one size and root; seconds. */
typedef struct {
    cpm_experiment what;
    double value, low, high; /* mean of the files' values; the widest of their intervals */
    double least, most;      /* of the files' values */
    int files;
} observation;

/* One way to predict: a model by the walk, or by one of its formulas. */
typedef struct {
    const cpm_model *model;
    const char *formula; /* name, NULL: the walk */
    char label[160];
    double *seconds; /* [observations] NaN: it cannot predict this one */
} predictor;

typedef struct {
    const call *c;
    cpm_model **model; /* [models], each followed by its average */
    int models;
    observation *at;
    int count;
    predictor *by;
    int predictors;
    choices which; /* algorithms, in the order of the observations */
    int n;
    char hosts[4096];
    cpm_error *e;
} comparison;

/* ---- input: models, measurements and algorithms, told apart by what they are */

static bool begins_with(const char *path, const char *text)
{
    char head[32] = "";
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    size_t length = fread(head, 1, strlen(text), f);
    fclose(f);
    return length == strlen(text) && memcmp(head, text, length) == 0;
}

static bool is_observed(const cpm_measurement *r)
{
    return r->what.operation && r->what.algorithm && r->what.send_bytes > 0 && r->summary.min > 0;
}

static observation *find(comparison *x, const cpm_experiment *what)
{
    for (int k = 0; k < x->count; k++)
        if (cpm_experiment_equal(&x->at[k].what, what))
            return &x->at[k];
    return NULL;
}

static int add_observation(comparison *x, const cpm_measurement *r, cpm_statistic statistic)
{
    double value = cpm_summary_value(&r->summary, statistic);
    observation *o = find(x, &r->what);
    if (o) {
        o->value += (value - o->value) / ++o->files;
        o->low = fmin(o->low, r->summary.ci_low);
        o->high = fmax(o->high, r->summary.ci_high);
        o->least = fmin(o->least, value);
        o->most = fmax(o->most, value);
        return CPM_OK;
    }
    observation *more = realloc(x->at, (size_t)(x->count + 1) * sizeof *more);
    if (!more)
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for the observations");
    x->at = more;
    x->at[x->count++] =
        (observation){r->what, value, r->summary.ci_low, r->summary.ci_high, value, value, 1};
    return CPM_OK;
}

/* All files are of the same processes. */
static int check_processes(comparison *x, const char *path, int n, const char *hosts)
{
    if (x->n && n != x->n)
        return cpm_fail(x->e, CPM_EPROCESS, "%s: is of %d processes, but those before it of %d",
                        path, n, x->n);
    if (hosts && *x->hosts && strcmp(hosts, x->hosts) != 0)
        fprintf(stderr,
                "cpm: warning: %s: is of other hosts than those before it, or in another "
                "order\n",
                path);
    if (hosts && !*x->hosts)
        snprintf(x->hosts, sizeof x->hosts, "%s", hosts);
    x->n = n;
    return CPM_OK;
}

static int read_observations(comparison *x, const char *path)
{
    cpm_measurements m = {0};
    int status = cpm_measurements_read(path, &m, NULL, x->e), before = x->count;
    if (!status)
        status = check_processes(x, path, m.n, cpm_facts_get(&m.facts, "hosts"));
    int seen = 0;
    for (int q = 0; q < m.count && !status; q++)
        if (is_observed(&m.at[q])) {
            status = add_observation(x, &m.at[q], m.statistic);
            seen++;
        }
    if (!status && !seen && before == x->count)
        status =
            cpm_fail(x->e, CPM_EDATA,
                     "%s: holds no collectives by CPM's algorithms; cpm bench coll OP:ALGORITHM "
                     "-o FILE.meas or cpm validate --meas FILE.meas measures some",
                     path);
    cpm_measurements_clear(&m);
    return status;
}

/* "a b c", as in measurements. */
static void join_hosts(const cpm_model *m, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < m->n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", m->hosts[i]);
}

static int read_model(comparison *x, const char *path)
{
    char hosts[4096];
    cpm_model **more = realloc(x->model, (size_t)(x->models + 2) * sizeof(cpm_model *));
    if (!more)
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for the models");
    x->model = more;
    int status = cpm_model_read(path, &x->model[x->models], x->e);
    if (status)
        return status;
    x->models++;
    join_hosts(x->model[x->models - 1], hosts, sizeof hosts);
    status = check_processes(x, path, x->model[x->models - 1]->n, hosts);
    if (!status)
        status = cpm_model_average(x->model[x->models - 1], &x->model[x->models], x->e);
    x->models += !status;
    return status;
}

static int read_operand(comparison *x, const char *operand, char **algorithms, int *count)
{
    if (begins_with(operand, "{"))
        return read_model(x, operand);
    if (begins_with(operand, "# cpm measurements"))
        return read_observations(x, operand);
    FILE *f = strchr(operand, ':') ? NULL : fopen(operand, "r");
    if (f) {
        fclose(f);
        return cpm_fail(x->e, CPM_EPARSE, "%s: is neither a model nor measurements", operand);
    }
    if (strchr(operand, '.') && !strchr(operand, ':'))
        return cpm_fail(x->e, CPM_EIO, "%s: cannot be read: %s", operand, strerror(ENOENT));
    algorithms[(*count)++] = (char *)operand;
    return CPM_OK;
}

static bool is_asked_for(const choices *asked, const cpm_experiment *what)
{
    for (int k = 0; k < asked->count; k++)
        if (asked->at[k].algorithm == what->algorithm)
            return true;
    return asked->count == 0;
}

static bool is_listed(const choices *c, const cpm_experiment *what)
{
    return c->count > 0 && is_asked_for(c, what);
}

/* Keeps what was asked for, and lists the algorithms that are there. */
static int choose(comparison *x, char **algorithms, int count)
{
    choices asked = {0};
    int kept = 0;
    int status = count ? choices_parse(algorithms, count, false, 0, &asked, x->e) : CPM_OK;
    for (int k = 0; k < x->count && !status; k++)
        if (is_asked_for(&asked, &x->at[k].what))
            x->at[kept++] = x->at[k];
    choices_clear(&asked);
    x->count = kept;
    x->which.at = calloc((size_t)kept + 1, sizeof *x->which.at);
    if (!status && !x->which.at)
        status = cpm_fail(x->e, CPM_ENOMEM, "no memory for a list of algorithms");
    for (int k = 0; k < kept && !status; k++)
        if (!is_listed(&x->which, &x->at[k].what))
            x->which.at[x->which.count++] = x->at[k].what;
    return status;
}

static int read_all(comparison *x)
{
    const call *c = x->c;
    int count = 0;
    char **algorithms = malloc((size_t)c->operands * sizeof *algorithms);
    int status =
        algorithms ? CPM_OK : cpm_fail(x->e, CPM_ENOMEM, "no memory for a list of algorithms");
    for (int k = 0; k < c->operands && !status; k++)
        status = read_operand(x, c->operand[k], algorithms, &count);
    if (!status && x->models == 0)
        status = cpm_fail(x->e, CPM_EINVAL, "no model is given: FILE.mod");
    if (!status && x->count == 0)
        status =
            cpm_fail(x->e, CPM_EINVAL, "no observations are given: FILE.meas of cpm bench coll");
    if (!status)
        status = choose(x, algorithms, count);
    free(algorithms);
    if (!status && x->count == 0)
        status = cpm_fail(x->e, CPM_EDATA, "none of these algorithms was observed");
    return status;
}

/* ---- predictions */

static int add_predictor(comparison *x, const cpm_model *m, const char *formula, bool averaged)
{
    predictor *more = realloc(x->by, (size_t)(x->predictors + 1) * sizeof *more);
    if (!more)
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for the predictions");
    x->by = more;
    predictor *p = &x->by[x->predictors];
    const char *method = cpm_facts_get(&m->facts, "method");
    *p = (predictor){.model = m, .formula = formula};
    snprintf(p->label, sizeof p->label, "%s%s%s%s%s%s", m->type->name, method ? " " : "",
             method ? method : "", averaged ? ", homogeneous" : "", formula ? ", formula " : "",
             formula ? formula : "");
    p->seconds = malloc((size_t)x->count * sizeof *p->seconds);
    if (!p->seconds)
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for the predictions");
    x->predictors++;
    return CPM_OK;
}

static bool is_first_of_name(const cpm_formula *all, const cpm_formula *f)
{
    for (; all != f; all++)
        if (strcmp(all->name, f->name) == 0)
            return false;
    return true;
}

static int add_formulas(comparison *x, const cpm_model *m)
{
    int status = CPM_OK;
    for (const cpm_formula *f = m->type->formulas; f && f->operation && !status; f++)
        if (is_first_of_name(m->type->formulas, f))
            status = add_predictor(x, m, f->name, false);
    return status;
}

static int add_predictors(comparison *x)
{
    int status = CPM_OK;
    for (int k = 0; k < x->models && !status; k += 2) {
        status = add_predictor(x, x->model[k], NULL, false);
        if (!status)
            status = add_predictor(x, x->model[k + 1], NULL, true);
        if (!status && x->c->set.full)
            status = add_formulas(x, x->model[k]);
    }
    return status;
}

/* A model that was not measured for an algorithm, or has no formula for it, predicts nothing. */
static int predict(comparison *x, const predictor *p, const observation *o, double *out)
{
    cpm_error why = {0};
    const cpm_experiment *w = &o->what;
    *out = NAN;
    if (p->formula) {
        const cpm_formula *f =
            cpm_formula_find(p->model->type, w->operation->name, w->algorithm->name, p->formula);
        *out = f ? f->predict(p->model, w->i, w->send_bytes) : NAN;
        return CPM_OK;
    }
    double seconds = cpm_predict_walk(p->model, w->algorithm, w->i, w->send_bytes, NULL, &why);
    if (seconds < 0 && why.code != CPM_EDATA && why.code != CPM_EUNKNOWN)
        return cpm_fail(x->e, why.code, "%s", why.text);
    *out = seconds < 0 ? NAN : seconds;
    return CPM_OK;
}

static int predict_all(comparison *x)
{
    int status = add_predictors(x);
    for (int p = 0; p < x->predictors && !status; p++)
        for (int k = 0; k < x->count && !status; k++)
            status = predict(x, &x->by[p], &x->at[k], &x->by[p].seconds[k]);
    return status;
}

/* ---- the table */

/* Mean absolute relative error over the observations of an algorithm (NULL: all); NaN: none. */
static double mean_error(const comparison *x, const predictor *p, const cpm_algorithm *of)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < x->count; k++)
        if ((!of || x->at[k].what.algorithm == of) && !isnan(p->seconds[k])) {
            sum += fabs(p->seconds[k] / x->at[k].value - 1);
            count++;
        }
    return count ? sum / count : NAN;
}

/* How far observations of the same differ: half the range over several files, else half the
 * interval; the median, relative. */
static double variation(const comparison *x, const cpm_algorithm *of)
{
    double *all = malloc((size_t)x->count * sizeof *all);
    size_t count = 0;
    for (int k = 0; all && k < x->count; k++) {
        const observation *o = &x->at[k];
        if (of && o->what.algorithm != of)
            continue;
        double half = o->files > 1 ? (o->most - o->least) / 2 : (o->high - o->low) / 2;
        all[count++] = half / o->value;
    }
    if (all)
        gsl_sort(all, 1, count);
    double middle = all ? gsl_stats_median_from_sorted_data(all, 1, count) : NAN;
    free(all);
    return middle;
}

static void percent_cell(table *t, double share)
{
    if (isnan(share))
        table_cell(t, "-");
    else
        table_cell(t, "%.1f %%", 100 * share);
}

static void head_row(table *t, const comparison *x)
{
    char name[64];
    table_cell(t, "# model");
    for (int a = 0; a < x->which.count; a++) {
        cpm_experiment_name(&x->which.at[a], name, sizeof name);
        table_cell(t, "%s", name);
    }
    table_cell(t, "all");
}

static int print_text(const comparison *x)
{
    table t = {.columns = 2 + x->which.count};
    bool repeated = x->at[0].files > 1;
    printf("# cpm compare: %d observations of %d processes\n"
           "# mean absolute relative error over sizes and roots\n"
           "# last row: how much observations vary: median %s\n",
           x->count, x->n, repeated ? "half range of the files" : "half confidence interval");
    head_row(&t, x);
    for (int p = 0; p < x->predictors; p++) {
        table_cell(&t, "%s", x->by[p].label);
        for (int a = 0; a < x->which.count; a++)
            percent_cell(&t, mean_error(x, &x->by[p], x->which.at[a].algorithm));
        percent_cell(&t, mean_error(x, &x->by[p], NULL));
    }
    table_cell(&t, "observations");
    for (int a = 0; a < x->which.count; a++)
        percent_cell(&t, variation(x, x->which.at[a].algorithm));
    percent_cell(&t, variation(x, NULL));
    return table_print(&t, "", 1, stdout, x->e);
}

static void print_tsv(const comparison *x, FILE *out)
{
    char name[64];
    fprintf(out, "# cpm comparison 1\n# processes: %d\n", x->n);
    fputs("model\talgorithm\troot\tsize\tpredicted_us\tobserved_us\tci_low_us\tci_high_us\terror\n",
          out);
    for (int p = 0; p < x->predictors; p++)
        for (int k = 0; k < x->count; k++) {
            const observation *o = &x->at[k];
            double predicted = x->by[p].seconds[k];
            if (isnan(predicted))
                continue;
            cpm_experiment_name(&o->what, name, sizeof name);
            fprintf(out, "%s\t%s\t%d\t%zu\t%.9g\t%.9g\t%.9g\t%.9g\t%.6g\n", x->by[p].label, name,
                    o->what.i, o->what.send_bytes, predicted * 1e6, o->value * 1e6, o->low * 1e6,
                    o->high * 1e6, predicted / o->value - 1);
        }
}

static int write_tsv(const comparison *x)
{
    FILE *out;
    if (!x->c->set.output)
        return CPM_OK;
    int status = output_open(x->c->set.output, &out, x->e);
    if (status)
        return status;
    print_tsv(x, out);
    return output_close(out, x->c->set.output, x->e);
}

/* ---- the subcommand */

static int by_what(const void *a, const void *b)
{
    const observation *x = a, *y = b;
    if (x->what.algorithm != y->what.algorithm)
        return x->what.algorithm < y->what.algorithm ? -1 : 1;
    if (x->what.i != y->what.i)
        return x->what.i < y->what.i ? -1 : 1;
    return (x->what.send_bytes > y->what.send_bytes) - (x->what.send_bytes < y->what.send_bytes);
}

static int compare(comparison *x)
{
    int status = output_check(x->c->set.output, x->e);
    if (!status)
        status = read_all(x);
    if (status)
        return status;
    qsort(x->at, (size_t)x->count, sizeof *x->at, by_what);
    status = predict_all(x);
    if (!status)
        status = write_tsv(x);
    if (status)
        return status;
    if (x->c->set.format == FORMAT_TSV)
        print_tsv(x, stdout);
    return x->c->set.format == FORMAT_TSV ? CPM_OK : print_text(x);
}

static int run(call *c, cpm_error *e)
{
    comparison x = {.c = c, .e = e};
    int status = compare(&x);
    for (int k = 0; k < x.models; k++)
        cpm_model_free(x.model[k]);
    for (int p = 0; p < x.predictors; p++)
        free(x.by[p].seconds);
    free(x.model);
    free(x.by);
    free(x.at);
    choices_clear(&x.which);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    if (c->set.format == FORMAT_JSON)
        return cpm_fail(e, CPM_EINVAL, "--format: compare prints text or tsv");
    return CPM_OK;
}

/* clang-format off */
static const option own[] = {
    {"formulas", 0, NULL, "also by the models' closed formulas",
     offsetof(settings, full), NULL},
    {"output", 'o', "FILE.tsv", "write every prediction to a file, for cpm plot",
     offsetof(settings, output), set_text},
    {"format", 0, "NAME", "text (default) or tsv", offsetof(settings, format), set_format},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */
static const option *const options[] = {own, NULL};

const command cpm_compare = {
    .name = "compare",
    .operands = "FILE.mod ... FILE.meas ... [OP[:ALGORITHM] ...]",
    .summary = "compare predictions of several models with the same observations",
    .description =
        "Predicts what was observed (measurements of cpm bench coll -o or cpm validate --meas) "
        "with "
        "several models of the same processes, and each also with its parameters' averages, and "
        "prints the mean absolute relative errors. Several files of the same collectives are "
        "repeated observations: their mean counts, and how much they differ is shown. Several "
        "roots "
        "are several files. To compare with predictions in which all processes start together, "
        "observe with --timing global. Needs no MPI.",
    .example = "mpiexec -n 4 cpm model -M hockney -o hockney.mod\n"
               "mpiexec -n 4 cpm bench coll gather:linear --timing global -o observed.meas\n"
               "cpm compare cluster.mod hockney.mod observed.meas -o table.tsv\n"
               "cpm plot table.tsv",
    .min_operands = 2,
    .max_operands = 1000,
    .options = options,
    .check = check,
    .run = run,
};
