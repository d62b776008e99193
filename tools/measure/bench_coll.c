/* cpm bench coll: collective operations, by the repository's algorithms and by the MPI library. */
#include <stdlib.h>

#include "adapt/guidelines.h"
#include "tools/examine/standing.h"
#include "tools/frame/batch.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/frame/table.h"
#include "tools/measure/guidelines.h"
#include "tools/measure/measuring.h"
#include "tools/measure/overlap.h"
#include "tools/measure/session.h"
#include "tools/measure/sweep.h"

/* What to measure. */
typedef struct {
    sweep_settings sweep;
    const char *algorithm;
    bool guidelines, overlap;
    double computing; /* seconds, with overlap; 0: as long as each call takes alone */
    guidelines_options how;
} bench_coll_settings;

static bench_coll_settings *bench_coll_of(const call *c)
{
    return (bench_coll_settings *)c->set;
}

/* What is printed: rows for people, or for programs. */
typedef struct {
    const call *c;
    const choices *which;
    const cpm_measurements *m;
    table *t;
    cpm_report_tables *all; /* NULL: t */
} listing;

static void add_row(const listing *l, const cpm_measurement *r, standing among)
{
    char name[CPM_EXPERIMENT_NAME];
    const cpm_summary *s = &r->summary;
    const double time = cpm_summary_value(s, l->m->statistic);
    cpm_experiment_name(&r->what, name, sizeof name);
    if (l->all) {
        cpm_report_tables_row(l->all, "snnrrrns", name, (long)l->c->set->calls.root,
                              (long)r->what.send_bytes, time * 1e6, s->ci_low * 1e6,
                              s->ci_high * 1e6, (long)s->reps, standing_name(among));
        return;
    }
    table_cell(l->t, "%zu", r->what.send_bytes);
    table_cell(l->t, "%s", name);
    table_us(l->t, time);
    table_us(l->t, s->ci_low);
    table_us(l->t, s->ci_high);
    table_cell(l->t, "%d", s->reps);
    table_cell(l->t, "%s", standing_name(among));
}

/* The rows of a size; result[which->count] is room for them. */
static int add_size(const listing *l, size_t bytes, const cpm_measurement **result, cpm_error *e)
{
    int count = l->which->count, status = CPM_OK;
    for (int j = 0; j < count; j++)
        result[j] = sweep_find(l->m, cpm_experiment_of(&l->which->at[j], 0), bytes);
    for (int j = 0; j < count && !status; j++) {
        standing among;
        if (!result[j])
            continue;
        status = standing_find(result, count, j, l->m->statistic, &among, e);
        if (!status)
            add_row(l, result[j], among);
    }
    return status;
}

static int add_sizes(const listing *l, cpm_error *e)
{
    cpm_sizes sizes = {0};
    const cpm_measurement **result = malloc((size_t)l->which->count * sizeof *result);
    int status = result ? sweep_sizes(l->m, &sizes, e) : cpm_no_memory(e);
    for (int i = 0; i < sizes.count && !status; i++)
        status = add_size(l, sizes.at[i], result, e);
    free(result);
    cpm_sizes_free(&sizes);
    return status;
}

static int print_text(const listing *l, const char *timing, cpm_error *e)
{
    char what[160];
    table_head(l->t, "size", "algorithm", cpm_statistic_named(l->m->statistic), "ci_low", "ci_high",
               "reps", "standing", NULL);
    int status = add_sizes(l, e);
    if (status) {
        table_clear(l->t);
        return status;
    }
    snprintf(what, sizeof what, "root %d, timing %s; size: bytes of a block", l->c->set->calls.root,
             timing);
    sweep_head(l->c, l->m, what);
    standing_explain();
    return table_print(l->t, "", 0, stdout, e);
}

static int print_report_tables(const listing *l, const char *timing, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"algorithm", 0},  {"root", 0}, {"size", 0},     {"time_us", 2}, {"ci_low_us", 2},
        {"ci_high_us", 2}, {"reps", 0}, {"standing", 0}, {NULL, 0}};
    static const cpm_report_table times = {"times", NULL, columns};
    sweep_sheets(l->c, l->m, &times, l->all);
    cpm_report_tables_metadata(l->all, "timing", "s", timing);
    int status = add_sizes(l, e);
    if (!status)
        return output_sheets(l->all, l->c->set->out.format, e);
    cpm_report_tables_clear(l->all);
    return status;
}

