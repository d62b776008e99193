/* cpm bench p2p: round trips between all pairs of processes. */
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"
#include "tools/measure/measuring.h"
#include "tools/measure/session.h"
#include "tools/measure/sweep.h"

/* One way: half a round trip. */
static void add_row(const cpm_measurement *r, cpm_statistic statistic, table *t,
                    cpm_report_tables *all)
{
    const double time = cpm_summary_value(&r->summary, statistic) / 2;
    if (all) {
        cpm_report_tables_row(all, "nnnrrrn", (long)r->what.send_bytes, (long)r->what.i,
                              (long)r->what.j, time * 1e6, r->summary.ci_low / 2 * 1e6,
                              r->summary.ci_high / 2 * 1e6, (long)r->summary.reps);
        return;
    }
    table_cell(t, "%zu", r->what.send_bytes);
    table_cell(t, "%d", r->what.i);
    table_cell(t, "%d", r->what.j);
    table_us(t, time);
    table_us(t, r->summary.ci_low / 2);
    table_us(t, r->summary.ci_high / 2);
    table_cell(t, "%d", r->summary.reps);
}

static void add_size(const cpm_measurements *m, cpm_experiment x, size_t bytes, table *t,
                     cpm_report_tables *all)
{
    for (x.i = 0; x.i < m->n; x.i++)
        for (x.j = x.i + 1; x.j < m->n; x.j++) {
            const cpm_measurement *r = sweep_find(m, x, bytes);
            if (r)
                add_row(r, m->statistic, t, all);
        }
}

/* To one of both. */
static int add_sizes(const cpm_measurements *m, table *t, cpm_report_tables *all, cpm_error *e)
{
    cpm_sizes sizes = {0};
    cpm_experiment x = {.k = -1, .count = 1};
    int status = cpm_experiment_parse("roundtrip", &x, e);
    if (!status)
        status = sweep_sizes(m, &sizes, e);
    for (int i = 0; i < sizes.count; i++)
        add_size(m, x, sizes.at[i], t, all);
    cpm_sizes_free(&sizes);
    return status;
}

static int print_text(const call *c, const cpm_measurements *m, cpm_error *e)
{
    table t = {0};
    table_head(&t, "size", "i", "j", cpm_statistic_named(m->statistic), "ci_low", "ci_high", "reps",
               NULL);
    int status = add_sizes(m, &t, NULL, e);
    if (status) {
        table_clear(&t);
        return status;
    }
    sweep_head(c, m, "one way between i and j: half of a round trip, replied with as many bytes");
    return table_print(&t, "", 0, stdout, e);
}

static int print_report_tables(const call *c, const cpm_measurements *m, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"size", 0},      {"i", 0},          {"j", 0},    {"time_us", 2},
        {"ci_low_us", 2}, {"ci_high_us", 2}, {"reps", 0}, {NULL, 0}};
    static const cpm_report_table times = {"times", NULL, columns};
    cpm_report_tables all;
    sweep_sheets(c, m, &times, &all);
    int status = add_sizes(m, NULL, &all, e);
    if (!status)
        return output_sheets(&all, c->set->out.format, e);
    cpm_report_tables_clear(&all);
    return status;
}

static int print(const call *c, const cpm_measurements *m, cpm_error *e)
{
    return (c->set->out.format == CPM_FORMAT_TEXT ? print_text : print_report_tables)(c, m, e);
}

static int run(call *c, cpm_error *e)
{
    cpm_measurements results = {0};
    cpm_metadata what = {0};
    int status = session_needs(c, 2, e);
    if (!status)
        status = session_agree(c, sweep_default_sizes(c->set, "1:1M", e), e);
    if (!status)
        status = session_agree(c, measuring_describe(c, "bench p2p", NULL, NULL, &what, e), e);
    sweep s = {.sizes = c->set->calls.sizes, .adaptive = sweep_of(c)->adaptive};
    if (!status)
        status = measuring_run(c, &(measuring_plan){.planner = sweep_plan, .context = &s},
                               c->set->out.path, &what, &results, NULL, e);
    if (!status)
        status = session_agree(c, c->speaks ? print(c, &results, e) : CPM_OK, e);
    cpm_measurements_clear(&results);
    cpm_metadata_clear(&what);
    return status;
}

const command cpm_bench_p2p = {
    .name = "bench p2p",
    .operands = "",
    .summary = "measure messages between all pairs of processes",
    .description = "Measures round trips between all pairs of processes. Pairs that do not "
                   "disturb each other run at once, in rounds. Prints the one-way time: half of "
                   "a round trip.",
    .example = "mpiexec -n 4 cpm bench p2p -m 1K,64K",
    .measures = true,
    .settings = sizeof(sweep_settings),
    .options = {sweep_options, format_options, measuring_options, measurements_options,
                force_options},
    .defaults = measuring_defaults,
    .run = run,
};
