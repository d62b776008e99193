/* cpm validate: predictions against observations. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "tools/examine/standing.h"
#include "tools/examine/trust.h"
#include "tools/frame/batch.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/frame/table.h"
#include "tools/measure/conditions.h"
#include "tools/measure/measuring.h"
#include "tools/measure/session.h"
#include "tools/measure/sweep.h"
#include "tools/predict/beyond.h"
#include "tools/predict/method.h"

/* What to predict by, and what to do with the result. */
typedef struct {
    settings shared;
    const char *method, *meas;
    double max_error;
    bool all;
} validate_settings;

static validate_settings *validate_of(const call *c)
{
    return (validate_settings *)c->set;
}

/* One size of one algorithm; seconds. */
typedef struct {
    const cpm_collective *what;
    size_t bytes;
    predicted by;
    double observed, low, high;
    const cpm_measurement *result;
} comparison;

enum { ERRORS_TEXT = CPM_EXPERIMENT_NAME + 80 };

typedef struct {
    cpm_model *model;
    method by;
    placement placed;
    choices which;
    predicted *by_model; /* [which.count * sizes], at the first process */
    comparison *at;
    int count;
    char errors[ERRORS_TEXT], trust[TRUST_TEXT];
} validation;

static double relative_error(const comparison *r)
{
    return (r->by.seconds - r->observed) / r->observed;
}

static bool in_interval(const comparison *r)
{
    return r->low <= r->by.seconds && r->by.seconds <= r->high;
}

/* ---- comparing */

/* Before anything is measured: so it is known how long that takes. */
static int predict(validation *v, const cpm_sizes *sizes, cpm_error *e)
{
    int status = CPM_OK;
    v->by_model = calloc((size_t)v->which.count * (size_t)sizes->count + 1, sizeof *v->by_model);
    if (!v->by_model)
        return cpm_no_memory(e);
    for (int k = 0; !status && k < v->which.count; k++)
        for (int i = 0; !status && i < sizes->count; i++)
            status = method_predict(&v->by, v->model, &v->which.at[k], sizes->at[i],
                                    &v->by_model[k * sizes->count + i], e);
    return status;
}

static int compare_one(validation *v, const cpm_collective *x, const predicted *by,
                       const cpm_measurement *r, cpm_statistic statistic, cpm_error *e)
{
    double observed = cpm_summary_value(&r->summary, statistic);
    if (!(observed > 0))
        return cpm_fail(e, CPM_EDATA, "%s:%s took no time, so nothing can be compared with it",
                        x->operation->name, x->algorithm->name);
    v->at[v->count++] = (comparison){
        x, r->what.send_bytes, *by, observed, r->summary.ci_low, r->summary.ci_high, r};
    return CPM_OK;
}

static int compare(validation *v, const cpm_sizes *sizes, const cpm_measurements *m, cpm_error *e)
{
    int status = CPM_OK;
    v->at = calloc((size_t)v->which.count * (size_t)sizes->count + 1, sizeof *v->at);
    if (!v->at)
        return cpm_no_memory(e);
    for (int k = 0; !status && k < v->which.count; k++)
        for (int i = 0; !status && i < sizes->count; i++) {
            const cpm_collective *x = &v->which.at[k];
            const cpm_measurement *r = sweep_find(m, cpm_experiment_of(x, 0), sizes->at[i]);
            if (r)
                status = compare_one(v, x, &v->by_model[k * sizes->count + i], r, m->statistic, e);
        }
    return status;
}

/* The mean over the sizes of one algorithm; NaN if there are none. */
static double mean_error(const validation *v, const cpm_collective *what)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < v->count; i++)
        if (v->at[i].what == what) {
            sum += fabs(relative_error(&v->at[i]));
            count++;
        }
    return sum / count;
}

/* "mean 1.2 %, worst gather:linear 65536 B +4.1 %". */
static void describe_errors(validation *v)
{
    double sum = 0;
    const comparison *worst = v->at;
    char name[CPM_EXPERIMENT_NAME];
    for (int i = 0; i < v->count; i++) {
        sum += fabs(relative_error(&v->at[i]));
        if (fabs(relative_error(&v->at[i])) > fabs(relative_error(worst)))
            worst = &v->at[i];
    }
    if (!v->count) {
        snprintf(v->errors, sizeof v->errors, "cannot tell: nothing was compared");
        return;
    }
    cpm_collective_print(worst->what, name, sizeof name);
    snprintf(v->errors, sizeof v->errors, "mean %.1f %%, worst %s %zu B %+.1f %%",
             100 * sum / v->count, name, worst->bytes, 100 * relative_error(worst));
}

