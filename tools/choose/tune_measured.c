/* cpm tune --measure: a decision table of what was measured to be the fastest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/contest.h"
#include "base/escape.h"
#include "base/text_file.h"
#include "base/vector.h"
#include "history/profile.h"
#include "tools/choose/tune_report.h"
#include "tools/choose/tune_topology.h"
#include "tools/frame/batch.h"
#include "tools/frame/choices.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/measure/conditions.h"
#include "tools/measure/estimation.h"
#include "tools/measure/measuring.h"
#include "tools/measure/session.h"
#include "tools/measure/sub_cluster.h"

/* What to measure. */
typedef struct {
    settings shared;
    bool measure; /* which told it from cpm tune */
    double within;
} tune_measured_settings;

static tune_measured_settings *tune_measured_of(const call *c)
{
    return (tune_measured_settings *)c->set;
}

/* What is measured together: calls of so many processes that are isolated, or follow each other. */
typedef struct {
    int n;
    bool batch;
} part;

/* By n, ascending, as rank 0 tells them. */
enum { MOST_PARTS = 64 };
typedef struct {
    int count;
    part at[2 * MOST_PARTS];
} part_list;

/* Rank 0's, but for the call and the parts. */
typedef struct {
    call *c;
    placement placed; /* every rank's */
    part_list parts;
    cpm_model *model; /* of all processes; NULL: there is none */
    char checksum[65];
    cpm_profile *profile;
    choices only;
    cpm_table *table;
    tune_report report;
    double begin;
} tuning;

/* ---- what there is to choose from */

/* One of these follows an operation's name. */
static bool names_operation(const char *text)
{
    char name[32] = "";
    const cpm_operation *o;
    size_t length = strcspn(text, ":,");
    if (length >= sizeof name)
        return false;
    memcpy(name, text, length);
    return strcmp(name, "all") == 0 || cpm_operation_find(name, &o, NULL) == CPM_OK;
}

static bool has_model(const call *c)
{
    return c->operands && !names_operation(c->operand[0]);
}

static int read_model(tuning *t, cpm_error *e)
{
    cpm_error why = {0};
    const char *path = t->c->operand[0];
    char shown[128];
    int n = t->c->machine->n;
    if (!has_model(t->c))
        return CPM_OK;
    int status = file_refuse_pipe(path, &why);
    if (!status)
        status = cpm_model_read(path, &t->model, &why);
    if (!status)
        status = cpm_text_checksum(path, t->checksum, &why);
    if (status == CPM_EIO && !strpbrk(path, "./"))
        return cpm_fail(e, CPM_EUNKNOWN,
                        "'%s' is neither an operation (see cpm algorithms) nor a model",
                        cpm_escape(path, shown, sizeof shown));
    if (status)
        return cpm_fail(e, status, "%s", why.text);
    conditions_repeat(path, &t->model->metadata);
    if (t->model->n < n)
        return cpm_fail(e, CPM_EPROCESS, "%s: the model is one of %d processes, and these are %d",
                        cpm_escape(path, shown, sizeof shown), t->model->n, n);
    return CPM_OK;
}

static int read_choices(tuning *t, cpm_error *e)
{
    const choices_context any = {.root = t->c->set->calls.root, .native = true, .whatever = true};
    int behind = has_model(t->c);
    int count = t->c->operands - behind;
    return count ? choices_parse(t->c->operand + behind, count, &any, &t->only, e) : CPM_OK;
}

static int read_inputs(tuning *t, cpm_error *e)
{
    const tune_measured_settings *s = tune_measured_of(t->c);
    int status = read_model(t, e);
    if (!status)
        status = read_choices(t, e);
    if (!status && s->shared.calls.profile)
        status = cpm_profile_read(s->shared.calls.profile, &t->profile, e);
    if (!status && !(t->table = calloc(1, sizeof *t->table)))
        status = cpm_no_memory(e);
    return status ? status : output_check(s->shared.out.path, CPM_FILE_TABLE, e);
}

/* ---- how many processes: all, or as many as the communicators of the profile have */

/* Where nobody knows the sizes of a call several cannot decide. */
static bool has_one_rule(const cpm_operation *o)
{
    return o->sizes == CPM_KNOWN_TO_NOBODY;
}

