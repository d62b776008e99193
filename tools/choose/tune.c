/* cpm tune: a decision table of what a model predicts to be the fastest. */
#include <stdlib.h>

#include "base/parallel.h"
#include "base/text_file.h"
#include "collectives/on_groups.h"
#include "history/profile.h"
#include "models/model_topology.h"
#include "tables/tabulate.h"
#include "tools/choose/tune_report.h"
#include "tools/frame/announce.h"
#include "tools/frame/batch.h"
#include "tools/frame/choices.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/measure/sub_cluster.h"
#include "tools/predict/beyond.h"
#include "tools/predict/method.h"

/* What to tune for. */
typedef struct {
    settings shared;
    const char *library;
    bool commuting;
} tune_settings;

static tune_settings *tune_of(const call *c)
{
    return (tune_settings *)c->set;
}

typedef struct {
    call *c;
    const cpm_model *model; /* of all processes */
    cpm_target target;      /* whose algorithms it may be; CPM_LIBRARY_OTHER: any */
    choices only;           /* the operands; empty: everything */
    cpm_selector_options options;
    cpm_profile *profile;   /* whose calls there are rules for; NULL: for all */
    cpm_topology *topology; /* of all processes, by --topology or the model; NULL: not known */
    cpm_table *table;
    announcement said;
} tuning;

/* One operation on one number of processes. */
typedef struct {
    const cpm_operation *operation;
    int n, batch;
    cpm_sizes sizes; /* owned; empty: those of the options */
    cpm_table table; /* its rules */
} part;

typedef struct {
    const tuning *t;
    part *at;
    int count;
} parts;

/* ---- one part */

static const cpm_sizes *sizes_of(const tuning *t, const part *x)
{
    return t->profile ? &x->sizes : &t->c->set->calls.sizes;
}

static int tune_part(void *context, int k, cpm_error *e)
{
    const parts *all = context;
    const tuning *t = all->t;
    const tune_settings *s = tune_of(t->c);
    part *x = &all->at[k];
    cpm_selector_options options = t->options;
    cpm_model *m = NULL;
    cpm_topology *of_model = NULL;
    int status = part_model(t->model, x->n, &m, e);
    if (!status && !s->shared.where.topology)
        status = cpm_model_topology(m, &of_model, e);
    options.topology = s->shared.where.topology ? t->topology : of_model;
    options.batch = x->batch;
    if (!status)
        status = cpm_tabulate(&x->table, m, &options, x->operation, s->shared.calls.root,
                              sizes_of(t, x), e);
    cpm_topology_free(of_model);
    cpm_model_free(m);
    return status;
}

/* ---- all of them */

/* Nothing can be predicted where nobody knows the sizes of a call. */
static bool is_called(const part *x)
{
    return x->sizes.count > 0 && x->operation->sizes != CPM_KNOWN_TO_NOBODY;
}

/* With a profile its calls, else all, operations like others if they are named. */
static int add_part(const tuning *t, parts *out, const cpm_operation *o, int n, cpm_error *e)
{
    part x = {.operation = o, .n = n, .batch = t->options.batch};
    int status = CPM_OK;
    if (t->profile)
        status = cpm_profile_sizes(t->profile, o, n, &x.sizes, e);
    if (t->c->set->calls.as_called && cpm_profile_batched(t->profile, o, n))
        x.batch = t->c->set->calls.batch ? t->c->set->calls.batch : CPM_BATCH_BY_SIZE;
    if (!status && (t->profile ? is_called(&x) : !o->like || t->only.count))
        out->at[out->count++] = x;
    else
        cpm_sizes_free(&x.sizes);
    return status;
}

/* The longest first: those of the most processes. */
static int list_parts(const tuning *t, parts *out, cpm_error *e)
{
    const cpm_sizes *n = &t->c->set->calls.processes;
    size_t most = (size_t)n->count * CPM_OPERATIONS;
    int status = CPM_OK;
    *out = (parts){.t = t, .at = calloc(most, sizeof *out->at)};
    if (!out->at)
        return cpm_no_memory(e);
    for (int i = n->count - 1; i >= 0; i--)
        for (const cpm_operation *o = cpm_operations; o->name && !status; o++)
            status = add_part(t, out, o, (int)n->at[i], e);
    return status;
}

/* For each size, and those between it and the next; as many as tables of several models took. */
static const double decisions_of_size = 2.5;

/* Their number, and what they take. */
static double count_decisions(const parts *all, double *effort)
{
    const tuning *t = all->t;
    int count = 0;
    *effort = 0;
    for (int k = 0; k < all->count; k++) {
        const cpm_sizes *sizes = sizes_of(t, &all->at[k]);
        for (int s = 0; s < sizes->count; s++)
            if (cpm_selector_asks_for(&t->options, all->at[k].operation)) {
                *effort +=
                    decisions_of_size * (double)cpm_decision_effort(all->at[k].n, sizes->at[s]);
                count++;
            }
    }
    return decisions_of_size * count;
}