/* An algorithm and how far it is off. */
typedef struct {
    const cpm_collective *what;
    double error;
} off;

static int farthest_first(const void *a, const void *b)
{
    const off *x = a, *y = b;
    if (x->error != y->error)
        return x->error < y->error ? 1 : -1;
    return (x->what > y->what) - (x->what < y->what);
}

/* All algorithms, those that are off farthest first; the caller frees it. NULL: no memory. */
static off *sort_algorithms(const validation *v)
{
    off *all = malloc(((size_t)v->which.count + 1) * sizeof *all);
    for (int k = 0; all && k < v->which.count; k++) {
        double mean = mean_error(v, &v->which.at[k]);
        all[k] = (off){&v->which.at[k], isnan(mean) ? -1 : mean};
    }
    if (all)
        qsort(all, (size_t)v->which.count, sizeof *all, farthest_first);
    return all;
}

/* A formula may predict no time. */
static int sum_up(validation *v, cpm_error *e)
{
    trust_pair *pairs = malloc(((size_t)v->count + 1) * sizeof *pairs);
    int count = 0;
    if (!pairs)
        return cpm_no_memory(e);
    for (int k = 0; k < v->count; k++) {
        const comparison *r = &v->at[k];
        if (r->by.seconds > 0)
            pairs[count++] = (trust_pair){r->what->operation, r->bytes, r->by.seconds, r->observed};
    }
    if (count)
        trust_describe(pairs, count, v->which.count, v->trust);
    else
        snprintf(v->trust, sizeof v->trust, "cannot tell: nothing was predicted");
    free(pairs);
    describe_errors(v);
    return CPM_OK;
}

/* ---- printing */

static void add_metadata(cpm_report_tables *all, const call *c, const validation *v)
{
    char model[PATH_MAX + 64], file[PATH_MAX], timing[CPM_BATCH_NAME];
    snprintf(model, sizeof model, "%s (%s, %d processes)",
             cpm_escape(c->operand[0], file, sizeof file), v->model->type->name, v->model->n);
    cpm_report_tables_metadata(all, "model", "s", model);
    cpm_report_tables_metadata(all, "root", "n", (long)c->set->calls.root);
    cpm_batch_name(v->by.walking.batch, timing);
    cpm_report_tables_metadata(all, "timing", "s", timing);
    cpm_report_tables_metadata(all, "errors", "s", v->errors);
    cpm_report_tables_metadata(all, "trust", "s", v->trust);
}

static void add_comparison(cpm_report_tables *all, const comparison *r)
{
    char name[CPM_EXPERIMENT_NAME], outside[METHOD_OUTSIDE];
    cpm_collective_print(r->what, name, sizeof name);
    cpm_report_tables_row(all, "snrrrrrbs", name, (long)r->bytes, r->by.seconds * 1e6,
                          r->observed * 1e6, r->low * 1e6, r->high * 1e6, relative_error(r),
                          in_interval(r), method_outside(r->by.outside, outside));
}

/* What cpm plot reads. */
static void fill(cpm_report_tables *all, const call *c, const validation *v)
{
    static const cpm_report_table_column columns[] = {
        {"algorithm", 0},  {"size", 0},  {"predicted_us", 2}, {"observed_us", 2}, {"ci_low_us", 2},
        {"ci_high_us", 2}, {"error", 4}, {"in_ci", 0},        {"outside", 0},     {NULL, 0}};
    static const cpm_report_table times = {"times", NULL, columns};
    *all = (cpm_report_tables){.title = "validation"};
    add_metadata(all, c, v);
    cpm_report_tables_begin(all, &times);
    for (int i = 0; i < v->count; i++)
        add_comparison(all, &v->at[i]);
}

static void add_row(table *t, const comparison *r, standing among)
{
    char name[CPM_EXPERIMENT_NAME];
    cpm_collective_print(r->what, name, sizeof name);
    table_cell(t, "%s", name);
    table_cell(t, "%zu", r->bytes);
    table_cell(t, "%s%.2f", method_mark(r->by.outside), r->by.seconds * 1e6);
    table_us(t, r->observed);
    table_cell(t, "%.1f %%", 100 * (r->high - r->low) / 2 / r->observed);
    table_cell(t, "%+.1f %%", 100 * relative_error(r));
    table_cell(t, "%s", in_interval(r) ? "yes" : "no");
    table_cell(t, "%s", standing_name(among));
}

