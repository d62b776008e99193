/* cpm bench coll: collective operations, by the repository's algorithms and by the MPI library. */
#include <stdlib.h>

#include "tools/batch.h"
#include "tools/measuring.h"
#include "tools/options.h"
#include "tools/placement.h"
#include "tools/session.h"
#include "tools/standing.h"
#include "tools/sweep.h"
#include "tools/table.h"

static void add_row(table *t, const cpm_measurement *r, cpm_statistic statistic, standing among)
{
    char name[CPM_EXPERIMENT_NAME];
    cpm_experiment_name(&r->what, name, sizeof name);
    table_cell(t, "%zu", r->what.send_bytes);
    table_cell(t, "%s", name);
    table_us(t, cpm_summary_value(&r->summary, statistic));
    table_us(t, r->summary.ci_low);
    table_us(t, r->summary.ci_high);
    table_cell(t, "%d", r->summary.reps);
    table_cell(t, "%s", standing_name(among));
}

/* The rows of a size; result[which->count] is room for them. */
static int add_size(table *t, const choices *which, const cpm_measurements *m, size_t bytes,
                    const cpm_measurement **result, cpm_error *e)
{
    int status = CPM_OK;
    for (int j = 0; j < which->count; j++)
        result[j] = sweep_find(m, cpm_experiment_of(&which->at[j], 0), bytes);
    for (int j = 0; j < which->count && !status; j++) {
        standing among;
        if (!result[j])
            continue;
        status = standing_find(result, which->count, j, m->statistic, &among, e);
        if (!status)
            add_row(t, result[j], m->statistic, among);
    }
    return status;
}

static int add_sizes(table *t, const choices *which, const cpm_measurements *m,
                     const cpm_sizes *sizes, cpm_error *e)
{
    const cpm_measurement **result = malloc((size_t)which->count * sizeof *result);
    int status = result ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for a table");
    for (int i = 0; i < sizes->count && !status; i++)
        status = add_size(t, which, m, sizes->at[i], result, e);
    free(result);
    return status;
}

static int print(const call *c, const choices *which, const cpm_measurements *m, cpm_error *e)
{
    cpm_sizes sizes = {0};
    table t = {0};
    char what[160], timing[80];
    int status = sweep_sizes(m, &sizes, e);
    if (status)
        return status;
    measuring_timing(m, timing, sizeof timing);
    snprintf(what, sizeof what, "root %d, timing %s; size: bytes of a block", c->set.root, timing);
    sweep_head(c, m, what);
    standing_explain();
    table_head(&t, "# size", "algorithm", cpm_statistic_name(m->statistic), "ci_low", "ci_high",
               "reps", "standing", NULL);
    status = add_sizes(&t, which, m, &sizes, e);
    cpm_sizes_free(&sizes);
    if (!status)
        return table_print(&t, "", 0, stdout, e);
    table_clear(&t);
    return status;
}

/* The operands, and what --algorithm names. */
static int parse_choices(const call *c, const choices_context *context, choices *which,
                         cpm_error *e)
{
    char *more = (char *)c->set.algorithm;
    int status = CPM_OK;
    if (c->operands || !more)
        status = choices_parse(c->operand, c->operands, context, which, e);
    return status || !more ? status : choices_parse(&more, 1, context, which, e);
}

static int open_placement(call *c, placement *placed, cpm_error *e)
{
    int n = c->machine->n;
    if (c->set.root >= n)
        return cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", c->set.root, n - 1);
    int status = placement_open(&c->set, n, placed, e);
    return status ? status : sweep_default_sizes(&c->set, "1K:256K", e);
}

static int choose(call *c, placement *placed, choices *which, cpm_error *e)
{
    choices_context context = {
        .n = c->machine->n, .root = c->set.root, .native = true, .placement = &placed->known};
    int status = parse_choices(c, &context, which, e);
    return status ? status : placement_check(placed, &c->set, which, e);
}

static int prepare(call *c, placement *placed, choices *which, cpm_error *e)
{
    int status = session_agree(c, open_placement(c, placed, e), e);
    if (!status)
        status = measuring_hosts(c, placed, e);
    return status ? status : session_agree(c, choose(c, placed, which, e), e);
}

static int run(call *c, cpm_error *e)
{
    choices which = {0};
    placement placed = {0};
    cpm_measurements results = {0};
    int status = session_needs(c, 2, e);
    if (!status)
        status = prepare(c, &placed, &which, e);
    if (!status) {
        sweep s = {.collectives = &which, .sizes = c->set.sizes, .adaptive = c->set.adaptive};
        c->placement = &placed.known;
        status = measuring_run(c, sweep_plan, &s, c->set.output, "bench coll", &results, NULL, e);
    }
    if (!status)
        status = session_agree(c, c->speaks ? print(c, &which, &results, e) : CPM_OK, e);
    cpm_measurements_clear(&results);
    choices_clear(&which);
    placement_close(&placed);
    return status;
}

/* clang-format off */
static const option own[] = {
    {"algorithm", 0, "NAMES", "more algorithms, named as the operands are; all: every one",
     offsetof(settings, algorithm), set_text},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, root), set_integer},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_bench_coll = {
    .name = "bench coll",
    .operands = "[OP[:ALGORITHM] ...]",
    .summary = "measure collective operations",
    .description =
        "Measures algorithms of collective operations. OP alone stands for all its "
        "algorithms and the MPI library's own routine, which is called OP:native; "
        "without any, all operations are measured. Several may be separated by commas "
        "or blanks. The last column compares the algorithms of an operation by all their "
        "repetitions, whatever these are distributed like: one is the fastest, those that "
        "do not differ from it at a level of 5 % are as fast, others slower; too few: so "
        "few repetitions (--min-reps) that nothing could be told, -: nothing to compare.",
    .example = "mpiexec -n 4 cpm bench coll scatter:linear,scatter:native -m 1K,64K",
    .max_operands = 1000,
    .measures = true,
    .options = {own, placement_options, topology_options, layout_options, sweep_options,
                measuring_options, measurements_options, batch_options},
    .defaults = measuring_defaults,
    .run = run,
};