static bool is_named(const tuning *t, const cpm_operation *o)
{
    bool named = t->only.count == 0;
    for (int k = 0; k < t->only.count && !named; k++)
        named = t->only.at[k].operation == o;
    return named;
}

/* Of operations that are measured, and with data where these have any. */
static bool is_wanted(const tuning *t, const cpm_profile_calls *c)
{
    return is_named(t, c->operation) && cpm_profile_carries(c);
}

static int processes_of_profile(const tuning *t, cpm_sizes *out, cpm_error *e)
{
    int n = t->c->machine->n, status = CPM_OK;
    for (int k = 0; k < t->profile->count && !status; k++) {
        int size = t->profile->communicators[t->profile->at[k].communicator].n;
        if (size >= 2 && size <= n && is_wanted(t, &t->profile->at[k]))
            status = cpm_sizes_add(out, (size_t)size, e);
    }
    if (!status && !out->count)
        status = cpm_fail(e, CPM_EPROCESS, "%s: it has no such calls of 2 to %d processes",
                          t->c->set->calls.profile, n);
    return status;
}

static int check_processes(const cpm_sizes *all, int n, int root, cpm_error *e)
{
    for (int i = 0; i < all->count; i++)
        if (all->at[i] < 2 || all->at[i] > (size_t)n || (size_t)root >= all->at[i])
            return cpm_fail(e, CPM_EINVAL,
                            "--processes: %zu is not in 2..%d, the processes of this run%s",
                            all->at[i], n, root ? ", or has not the root" : "");
    return all->count <= MOST_PARTS
               ? CPM_OK
               : cpm_fail(e, CPM_EINVAL, "--processes: these are %d numbers, and at most %d can be",
                          all->count, MOST_PARTS);
}

/* Whether operations of that many processes are called so. */
static bool is_called(const tuning *t, const part *x)
{
    for (int k = 0; k < t->profile->count; k++) {
        const cpm_profile_calls *c = &t->profile->at[k];
        if (is_wanted(t, c) && t->profile->communicators[c->communicator].n == x->n &&
            cpm_profile_batched(t->profile, c->operation, x->n) == x->batch)
            return true;
    }
    return false;
}

static void list_parts(tuning *t)
{
    const tune_measured_settings *s = tune_measured_of(t->c);
    for (int i = 0; i < s->shared.calls.processes.count; i++)
        for (int batch = 0; batch < 2; batch++) {
            const part x = {(int)s->shared.calls.processes.at[i], batch};
            if (s->shared.calls.as_called ? is_called(t, &x)
                                          : batch == (batch_of(&s->shared) != CPM_ISOLATED))
                t->parts.at[t->parts.count++] = x;
        }
}

static int choose_processes(tuning *t, cpm_error *e)
{
    cpm_sizes *all = &t->c->set->calls.processes;
    int n = t->c->machine->n, status = CPM_OK;
    if (!all->count)
        status = t->profile ? processes_of_profile(t, all, e) : cpm_sizes_add(all, (size_t)n, e);
    cpm_sizes_sort(all);
    if (!status)
        status = check_processes(all, n, t->c->set->calls.root, e);
    if (!status)
        list_parts(t);
    if (!status && !t->parts.count)
        status = cpm_fail(e, CPM_EPROCESS, "%s: it has no such calls of these numbers of processes",
                          t->c->set->calls.profile);
    return status;
}

/* ---- the contests of a number of processes */

/* What all requests of a part have. */
typedef struct {
    const tuning *t;
    cpm_contest_field field;
    cpm_model *model; /* of its processes */
    const first_part *p;
    cpm_contests contests;
} round_of_part;

/* What is named and is not measured is said. */
static void tell_left_out(const tuning *t)
{
    static char name[] = "tune --measure";
    const call *c = t->c;
    int behind = has_model(c);
    choices_find_useless(c->operand + behind, c->operands - behind, &c->set->calls.processes,
                         &t->placed.known, choices_tell_useless, name);
    for (const cpm_operation *o = cpm_operations; o->name && t->only.count; o++)
        if (is_named(t, o) && has_one_rule(o) && !t->profile && c->set->calls.sizes.count > 1) {
            cpm_error why = {0};
            cpm_fail(&why, CPM_EINVAL,
                     "%s: the sizes of its calls are unknown, so it has one rule: measure one "
                     "size (-m SIZE)",
                     o->name);
            choices_tell_useless(name, &why);
        }
}

