/* cpm tune --verify: the rows of a table or of rules against the MPI library's own routine, in
 * turns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "measurements/campaign.h"
#include "tools/choose/verify_rows.h"
#include "tools/frame/batch.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"
#include "tools/measure/measuring.h"
#include "tools/measure/session.h"
#include "tools/measure/sub_cluster.h"

typedef struct {
    settings shared;
    bool verify; /* which told it from cpm tune */
    int turns;
    const char *library; /* MPICH's */
} tune_verify_settings;

static tune_verify_settings *verify_of(const call *c)
{
    return (tune_verify_settings *)c->set;
}

/* Rows are rank 0's. */
typedef struct {
    call *c;
    verify_rows rows;
    first_part p;
    int turn;
    double begin;
} verifying;

/* ---- measuring */

static int ask(const cpm_collective *what, size_t bytes, cpm_design *next, cpm_error *e)
{
    const cpm_experiment x = cpm_experiment_of(what, bytes);
    int status = cpm_design_add(next, &x, e);
    return status ? status : cpm_design_close_round(next, e);
}

/* Both of each row, the other one first in every second turn. What several rows ask for alike is
 * measured once. */
static int plan(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                cpm_error *e)
{
    const verifying *v = context;
    int status = CPM_OK;
    (void)n, (void)so_far;
    for (int k = 0; k < v->rows.count && !status; k++) {
        const verify_row *row = &v->rows.at[k];
        const cpm_collective *both[] = {&row->native, &row->what};
        for (int side = 0; side < 2 && !status && !row->cannot.code; side++)
            status = ask(both[(side + v->turn) % 2], row->bytes, next, e);
    }
    return status;
}

static double seconds_of(const cpm_measurements *m, const cpm_collective *what, size_t bytes)
{
    const cpm_experiment x = cpm_experiment_of(what, bytes);
    int at = cpm_measurements_find(m, &x);
    return at < 0 ? 0 : cpm_measurement_value(&m->at[at], m->statistic);
}

/* Of rows of which both were measured. */
static void note_turn(verifying *v, const cpm_measurements *m)
{
    for (int k = 0; k < v->rows.count; k++) {
        verify_row *row = &v->rows.at[k];
        double native = seconds_of(m, &row->native, row->bytes);
        double own = seconds_of(m, &row->what, row->bytes);
        if (native <= 0 || own <= 0)
            continue;
        row->seconds[0][row->turns] = native;
        row->seconds[1][row->turns++] = own;
    }
}

/* Seconds that are left at rank 0; 0: as many as it takes, negative: none. */
static double left(const verifying *v)
{
    const call *c = v->c;
    double budget = c->set->how.budget;
    double rest = budget - (c->machine->now(c->machine) - v->begin);
    return budget > 0 ? (rest > 0 ? rest : -1) : 0;
}

static int run_turn(verifying *v, double limit, cpm_error *e)
{
    const call *c = v->c;
    cpm_measurements results = {0};
    const cpm_campaign campaign = {.precision = c->set->how.precision,
                                   .serial = true,
                                   .time_limit = limit,
                                   .placement = &v->p.at,
                                   .topology = c->topology};
    int status = cpm_campaign_run(c->machine, plan, v, &campaign, &results, e);
    if (!status && c->speaks)
        note_turn(v, &results);
    cpm_measurements_clear(&results);
    return status;
}

static int run_turns(verifying *v, cpm_error *e)
{
    const call *c = v->c;
    int status = CPM_OK;
    v->begin = c->machine->now(c->machine);
    for (v->turn = 0; v->turn < verify_of(c)->turns && !status; v->turn++) {
        double limit = left(v); /* rank 0's */
        status = c->machine->broadcast(c->machine, &limit, sizeof limit, e);
        if (limit < 0)
            break;
        if (!status)
            status = run_turn(v, limit, e);
        if (!status && c->speaks && !c->set->out.quiet)
            fprintf(stderr, "cpm tune --verify: turn %d of %d\n", v->turn + 1, verify_of(c)->turns);
    }
    return status;
}