/* Those of one algorithm. result[v->count] is room for those of a row's size. */
static int add_rows(table *t, const validation *v, const cpm_collective *what,
                    cpm_statistic statistic, const cpm_measurement **result, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < v->count && !status; i++) {
        standing among;
        if (v->at[i].what != what)
            continue;
        for (int k = 0; k < v->count; k++)
            result[k] = v->at[k].bytes == v->at[i].bytes ? v->at[k].result : NULL;
        status = standing_find(result, v->count, i, statistic, &among, e);
        if (!status)
            add_row(t, &v->at[i], among);
    }
    return status;
}

static void print_head(const call *c, const validation *v, const cpm_measurements *m)
{
    char timing[80], model[PATH_MAX];
    measuring_timing(m, timing, sizeof timing);
    printf("# errors: %s\n# trust: %s\n# cpm validate: %s, %s, %d processes, root %d, timing %s\n",
           v->errors, v->trust, cpm_escape(c->operand[0], model, sizeof model),
           v->model->type->name, v->model->n, c->set->calls.root, timing);
}

static int print_rows(const call *c, const validation *v, const cpm_measurements *m, const off *by,
                      cpm_error *e)
{
    table t = {0};
    unsigned outside = 0;
    printf("\n# times in microseconds; observed: the %s; +-: half its "
           "%g %% confidence interval\n",
           cpm_statistic_named(c->set->how.precision.statistic),
           100 * c->set->how.precision.confidence);
    for (int i = 0; i < v->count; i++)
        outside |= v->at[i].by.outside;
    method_explain_mark(outside);
    standing_explain();
    table_head(&t, "algorithm", "size", "predicted", "observed", "+-", "error", "in ci", "standing",
               NULL);
    const cpm_measurement **result = calloc((size_t)v->count + 1, sizeof *result);
    int status = result ? CPM_OK : cpm_no_memory(e);
    for (int k = 0; k < v->which.count && !status; k++)
        status = add_rows(&t, v, by[k].what, m->statistic, result, e);
    free(result);
    if (!status)
        return table_print(&t, "", 1, stdout, e);
    table_clear(&t);
    return status;
}

static int print_means(const validation *v, const off *by, FILE *out, cpm_error *e)
{
    char name[CPM_EXPERIMENT_NAME];
    table t = {0};
    table_head(&t, "algorithm", "mean absolute error", NULL);
    for (int k = 0; k < v->which.count; k++) {
        cpm_collective_print(by[k].what, name, sizeof name);
        table_cell(&t, "%s", name);
        table_cell(&t, "%.1f %%", 100 * by[k].error);
    }
    return table_print(&t, "# ", 1, out, e);
}

static int write_tsv(const call *c, const validation *v, cpm_error *e)
{
    cpm_report_tables all;
    fill(&all, c, v);
    int status = output_sheets_to(&all, c->set->out.path, CPM_FILE_VALIDATION, e);
    cpm_report_tables_clear(&all);
    return status;
}

static int print_tsv(const call *c, const validation *v, const off *by, cpm_error *e)
{
    cpm_report_tables all;
    fill(&all, c, v);
    int status = output_sheets(&all, CPM_FORMAT_TSV, e);
    return status ? status : print_means(v, by, stdout, e);
}

static int print_json(const call *c, const validation *v, const off *by, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"algorithm", 0}, {"mean_error", 4}, {NULL, 0}};
    static const cpm_report_table means = {"means", NULL, columns};
    char name[CPM_EXPERIMENT_NAME];
    cpm_report_tables all;
    fill(&all, c, v);
    cpm_report_tables_begin(&all, &means);
    for (int k = 0; k < v->which.count; k++) {
        cpm_collective_print(by[k].what, name, sizeof name);
        cpm_report_tables_row(&all, "sr", name, mean_error(v, by[k].what));
    }
    return output_sheets(&all, CPM_FORMAT_JSON, e);
}