/* Where there is one level nothing is arranged by hosts. */
static int add_contest(round_of_part *r, const cpm_operation *o, size_t bytes, double weight,
                       cpm_error *e)
{
    const cpm_hosts *hosts = r->p->at.hosts;
    const cpm_request request = {.operation = o,
                                 .n = r->p->at.n,
                                 .root = o->rooted ? r->t->c->set->calls.root : 0,
                                 .bytes = bytes,
                                 .combining = r->t->c->set->calls.combining,
                                 .hosts = cpm_hosts_have_levels(hosts) ? hosts : NULL,
                                 .topology = r->p->at.topology};
    return cpm_contests_add(&r->contests, &r->field, &request, weight, e);
}

static int add_grid(round_of_part *r, const cpm_operation *o, cpm_error *e)
{
    const cpm_sizes *sizes = &r->t->c->set->calls.sizes;
    int status = CPM_OK;
    if (o->dataless)
        return add_contest(r, o, 0, 0, e);
    if (has_one_rule(o) && sizes->count > 1)
        return CPM_OK;
    for (int i = 0; i < sizes->count && !status; i++)
        status = add_contest(r, o, sizes->at[i], 0, e);
    return status;
}

/* Of a round of calls in batches, or of isolated ones, those operations that are so called. */
static bool is_of_round(const round_of_part *r, const cpm_operation *o)
{
    return !r->t->c->set->calls.as_called ||
           cpm_profile_batched(r->t->profile, o, r->p->at.n) == r->contests.batch;
}

static int add_called(round_of_part *r, const cpm_operation *o, cpm_error *e)
{
    const cpm_profile *p = r->t->profile;
    cpm_sizes sizes = {0};
    int n = r->p->at.n, status = CPM_OK;
    if (is_named(r->t, o) && is_of_round(r, o))
        status = cpm_profile_sizes(p, o, n, &sizes, e);
    for (int i = 0; i < sizes.count && !status; i++)
        status = add_contest(r, o, sizes.at[i], cpm_profile_seconds(p, o, n, sizes.at[i]), e);
    cpm_sizes_free(&sizes);
    return status;
}

static int open_round(round_of_part *r, cpm_error *e)
{
    const tuning *t = r->t;
    int status = CPM_OK;
    if (t->model)
        status = part_model(t->model, r->p->at.n, &r->model, e);
    r->field = (cpm_contest_field){
        .model = r->model,
        .options = CPM_SELECTOR_OWN,
        .within = tune_measured_of(t->c)->within,
        .groups = !t->c->simulated}; /* what MPI's own routine takes on a group nobody simulates */
    r->field.options.only = t->only.at;
    r->field.options.only_count = t->only.count;
    r->field.options.batch = batch_of(t->c->set);
    r->contests = (cpm_contests){.batch = r->field.options.batch != CPM_ISOLATED,
                                 .divide = !t->profile,
                                 .gain = CPM_CONTEST_GAIN,
                                 .level = CPM_CONTEST_LEVEL};
    for (const cpm_operation *o = cpm_operations; o->name && !status; o++)
        if (!cpm_operation_is_of_neighbours(o)) /* their graph is not known */
            status = t->profile ? add_called(r, o, e) : add_grid(r, o, e);
    if (!status && !r->contests.count)
        status =
            cpm_fail(e, CPM_EINVAL, "there is nothing to measure for %d processes: %s", r->p->at.n,
                     t->profile ? "the profile has no such calls"
                                : "nothing that is named applies, or (alltoallv) it needs one "
                                  "size (-m)");
    return status;
}

static void close_round(round_of_part *r)
{
    cpm_contests_clear(&r->contests);
    cpm_model_free(r->model);
}

/* ---- measuring them */

static int plan(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                cpm_error *e)
{
    (void)n;
    return cpm_contests_next(context, so_far, next, e);
}