/* ---- what became of it */

static const char *verdict_of(const verify_row *row)
{
    return row->cannot.code ? "cannot run" : cpm_verdict_name(row->outcome.verdict);
}

static void put_share(table *t, double share)
{
    if (isnan(share))
        table_cell(t, "-");
    else
        table_cell(t, "%.1f%%", 100 * share);
}

static void put_interval(table *t, const cpm_ratio *x)
{
    if (isnan(x->value))
        table_cell(t, "-");
    else
        table_cell(t, "%.1f..%.1f%%", 100 * x->low, 100 * x->high);
}

static void add_row(table *t, const verify_row *row)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print_algorithm(&row->what, name, sizeof name);
    table_cell(t, "%s", row->what.operation->name);
    table_cell(t, "%d", row->n);
    table_cell(t, "%zu", row->rule->from);
    table_cell(t, "%zu", row->bytes);
    table_cell(t, "%s", name);
    put_share(t, row->outcome.gain.value);
    put_interval(t, &row->outcome.gain);
    put_interval(t, &row->outcome.itself);
    table_cell(t, "%d", row->turns);
    table_cell(t, "%s", verdict_of(row));
}

static int print_text(const verifying *v, cpm_error *e)
{
    table t = {0};
    puts("# gain: share of the time of the library's own routine, mean of the turns, with its "
         "interval of 95 %.\n# itself: the own routine against itself, a turn later. size: at "
         "which a rule from so many bytes on was tried");
    table_head(&t, "operation", "n", "from", "size", "algorithm", "gain", "interval", "itself",
               "turns", "verdict", NULL);
    for (int k = 0; k < v->rows.count; k++)
        add_row(&t, &v->rows.at[k]);
    return table_print(&t, "", 1, stdout, e);
}

static void add_report_row(cpm_report_tables *all, const verify_row *row)
{
    char name[CPM_COLLECTIVE_NAME];
    const cpm_ratio *gain = &row->outcome.gain, *itself = &row->outcome.itself;
    cpm_collective_print_algorithm(&row->what, name, sizeof name);
    cpm_report_tables_row(all, "snnnsrrrrrns", row->what.operation->name, (long)row->n,
                          (long)row->rule->from, (long)row->bytes, name, gain->value, gain->low,
                          gain->high, itself->low, itself->high, (long)row->turns, verdict_of(row));
}

static int print_report_tables(const verifying *v, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"operation", 0}, {"n", 0},        {"from", 0},      {"size", 0},       {"algorithm", 0},
        {"gain", 3},      {"gain_low", 3}, {"gain_high", 3}, {"itself_low", 3}, {"itself_high", 3},
        {"turns", 0},     {"verdict", 0},  {NULL, 0}};
    static const cpm_report_table rows = {"rows", NULL, columns};
    cpm_report_tables all = {.title = "tune --verify"};
    cpm_report_tables_metadata(&all, "file", "s", v->c->operand[0]);
    cpm_report_tables_metadata(&all, "processes", "n", (long)v->c->machine->n);
    cpm_report_tables_metadata(&all, "turns", "n", (long)v->turn);
    cpm_report_tables_begin(&all, &rows);
    for (int k = 0; k < v->rows.count; k++)
        add_report_row(&all, &v->rows.at[k]);
    return output_sheets(&all, v->c->set->out.format, e);
}

static int print(const verifying *v, cpm_error *e)
{
    bool text = v->c->set->out.format == CPM_FORMAT_TEXT;
    return (text ? print_text : print_report_tables)(v, e);
}