static int print_text(const call *c, const validation *v, const cpm_measurements *m, const off *by,
                      cpm_error *e)
{
    print_head(c, v, m);
    int status = print_means(v, by, stdout, e);
    return status ? status : print_rows(c, v, m, by, e);
}

static int print(const call *c, const validation *v, const cpm_measurements *m, cpm_error *e)
{
    int status = c->set->out.path ? write_tsv(c, v, e) : CPM_OK;
    off *by = status ? NULL : sort_algorithms(v);
    if (!by)
        return status ? status : cpm_no_memory(e);
    status = c->set->out.format == CPM_FORMAT_TEXT  ? print_text(c, v, m, by, e)
             : c->set->out.format == CPM_FORMAT_TSV ? print_tsv(c, v, by, e)
                                                    : print_json(c, v, by, e);
    free(by);
    return status;
}

static int judge(const call *c, const validation *v, cpm_error *e)
{
    char name[CPM_EXPERIMENT_NAME];
    for (int k = 0; isfinite(validate_of(c)->max_error) && k < v->which.count; k++) {
        double mean = mean_error(v, &v->which.at[k]);
        cpm_collective_print(&v->which.at[k], name, sizeof name);
        if (!(mean <= validate_of(c)->max_error))
            return cpm_fail(e, CPM_EDATA,
                            "--max-error: %s is off by %.4g %% on average, more than "
                            "%.4g %%",
                            name, 100 * mean, 100 * validate_of(c)->max_error);
    }
    return CPM_OK;
}

/* ---- the subcommand */

static bool same_hosts(const cpm_model *m, const char *hosts)
{
    for (int i = 0; i < m->n; i++) {
        size_t length = strcspn(hosts, " ");
        if (strlen(m->hosts[i]) != length || strncmp(m->hosts[i], hosts, length) != 0)
            return false;
        hosts += length + (hosts[length] == ' ');
    }
    return true;
}

static int warn_about_hosts(call *c, const cpm_model *m, cpm_error *e)
{
    cpm_metadata metadata = {0};
    int status = c->machine->describe(c->machine, &metadata, e);
    const char *hosts = cpm_metadata_get(&metadata, "hosts");
    char model[PATH_MAX];
    if (!status && c->speaks && hosts && !same_hosts(m, hosts))
        fprintf(stderr, "cpm: warning: %s: is a model of other hosts, or in another order\n",
                cpm_escape(c->operand[0], model, sizeof model));
    cpm_metadata_clear(&metadata);
    return status;
}

/* What its fit has noted, where people look at how well it predicts. */
static void warn_about_model(const call *c, const validation *v)
{
    const cpm_model *m = v->model;
    cpm_combining what;
    char model[PATH_MAX];
    if (c->speaks)
        conditions_repeat(c->operand[0], &m->metadata);
    bool combines = choices_combine(&v->which, &what);
    beyond_warn_combining(m, c->speaks && combines, what);
    if (c->speaks && m->notes && strstr(m->notes, "; try --model lmo2"))
        fprintf(stderr,
                "cpm: note: %s does not describe its cluster (cpm show says why): try --model "
                "lmo2\n",
                cpm_escape(c->operand[0], model, sizeof model));
}

/* What has no formula is not measured in vain. */
static int check_formulas(const validation *v, cpm_error *e)
{
    predicted none;
    int status = CPM_OK;
    for (int k = 0; v->by.by_formula && !status && k < v->which.count; k++)
        status = method_predict(&v->by, v->model, &v->which.at[k], 0, &none, e);
    return status;
}

/* What is measured if nothing is named: of the usual operations what libraries run with short and
 * with long blocks. Each of these algorithms applies to any number of processes. */
static const char *const usual[] = {"bcast:binomial",
                                    "bcast:scatter-doubling",
                                    "scatter:linear",
                                    "scatter:binomial",
                                    "gather:linear",
                                    "gather:binomial",
                                    "reduce:binomial",
                                    "reduce:rabenseifner",
                                    "allgather:bruck",
                                    "allgather:ring",
                                    "alltoall:simple",
                                    "alltoall:ring",
                                    "allreduce:recursive-doubling",
                                    "allreduce:rab1-doubling"};
enum { USUAL = sizeof usual / sizeof *usual };
static const char usual_sizes[] = "1K,16K,128K";

static bool is_usual(const call *c)
{
    return c->operands == 1 && !validate_of(c)->all;
}

