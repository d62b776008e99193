/* cpm doctor: what in a cluster is unlike the rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/doctor.h"
#include "estimators/asked.h"
#include "models/checked.h"
#include "tools/examine/doctor.h"
#include "tools/examine/doctor_plot.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/pairs.h"
#include "tools/frame/table.h"
#include "tools/measure/conditions.h"
#include "tools/measure/estimation.h"

/* What counts as a finding. */
typedef struct {
    settings shared;
    double alpha, min_effect, fault;
} doctor_settings;

static doctor_settings *doctor_of(const call *c)
{
    return (doctor_settings *)c->set;
}

typedef struct {
    cpm_model *given;
    cpm_measurements results; /* of a .meas file, else empty */
    cpm_diagnosis diagnosis;
    const cpm_model *model; /* that of the diagnosis: of processes, or of hosts */
} examination;

static bool of_hosts(const examination *x)
{
    return cpm_diagnosis_of_hosts(&x->diagnosis);
}

/* ---- reading */

/* A campaign of extended LMO says so; what others measured is enough for LMO. */
static int find_estimator(const char *path, const cpm_estimator **out, cpm_error *e)
{
    cpm_measurements m = {0};
    char model[64], method[64];
    int status = cpm_measurements_read(path, &m, NULL, e);
    if (!status)
        cpm_asked_estimator(&m.metadata, model, method, sizeof model);
    if (!status)
        status = cpm_estimator_find(strcmp(model, "lmo2") == 0 ? model : "lmo", "joint", out, e);
    cpm_measurements_clear(&m);
    return status;
}

/* At the level that was asked for, if there is one; the model says of which level it is. */
static int fit_measurements(const char *path, const cpm_doctor_options *o, examination *x,
                            cpm_error *e)
{
    cpm_doctor_options of_fit = *o;
    const cpm_estimator *estimator;
    cpm_estimation estimation = CPM_ESTIMATION_DEFAULT;
    estimation.thresholds = false;
    estimation.confidence = o->confidence;
    of_fit.confidence = 0;
    int status = find_estimator(path, &estimator, e);
    if (!status)
        status = cpm_estimate_file(estimator, &estimation, path, &x->results, &x->given, e);
    if (!status)
        conditions_repeat(path, &x->results.metadata);
    return status ? status : cpm_diagnose(x->given, &x->results, &of_fit, &x->diagnosis, e);
}

static int examine_model(const char *path, const cpm_doctor_options *o, examination *x,
                         cpm_error *e)
{
    int status = cpm_model_read(path, &x->given, e);
    if (!status)
        conditions_repeat(path, &x->given->metadata);
    if (!status)
        status = pairs_check(x->given, path, "compared", DOCTOR_MOST_ENDS, e);
    return status ? status : cpm_diagnose(x->given, NULL, o, &x->diagnosis, e);
}

static void examination_clear(examination *x)
{
    cpm_diagnosis_clear(&x->diagnosis);
    cpm_model_free(x->given);
    cpm_measurements_clear(&x->results);
}

/* ---- what is wrong, subject by subject */

static void put_process(FILE *out, const cpm_model *m, int process)
{
    fprintf(out, "process %d", process);
    if (m->hosts[process][0])
        fprintf(out, " (host %s)", m->hosts[process]);
}

static void put_link(FILE *out, const examination *x, int low, int high)
{
    if (of_hosts(x)) {
        fprintf(out, "link %s <-> %s", x->model->hosts[low], x->model->hosts[high]);
        return;
    }
    fprintf(out, "link %d <-> %d", low, high);
    if (x->model->hosts[low][0])
        fprintf(out, " (hosts %s and %s)", x->model->hosts[low], x->model->hosts[high]);
}

static void put_experiment(FILE *out, const examination *x, int index)
{
    const cpm_experiment *what = &x->results.at[index].what;
    fprintf(out, "experiment %s %d", what->kind->name, what->i);
    if (what->j >= 0)
        fprintf(out, what->k >= 0 ? " -> %d, %d" : " <-> %d", what->j, what->k);
    fprintf(out, " of %zu B", what->j >= 0 ? what->send_bytes : what->reply_bytes);
}

