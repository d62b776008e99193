/* cpm bench p2p: round trips between all pairs of processes. */
#include "tools/measuring.h"
#include "tools/session.h"
#include "tools/sweep.h"
#include "tools/table.h"

static void add_row(table *t, const cpm_measurement *r, cpm_statistic statistic)
{
    /* One way: half a round trip. */
    table_cell(t, "%zu", r->what.send_bytes);
    table_cell(t, "%d", r->what.i);
    table_cell(t, "%d", r->what.j);
    table_us(t, cpm_summary_value(&r->summary, statistic) / 2);
    table_us(t, r->summary.ci_low / 2);
    table_us(t, r->summary.ci_high / 2);
    table_cell(t, "%d", r->summary.reps);
}

static void add_size(table *t, const cpm_measurements *m, cpm_experiment x, size_t bytes)
{
    for (x.i = 0; x.i < m->n; x.i++)
        for (x.j = x.i + 1; x.j < m->n; x.j++) {
            const cpm_measurement *r = sweep_find(m, x, bytes);
            if (r)
                add_row(t, r, m->statistic);
        }
}

static int print(const call *c, const cpm_measurements *m, cpm_error *e)
{
    cpm_sizes sizes = {0};
    cpm_experiment x = {.k = -1, .count = 1};
    table t = {0};
    int status = cpm_experiment_parse("roundtrip", &x, e);
    if (!status)
        status = sweep_sizes(m, &sizes, e);
    if (status)
        return status;
    sweep_head(c, m, "one way between i and j: half of a round trip, replied with as many bytes");
    table_head(&t, "# size", "i", "j", cpm_statistic_name(m->statistic), "ci_low", "ci_high",
               "reps", NULL);
    for (int i = 0; i < sizes.count; i++)
        add_size(&t, m, x, sizes.at[i]);
    cpm_sizes_free(&sizes);
    return table_print(&t, "", 0, stdout, e);
}

static int run(call *c, cpm_error *e)
{
    cpm_measurements results = {0};
    int status = session_needs(c, 2, e);
    if (!status)
        status = session_agree(c, sweep_default_sizes(&c->set, "1:1M", e), e);
    if (status)
        return status;
    sweep s = {.sizes = c->set.sizes, .adaptive = c->set.adaptive};
    status = measuring_run(c, sweep_plan, &s, c->set.output, "bench p2p", &results, NULL, e);
    if (!status)
        status = session_agree(c, c->speaks ? print(c, &results, e) : CPM_OK, e);
    cpm_measurements_clear(&results);
    return status;
}

const command cpm_bench_p2p = {
    .name = "bench p2p",
    .operands = "",
    .summary = "measure messages between all pairs of processes",
    .description = "Measures round trips between all pairs of processes, in rounds of pairs that "
                   "do not disturb each other, and prints the time of one way: half of a round "
                   "trip.",
    .example = "mpiexec -n 4 cpm bench p2p -m 1K,64K",
    .measures = true,
    .options = {sweep_options, measuring_options, measurements_options},
    .defaults = measuring_defaults,
    .run = run,
};
