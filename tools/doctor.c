/* cpm doctor: what in a cluster is unlike the rest. */
#include <math.h>

#include "estimators/doctor.h"
#include "tools/doctor_plot.h"
#include "tools/estimation.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/table.h"

typedef struct {
    cpm_model *model;
    cpm_measurements results; /* of a .meas file, else empty */
    cpm_diagnosis diagnosis;
} examination;

/* ---- reading */

static int fit_measurements(const char *path, const cpm_doctor_options *o, examination *x,
                            cpm_error *e)
{
    const cpm_estimator *estimator;
    cpm_estimation estimation = CPM_ESTIMATION_DEFAULT;
    estimation.thresholds = false;
    estimation.confidence = o->confidence;
    int status = cpm_estimator_find("lmo", "joint", &estimator, e);
    if (!status)
        status = cpm_estimate_file(estimator, &estimation, path, &x->results, &x->model, e);
    return status ? status : cpm_diagnose(x->model, &x->results, o, &x->diagnosis, e);
}

static int examine_model(const char *path, const cpm_doctor_options *o, examination *x,
                         cpm_error *e)
{
    cpm_model *read = NULL;
    int status = cpm_model_read(path, &read, e);
    if (!status)
        status = cpm_model_expand(read, &x->model, e);
    if (!status)
        status = cpm_diagnose(x->model, NULL, o, &x->diagnosis, e);
    if (!status)
        status = cpm_diagnosis_of_classes(&x->diagnosis, &read->classes, e);
    cpm_model_free(read);
    return status;
}

static void examination_clear(examination *x)
{
    cpm_diagnosis_clear(&x->diagnosis);
    cpm_model_free(x->model);
    cpm_measurements_clear(&x->results);
}

/* ---- what is wrong, subject by subject */

/* Symptoms of one subject are told together. */
static bool same_subject(const cpm_symptom *a, const cpm_symptom *b)
{
    bool process_a = a->kind <= CPM_WAYS, process_b = b->kind <= CPM_WAYS;
    bool link_a = a->kind == CPM_LINK || a->kind == CPM_ASYMMETRY;
    bool link_b = b->kind == CPM_LINK || b->kind == CPM_ASYMMETRY;
    if (process_a && process_b)
        return a->i == b->i;
    if (link_a && link_b)
        return (a->i == b->i && a->j == b->j) || (a->i == b->j && a->j == b->i);
    return a == b;
}

static void print_host(const examination *x, int process)
{
    if (x->model->hosts[process][0])
        printf(" (host %s)", x->model->hosts[process]);
}

static void print_experiment(const examination *x, int index)
{
    const cpm_experiment *what = &x->results.at[index].what;
    printf("experiment %s %d", what->kind->name, what->i);
    printf(what->k >= 0 ? " -> %d, %d" : " <-> %d", what->j, what->k);
    printf(" of %zu B", what->send_bytes);
}

static void print_subject(const examination *x, const cpm_symptom *s)
{
    int low = s->i < s->j ? s->i : s->j, high = s->i < s->j ? s->j : s->i;
    if (s->kind <= CPM_WAYS) {
        printf("process %d", s->i);
        print_host(x, s->i);
    } else if (s->kind == CPM_EXPERIMENT) {
        print_experiment(x, s->i);
    } else if (s->kind == CPM_CROWDED) {
        printf("host %s", x->model->hosts[s->i]);
    } else {
        printf("link %d <-> %d", low, high);
        if (x->model->hosts[low][0])
            printf(" (hosts %s and %s)", x->model->hosts[low], x->model->hosts[high]);
    }
}

static void print_significance(double p)
{
    if (p < 1e-9)
        printf(" (p < 1e-9)");
    else
        printf(" (p = %.1g)", p);
}

static void print_value(const examination *x, const cpm_symptom *s)
{
    const unit *u = s->parameter < 0 ? unit_named("s")
                                     : unit_named(x->model->type->parameters[s->parameter].unit);
    printf("%.*f %s", u->digits, s->value * u->factor, u->shown);
}

static void print_symptom(const examination *x, const cpm_symptom *s)
{
    const char *name = s->parameter < 0 ? "time" : x->model->type->parameters[s->parameter].name;
    if (s->kind == CPM_CROWDED) {
        printf("%d processes on %.0f processor%s", s->j, s->value, s->value == 1 ? "" : "s");
        return;
    }
    printf(s->kind == CPM_LINKS || s->kind == CPM_WAYS ? "%s of its links " : "%s ", name);
    print_value(x, s);
    static const char *const against[] = {
        [CPM_OWN] = "times the median of the others",
        [CPM_LINKS] = "times those of the others",
        [CPM_WAYS] = "times as much out as in",
        [CPM_LINK] = "times what its ends explain",
        [CPM_ASYMMETRY] = "times the other way",
        [CPM_EXPERIMENT] = "times what the model says",
    };
    if (s->kind == CPM_ASYMMETRY)
        printf(" from %d to %d", s->i, s->j);
    printf(", %.2f %s", s->times, against[s->kind]);
    print_significance(s->p);
}

static bool is_told(const cpm_diagnosis *d, int q)
{
    for (int r = 0; r < q; r++)
        if (same_subject(&d->at[r], &d->at[q]))
            return true;
    return false;
}