static void put_subject(FILE *out, const examination *x, const cpm_symptom *s)
{
    int low = s->i < s->j ? s->i : s->j, high = s->i < s->j ? s->j : s->i;
    if (s->kind <= CPM_WAYS && of_hosts(x))
        fprintf(out, "host %s", x->model->hosts[s->i]);
    else if (s->kind <= CPM_WAYS)
        put_process(out, x->model, s->i);
    else if (s->kind == CPM_UNLIKE)
        put_process(out, x->given, s->i);
    else if (s->kind == CPM_TRUNK)
        fprintf(out, "switch %s", x->model->switches.name[s->i]);
    else if (s->kind == CPM_TRUNK_WAYS)
        fprintf(out, "trunk %s -> %s", x->model->switches.name[s->i],
                x->model->switches.name[s->j]);
    else if (s->kind == CPM_INNER)
        fprintf(out, "inner link of %s", x->diagnosis.inner[s->i]);
    else if (s->kind == CPM_EXPERIMENT)
        put_experiment(out, x, s->i);
    else if (s->kind == CPM_CROWDED)
        fprintf(out, "host %s", x->given->hosts[s->i]);
    else
        put_link(out, x, low, high);
}

static void put_significance(FILE *out, double p)
{
    if (p < 1e-9)
        fprintf(out, " (p < 1e-9)");
    else
        fprintf(out, " (p = %.1g)", p);
}

static void put_value(FILE *out, const examination *x, const cpm_symptom *s)
{
    const unit *u = s->parameter < 0 ? unit_named("s")
                                     : unit_named(x->model->type->parameters[s->parameter].unit);
    fprintf(out, "%.*f %s", u->digits, s->value * u->factor, u->shown);
}

/* "invbeta", or "invbeta from 65536 B on". */
static void put_parameter(FILE *out, const examination *x, const cpm_symptom *s)
{
    fprintf(out, "%s", s->parameter < 0 ? "time" : x->model->type->parameters[s->parameter].name);
    if (s->slice)
        fprintf(out, " from %zu B on", cpm_parameter_sizes(x->model, s->parameter)->at[s->slice]);
}

static void put_direction(FILE *out, const examination *x, const cpm_symptom *s)
{
    if (of_hosts(x))
        fprintf(out, " from %s to %s", x->model->hosts[s->i], x->model->hosts[s->j]);
    else
        fprintf(out, " from %d to %d", s->i, s->j);
}

static void put_symptom(FILE *out, const examination *x, const cpm_symptom *s)
{
    static const char *const against[] = {
        [CPM_OWN] = "times the others",
        [CPM_LINKS] = "times those of the others",
        [CPM_WAYS] = "times as much out as in",
        [CPM_LINK] = "times what its ends explain",
        [CPM_ASYMMETRY] = "times the other way",
        [CPM_EXPERIMENT] = "times what the model says",
        [CPM_UNLIKE] = "times those of its host's others",
        [CPM_TRUNK] = "times the others",
        [CPM_TRUNK_WAYS] = "times the other way",
        [CPM_INNER] = "times what their ends explain",
    };
    if (s->kind == CPM_CROWDED) {
        fprintf(out, "%d processes on %.0f processor%s", s->j, s->value, s->value == 1 ? "" : "s");
        return;
    }
    if (s->kind == CPM_UNLIKE) {
        fprintf(out, "overheads %.2f %s", s->value, against[s->kind]);
        put_significance(out, s->p);
        return;
    }
    put_parameter(out, x, s);
    if (s->kind == CPM_INNER)
        fprintf(out, " of the %d ways that share it ", s->j);
    else
        fprintf(out, s->kind == CPM_LINKS || s->kind == CPM_WAYS ? " of its links " : " ");
    put_value(out, x, s);
    if (s->kind == CPM_ASYMMETRY)
        put_direction(out, x, s);
    fprintf(out, ", %.2f %s", s->times,
            s->of_kind ? "times the others of the nearest kind" : against[s->kind]);
    put_significance(out, s->p);
}

static bool is_told(const cpm_diagnosis *d, int q)
{
    for (int r = 0; r < q; r++)
        if (cpm_symptoms_share_subject(&d->at[r], &d->at[q]))
            return true;
    return false;
}

static int count_subjects(const cpm_diagnosis *d)
{
    int subjects = 0;
    for (int q = 0; q < d->count; q++)
        subjects += !is_told(d, q);
    return subjects;
}