static double effort_of_all(const void *context)
{
    double effort;
    count_decisions(context, &effort);
    return effort;
}

static int most_at_once(const tuning *t, const parts *all)
{
    int threads = cpm_threads(t->c->set->predicting.threads);
    return threads < all->count ? threads : all->count;
}

/* One of average effort is one. */
static void announce(tuning *t, const parts *all)
{
    double effort, count = count_decisions(all, &effort);
    t->said = (announcement){.c = t->c,
                             .what = "decisions to make",
                             .unit = effort / count,
                             .at_once = most_at_once(t, all),
                             .all = effort_of_all,
                             .context = all};
    t->options.decided = announce_counter(&t->said);
    announce_begin(&t->said);
}

/* That of all rules, or that each says it. */
static void name_timing(const parts *all, char out[CPM_BATCH_NAME])
{
    bool alike = true;
    for (int k = 1; k < all->count; k++)
        alike = alike && all->at[k].batch == all->at[0].batch;
    cpm_batch_name(all->count ? all->at[0].batch : CPM_ISOLATED, out);
    if (!alike)
        snprintf(out, CPM_BATCH_NAME, "%s", CPM_TABLE_AS_CALLED);
}

static int describe(const tuning *t, const parts *all, cpm_error *e)
{
    cpm_metadata *f = &t->table->metadata;
    char checksum[65];
    const char *path = t->c->operand[0];
    int status = cpm_text_checksum(path, checksum, e);
    if (!status)
        status = cpm_metadata_set(f, e, "model", "%s", path);
    if (!status)
        status = cpm_metadata_set(f, e, "model_sha256", "%s", checksum);
    if (!status)
        status = cpm_metadata_set(f, e, "method", "walk through %s, root %d", t->model->type->name,
                                  t->c->set->calls.root);
    char timing[CPM_BATCH_NAME];
    name_timing(all, timing);
    if (!status && t->profile)
        status = cpm_metadata_set(f, e, "profile", "%s", t->c->set->calls.profile);
    if (!status)
        status = cpm_metadata_set(f, e, "timing", "%s", timing);
    if (!status && t->model->type->combine)
        status = cpm_metadata_set(f, e, CPM_METADATA_COMBINING, "%s",
                                  cpm_combinings[t->c->set->calls.combining].name);
    const cpm_placement in_order = {.topology = t->c->set->where.topology ? t->topology : NULL};
    char where[CPM_FINGERPRINT];
    cpm_placement_fingerprint(&in_order, where);
    if (!status)
        status = cpm_metadata_set(f, e, "placement", "%s", where);
    if (!status)
        status = cpm_metadata_date(f, e);
    return status ? status : call_describe(t->c, f, e);
}

/* Of blocks of all parts. */
static int warn_beyond(const parts *all, cpm_error *e)
{
    size_t largest = 0;
    bool combines = false;
    for (int k = 0; k < all->count; k++) {
        const cpm_operation *o = all->at[k].operation;
        combines |= o->combines && cpm_selector_asks_for(&all->t->options, o);
        size_t of_part = beyond_largest(sizes_of(all->t, &all->at[k]));
        largest = of_part > largest ? of_part : largest;
    }
    beyond_warn_combining(all->t->model, combines, all->t->c->set->calls.combining);
    return beyond_warn(all->t->model, largest, e);
}

static int tune_parts(tuning *t, cpm_error *e)
{
    parts all;
    int status = list_parts(t, &all, e);
    if (!status)
        status = describe(t, &all, e);
    if (!status)
        status = warn_beyond(&all, e);
    announce(t, &all);
    if (!status)
        status = cpm_parallel(all.count, t->c->set->predicting.threads, tune_part, &all, e);
    announce_end(&t->said);
    for (int k = 0; k < all.count; k++) {
        if (!status)
            status = cpm_table_join(t->table, &all.at[k].table, e);
        cpm_table_clear(&all.at[k].table);
        cpm_sizes_free(&all.at[k].sizes);
    }
    free(all.at);
    return status;
}

/* 2, 4, 8, ... and the model's. */
static int default_processes(int n, cpm_sizes *out, cpm_error *e)
{
    int status = CPM_OK;
    for (size_t k = 2; k < (size_t)n && !status; k *= 2)
        status = cpm_sizes_add(out, k, e);
    return status ? status : cpm_sizes_add(out, (size_t)n, e);
}

static int check_processes(const cpm_sizes *all, int n, int root, cpm_error *e)
{
    for (int i = 0; i < all->count; i++)
        if (all->at[i] < 2 || all->at[i] > (size_t)n || (size_t)root >= all->at[i])
            return cpm_fail(e, CPM_EINVAL,
                            "--processes: %zu is not in 2..%d, the processes of the model%s",
                            all->at[i], n, root ? ", or has not the root" : "");
    return CPM_OK;
}

