/* cpm health: measures a little, and says whether the machine is as its reference model says. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "collectives/hosts.h"
#include "estimators/asked.h"
#include "measurements/switches.h"
#include "tools/examine/checkup.h"
#include "tools/examine/doctor.h"
#include "tools/examine/health_files.h"
#include "tools/examine/health_history.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/measure/estimation.h"
#include "tools/measure/measuring.h"
#include "tools/measure/session.h"

enum { MOST_LOOKED_BACK = 30 };
static const double usual_budget = 20; /* seconds */

typedef struct {
    estimation_settings estimation;
    const char *history, *junit, *prometheus;
    double alpha, min_effect, fault;
    bool line, subset;
} health_settings;

static health_settings *health_of(const call *c)
{
    return (health_settings *)c->set;
}

static checkup_options options_of(const call *c)
{
    const health_settings *s = health_of(c);
    return (checkup_options){
        .alpha = s->alpha, .least_effect = s->min_effect, .fault = s->fault, .subset = s->subset};
}

typedef struct {
    cpm_model *reference;
    const cpm_estimator *estimator;
    cpm_estimation options;
    cpm_asked asked;      /* what the options borrow */
    cpm_metadata network; /* what the reference says of it, if it is of the same processes */
    /* at rank 0 */
    health_history history;
    bool *absent;   /* [reference->n] */
    double seconds; /* of measuring */
} work;

static void work_clear(work *w)
{
    cpm_asked_clear(&w->asked);
    cpm_metadata_clear(&w->network);
    health_history_clear(&w->history);
    free(w->absent);
    cpm_model_free(w->reference);
}

/* ---- what is measured: as for the reference, but for its thresholds, which take long */

static int find_estimator(call *c, work *w, cpm_error *e)
{
    const cpm_metadata *header = &w->reference->metadata;
    estimation_settings *s = estimation_of(c);
    const char *method = cpm_metadata_get(header, "method");
    s->model = w->reference->type->name;
    s->estimator = method && cpm_estimator_find(s->model, method, &w->estimator, NULL) == CPM_OK
                       ? method
                       : NULL;
    int status = estimation_find(c, &w->estimator, &w->options, e);
    w->options.confidence = 0;
    if (!status)
        status = cpm_asked_complete(header, c->operand[0], &w->options, &w->asked, e);
    w->options.thresholds = false;
    const char *serial = cpm_metadata_get(header, "serial");
    c->set->how.serial = serial && strcmp(serial, "yes") == 0;
    return status;
}

/* Every rank reads the reference, because every rank must know what is measured. */
static int read_reference(call *c, work *w, cpm_error *e)
{
    int status = file_refuse_pipe(c->operand[0], e);
    if (!status)
        status = cpm_model_read(c->operand[0], &w->reference, e);
    return status ? status : find_estimator(c, w, e);
}

static int copy_network(const work *w, cpm_metadata *out, cpm_error *e)
{
    static const char *const keys[] = {"switches", CPM_METADATA_LINKS, CPM_METADATA_WAYS, NULL};
    int status = CPM_OK;
    for (int k = 0; keys[k] && !status; k++) {
        const char *says = cpm_metadata_get(&w->reference->metadata, keys[k]);
        if (says)
            status = cpm_metadata_set(out, e, keys[k], "%s", says);
    }
    return status;
}

static bool is_same(const int *process, int n, const cpm_model *reference)
{
    bool same = n == reference->n;
    for (int i = 0; i < n && same; i++)
        same = process[i] == i;
    return same;
}

/* h: who is on which host; empty: nobody knows. */
static int match(const call *c, work *w, const cpm_hosts *h, cpm_error *e)
{
    int n = c->machine->n, *process = malloc((size_t)n * sizeof *process), status;
    const char **host = malloc((size_t)n * sizeof *host);
    cpm_error why = {0};
    w->absent = calloc((size_t)w->reference->n, sizeof *w->absent);
    for (int i = 0; i < n && host; i++)
        host[i] = h->n == n ? h->name[h->of[i]] : "";
    status = process && host && w->absent
                 ? cpm_health_match(w->reference, host, n, process, w->absent, &why)
                 : cpm_no_memory(&why);
    if (status)
        cpm_fail(e, status, "%s: %s", c->operand[0], why.text);
    for (int j = 0; j < w->reference->n && !status && health_of(c)->subset; j++)
        w->absent[j] = false;
    if (!status && !c->set->where.topology && is_same(process, n, w->reference))
        status = copy_network(w, &w->network, e);
    free(process);
    free(host);
    return status;
}