/* All symptoms of the subject of the first, behind one another. */
static void put_symptoms(FILE *out, const examination *x, const cpm_symptom *first)
{
    const cpm_diagnosis *d = &x->diagnosis;
    for (const cpm_symptom *s = first; s < d->at + d->count; s++)
        if (cpm_symptoms_share_subject(first, s)) {
            fputs(s == first ? "" : "; ", out);
            put_symptom(out, x, s);
        }
}

static void print_findings(const examination *x)
{
    const cpm_diagnosis *d = &x->diagnosis;
    for (int q = 0; q < d->count; q++) {
        if (is_told(d, q))
            continue;
        put_subject(stdout, x, &d->at[q]);
        fputs(": ", stdout);
        put_symptoms(stdout, x, &d->at[q]);
        putchar('\n');
    }
}

/* ---- what was compared */

enum { USELESS = 1000 }; /* times what others take: nobody would ask whether that is a fault */

static const char *what_of(const examination *x, cpm_symptom_kind kind)
{
    static const char *const of_processes[] = {[CPM_OWN] = "processes",
                                               [CPM_LINKS] = "all links of a process",
                                               [CPM_WAYS] = "a process, out and in",
                                               [CPM_LINK] = "links",
                                               [CPM_ASYMMETRY] = "links, there and back",
                                               [CPM_UNLIKE] = "processes of a host",
                                               [CPM_TRUNK] = "trunks, up and down",
                                               [CPM_TRUNK_WAYS] = "the trunk, there and back"};
    static const char *const of_a_host[] = {[CPM_OWN] = "hosts",
                                            [CPM_LINKS] = "all links of a host",
                                            [CPM_WAYS] = "a host, out and in"};
    return of_hosts(x) && kind <= CPM_WAYS ? of_a_host[kind] : of_processes[kind];
}

static void add_what(table *t, const examination *x, const cpm_comparison *c)
{
    const cpm_experiment *of = c->example < 0 ? NULL : &x->results.at[c->example].what;
    if (of)
        table_cell(t, "%s, %zu B", of->kind->name, of->send_bytes);
    else if (c->slice)
        table_cell(t, "%s, from %zu B on", what_of(x, c->kind),
                   cpm_parameter_sizes(x->model, c->parameter)->at[c->slice]);
    else
        table_cell(t, "%s", what_of(x, c->kind));
}

static const char *name_of(const cpm_parameter *p, cpm_symptom_kind kind)
{
    if (kind == CPM_TRUNK || kind == CPM_TRUNK_WAYS)
        return "Gu, Gd";
    return p ? p->name : kind == CPM_UNLIKE ? "overheads" : "time / model";
}

static const char *name_of_comparison(const examination *x, const cpm_comparison *c)
{
    return name_of(c->parameter < 0 ? NULL : &x->model->type->parameters[c->parameter], c->kind);
}

static void add_comparison(table *t, const examination *x, const cpm_comparison *c)
{
    const cpm_parameter *p = c->parameter < 0 ? NULL : &x->model->type->parameters[c->parameter];
    const unit *u = p ? unit_named(p->unit) : NULL;
    table_cell(t, "%s", name_of(p, c->kind));
    add_what(t, x, c);
    table_cell(t, "%d", c->tests);
    if (u)
        table_value(t, u, c->typical);
    else
        table_cell(t, "%.3f", c->typical);
    table_cell(t, "%.1f %%", 100 * (exp(c->spread) - 1));
    if (c->least < USELESS)
        table_cell(t, "%.2f times", c->least);
    else
        table_cell(t, "too few");
}

static void add_comparisons(table *t, const examination *x)
{
    table_head(t, "compared", "of", "values", "median", "spread", "found from", NULL);
    for (int c = 0; c < x->diagnosis.comparisons; c++)
        add_comparison(t, x, &x->diagnosis.compared[c]);
}

static int print_comparisons(const examination *x, cpm_error *e)
{
    table t = {0};
    add_comparisons(&t, x);
    putchar('\n');
    return table_print(&t, "  ", 2, stdout, e);
}

/* ---- the same for programs */