static int conclude(tuning *t, const round_of_part *r, const cpm_measurements *m, cpm_error *e)
{
    int status = cpm_contests_table(&r->contests, m, r->p->at.n, t->table, e);
    if (!status)
        status = tune_report_add(&t->report, &r->contests, m, r->p->at.n, e);
    if (!status)
        status = cpm_metadata_append_all(&t->table->metadata, &m->metadata, "warning", e);
    const char *const same[] = {"machine", "mpi", "hosts"};
    for (size_t k = 0; k < sizeof same / sizeof *same && !status; k++)
        if (cpm_metadata_get(&m->metadata, same[k]))
            status = cpm_metadata_set(&t->table->metadata, e, same[k], "%s",
                                      cpm_metadata_get(&m->metadata, same[k]));
    return status;
}

/* table.json: table.meas, and of fewer processes table.4.meas; of calls in batches, where there are
 * others, too, table.batch.meas. */
static char *name_measurements(const call *c, const part *x, cpm_error *e)
{
    char suffix[40], of[16] = "";
    if (x->n < c->machine->n)
        snprintf(of, sizeof of, ".%d", x->n);
    snprintf(suffix, sizeof suffix, "%s%s.meas", of,
             c->set->calls.as_called && x->batch ? ".batch" : "");
    char *path = with_suffix(c->set->out.path, ".json", suffix);
    if (!path)
        cpm_no_memory(e);
    return path;
}

/* What is left is for this part and those behind it alike. */
static double share_of_budget(const tuning *t, double budget, int behind)
{
    double left = budget - (t->c->machine->now(t->c->machine) - t->begin);
    return budget > 0 ? fmax(left / (1 + behind), 1e-9) : 0;
}

/* A word instead of sizes that are not options; NULL: they are. */
static const char *sizes_of(const call *c)
{
    return c->set->calls.profile ? "all" : NULL;
}

static int measure_round(tuning *t, round_of_part *r, int behind, const char *path, cpm_error *e)
{
    call *c = t->c;
    cpm_machine *whole = c->machine;
    double budget = c->set->how.budget;
    cpm_measurements results = {0};
    cpm_metadata what = {0};
    c->set->how.budget = share_of_budget(t, budget, behind);
    c->machine = r->p->machine;
    c->placement = &r->p->at;
    int status = session_agree(
        c, measuring_describe(c, "tune --measure", &t->only, sizes_of(c), &what, e), e);
    if (!status)
        status = measuring_run(c, &(measuring_plan){.planner = plan, .context = &r->contests}, path,
                               &what, &results, NULL, e);
    c->machine = whole;
    c->placement = NULL;
    c->set->how.budget = budget;
    if (!status)
        status = session_agree(c, c->speaks ? conclude(t, r, &results, e) : CPM_OK, e);
    cpm_measurements_clear(&results);
    cpm_metadata_clear(&what);
    return status;
}

static int tune_part(tuning *t, int k, cpm_error *e)
{
    first_part p;
    round_of_part r = {.t = t, .p = &p};
    const part *x = &t->parts.at[k];
    char *path = NULL;
    bool anew = t->c->set->calls.as_called && x->batch;
    t->c->set->calls.timing = x->batch ? MPIB_TIMING_BATCH : MPIB_TIMING_GLOBAL;
    int status = part_open(t->c, &t->placed.known, x->n, anew, &p, e);
    bool named = output_is_file(t->c->set->out.path);
    if (!status && named)
        path = name_measurements(t->c, x, e);
    if (!status)
        status = session_agree(t->c, named && !path ? CPM_ENOMEM : CPM_OK, e);
    if (!status)
        status = session_agree(t->c, t->c->speaks ? open_round(&r, e) : CPM_OK, e);
    if (!status)
        status = measure_round(t, &r, t->parts.count - 1 - k, path, e);
    free(path);
    close_round(&r);
    part_close(&p);
    return status;
}

/* ---- the table */

static int describe_method(const tuning *t, cpm_metadata *f, cpm_error *e)
{
    if (!t->model)
        return cpm_metadata_set(f, e, "method", "measured, all candidates, root %d",
                                t->c->set->calls.root);
    int status = cpm_metadata_set(f, e, "model", "%s", t->c->operand[0]);
    if (!status)
        status = cpm_metadata_set(f, e, "model_sha256", "%s", t->checksum);
    return status ? status
                  : cpm_metadata_set(f, e, "method",
                                     "measured, candidates within %g times the best of %s, root %d",
                                     tune_measured_of(t->c)->within, t->model->type->name,
                                     t->c->set->calls.root);
}