static void say(const verifying *v)
{
    int of[3] = {0}, cannot = 0;
    for (int k = 0; k < v->rows.count; k++) {
        const verify_row *row = &v->rows.at[k];
        cannot += row->cannot.code != CPM_OK;
        of[row->outcome.verdict]++;
    }
    fprintf(stderr, "cpm: %d of %d rows gain, %d lose, %d undecided", of[CPM_GAINS], v->rows.count,
            of[CPM_LOSES], of[CPM_CANNOT_TELL] - cannot);
    if (cannot)
        fprintf(stderr, ", and %d cannot run here", cannot);
    fputc('\n', stderr);
}

static void say_budget(const verifying *v)
{
    if (v->turn < CPM_LEAST_TURNS)
        fprintf(stderr,
                "cpm tune --verify: the budget allowed fewer than %d turns: give it more time\n",
                CPM_LEAST_TURNS);
}

static int write_table(const verifying *v, cpm_error *e)
{
    const settings *s = v->c->set;
    cpm_metadata *f = &v->rows.table->metadata;
    int status = cpm_metadata_set(f, e, "verified", "in %d turns on %d processes, root %d, %s",
                                  v->turn, v->c->machine->n, s->calls.root,
                                  s->calls.timing == MPIB_TIMING_BATCH ? "batch" : "isolated");
    if (!status)
        status = cpm_metadata_date(f, e);
    if (!status)
        status = call_describe(v->c, f, e);
    return status ? status : cpm_table_write(v->rows.table, s->out.path, e);
}

static int write_mpich(const verifying *v, cpm_error *e)
{
    cpm_new_file out;
    int status = output_open(v->c->set->out.path, CPM_FILE_MPICH, &out, e);
    if (status)
        return status;
    return cpm_new_file_close(&out, cpm_mpich_file_write(v->rows.mpich, out.stream, e), e);
}

static int write_kept(verifying *v, cpm_error *e)
{
    int status = verify_rows_keep(&v->rows, e);
    if (status)
        return status;
    return (v->rows.mpich ? write_mpich : write_table)(v, e);
}

static int conclude(verifying *v, cpm_error *e)
{
    bool to_output = v->c->set->out.path && strcmp(v->c->set->out.path, "-") == 0;
    int status = CPM_OK;
    for (int k = 0; k < v->rows.count && !status; k++) {
        verify_row *row = &v->rows.at[k];
        status = cpm_turns_judge(row->seconds[0], row->seconds[1], row->turns, &row->outcome, e);
    }
    if (!status && !to_output)
        status = print(v, e);
    if (!status && v->c->set->out.path)
        status = write_kept(v, e);
    if (!status && !v->c->set->out.quiet)
        say(v);
    if (!status)
        say_budget(v);
    return status;
}

/* ---- the whole */

static void warn_of_timing(const verifying *v)
{
    char shown[80];
    const char *batch = cpm_table_batch(v->rows.table);
    if (batch && v->c->set->calls.timing != MPIB_TIMING_BATCH)
        fprintf(stderr,
                "cpm tune --verify: the table is not for isolated calls (timing: %s): try --timing "
                "batch\n",
                cpm_escape(batch, shown, sizeof shown));
}

/* With it the library's own routines would be those of some file. */
static int check_selection(const verifying *v, cpm_error *e)
{
    static const char name[] = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";
    const char *file = getenv(name);
    if (!v->rows.mpich || v->c->set->machine.model || !file || !*file)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "%s is set, so MPICH's own routines follow that file: unset it to verify",
                    name);
}

static int read_rows(verifying *v, cpm_error *e)
{
    const call *c = v->c;
    const cpm_hosts *hosts = v->p.at.hosts;
    const cpm_request any = {.n = c->machine->n,
                             .root = c->set->calls.root,
                             .hosts = cpm_hosts_have_levels(hosts) ? hosts : NULL,
                             .topology = v->p.at.topology};
    if (any.root < 0 || any.root >= any.n)
        return cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", any.root, any.n - 1);
    const tune_verify_settings *s = verify_of(c);
    int status = verify_rows_read(c->operand[0], s->library, &any, s->turns, &v->rows, e);
    if (!status)
        status = check_selection(v, e);
    if (!status)
        status = output_check(c->set->out.path, v->rows.mpich ? CPM_FILE_MPICH : CPM_FILE_TABLE, e);
    if (!status)
        warn_of_timing(v);
    return status;
}