/* Returns how many subjects there are. */
static int print_findings(const examination *x)
{
    const cpm_diagnosis *d = &x->diagnosis;
    int subjects = 0;
    for (int q = 0; q < d->count; q++) {
        if (is_told(d, q))
            continue;
        subjects++;
        print_subject(x, &d->at[q]);
        for (int r = q; r < d->count; r++)
            if (same_subject(&d->at[q], &d->at[r])) {
                printf(r == q ? ": " : "; ");
                print_symptom(x, &d->at[r]);
            }
        putchar('\n');
    }
    return subjects;
}

/* ---- what was compared */

static const char *what_of(cpm_symptom_kind kind)
{
    static const char *const what[] = {[CPM_OWN] = "processes",
                                       [CPM_LINKS] = "all links of a process",
                                       [CPM_WAYS] = "a process, out and in",
                                       [CPM_LINK] = "links",
                                       [CPM_ASYMMETRY] = "links, there and back"};
    return what[kind];
}

static void add_what(table *t, const examination *x, const cpm_comparison *c)
{
    if (c->example < 0) {
        table_cell(t, "%s", what_of(c->kind));
        return;
    }
    const cpm_experiment *of = &x->results.at[c->example].what;
    table_cell(t, "%s, %zu B", of->kind->name, of->send_bytes);
}

static void add_comparison(table *t, const examination *x, const cpm_comparison *c)
{
    const cpm_parameter *p = c->parameter < 0 ? NULL : &x->model->type->parameters[c->parameter];
    const unit *u = p ? unit_named(p->unit) : NULL;
    table_cell(t, "%s", p ? p->name : "time / model");
    add_what(t, x, c);
    table_cell(t, "%d", c->tests);
    if (u)
        table_value(t, u, c->typical);
    else
        table_cell(t, "%.3f", c->typical);
    table_cell(t, "%.1f %%", 100 * (exp(c->spread) - 1));
    if (c->least < 1000)
        table_cell(t, "%.2f times", c->least);
    else
        table_cell(t, "too few");
}

static int print_comparisons(const examination *x, cpm_error *e)
{
    table t = {0};
    table_head(&t, "compared", "of", "values", "median", "spread", "found from", NULL);
    for (int c = 0; c < x->diagnosis.comparisons; c++)
        add_comparison(&t, x, &x->diagnosis.compared[c]);
    putchar('\n');
    return table_print(&t, "  ", 2, stdout, e);
}

static int print_report(const examination *x, cpm_error *e)
{
    int subjects = print_findings(x);
    output_lines("note: ", x->diagnosis.notes, stdout);
    printf(subjects == 0 ? "healthy: nothing is unlike the rest of %d processes\n"
                         : "%2$d found among %1$d processes\n",
           x->model->n, subjects);
    return print_comparisons(x, e);
}

/* ---- the subcommand */

static cpm_doctor_options options_of(const call *c)
{
    cpm_doctor_options o = CPM_DOCTOR_DEFAULT;
    o.least_effect = c->set.min_effect;
    o.alpha = c->set.alpha;
    if (c->set.precision.confidence > 0)
        o.confidence = c->set.precision.confidence;
    return o;
}

static int report(call *c, const examination *x, cpm_error *e)
{
    int status =
        c->set.output ? doctor_plot(c->operand[0], c->set.output, &x->diagnosis, e) : CPM_OK;
    if (!status)
        status = print_report(x, e);
    c->found = !status && x->diagnosis.count > 0;
    return status;
}

static int run(call *c, cpm_error *e)
{
    examination x = {0};
    cpm_doctor_options o = options_of(c);
    int status = c->set.output ? output_check(c->set.output, e) : CPM_OK;
    bool measured = file_begins(c->operand[0], "# cpm measurements");
    if (!status)
        status = (measured ? fit_measurements : examine_model)(c->operand[0], &o, &x, e);
    if (!status)
        status = report(c, &x, e);
    examination_clear(&x);
    return status;
}

static void defaults(settings *s)
{
    s->min_effect = CPM_DOCTOR_DEFAULT.least_effect;
    s->alpha = CPM_DOCTOR_DEFAULT.alpha;
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE", "a picture of the deviations: .png, .pdf or .svg",
     offsetof(settings, output), set_text},
    {"min-effect", 0, "X", "what is less than 1 + X times off is no finding (default 0.2)",
     offsetof(settings, min_effect), set_number},
    {"alpha", 0, "X", "chance of any finding on a healthy cluster (default 0.01)",
     offsetof(settings, alpha), set_share},
    {"confidence", 0, "X", "level of the model's intervals (default 0.95)",
     offsetof(settings, precision.confidence), set_share},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_doctor = {
    .name = "doctor",
    .operands = "FILE.mod|FILE.meas",
    .summary = "name what in a cluster is unlike the rest",
    .description =
        "Names slow processes, slow or asymmetric links, experiments that do not fit (of "
        "measurements, to which LMO is fitted first) and hosts with more processes than "
        "processors. A finding is far from the others by their own spread and by its interval "
        "(p: the chance of any such finding on a healthy cluster, corrected for all "
        "comparisons), and large. What a host does to all its links counts once. Many alike "
        "findings are a group of other hosts: a note, not a finding. \"found from\" says how far "
        "off a value must be. Exit code 3: something was found.",
    .example = "cpm doctor cluster.mod -o doctor.png",
    .min_operands = 1,
    .max_operands = 1,
    .options = {own},
    .defaults = defaults,
    .run = run,
};