/* Every rank reads the model, because every rank must know what is measured. */
static int prepare(call *c, validation *v, cpm_error *e)
{
    int status = method_parse(validate_of(c)->method, batch_of(c->set), &v->by, e);
    if (!status)
        status = cpm_model_read(c->operand[0], &v->model, e);
    if (!status)
        status = placement_lay_out(c->set, &v->model, e);
    if (status)
        return status;
    if (v->model->n != c->machine->n)
        return cpm_fail(e, CPM_EPROCESS, "%s: is a model of %d processes, but there are %d",
                        c->operand[0], v->model->n, c->machine->n);
    if (c->set->calls.root >= c->machine->n)
        return cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", c->set->calls.root,
                        c->machine->n - 1);
    status = placement_open(c->set, v->model->n, &v->placed, e);
    return status ? status : sweep_default_sizes(c->set, is_usual(c) ? usual_sizes : "1K:128K", e);
}

static int choose(call *c, validation *v, cpm_error *e)
{
    char *few[USUAL];
    for (int k = 0; k < USUAL; k++)
        few[k] = (char *)usual[k]; /* which is not written to */
    choices_context context = {.n = v->model->n,
                               .root = c->set->calls.root,
                               .placement = &v->placed.known,
                               .combining = c->set->calls.combining,
                               .leave_out = true,
                               .command = c->speaks ? "validate" : NULL};
    int status = is_usual(c)
                     ? choices_parse(few, USUAL, &context, &v->which, e)
                     : choices_parse(c->operand + 1, c->operands - 1, &context, &v->which, e);
    if (!status)
        status = check_formulas(v, e);
    if (!status && c->speaks)
        status = output_check(c->set->out.path, CPM_FILE_VALIDATION, e);
    return status;
}

static int conclude(const call *c, validation *v, const cpm_measurements *m, cpm_error *e)
{
    if (!c->speaks)
        return CPM_OK;
    conditions_compare(&v->model->metadata, &m->metadata);
    int status = compare(v, &c->set->calls.sizes, m, e);
    if (!status)
        status = sum_up(v, e);
    if (!status)
        status = print(c, v, m, e);
    return status ? status : judge(c, v, e);
}

/* The one that the model is of, if it says so. */
static double state_of(const cpm_model *m)
{
    const char *trip = cpm_metadata_get(&m->metadata, "trip");
    return trip ? strtod(trip, NULL) : 0;
}

static void put_time(FILE *out, double seconds)
{
    if (seconds < 1)
        fputs("less than 1 s", out);
    else if (seconds < 120)
        fprintf(out, "%.0f s", ceil(seconds));
    else
        fprintf(out, "%.0f minutes", ceil(seconds / 60));
}

/* How long it is going to take, by the model: where times vary little, and at most. */
static void tell_time(const call *c, const validation *v)
{
    const cpm_precision *p = &c->set->how.precision;
    int count = v->which.count * c->set->calls.sizes.count;
    const char *meas = validate_of(c)->meas;
    char shown[PATH_MAX];
    double once = 0;
    for (int k = 0; k < count; k++)
        once += v->by_model[k].seconds;
    fprintf(stderr, "cpm validate: %d measurement%s, by the model in ", count,
            count == 1 ? "" : "s");
    put_time(stderr, once * p->min_reps);
    if (once * p->max_reps > 1) {
        fputs(" to ", stderr);
        put_time(stderr, once * p->max_reps);
    }
    if (meas)
        fprintf(stderr, ", kept in %s", cpm_escape(meas, shown, sizeof shown));
    fprintf(stderr, "%s\n", is_usual(c) ? "; --all measures all algorithms" : "");
}

static int announce(const call *c, validation *v, cpm_error *e)
{
    int status = c->speaks ? predict(v, &c->set->calls.sizes, e) : CPM_OK;
    if (!status && c->speaks && !c->set->out.quiet)
        tell_time(c, v);
    return status;
}

/* Where measurements go: what was done is kept where the command is interrupted. Simulated ones are
 * made again. */
static int name_measurements(call *c, char path[PATH_MAX], cpm_error *e)
{
    const char *slash = strrchr(c->operand[0], '/'), *name = slash ? slash + 1 : c->operand[0];
    const char *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    if (validate_of(c)->meas || c->set->machine.model)
        return CPM_OK;
    if (snprintf(path, PATH_MAX, "%.*s-validate.meas", length, name) >= PATH_MAX)
        return cpm_fail(e, CPM_EINVAL, "%s: the name is too long: add --meas FILE.meas", name);
    validate_of(c)->meas = path;
    return CPM_OK;
}