static int run(call *c, cpm_error *e)
{
    verifying v = {.c = c};
    placement placed = {0};
    int status = session_needs(c, 2, e);
    if (!status)
        status = measuring_hosts(c, &placed, e);
    if (!status)
        status = part_open(c, &placed.known, c->machine->n, false, &v.p, e);
    if (!status)
        status = session_agree(c, c->speaks ? read_rows(&v, e) : CPM_OK, e);
    if (!status)
        status = run_turns(&v, e);
    if (!status)
        status = session_agree(c, c->speaks ? conclude(&v, e) : CPM_OK, e);
    verify_rows_clear(&v.rows);
    part_close(&v.p);
    placement_close(&placed);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    const tune_verify_settings *s = verify_of(c);
    if (s->turns < CPM_LEAST_TURNS || s->turns > 10000)
        return cpm_fail(e, CPM_EINVAL, "--turns: %d is not in %d..10000", s->turns,
                        CPM_LEAST_TURNS);
    int status = output_check_format(s->shared.out.path, s->shared.out.format, e);
    return status ? status : placement_check_simulated(&s->shared, e);
}

static void settle(void *set)
{
    settings *s = set;
    calls_settle(set);
    s->how.precision.max_reps = s->how.precision.min_reps;
}

static void defaults(void *set)
{
    tune_verify_settings *s = set;
    measuring_defaults(s);
    s->shared.calls.timing = MPIB_TIMING_ROOT; /* calls_settle() */
    s->shared.how.precision.statistic = CPM_MEAN;
    s->shared.how.precision.min_reps = 8;
    s->turns = 10;
}

/* clang-format off */
static const option own[] = {
    {"verify", 0, NULL, "try the rows of FILE instead of making a table", offsetof(tune_verify_settings, verify), NULL},
    {"turns", 0, "N", "measure every row N times, the library's own routine and the row's "
     "algorithm one after the other (default 10)", offsetof(tune_verify_settings, turns), set_integer},
    {"min-reps", 0, "N", "repetitions of each of both in a turn (default 8)",
     offsetof(settings, how.precision.min_reps), set_integer},
    {"statistic", 0, "STATISTIC", "mean (default), median or minimum of the repetitions of a turn",
     offsetof(settings, how.precision.statistic), set_statistic},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"budget", 0, "SECONDS", "begin nothing new after SECONDS (default 0: no limit)",
     offsetof(settings, how.budget), set_seconds},
    {"mpich-library", 0, "FILE", "of a selection file of MPICH: the libmpich.so whose decisions it "
     "replaces (default: the one that cpm was built with)", offsetof(tune_verify_settings, library), set_text},
    {"output", 'o', "FILE", "write a table, or MPICH's selection file, without what loses to FILE", offsetof(settings, out.path), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_tune_verify = {
    .name = "tune --verify",
    .operands = "FILE",
    .summary = "try a table or rules against the MPI library",
    .description =
        "Reads a decision table, rules, a dynamic rules file of Open MPI or a selection file of "
        "MPICH. Measures each row for the processes of the run against the MPI library's own "
        "routine, in turns. Prints the gain of each with its interval, and whether it gains or "
        "loses. Algorithms run as CPM's routines.",
    .example = "mpiexec -n 8 cpm tune --verify table.json --budget 300 -o gains.json",
    .min_operands = 1,
    .max_operands = 1,
    .measures = true,
    .settle = settle,
    .check = check,
    .settings = sizeof(tune_verify_settings),
    .options = {own, format_options, calls_options, machine_options, simulated_layout_options,
                force_options},
    .defaults = defaults,
    .run = run,
};