/* That of all rules, or that each says it. */
static void name_timing(const tuning *t, char out[CPM_BATCH_NAME])
{
    int batches = 0;
    for (int k = 0; k < t->parts.count; k++)
        batches += t->parts.at[k].batch;
    cpm_batch_name(batches ? (t->c->set->calls.batch ? t->c->set->calls.batch : CPM_BATCH_BY_SIZE)
                           : CPM_ISOLATED,
                   out);
    if (batches && batches < t->parts.count)
        snprintf(out, CPM_BATCH_NAME, "%s", CPM_TABLE_AS_CALLED);
}

static int describe(const tuning *t, cpm_error *e)
{
    cpm_metadata *f = &t->table->metadata;
    const cpm_placement in_order = {.topology = t->placed.topology};
    char timing[CPM_BATCH_NAME], where[CPM_FINGERPRINT];
    name_timing(t, timing);
    cpm_placement_fingerprint(&in_order, where);
    int status = describe_method(t, f, e);
    if (!status && t->profile)
        status = cpm_metadata_set(f, e, "profile", "%s", t->c->set->calls.profile);
    if (!status)
        status = cpm_metadata_set(f, e, "timing", "%s", timing);
    if (!status)
        status = cpm_metadata_set(f, e, CPM_METADATA_COMBINING, "%s",
                                  cpm_combinings[t->c->set->calls.combining].name);
    if (!status)
        status = cpm_metadata_set(f, e, "placement", "%s", where);
    if (!status)
        status = tune_report_describe(&t->report, f, e);
    if (!status)
        status = cpm_metadata_date(f, e);
    return status ? status : call_describe(t->c, f, e);
}

static int finish(tuning *t, cpm_error *e)
{
    const tune_measured_settings *s = tune_measured_of(t->c);
    t->report.seconds = fmax(t->c->machine->now(t->c->machine) - t->begin, t->report.measuring);
    int status = describe(t, e);
    if (!status)
        status = cpm_table_write(t->table, s->shared.out.path ? s->shared.out.path : "-", e);
    return status ? status : tune_report_print(&t->report, &s->shared, e);
}

/* ---- the whole */

static int prepare_first(tuning *t, cpm_error *e)
{
    int status = read_inputs(t, e);
    return status ? status : choose_processes(t, e);
}

static int prepare(tuning *t, cpm_error *e)
{
    call *c = t->c;
    const cpm_machine *m = c->machine;
    int status = session_needs(c, 2, e);
    if (!status && !c->set->calls.sizes.count)
        status = session_agree(c, cpm_sizes_parse("1,64,256,1K:256K", &c->set->calls.sizes, e), e);
    if (!status)
        status = session_agree(c, c->speaks ? prepare_first(t, e) : CPM_OK, e);
    if (!status)
        status = m->broadcast(c->machine, &t->parts, sizeof t->parts, e);
    if (!status)
        status = measuring_hosts(c, &t->placed, e);
    if (!status)
        status = tune_topology_share(c, t->model ? t->model : c->simulated, &t->placed, e);
    if (!status && c->speaks)
        tell_left_out(t);
    return status;
}

static int run(call *c, cpm_error *e)
{
    tuning t = {.c = c};
    c->set->how.raw = true; /* tests need every repetition */
    int status = prepare(&t, e);
    t.begin = c->machine->now(c->machine);
    for (int k = 0; k < t.parts.count && !status; k++)
        status = tune_part(&t, k, e);
    if (!status)
        status = session_agree(c, c->speaks ? finish(&t, e) : CPM_OK, e);
    tune_report_clear(&t.report);
    cpm_table_free(t.table);
    choices_clear(&t.only);
    cpm_profile_free(t.profile);
    cpm_model_free(t.model);
    placement_close(&t.placed);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    const tune_measured_settings *s = tune_measured_of(c);
    bool named = output_is_file(s->shared.out.path);
    if (s->shared.how.resume && !named)
        return cpm_fail(e, CPM_EINVAL,
                        "--resume needs --output: the measurements have the same name with .meas");
    if (s->shared.calls.profile && s->shared.calls.sizes.count)
        return cpm_fail(e, CPM_EINVAL, "--sizes and --profile: the sizes are the profile's");
    if (!(s->within >= 1))
        return cpm_fail(e, CPM_EINVAL, "--within: %g is less than 1", s->within);
    int status = tune_check_sizes(&s->shared.calls.sizes, e);
    return status ? status : placement_check_simulated(&s->shared, e);
}