/* What put prints of a symptom, or NULL: no memory. The caller frees it. */
static char *text_of(void (*put)(FILE *out, const examination *x, const cpm_symptom *s),
                     const examination *x, const cpm_symptom *s)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    put(out, x, s);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static const char *const kinds[] = {
    [CPM_OWN] = "own",
    [CPM_LINKS] = "links",
    [CPM_WAYS] = "ways",
    [CPM_LINK] = "link",
    [CPM_ASYMMETRY] = "asymmetry",
    [CPM_EXPERIMENT] = "experiment",
    [CPM_UNLIKE] = "unlike",
    [CPM_CROWDED] = "crowded",
    [CPM_TRUNK] = "trunk",
    [CPM_TRUNK_WAYS] = "trunk ways",
    [CPM_INNER] = "inner",
};

static const char *parameter_name(const examination *x, int p)
{
    return p < 0 ? NULL : x->model->type->parameters[p].name;
}

static long from_size(const examination *x, int p, int slice)
{
    return p < 0 || !slice ? 0 : (long)cpm_parameter_sizes(x->model, p)->at[slice];
}

static const char *si_unit(const examination *x, int p, const char *otherwise)
{
    return p < 0 ? otherwise : x->model->type->parameters[p].unit;
}

static void add_finding(cpm_report_tables *all, const examination *x, const cpm_symptom *s)
{
    char *subject = text_of(put_subject, x, s), *says = text_of(put_symptom, x, s);
    const char *otherwise = s->kind == CPM_CROWDED  ? "processors"
                            : s->kind == CPM_UNLIKE ? ""
                                                    : "s";
    all->failed = all->failed || !subject || !says;
    cpm_report_tables_row(all, "sssnnnrsrrs", subject, kinds[s->kind],
                          parameter_name(x, s->parameter), (long)s->i, (long)s->j,
                          from_size(x, s->parameter, s->slice), s->value,
                          si_unit(x, s->parameter, otherwise), s->times, s->p, says);
    free(subject);
    free(says);
}

static void add_findings(cpm_report_tables *all, const examination *x)
{
    static const cpm_report_table_column columns[] = {
        {"subject", 0}, {"kind", 0}, {"parameter", 0}, {"i", 0}, {"j", 0},    {"from", 0},
        {"value", 9},   {"unit", 0}, {"times", 2},     {"p", 9}, {"says", 0}, {NULL, 0}};
    static const cpm_report_table findings = {"findings", NULL, columns};
    cpm_report_tables_begin(all, &findings);
    for (int q = 0; q < x->diagnosis.count; q++)
        add_finding(all, x, &x->diagnosis.at[q]);
}

static void add_compared(cpm_report_tables *all, const examination *x)
{
    static const cpm_report_table_column columns[] = {
        {"parameter", 0}, {"kind", 0},   {"from", 0},       {"values", 0}, {"median", 9},
        {"unit", 0},      {"spread", 4}, {"found_from", 2}, {NULL, 0}};
    static const cpm_report_table compared = {"compared", NULL, columns};
    cpm_report_tables_begin(all, &compared);
    for (int q = 0; q < x->diagnosis.comparisons; q++) {
        const cpm_comparison *c = &x->diagnosis.compared[q];
        const cpm_parameter *p =
            c->parameter < 0 ? NULL : &x->model->type->parameters[c->parameter];
        cpm_report_tables_row(all, "ssnnrsrr", name_of(p, c->kind), kinds[c->kind],
                              from_size(x, c->parameter, c->slice), (long)c->tests, c->typical,
                              si_unit(x, c->parameter, "1"), exp(c->spread) - 1,
                              c->least < USELESS ? c->least : NAN);
    }
}

static bool has_kinds(const cpm_diagnosis *d)
{
    for (int c = 0; c < d->comparisons; c++)
        if (d->compared[c].kinds > 1)
            return true;
    return false;
}

/* ---- the verdict */

/* "4 processes" */
static void put_count(FILE *out, const examination *x)
{
    const char *what = of_hosts(x) ? "host" : "process", *several = of_hosts(x) ? "s" : "es";
    fprintf(out, "%d %s%s", x->model->n, what, x->model->n == 1 ? "" : several);
}

static bool is_first(const cpm_diagnosis *d, const cpm_comparison *c)
{
    for (const cpm_comparison *k = d->compared; k < c; k++)
        if (cpm_comparison_is_like(k, c))
            return false;
    return true;
}

static bool is_unseen(const cpm_diagnosis *d, const cpm_comparison *c)
{
    return c->kind != CPM_EXPERIMENT && is_first(d, c) && !cpm_diagnosis_would_find(d, c);
}