static int print(const call *c, const choices *which, const cpm_measurements *m, cpm_error *e)
{
    table t = {0};
    cpm_report_tables all;
    char timing[80];
    bool text = c->set->out.format == CPM_FORMAT_TEXT;
    listing l = {c, which, m, &t, text ? NULL : &all};
    measuring_timing(m, timing, sizeof timing);
    return (text ? print_text : print_report_tables)(&l, timing, e);
}

/* The operands, and what --algorithm names. */
static int parse_choices(const call *c, const choices_context *context, choices *which,
                         cpm_error *e)
{
    char *more = (char *)bench_coll_of(c)->algorithm;
    if (!more)
        return choices_parse(c->operand, c->operands, context, which, e);
    char **all = malloc(((size_t)c->operands + 1) * sizeof *all);
    if (!all)
        return cpm_no_memory(e);
    for (int i = 0; i < c->operands; i++)
        all[i] = c->operand[i];
    all[c->operands] = more;
    int status = choices_parse(all, c->operands + 1, context, which, e);
    free(all);
    return status;
}

static int open_placement(call *c, placement *placed, cpm_error *e)
{
    int n = c->machine->n;
    if (c->set->calls.root >= n)
        return cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", c->set->calls.root, n - 1);
    int status = placement_open(c->set, n, placed, e);
    return status ? status : sweep_default_sizes(c->set, "1K:256K", e);
}

static int choose(call *c, placement *placed, choices *which, cpm_error *e)
{
    choices_context context = {.n = c->machine->n,
                               .root = c->set->calls.root,
                               .native = true,
                               .placement = &placed->known,
                               .leave_out = true,
                               .combining = c->set->calls.combining,
                               .command = c->speaks ? "bench coll" : NULL};
    int status = parse_choices(c, &context, which, e);
    return status ? status : placement_check(placed, c->set, which, e);
}

static int prepare(call *c, placement *placed, choices *which, cpm_error *e)
{
    int status = session_agree(c, open_placement(c, placed, e), e);
    if (!status)
        status = measuring_hosts(c, placed, e);
    return status ? status : session_agree(c, choose(c, placed, which, e), e);
}

static int measure(call *c, const placement *placed, const choices *which, cpm_error *e)
{
    cpm_measurements results = {0};
    cpm_metadata what = {0};
    int status = session_agree(c, measuring_describe(c, "bench coll", which, NULL, &what, e), e);
    if (!status) {
        sweep s = {
            .collectives = which, .sizes = c->set->calls.sizes, .adaptive = sweep_of(c)->adaptive};
        c->placement = &placed->known;
        status = measuring_run(c, &(measuring_plan){.planner = sweep_plan, .context = &s},
                               c->set->out.path, &what, &results, NULL, e);
    }
    if (!status)
        status = session_agree(c, c->speaks ? print(c, which, &results, e) : CPM_OK, e);
    cpm_measurements_clear(&results);
    cpm_metadata_clear(&what);
    return status;
}

static int run(call *c, cpm_error *e)
{
    const bench_coll_settings *s = bench_coll_of(c);
    if (s->guidelines)
        return guidelines_run(c, &bench_coll_of(c)->how, e);
    choices which = {0};
    placement placed = {0};
    int status = session_needs(c, 2, e);
    if (!status)
        status = prepare(c, &placed, &which, e);
    if (!status)
        status = s->overlap ? overlap_measure(c, &which, s->computing, e)
                            : measure(c, &placed, &which, e);
    choices_clear(&which);
    placement_close(&placed);
    return status;
}