static int run(call *c, cpm_error *e)
{
    char meas[PATH_MAX];
    validation v = {0};
    cpm_measurements results = {0};
    cpm_metadata what = {0};
    int status = session_agree(c, prepare(c, &v, e), e);
    if (!status)
        status = measuring_hosts(c, &v.placed, e);
    if (!status)
        status = session_agree(c, choose(c, &v, e), e);
    if (!status)
        status = warn_about_hosts(c, v.model, e);
    if (!status)
        warn_about_model(c, &v);
    if (!status)
        status = name_measurements(c, meas, e);
    if (!status)
        status = session_agree(c, announce(c, &v, e), e);
    if (!status)
        status = session_agree(c, measuring_describe(c, "validate", &v.which, NULL, &what, e), e);
    if (!status) {
        sweep s = {.collectives = &v.which, .sizes = c->set->calls.sizes};
        c->placement = &v.placed.known;
        c->state = state_of(v.model);
        status = measuring_run(c, &(measuring_plan){.planner = sweep_plan, .context = &s},
                               validate_of(c)->meas, &what, &results, NULL, e);
    }
    if (!status)
        status = session_agree(c, conclude(c, &v, &results, e), e);
    cpm_measurements_clear(&results);
    cpm_metadata_clear(&what);
    free(v.by_model);
    free(v.at);
    choices_clear(&v.which);
    placement_close(&v.placed);
    cpm_model_free(v.model);
    return status;
}

/* Only in global time do all start together, as in the prediction. */
static void defaults(void *set)
{
    validate_settings *s = set;
    measuring_defaults(s);
    s->shared.calls.timing = MPIB_TIMING_GLOBAL;
    s->max_error = INFINITY;
}

/* clang-format off */
static const option own[] = {
    {"all", 0, NULL, "measure all algorithms of all operations, which takes long",
     offsetof(validate_settings, all), NULL},
    {"sizes", 'm', "SIZES", "block sizes (default 1K:128K, or 1K,16K,128K if no operation is named)", offsetof(settings, calls.sizes), set_sizes},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"combine", 0, "CLASS", "what reductions combine: bytes (default: by exclusive or), floats or "
     "doubles (sums)", offsetof(settings, calls.combining), set_combining},
    {"method", 0, "METHOD", "walk (default): run through the messages of the algorithm; formula: "
     "use the formula of the model; formula:NAME: use the one of this name", offsetof(validate_settings, method), set_text},
    {"max-error", 0, "X", "fail if an algorithm's mean absolute relative error is above X "
     "(0.1: 10 %)", offsetof(validate_settings, max_error), set_number},
    {"output", 'o', "FILE.tsv", "write the table to a file, for cpm plot",
     offsetof(settings, out.path), set_new_file},
    {"meas", 0, "FILE.meas", "write the measurements to a file (default: the model's name, "
     "with -validate.meas at its end)", offsetof(validate_settings, meas), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_validate = {
    .name = "validate",
    .operands = "FILE.mod [OP[:ALGORITHM] ...]",
    .summary = "measure collective operations against a model's predictions",
    .description =
        "Measures collective operations and compares them with the predictions of a model. "
        "Begins with the mean error and the worst. Then comes how far to trust the model: the mean "
        "factor between both, and what its choices cost over the fastest algorithms. "
        "Prints the relative error, and whether the prediction lies in the confidence interval "
        "of the observation. Also prints, as cpm bench coll does, which algorithms of an "
        "operation were as fast as the fastest. Without OP, measures 14 usual algorithms of seven "
        "operations, or all with --all. An algorithm that does not apply to the number of "
        "processes is left out "
        "with a note, as long as another one applies.",
    .example = "mpiexec -n 4 cpm validate cluster.mod scatter bcast:binomial -m 1K,64K",
    .min_operands = 1,
    .max_operands = 1000,
    .measures = true,
    .settings = sizeof(validate_settings),
    .options = {own, format_options, placement_options, graph_options, topology_options,
                layout_options, measuring_options, measurements_options, batch_options,
                force_options},
    .defaults = defaults,
    .run = run,
};
