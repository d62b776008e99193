/* cpm synthesize: a schedule of messages made for a cluster, by a model. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/monotonic.h"
#include "collectives/schedule_file.h"
#include "mapping/synthesis.h"
#include "models/predict.h"
#include "selection/lower_bound.h"
#include "tools/choose/synthesize_rules.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/predict/beyond.h"

/* How long to search. */
typedef struct {
    settings shared;
    int attempts;
    double budget;
    bool unaided;
} synthesize_settings;

static synthesize_settings *synthesize_of(const call *c)
{
    return (synthesize_settings *)c->set;
}

typedef struct {
    const call *c;
    const cpm_model *model;
    cpm_collective what;
    size_t bytes;
    const char *path; /* where the schedule goes; NULL and "-": standard output */
    double seconds;   /* of the search, at most */
    cpm_synthesized found;
    cpm_lower_bound bound;
} task;

/* ---- output */

static double less(const task *t)
{
    const cpm_synthesized *f = &t->found;
    return f->row_seconds > 0 ? 100 * (1 - f->seconds / f->row_seconds) : 0;
}

static void print_head(const task *t, FILE *out)
{
    const cpm_synthesized *f = &t->found;
    char model[PATH_MAX];
    fprintf(out, "# cpm schedule: %s, %s, %s, %d processes", t->what.operation->name,
            cpm_escape(t->c->operand[0], model, sizeof model), t->model->type->name, t->model->n);
    if (t->what.operation->rooted)
        fprintf(out, ", root %d", t->what.at.root);
    fprintf(out, ", %zu bytes\n", t->bytes);
    fprintf(out, "# predicted: %.2f us; the fastest algorithm (%s) %.2f us, %.1f %% less\n",
            f->seconds * 1e6, f->row, f->row_seconds * 1e6, less(t));
    fprintf(out, "# no schedule takes less than %.2f us (%s)\n", t->bound.seconds * 1e6,
            t->bound.limit);
    fprintf(out, "# from %s, best of %ld predictions; %s\n", f->way, f->tried,
            f->converged ? "no small change gains more" : "time was over, more may gain more");
}

static int write_schedule(const task *t, cpm_error *e)
{
    bool several = cpm_hosts_have_levels(&t->model->on);
    cpm_new_file out;
    int status = output_open(t->path, CPM_FILE_SCHEDULE, &out, e);
    if (status)
        return status;
    print_head(t, out.stream);
    cpm_schedule_print(&t->found.messages, several ? t->model->hosts : NULL, out.stream);
    if (out.stream != stdout && t->c->set->out.format == CPM_FORMAT_TEXT)
        print_head(t, stdout);
    return cpm_new_file_close(&out, CPM_OK, e);
}

static void add_messages(const task *t, cpm_report_tables *all)
{
    static const cpm_report_table_column columns[] = {
        {"from", 0}, {"to", 0}, {"sent_in", 0}, {"received_in", 0}, {"combines", 0}, {NULL, 0}};
    static const cpm_report_table messages = {"messages", NULL, columns};
    const cpm_messages *m = &t->found.messages;
    cpm_report_tables_begin(all, &messages);
    for (int64_t k = 0; k < m->count; k++) {
        const cpm_message *x = &m->at[k];
        cpm_report_tables_row(all, "nnnnb", (long)x->from, (long)x->to,
                              (long)x->round[CPM_AT_SENDER], (long)x->round[CPM_AT_RECEIVER],
                              x->combines);
    }
}

/* The head and the messages without their blocks, for programs. */
static int print_report_tables(const task *t, cpm_error *e)
{
    const cpm_synthesized *f = &t->found;
    cpm_report_tables all = {.title = "schedule"};
    cpm_report_tables_metadata(&all, "operation", "s", t->what.operation->name);
    cpm_report_tables_metadata(&all, "model", "s", t->model->type->name);
    cpm_report_tables_metadata(&all, "processes", "n", (long)t->model->n);
    cpm_report_tables_metadata(&all, "root", "n", (long)t->what.at.root);
    cpm_report_tables_metadata(&all, "size", "n", (long)t->bytes);
    cpm_report_tables_metadata(&all, "predicted_us", "r", f->seconds * 1e6);
    cpm_report_tables_metadata(&all, "algorithm", "s", f->row);
    cpm_report_tables_metadata(&all, "algorithm_us", "r", f->row_seconds * 1e6);
    cpm_report_tables_metadata(&all, "bound_us", "r", t->bound.seconds * 1e6);
    cpm_report_tables_metadata(&all, "limit", "s", t->bound.limit);
    cpm_report_tables_metadata(&all, "way", "s", f->way);
    cpm_report_tables_metadata(&all, "predictions", "n", f->tried);
    cpm_report_tables_metadata(&all, "converged", "b", f->converged);
    add_messages(t, &all);
    return output_sheets(&all, t->c->set->out.format, e);
}