static int match_hosts(call *c, work *w, cpm_error *e)
{
    cpm_metadata metadata = {0};
    cpm_hosts h = {0};
    int status = c->machine->describe(c->machine, &metadata, e), matched = CPM_OK;
    const char *hosts = cpm_metadata_get(&metadata, "hosts");
    if (!status && c->speaks && hosts)
        matched = cpm_hosts_of_line(hosts, &h, e);
    if (!status && c->speaks && !matched)
        matched = match(c, w, &h, e);
    if (!status)
        status = session_agree(c, matched, e);
    cpm_hosts_clear(&h);
    cpm_metadata_clear(&metadata);
    return status;
}

static bool can_be_diagnosed(const cpm_model *m)
{
    for (int p = 0; p < m->type->count && !m->type->predict; p++)
        if (m->type->parameters[p].shape == CPM_PROCESS || m->type->parameters[p].shape == CPM_PAIR)
            return true;
    return false;
}

/* What would fail after measuring, fails before. */
static int check_outputs(const call *c, work *w, cpm_error *e)
{
    if (!can_be_diagnosed(w->reference))
        return cpm_fail(e, CPM_EDATA,
                        "%s: model %s has no parameters of processes or pairs to compare",
                        c->operand[0], w->reference->type->name);
    char *folder = health_of(c)->history ? strdup(health_of(c)->history)
                                         : with_suffix(c->operand[0], ".mod", ".health");
    int status = folder ? health_history_open(folder, &w->history, e) : cpm_no_memory(e);
    free(folder);
    if (!status)
        status = output_check(health_of(c)->junit, CPM_FILE_JUNIT, e);
    return status ? status : output_check(health_of(c)->prometheus, CPM_FILE_PROMETHEUS, e);
}

static void announce(const call *c)
{
    char model[PATH_MAX];
    if (!c->speaks || c->set->out.quiet)
        return;
    fprintf(stderr, "cpm: measures %d processes", c->machine->n);
    if (c->set->how.budget > 0)
        fprintf(stderr, " for up to %g s (--budget)", c->set->how.budget);
    fprintf(stderr, ", then compares them with %s\n",
            cpm_escape(c->operand[0], model, sizeof model));
}

/* ---- the history */

typedef struct {
    int runs;       /* the last ones, in which the same was found */
    char since[32]; /* date of the first of them */
} look_back;

static bool had_it(const call *c, const char *run, const checkup *now, char since[32])
{
    checkup_options o = options_of(c);
    checkup x = {0};
    cpm_error why = {0};
    bool same =
        checkup_open(c->operand[0], run, &o, &x, &why) == CPM_OK && checkup_same_finding(now, &x);
    if (same)
        snprintf(since, 32, "%s", checkup_date(x.run));
    checkup_clear(&x);
    return same;
}

static look_back look_at_history(const call *c, const work *w, const checkup *x)
{
    look_back b = {0};
    int k = w->history.count;
    while (k > 0 && b.runs < MOST_LOOKED_BACK && had_it(c, w->history.path[k - 1], x, b.since)) {
        b.runs++;
        k--;
    }
    return b;
}

static void put_look_back(FILE *out, const work *w, const look_back *b)
{
    if (b->runs == 1)
        fprintf(out, "; so in the last run, of %s", b->since);
    else if (b->runs)
        fprintf(out, "; so in the last %d runs, since %s", b->runs, b->since);
    else if (w->history.count)
        fputs("; new since the last run", out);
}

/* What changed since the last run, in a line. */
static void print_last(const call *c, const work *w)
{
    checkup_options o = options_of(c);
    checkup x = {0};
    cpm_error why = {0};
    char file[PATH_MAX];
    if (!w->history.count)
        return;
    const char *last = w->history.path[w->history.count - 1];
    o.subset = true;
    if (checkup_open(last, w->history.next, &o, &x, &why) != CPM_OK)
        printf("since the last run: not compared: %s\n", why.text);
    else
        printf("since the last run, %s: %s\n", cpm_escape(last, file, sizeof file),
               x.diff.verdict == CPM_DIFF_SAME            ? "the same"
               : x.health.slower || x.health.trips_slower ? "something is slower"
               : x.diff.verdict == CPM_DIFF_CHANGED       ? "nothing is slower, but values changed"
                                                          : "nothing was seen to be slower");
    checkup_clear(&x);
}

/* ---- the result */