static void defaults(void *set)
{
    tune_measured_settings *s = set;
    measuring_defaults(s);
    s->shared.calls.timing = MPIB_TIMING_ROOT; /* calls_settle() */
    s->shared.how.precision.statistic = CPM_MEAN;
    s->shared.how.precision.min_reps = 8;
    s->shared.how.precision.max_seconds = 0.1;
    s->shared.calls.combining = CPM_COMBINING_USUAL;
    s->within = CPM_CONTEST_WITHIN;
}

/* clang-format off */
static const option own[] = {
    {"measure", 0, NULL, "measure instead of predicting", offsetof(tune_measured_settings, measure), NULL},
    {"processes", 'n', "NUMBERS", "numbers of processes: 4,8 or 2:16 (doubling) or 2:16:1. Each "
     "takes the first processes of the run (default: all)", offsetof(settings, calls.processes), set_sizes},
    {"sizes", 'm', "SIZES", "block sizes to measure, and between which to look for changes "
     "(default 1,64,256,1K:256K)", offsetof(settings, calls.sizes), set_sizes},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"combine", 0, "CLASS", "what reductions combine: doubles (default) or floats (sums), or bytes (by "
     "exclusive or)", offsetof(settings, calls.combining), set_combining},
    {"profile", 0, "FILE", "measure only the operations, sizes and numbers of processes of a "
     "program's calls (cpm run --profile), the most expensive ones first", offsetof(settings, calls.profile), set_text},
    {"within", 0, "X", "with a model: measure only algorithms predicted to take at most X times "
     "as long as the fastest (default 1.2)", offsetof(tune_measured_settings, within), set_number},
    {"output", 'o', "FILE", "write the table to FILE (default: standard output), and the "
     "measurements to the same name with .meas", offsetof(settings, out.path), set_new_file},
    {"resume", 0, NULL, "continue the measurements of a run that was stopped",
     offsetof(settings, how.resume), NULL},
    {"budget", 0, "SECONDS", "begin nothing new after SECONDS; the table holds what was measured "
     "by then (default 0: no limit)", offsetof(settings, how.budget), set_seconds},
    {"min-reps", 0, "N", "minimum number of repetitions of a measurement (default 8)",
     offsetof(settings, how.precision.min_reps), set_integer},
    {"max-reps", 0, "N", "maximum number of repetitions of a measurement (default 100)",
     offsetof(settings, how.precision.max_reps), set_integer},
    {"error", 0, "X", "repeat until half the confidence interval is this share of the time (default 0.025)",
     offsetof(settings, how.precision.relative_error), set_number},
    {"max-seconds", 0, "X", "time limit per measurement, after its minimum of repetitions "
     "(default 0.1; 0: none)",
     offsetof(settings, how.precision.max_seconds), set_seconds},
    {"statistic", 0, "STATISTIC", "mean (default), median or minimum of the repetitions",
     offsetof(settings, how.precision.statistic), set_statistic},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_tune_measured = {
    .name = "tune --measure",
    .operands = "[FILE.mod] [OP[:ALGORITHM[:PARAMETER=VALUE]...]] ...",
    .summary = "write a decision table from measurements",
    .description =
        "Measures which algorithm is the fastest for the processes of the run, and writes a "
        "decision table for CPM_TABLE or cpm export. Without OP, tunes all operations. The MPI "
        "library's own routine always takes part; another must beat it by more than the noise. "
        "With a model, measures only algorithms that the model gives a chance. Without one, "
        "measures all, with the segments, fan-outs and meshes that are worth trying.",
    .example = "mpiexec -n 8 cpm tune --measure cluster.mod -o table.json\n"
               "mpiexec -n 8 cpm tune --measure alltoall --timing batch --budget 600 -o table.json",
    .max_operands = 1000,
    .measures = true,
    .settle = calls_settle,
    .check = check,
    .settings = sizeof(tune_measured_settings),
    .options = {own, calls_options, topology_options, machine_options, simulated_layout_options,
                force_options},
    .defaults = defaults,
    .run = run,
};