/* For programs on standard output, unless the schedule itself goes there. */
static int give(const task *t, cpm_error *e)
{
    bool text = t->c->set->out.format == CPM_FORMAT_TEXT;
    int status = text || t->path ? write_schedule(t, e) : CPM_OK;
    return status || text ? status : print_report_tables(t, e);
}

/* ---- the task */

/* As a person reads them, unless that takes longer. */
static int tidy(task *t, cpm_error *e)
{
    cpm_messages tidied = {0};
    int status = cpm_messages_tidy(&t->found.messages, &tidied, e);
    if (status)
        return status;
    const cpm_algorithm row = cpm_messages_row(&tidied, "made");
    cpm_collective what = t->what;
    what.algorithm = &row;
    double seconds = cpm_predict_bytes(t->model, &what, t->bytes, NULL, NULL, e);
    bool good = seconds >= 0 && seconds <= t->found.seconds * (1 + 1e-9);
    if (good) {
        cpm_messages_clear(&t->found.messages);
        t->found.messages = tidied;
        t->found.seconds = seconds;
    } else {
        cpm_messages_clear(&tidied);
    }
    return seconds < 0 ? (int)seconds : CPM_OK;
}

static int find(task *t, cpm_error *e)
{
    const synthesize_settings *s = synthesize_of(t->c);
    const cpm_mapping_effort effort = {t->seconds, s->shared.machine.seed, s->attempts, 1};
    int status = cpm_synthesize(t->model, &t->what, t->bytes, &effort, s->unaided, &t->found, e);
    if (!status)
        status = cpm_lower_bound_of(t->model, &t->what, t->bytes, &t->bound, e);
    if (!status)
        status = tidy(t, e);
    if (!status && cpm_hosts_have_levels(&t->model->on))
        status = cpm_messages_set_hosts(&t->found.messages, &t->model->on, e);
    return status;
}

static int make_one(task *t, cpm_error *e)
{
    const cpm_sizes *sizes = &t->c->set->calls.sizes;
    t->bytes = sizes->count ? sizes->at[0] : 0;
    t->path = t->c->set->out.path;
    t->seconds = synthesize_of(t->c)->budget;
    int status = output_check(t->path, CPM_FILE_SCHEDULE, e);
    if (!status)
        status = find(t, e);
    return status ? status : give(t, e);
}

/* ---- several sizes */

/* Where the fastest algorithm is best it needs no file. */
static int make_of(task *t, const char *path, synthesize_choice *out, cpm_error *e)
{
    *out = (synthesize_choice){.bytes = t->bytes};
    t->path = path;
    int status = find(t, e);
    if (!status && strcmp(t->found.way, "row") == 0) {
        print_head(t, stdout);
        snprintf(out->name, sizeof out->name, "%s", t->found.row);
    } else if (!status) {
        snprintf(out->name, sizeof out->name, "%c%s", CPM_SCHEDULE_FILE, path);
        status = give(t, e);
    }
    cpm_synthesized_clear(&t->found);
    return status;
}

static int make_all(task *t, const cpm_sizes *sizes, synthesize_choice *choice, cpm_error *e)
{
    static const double least = 1e-3; /* a search that has no time left gives its first starts */
    char path[CPM_SCHEDULE_PATH + 1];
    double end = cpm_monotonic_seconds() + synthesize_of(t->c)->budget;
    int status = CPM_OK;
    for (int k = 0; k < sizes->count && !status; k++) {
        status = synthesize_path(t->c->set->out.path, sizes->at[k], path, sizeof path, e);
        if (!status)
            status = output_check(path, CPM_FILE_SCHEDULE, e);
    }
    for (int k = 0; k < sizes->count && !status; k++) {
        double left = fmax(end - cpm_monotonic_seconds(), least);
        t->bytes = sizes->at[k];
        t->seconds = left / (sizes->count - k);
        status = synthesize_path(t->c->set->out.path, t->bytes, path, sizeof path, e);
        if (!status)
            status = make_of(t, path, &choice[k], e);
    }
    return status;
}