/* Those of the communicators that the model has enough processes for. */
static int processes_of_profile(const cpm_profile *p, int most, cpm_sizes *out, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < p->communicator_count && !status; k++)
        if (p->communicators[k].n >= 2 && p->communicators[k].n <= most)
            status = cpm_sizes_note(out, (size_t)p->communicators[k].n, e);
    cpm_sizes_sort(out);
    return status;
}

static int fill_settings(tune_settings *s, const cpm_model *m, const cpm_profile *p, cpm_error *e)
{
    int status = CPM_OK;
    if (!s->shared.calls.processes.count)
        status = p ? processes_of_profile(p, m->n, &s->shared.calls.processes, e)
                   : default_processes(m->n, &s->shared.calls.processes, e);
    if (!status && !s->shared.calls.sizes.count && !p)
        status = cpm_sizes_parse("0:4M", &s->shared.calls.sizes, e);
    return status ? status
                  : check_processes(&s->shared.calls.processes, m->n, s->shared.calls.root, e);
}

/* The processes are the hosts of a file in order. */
static int know_topology(tuning *t, cpm_error *e)
{
    const char *file = t->c->set->where.topology;
    if (!file)
        return cpm_model_topology(t->model, &t->topology, e);
    int status = placement_read_topology(file, &t->topology, e);
    return status ? status : cpm_topology_holds(t->topology, t->model->n, e);
}

static int check_one(const cpm_collective *c, size_t largest, cpm_error *e)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print(c, name, sizeof name);
    if (cpm_is_on_groups(c))
        return cpm_fail(e, CPM_EINVAL,
                        "%s: lines by the MPI library's own routine cannot be predicted: cpm tune "
                        "--measure measures them",
                        name);
    if (cpm_operation_is_of_neighbours(c->operation))
        return cpm_fail(e, CPM_EINVAL,
                        "%s: its time depends on the graph of a communicator, so no table has "
                        "it: choose in rules (cpm run --rules), or by --force",
                        name);
    if (c->operation->sizes == CPM_KNOWN_TO_NOBODY)
        return cpm_fail(e, CPM_EINVAL,
                        "%s: the sizes of its calls are unknown, so their times cannot be "
                        "predicted. cpm tune --measure -m SIZE measures one size; cpm run "
                        "--adapt=threshold tunes it while a program runs",
                        name);
    return method_check(&(method){0}, c, largest, e);
}

static int check_named(const tuning *t, cpm_error *e)
{
    size_t largest = beyond_largest(&t->c->set->calls.sizes);
    int status = CPM_OK;
    for (int k = 0; k < t->only.count && !status; k++)
        status = check_one(&t->only.at[k], largest, e);
    return status;
}

/* Of any number of processes. */
static int choose_candidates(tuning *t, cpm_error *e)
{
    const cpm_placement of_model = {.hosts = &t->model->on, .topology = t->topology};
    const choices_context context = {
        .n = 0, .root = t->c->set->calls.root, .whatever = true, .placement = &of_model};
    int status = CPM_OK;
    if (t->c->operands > 1)
        status = choices_parse(t->c->operand + 1, t->c->operands - 1, &context, &t->only, e);
    if (!status)
        status = check_named(t, e);
    t->options = CPM_SELECTOR_OWN;
    t->options.only = t->only.at;
    t->options.only_count = t->only.count;
    t->options.batch = batch_of(t->c->set);
    t->options.combining = t->c->set->calls.combining;
    if (t->target.library != CPM_LIBRARY_OTHER)
        t->options.theirs = &t->target;
    return status;
}

static void keep_reason(void *context, const cpm_error *why)
{
    *(cpm_error *)context = *why;
}

/* What is named and applies to no number of processes is said, or why the table would be empty. */
static int look_at_useless(const tuning *t, cpm_error *e)
{
    const cpm_placement of_model = {.hosts = &t->model->on, .topology = t->topology};
    const cpm_sizes *n = &t->c->set->calls.processes;
    char **name = t->c->operand + 1;
    int count = t->c->operands - 1;
    cpm_error why = {0};
    cpm_fail(&why, CPM_EINVAL, "%s",
             t->profile ? "the program has no such calls that can be predicted"
                        : "nothing that is named applies to these numbers of processes");
    if (t->table->count) {
        choices_find_useless(name, count, n, &of_model, choices_tell_useless, "tune");
        return CPM_OK;
    }
    choices_find_useless(name, count, n, &of_model, keep_reason, &why);
    return cpm_fail(e, CPM_EINVAL, "there would be no rule in the table: %s", why.text);
}