static int print_details(const call *c, const work *w, const checkup *x, cpm_error *e)
{
    char file[PATH_MAX], kept[PATH_MAX];
    cpm_sizes sizes = {0};
    puts("\n== against each other");
    int status = doctor_print(x->run, &x->today, e);
    if (!status && x->health.known)
        printf("note: %d of what was found is in the reference, too, and is no finding\n",
               x->health.known);
    if (!status)
        status = cpm_sizes_parse(DIFF_SIZES, &sizes, e);
    if (!status)
        printf("\n== against the reference, %s of %s\n",
               cpm_escape(c->operand[0], file, sizeof file), checkup_date(x->reference));
    if (!status)
        status = diff_print(&x->pair, &x->diff, x->options.least_effect, false, &sizes, e);
    cpm_sizes_free(&sizes);
    if (status)
        return status;
    puts("\n== history");
    print_last(c, w);
    printf("kept as %s, run %d\n", cpm_escape(w->history.next, kept, sizeof kept),
           w->history.count + 1);
    return CPM_OK;
}

static int write_files(const call *c, const health_result *r, cpm_error *e)
{
    int status = health_of(c)->junit ? health_write_junit(r, health_of(c)->junit, e) : CPM_OK;
    return status || !health_of(c)->prometheus
               ? status
               : health_write_prometheus(r, health_of(c)->prometheus, e);
}

static int report(call *c, const work *w, const checkup *x, const char *line, cpm_error *e)
{
    const health_result r = {.reference = c->operand[0],
                             .x = x,
                             .line = line,
                             .of = w->reference,
                             .absent = w->absent,
                             .outcome = c->outcome,
                             .seconds = w->seconds};
    puts(line);
    int status = x && !health_of(c)->line ? print_details(c, w, x, e) : CPM_OK;
    return status ? status : write_files(c, &r, e);
}

/* What the budget did not suffice for. */
static int report_unknown(call *c, const work *w, const char *why, cpm_error *e)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return cpm_no_memory(e);
    int absent = 0;
    for (int j = 0; j < w->reference->n; j++)
        if (w->absent[j])
            fprintf(out, "%s%s", absent++ ? ", " : "host ", w->reference->hosts[j]);
    fprintf(out, "%scannot tell%s: %s", absent ? ": does not take part; " : "",
            absent ? " of the others" : "", why);
    c->outcome = absent ? OUTCOME_FOUND : OUTCOME_CANNOT_TELL;
    int status = fclose(out) == 0 ? report(c, w, NULL, line, e) : cpm_no_memory(e);
    free(line);
    return status;
}

static int report_checkup(call *c, const work *w, const checkup *x, cpm_error *e)
{
    static const outcome outcomes[] = {[CPM_HEALTHY] = OUTCOME_DONE,
                                       [CPM_UNHEALTHY] = OUTCOME_FOUND,
                                       [CPM_HEALTH_UNKNOWN] = OUTCOME_CANNOT_TELL};
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return cpm_no_memory(e);
    c->outcome = outcomes[x->health.verdict];
    checkup_put_line(out, x);
    if (x->health.verdict == CPM_UNHEALTHY) {
        look_back b = look_at_history(c, w, x);
        put_look_back(out, w, &b);
    }
    int status = fclose(out) == 0 ? report(c, w, x, line, e) : cpm_no_memory(e);
    free(line);
    return status;
}

static int fit_and_judge(call *c, const work *w, const cpm_measurements *results, cpm_error *e)
{
    checkup_options o = options_of(c);
    checkup x = {0};
    cpm_model *m = NULL;
    cpm_error why = {0};
    int status = cpm_estimate(w->estimator, &w->options, results, NULL, NULL, &m, &why);
    if (status == CPM_EDATA)
        return report_unknown(c, w, why.text, e);
    if (status)
        return cpm_fail(e, status, "%s", why.text);
    status = cpm_model_write(m, w->history.next, e);
    cpm_model_free(m);
    if (!status)
        status = checkup_open(c->operand[0], w->history.next, &o, &x, e);
    if (!status)
        status = report_checkup(c, w, &x, e);
    checkup_clear(&x);
    return status;
}

/* ---- the subcommand */

static int prepare(call *c, work *w, cpm_error *e)
{
    int status = session_agree(c, read_reference(c, w, e), e);
    if (!status)
        status = session_needs(c, w->estimator->min_processes, e);
    if (!status)
        status = match_hosts(c, w, e);
    return status ? status : session_agree(c, c->speaks ? check_outputs(c, w, e) : CPM_OK, e);
}