/* A file for each size, and on standard output the rules that name them. */
static int make_several(task *t, cpm_error *e)
{
    cpm_sizes *sizes = &t->c->set->calls.sizes;
    if (t->what.operation->dataless)
        return cpm_fail(e, CPM_EINVAL, "--size: %s carries no data: it has one size",
                        t->what.operation->name);
    cpm_sizes_sort(sizes);
    printf("# rules of %d sizes, for cpm run --rules\n", sizes->count);
    synthesize_choice *choice = malloc((size_t)sizes->count * sizeof *choice);
    int status = choice ? make_all(t, sizes, choice, e) : cpm_no_memory(e);
    if (!status)
        synthesize_print_rules(&t->what, choice, sizes->count, stdout);
    free(choice);
    return status;
}

static int run_with(call *c, const cpm_model *m, cpm_error *e)
{
    task t = {.c = c, .model = m};
    placement placed = {0};
    int status = CPM_OK;
    if (c->set->calls.root >= m->n)
        status =
            cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", c->set->calls.root, m->n - 1);
    if (!status)
        status = cpm_operation_find(c->operand[1], &t.what.operation, e);
    if (!status)
        status = placement_open(c->set, m->n, &placed, e);
    if (!status)
        placement_of_model(&placed, m);
    t.what.at = placed.known;
    t.what.at.n = m->n;
    t.what.at.root = t.what.operation && t.what.operation->rooted ? c->set->calls.root : 0;
    t.what.combining = CPM_COMBINING_USUAL;
    bool empty = t.what.operation && t.what.operation->dataless;
    if (!status && !c->set->calls.sizes.count && !empty)
        status = cpm_fail(e, CPM_EINVAL, "a size is missing: -m SIZE");
    if (!status)
        status = beyond_warn(m, beyond_largest(&c->set->calls.sizes), e);
    if (!status)
        beyond_warn_combining(m, t.what.operation->combines, t.what.combining);
    if (!status)
        status = c->set->calls.sizes.count > 1 ? make_several(&t, e) : make_one(&t, e);
    cpm_synthesized_clear(&t.found);
    placement_close(&placed);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    bool several = c->set->calls.sizes.count > 1;
    if (several && !output_is_file(c->set->out.path))
        return cpm_fail(e, CPM_EINVAL,
                        "--size: several sizes need -o NAME.schedule, for NAME-SIZE.schedule");
    if (several && c->set->out.format != CPM_FORMAT_TEXT)
        return cpm_fail(e, CPM_EINVAL, "--format: for one size; several give rules");
    return output_check_format(c->set->out.path, c->set->out.format, e);
}

static void defaults(void *set)
{
    synthesize_settings *s = set;
    s->budget = 10;
    s->attempts = 200;
    s->shared.machine.seed = 1;
}

/* clang-format off */
static const option own[] = {
    {"size", 'm', "SIZES", "block sizes: 64K or 8K,64K or 8K:1M; of several, standard output gets the rules", offsetof(settings, calls.sizes), set_sizes},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"budget", 0, "SECONDS", "time limit of the search, of all sizes together (default 10)",
     offsetof(synthesize_settings, budget), set_seconds},
    {"attempts", 0, "N", "end the search after N runs of small changes without a gain (default 200)",
     offsetof(synthesize_settings, attempts), set_integer},
    {"seed", 0, "N", "seed of the random changes (default 1)", offsetof(settings, machine.seed), set_unsigned},
    {"unaided", 0, NULL, "start from no algorithm: what does the search find by itself?",
     offsetof(synthesize_settings, unaided), NULL},
    {"output", 'o', "FILE", "write the schedule to FILE; several sizes: NAME.schedule gives NAME-64K.schedule", offsetof(settings, out.path),
     set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_synthesize_command = {
    .name = "synthesize",
    .operands = "FILE.mod OP",
    .summary = "make a schedule of messages for the cluster",
    .description =
        "Searches for messages that take less time on this cluster than every algorithm "
        "does, as the model predicts. The result is a file with a line for each message. "
        "Name it wherever an algorithm is named: bcast:@FILE. Needs no MPI.",
    .example = "cpm synthesize cluster.mod bcast -m 64K -o bcast.schedule\n"
               "cpm predict cluster.mod bcast:@bcast.schedule bcast -m 64K",
    .min_operands = 2,
    .max_operands = 2,
    .check = check,
    .defaults = defaults,
    .settings = sizeof(synthesize_settings),
    .options = {own, format_options, topology_options, force_options},
    .run_with = run_with,
};