/* clang-format off */
static const option own[] = {
    {"algorithm", 0, "OP:ALGORITHM,...", "more algorithms, named like the operands; all: every "
     "algorithm",
     offsetof(bench_coll_settings, algorithm), set_text},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"combine", 0, "CLASS", "what reductions combine: bytes (default: by exclusive or), floats or "
     "doubles (sums)", offsetof(settings, calls.combining), set_combining},
    {"guidelines", 0, NULL, "test whether the MPI library's routines keep self-consistent performance "
     "guidelines: OP names operations, or a .meas file is examined", offsetof(bench_coll_settings, guidelines), NULL},
    {"overlap", 0, NULL, "measure nonblocking calls: how much of one is hidden where each process computes "
     "between beginning it and waiting for it", offsetof(bench_coll_settings, overlap), NULL},
    {"computing", 0, "SECONDS", "with --overlap: how long each process computes (default: as long as the "
     "call takes alone)", offsetof(bench_coll_settings, computing), set_number},
    {"turns", 0, "N", "with --guidelines: measure everything N times, one after the other (default 16)",
     offsetof(bench_coll_settings, how.turns), set_integer},
    {"tolerance", 0, "X", "with --guidelines: violated is what is slower by more than this share (default 0.05)",
     offsetof(bench_coll_settings, how.tolerance), set_number},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

static void defaults(void *set)
{
    bench_coll_settings *s = set;
    measuring_defaults(set);
    s->how.turns = GUIDELINES_TURNS;
    s->how.tolerance = CPM_GUIDELINE_TOLERANCE;
}

/* Nothing is written: these are no times of calls that a model is fitted to. */
static int check_overlap(const call *c, cpm_error *e)
{
    const bench_coll_settings *s = bench_coll_of(c);
    const char *other = s->guidelines                      ? "--guidelines"
                        : s->sweep.adaptive                ? "--adaptive"
                        : c->set->out.path                 ? "--output"
                        : c->set->how.resume               ? "--resume"
                        : c->set->how.raw                  ? "--raw"
                        : batch_of(c->set) != CPM_ISOLATED ? "--timing batch"
                                                           : NULL;
    return other ? cpm_fail(e, CPM_EINVAL, "--overlap: does not go with %s: omit it", other)
                 : CPM_OK;
}

static int check(const call *c, cpm_error *e)
{
    const bench_coll_settings *s = bench_coll_of(c);
    if (s->computing > 0 && !s->overlap)
        return cpm_fail(e, CPM_EINVAL, "--computing: is computed between with --overlap only");
    if (s->overlap)
        return check_overlap(c, e);
    if (!s->guidelines)
        return CPM_OK;
    if (s->how.turns < GUIDELINES_LEAST_TURNS || s->how.turns > 10000)
        return cpm_fail(e, CPM_EINVAL, "--turns: %d is not in %d..10000", s->how.turns,
                        GUIDELINES_LEAST_TURNS);
    if (s->sweep.adaptive || s->algorithm || c->set->how.resume)
        return cpm_fail(e, CPM_EINVAL,
                        "--guidelines does not go with --adaptive, --algorithm or "
                        "--resume");
    return CPM_OK;
}

const command cpm_bench_coll = {
    .name = "bench coll",
    .operands = "[OP[:ALGORITHM] ...]",
    .summary = "measure collective operations",
    .description =
        "Measures algorithms of collective operations. OP alone stands for all its algorithms "
        "and for the MPI library's own routine, OP:native. Without OP, all operations are "
        "measured. Separate several with commas or blanks. An algorithm that does not apply to "
        "the number of processes is left out with a note, as long as another one applies. The "
        "last column compares the algorithms of an operation by all their repetitions, with a "
        "test that assumes no distribution. One is the fastest. Those that do not differ from it "
        "at a level of 5 % are as fast; others are slower. \"too few\" means too few repetitions "
        "to tell; \"-\" means nothing to compare. The default --min-reps 5 can compare up to 4 "
        "algorithms, 6 up to 6, 8 up to 14, 10 up to 31. No operation has more than that. "
        "--guidelines measures the library's own routines in turns, and says which performance "
        "guidelines they violate. One is that an allreduce takes no longer than a reduce and a "
        "bcast. It names an algorithm that mends a violated one. Exit code 3: some are "
        "violated; 4: nothing can be told.",
    .example = "mpiexec -n 4 cpm bench coll scatter:linear,scatter:native -m 1K,64K",
    .max_operands = 1000,
    .measures = true,
    .settings = sizeof(bench_coll_settings),
    .options = {own, placement_options, graph_options, topology_options, layout_options,
                sweep_options, format_options, measuring_options, measurements_options,
                batch_options, force_options},
    .defaults = defaults,
    .check = check,
    .run = run,
};