static int tune(tuning *t, cpm_error *e)
{
    tune_settings *s = tune_of(t->c);
    const char *path = s->shared.out.path ? s->shared.out.path : "-";
    if (s->shared.where.layout && t->model->inside.count == 0)
        return cpm_fail(e, CPM_EDATA,
                        "--layout: the model knows nothing of messages inside a host: measure with "
                        "several processes on a host");
    int status = s->shared.calls.profile ? cpm_profile_read(s->shared.calls.profile, &t->profile, e)
                                         : CPM_OK;
    if (!status)
        status = fill_settings(s, t->model, t->profile, e);
    if (!status)
        status = know_topology(t, e);
    if (!status)
        status = choose_candidates(t, e);
    if (!status)
        status = output_check(path, CPM_FILE_TABLE, e);
    if (!status)
        status = tune_parts(t, e);
    if (!status)
        status = look_at_useless(t, e);
    return status ? status : cpm_table_write(t->table, path, e);
}

static int run_with(call *c, const cpm_model *m, cpm_error *e)
{
    tuning t = {.c = c,
                .model = m,
                .target.commuting = tune_of(c)->commuting,
                .table = calloc(1, sizeof *t.table)};
    int status = t.table ? CPM_OK : cpm_no_memory(e);
    if (!status && tune_of(c)->library)
        status = cpm_library_find(tune_of(c)->library, &t.target.library, e);
    if (!status)
        status = tune(&t, e);
    choices_clear(&t.only);
    cpm_profile_free(t.profile);
    cpm_topology_free(t.topology);
    cpm_table_free(t.table);
    return status;
}

int tune_check_sizes(const cpm_sizes *sizes, cpm_error *e)
{
    for (int i = 1; i < sizes->count; i++)
        if (sizes->at[i] <= sizes->at[i - 1])
            return cpm_fail(e, CPM_EINVAL, "--sizes: they must ascend, and %zu follows %zu",
                            sizes->at[i], sizes->at[i - 1]);
    return CPM_OK;
}

static int check(const call *c, cpm_error *e)
{
    const tune_settings *s = tune_of(c);
    if (s->shared.calls.profile && s->shared.calls.sizes.count)
        return cpm_fail(e, CPM_EINVAL, "--sizes and --profile: the sizes are the profile's");
    return tune_check_sizes(&s->shared.calls.sizes, e);
}

static void defaults(void *set)
{
    tune_settings *s = set;
    s->shared.calls.combining = CPM_COMBINING_USUAL;
}

/* clang-format off */
static const option own[] = {
    {"processes", 'n', "NUMBERS", "numbers of processes: 4,8 or 2:16 (doubling) or 2:16:1. Each "
     "takes the first processes of the model (default: doubling up to all)", offsetof(settings, calls.processes), set_sizes},
    {"sizes", 'm', "SIZES", "range of block sizes to search for changes (default 0:4M)",
     offsetof(settings, calls.sizes), set_sizes},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"combine", 0, "CLASS", "what reductions combine: doubles (default) or floats (sums), or bytes (by "
     "exclusive or)", offsetof(settings, calls.combining), set_combining},
    {"profile", 0, "FILE", "tune only the operations, sizes and numbers of processes of a "
     "program's calls (cpm run --profile)", offsetof(settings, calls.profile), set_text},
    {"for", 0, "LIBRARY", "only algorithms that this library (openmpi or mpich) has too, for cpm "
                          "export",
     offsetof(tune_settings, library), set_text},
    {"commuting", 0, NULL, "with --for openmpi: also allow algorithms that are wrong for "
     "operations that do not commute; rules of Open MPI cannot exclude such operations", offsetof(tune_settings, commuting), NULL},
    {"output", 'o', "FILE", "write the table to FILE (default: standard output)",
     offsetof(settings, out.path), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_tune = {
    .name = "tune",
    .operands = "FILE.mod [OP[:ALGORITHM[:PARAMETER=VALUE]...]] ...",
    .summary = "write a decision table from a model",
    .description = "Finds the algorithm that a model predicts to be the fastest, for numbers of "
                   "processes and all block sizes. Writes a decision table for CPM_TABLE or cpm "
                   "export. Without OP, tunes all operations. Algorithms are tried with all "
                   "segments, fan-outs and meshes that are worth trying. Algorithms named with "
                   "parameters are tried only with these. Needs no MPI; cpm tune --measure "
                   "measures instead.",
    .example = "cpm tune cluster.mod -n 2,3,4 -o table.json\n"
               "cpm tune cluster.mod bcast allgather --for openmpi -o table.json",
    .min_operands = 1,
    .max_operands = 1000,
    .rereads = true,
    .settle = calls_settle,
    .check = check,
    .settings = sizeof(tune_settings),
    .defaults = defaults,
    .options = {own, calls_options, topology_options, layout_options, predicting_options,
                force_options},
    .run_with = run_with,
};