/* " (found: C of processes from 4.3 times, ...)", of what would not have been found. */
static void put_unseen(FILE *out, const examination *x)
{
    const cpm_diagnosis *d = &x->diagnosis;
    int count = 0;
    for (const cpm_comparison *c = d->compared; c < d->compared + d->comparisons; c++) {
        if (!is_unseen(d, c))
            continue;
        double least = cpm_diagnosis_best(d, c)->least;
        fprintf(out, "%s%s of %s%s ", count++ ? ", " : " (found: ", name_of_comparison(x, c),
                what_of(x, c->kind), c->inside ? " inside hosts" : "");
        if (least < USELESS)
            fprintf(out, "from %.3g times", least);
        else
            fputs("not at all", out);
    }
    fputs(count ? ")" : "", out);
}

/* The smallest fault that would have been found of everything. */
static double least_seen(const cpm_diagnosis *d)
{
    double most = 0;
    for (const cpm_comparison *c = d->compared; c < d->compared + d->comparisons; c++)
        if (is_unseen(d, c))
            most = fmax(most, cpm_diagnosis_best(d, c)->least);
    return most;
}

static int put_lacking(FILE *out, const examination *x, const char *before)
{
    int count = 0;
    for (int p = 0; p < x->model->type->count; p++)
        if (cpm_diagnosis_lacks(&x->diagnosis, p))
            fprintf(out, "%s%s", count++ ? ", " : before, x->model->type->parameters[p].name);
    return count;
}

/* What is mostly to blame where too little would have been found: errors, or how much hosts and
 * links differ, of which more of them say more. */
static bool is_uncertain(const cpm_diagnosis *d)
{
    int uncertain = 0, unseen = 0;
    for (int p = 0; p < d->model->type->count; p++)
        if (cpm_diagnosis_lacks(d, p))
            return true;
    for (const cpm_comparison *c = d->compared; c < d->compared + d->comparisons; c++)
        if (c->kind != CPM_EXPERIMENT && !cpm_diagnosis_would_find(d, c)) {
            unseen++;
            uncertain += c->hidden > d->fault || 1.4 * c->error > c->spread ||
                         2 * c->excess > c->spread * c->spread;
        }
    return 2 * uncertain > unseen;
}

/* Larger faults are asked for where nothing else helps. */
static void put_advice(FILE *out, const examination *x)
{
    const cpm_diagnosis *d = &x->diagnosis;
    const char *what = of_hosts(x) ? "hosts" : "processes";
    if (d->contradicted)
        fputs("; measure with --discover, --serial or --topology, or fit another model", out);
    else if (d->model->n < 3)
        fprintf(out, "; measure at least 3 %s", what);
    else if (d->apart || d->groups || d->lone)
        fprintf(out, "; measure more %s: they show which are of a kind", what);
    else if (d->withdrawn && !x->model->switches.name)
        fputs("; measure for lmo2 with the network's switches (--topology or --discover)", out);
    else if (d->alike)
        fputs("; values are all the same, without intervals: measure each host", out);
    else if (is_uncertain(d))
        fputs("; measure with more repetitions (--min-reps)", out);
    else
        fprintf(out, "; measure more %s, with more repetitions, or ask for larger faults (--fault)",
                what);
}

static void put_doubts(FILE *out, const examination *x)
{
    const cpm_diagnosis *d = &x->diagnosis;
    fputs("cannot tell: ", out);
    if (d->contradicted)
        fprintf(out, "the model's own %s that it does not describe this machine (cpm show)",
                cpm_check_contradicts(&x->given->metadata) ? "check shows" : "notes say");
    else if (d->apart) {
        fputs("some of ", out), put_count(out, x), fputs(" are of none of the kinds", out);
    } else if (d->groups) {
        fputs("too many of ", out), put_count(out, x), fputs(" are unlike the rest", out);
    } else if (d->lone) {
        fputs("what is slower of ", out), put_count(out, x), fputs(" may be of another kind", out);
    } else if (d->withdrawn) {
        fputs("too many links among ", out), put_count(out, x);
        fputs(" are unlike the others: they may share what the model does not know", out);
    } else {
        fputs("among ", out), put_count(out, x);
        fprintf(out, " a fault of %.3g times would not have been found", d->fault);
        if (least_seen(d) > d->fault && least_seen(d) < USELESS)
            fprintf(out, ", only one of %.3g times or more", least_seen(d));
    }
    put_unseen(out, x);
    put_lacking(out, x, "; nothing can be told of ");
    put_advice(out, x);
}