/* All processes exit alike. */
static int share_outcome(call *c, cpm_error *e)
{
    int code = c->outcome;
    int status = c->machine->broadcast(c->machine, &code, sizeof code, e);
    c->outcome = (outcome)code;
    return status;
}

static int measure_and_judge(call *c, work *w, cpm_error *e)
{
    cpm_measurements results = {0};
    cpm_error why = {0};
    announce(c);
    double begin = c->machine->now(c->machine);
    int status =
        estimation_campaign(c, w->estimator, &w->options, &w->network, NULL, &results, NULL, &why);
    w->seconds = c->machine->now(c->machine) - begin;
    int known = status, judged = CPM_OK;
    if (known && known != CPM_EDATA)
        cpm_fail(e, known, "%s", why.text);
    else if (c->speaks)
        judged = known ? report_unknown(c, w, why.text, e) : fit_and_judge(c, w, &results, e);
    status = known && known != CPM_EDATA ? known : session_agree(c, judged, e);
    cpm_measurements_clear(&results);
    return status ? status : share_outcome(c, e);
}

static int run(call *c, cpm_error *e)
{
    work w = {0};
    int status = prepare(c, &w, e);
    if (!status)
        status = measure_and_judge(c, &w, e);
    work_clear(&w);
    return status;
}

static void defaults(void *set)
{
    health_settings *s = set;
    measuring_model_defaults(set);
    s->estimation.shared.how.budget = usual_budget;
    s->alpha = CPM_DOCTOR_DEFAULT.alpha;
    s->min_effect = CPM_DOCTOR_DEFAULT.least_effect;
    s->fault = CPM_DOCTOR_DEFAULT.fault;
}

static int check(const call *c, cpm_error *e)
{
    return placement_check_simulated(c->set, e);
}

/* One line is for who reads nothing else. */
static void settle(void *set)
{
    health_settings *s = set;
    s->estimation.shared.out.quiet |= s->line;
}

/* clang-format off */
static const option own[] = {
    {"budget", 0, "SECONDS", "measure for up to SECONDS (default 20; 0: no limit)",
     offsetof(settings, how.budget), set_seconds},
    {"history", 0, "DIR", "keep the model of each run in this folder (default: the reference's "
                          "name with .health)",
     offsetof(health_settings, history), set_text},
    {"line", 0, NULL, "print the verdict only, in one line", offsetof(health_settings, line), NULL},
    {"junit", 0, "FILE.xml", "write the result as JUnit's XML", offsetof(health_settings, junit), set_new_file},
    {"prometheus", 0, "FILE.prom", "write metrics for the textfile collector of Prometheus' node exporter",
     offsetof(health_settings, prometheus), set_new_file},
    {"subset", 0, NULL, "hosts of the reference that do not take part are no finding",
     offsetof(health_settings, subset), NULL},
    {"topology", 0, "FILE", "switches and hosts of the network, as of cpm model. Not needed where the "
     "run has the processes of the reference",
     offsetof(settings, where.topology), set_text},
    {"min-effect", 0, "X", "ignore what is slower by a factor below 1 + X (default 0.2)",
     offsetof(health_settings, min_effect), set_number},
    {"fault", 0, "X", "call the machine healthy only if a slowdown by X times would be found "
                      "(default 2)",
     offsetof(health_settings, fault), set_times},
    {"alpha", 0, "X", "probability of any false finding in a run on a healthy machine (default 0.001)",
     offsetof(health_settings, alpha), set_share},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_health_command = {
    .name = "health",
    .operands = "FILE.mod",
    .summary = "check whether a machine is as fast as it was",
    .description =
        "Measures the processes of the run for some seconds, as the reference FILE.mod was "
        "measured, and keeps their model in a folder beside it. Then compares hosts and links "
        "with each other (cpm doctor), with the reference (cpm diff) and with earlier runs. The "
        "first line is the verdict. A finding is slower than in the reference, or than the "
        "others, beyond its uncertainty and by --min-effect. So is a host of the reference that "
        "does not take part. A host or link that is slow in the reference, too, is no finding, "
        "and nor is what is faster. Hosts may come in another order. Exit code 0: healthy; 3: "
        "something was found; 4: cannot tell, as when the budget is too small. A reference of "
        "other hosts is refused.",
    .example = "mpiexec -n 4 cpm model -o cluster.mod\nmpiexec -n 4 cpm health cluster.mod",
    .min_operands = 1,
    .max_operands = 1,
    .measures = true,
    .settings = sizeof(health_settings),
    .options = {own, machine_options, simulated_layout_options, force_options},
    .defaults = defaults,
    .settle = settle,
    .check = check,
    .run = run,
};