/* Where a fault might not have been found that is no health. */
static void put_verdict(FILE *out, const examination *x, const cpm_symptom *none)
{
    const cpm_diagnosis *d = &x->diagnosis;
    int subjects = count_subjects(d);
    (void)none;
    if (!subjects && !cpm_diagnosis_could_tell(d)) {
        put_doubts(out, x);
        return;
    }
    if (subjects)
        fprintf(out, "%d found among ", subjects);
    else
        fprintf(out, "healthy: nothing is slower than %s ",
                has_kinds(d) ? "its kind among" : "the rest of");
    put_count(out, x);
    if (!subjects)
        fprintf(out, "; a fault of %.3g times would have been found", d->fault);
}

static int print_report(const examination *x, cpm_error *e)
{
    put_verdict(stdout, x, NULL);
    puts(x->diagnosis.count ? ":" : "");
    print_findings(x);
    output_lines("note: ", x->diagnosis.notes, stdout);
    return print_comparisons(x, e);
}

static int print_report_tables(const call *c, const examination *x, cpm_error *e)
{
    cpm_report_tables all = {.title = "doctor"};
    int subjects = count_subjects(&x->diagnosis);
    char *says = text_of(put_verdict, x, NULL);
    all.failed = !says;
    cpm_report_tables_metadata(&all, "model", "s", x->model->type->name);
    cpm_report_tables_metadata(&all, "of", "s", of_hosts(x) ? "hosts" : "processes");
    cpm_report_tables_metadata(&all, "count", "n", (long)x->model->n);
    cpm_report_tables_metadata(&all, "fault", "r", x->diagnosis.fault);
    cpm_report_tables_metadata(&all, "found", "n", (long)subjects);
    cpm_report_tables_metadata(&all, "verdict", "s",
                               subjects                                  ? "found"
                               : cpm_diagnosis_could_tell(&x->diagnosis) ? "healthy"
                                                                         : "cannot tell");
    cpm_report_tables_metadata(&all, "says", "s", says);
    free(says);
    add_findings(&all, x);
    add_compared(&all, x);
    cpm_report_tables_notes(&all, x->diagnosis.notes);
    return output_sheets(&all, c->set->out.format, e);
}

/* ---- for others */

static void told_cell(table *t, char *text)
{
    if (text)
        table_cell(t, "%s", text);
    else
        t->failed = 1;
    free(text);
}

/* Who it is, and what there is of it. */
static void tell_findings(const examination *x, table *t)
{
    table_head(t, "who", "what", NULL);
    for (int q = 0; q < x->diagnosis.count; q++) {
        if (is_told(&x->diagnosis, q))
            continue;
        told_cell(t, text_of(put_subject, x, &x->diagnosis.at[q]));
        told_cell(t, text_of(put_symptoms, x, &x->diagnosis.at[q]));
    }
}

int doctor_print(const cpm_model *m, const cpm_diagnosis *d, cpm_error *e)
{
    const examination x = {.given = (cpm_model *)m, .diagnosis = *d, .model = d->model};
    return print_report(&x, e);
}

int doctor_tabulate(const cpm_model *m, const cpm_diagnosis *d, table *findings, table *compared,
                    char **verdict, cpm_error *e)
{
    const examination x = {.given = (cpm_model *)m, .diagnosis = *d, .model = d->model};
    tell_findings(&x, findings);
    add_comparisons(compared, &x);
    *verdict = text_of(put_verdict, &x, NULL);
    return findings->failed || compared->failed || !*verdict ? cpm_no_memory(e) : CPM_OK;
}

/* ---- the subcommand */

static cpm_doctor_options options_of(const call *c)
{
    cpm_doctor_options o = CPM_DOCTOR_DEFAULT;
    o.least_effect = doctor_of(c)->min_effect;
    o.alpha = doctor_of(c)->alpha;
    o.fault = doctor_of(c)->fault;
    o.confidence = c->set->how.precision.confidence;
    return o;
}

static int report(call *c, const examination *x, cpm_error *e)
{
    int status =
        c->set->out.path ? doctor_plot(c->operand[0], c->set->out.path, &x->diagnosis, e) : CPM_OK;
    if (!status)
        status = c->set->out.format == CPM_FORMAT_TEXT ? print_report(x, e)
                                                       : print_report_tables(c, x, e);
    if (!status && x->diagnosis.count > 0)
        c->outcome = OUTCOME_FOUND;
    else if (!status && !cpm_diagnosis_could_tell(&x->diagnosis))
        c->outcome = OUTCOME_CANNOT_TELL;
    return status;
}

static int run(call *c, cpm_error *e)
{
    examination x = {0};
    cpm_doctor_options o = options_of(c);
    int status = c->set->out.path ? output_check(c->set->out.path, CPM_FILE_PICTURE, e) : CPM_OK;
    bool measured = file_begins(c->operand[0], "# cpm measurements");
    if (!status)
        status = file_refuse_pipe(c->operand[0], e);
    if (!status)
        status = (measured ? fit_measurements : examine_model)(c->operand[0], &o, &x, e);
    x.model = x.diagnosis.model;
    if (!status)
        status = report(c, &x, e);
    examination_clear(&x);
    return status;
}

static void defaults(void *set)
{
    doctor_settings *s = set;
    s->min_effect = CPM_DOCTOR_DEFAULT.least_effect;
    s->alpha = CPM_DOCTOR_DEFAULT.alpha;
    s->fault = CPM_DOCTOR_DEFAULT.fault;
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE", "write a picture of the deviations: .png, .pdf or .svg",
     offsetof(settings, out.path), set_new_file},
    {"min-effect", 0, "X", "ignore deviations below a factor of 1 + X (default 0.2)",
     offsetof(doctor_settings, min_effect), set_number},
    {"fault", 0, "X", "call the cluster healthy only if a slowdown by X times would be found "
                      "(default 2)",
     offsetof(doctor_settings, fault), set_times},
    {"alpha", 0, "X", "probability of any false finding on a healthy cluster (default 0.001)",
     offsetof(doctor_settings, alpha), set_share},
    {"confidence", 0, "X", "confidence level of the intervals of the model (default: what it "
                           "says, or 0.95)",
     offsetof(settings, how.precision.confidence), set_share},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_doctor = {
    .name = "doctor",
    .operands = "FILE.mod|FILE.meas",
    .summary = "find processes, hosts, links and switches that are slow",
    .description =
        "Names slow processes, slow or asymmetric links, outlying experiments, and hosts with "
        "more processes than processors. To measurements it first fits LMO, or the extended LMO "
        "that they were made for; outlying experiments need measurements. In a model that knows "
        "the inside of hosts, it names hosts whose memory, link end, overheads or network are "
        "slow. It also names processes unlike the others on their host. In a model that knows "
        "switches, it names switches with a slow trunk. An inner link is inside the network. It "
        "is named after the hosts at its ends, or those whose messages cross it. Hosts near each "
        "other, as behind one switch, are a note. A finding is slower for sure: it is far from "
        "the others, by their spread and its own interval. p is the probability of any "
        "such finding on a healthy cluster, corrected for all comparisons. A host that slows all "
        "its links counts once. Faster components are notes, not faults. Where hosts are of "
        "several kinds, each is compared with its kind, and notes describe the kinds. A kind has "
        "at least three hosts that are alike, and at least an eighth of all. A host of no kind "
        "is compared with the nearest kind. Among few hosts, one may be the only one of its "
        "kind. There a fault must be larger: 4 times as slow among four hosts, 2.5 among five, "
        "1.75 among six. \"found from\": a slowdown by this factor is found in 19 of 20 cases. "
        "The cluster is healthy (exit code 0) if a slowdown by the factor --fault would be found "
        "in every parameter of processes and links. Exit code 3: something was found. Exit code "
        "4: cannot tell; the verdict says from which factor on faults would be found, and what "
        "to do. It cannot tell where there are too few to compare, where too many are unlike the "
        "rest, or where intervals are wide. Nor can it where the notes of the model, or its own "
        "check, contradict it.",
    .example = "cpm doctor cluster.mod -o doctor.png",
    .min_operands = 1,
    .max_operands = 1,
    .settings = sizeof(doctor_settings),
    .options = {own, format_options, force_options},
    .defaults = defaults,
    .run = run,
};
