/* A sweep over message sizes, as a planner. All experiments get the same sizes, so that a table of
 * them has no holes. */
#include "tools/measure/sweep.h"

#include <stdlib.h>

#include "tools/frame/options.h"

static const double tolerance = 0.05;
static const size_t least_step = 64;
enum { MOST_SIZES = 64, NEW_SIZES = 8 };

const cpm_measurement *sweep_find(const cpm_measurements *m, cpm_experiment x, size_t bytes)
{
    x.send_bytes = bytes;
    x.reply_bytes = x.kind ? bytes : 0;
    int at = cpm_measurements_find(m, &x);
    return at < 0 ? NULL : &m->at[at];
}

int sweep_sizes(const cpm_measurements *m, cpm_sizes *out, cpm_error *e)
{
    cpm_sizes sizes = {0};
    int status = CPM_OK;
    for (int i = 0; !status && i < m->count; i++)
        status = cpm_sizes_note(&sizes, m->at[i].what.send_bytes, e);
    if (status) {
        cpm_sizes_free(&sizes);
        return status;
    }
    cpm_sizes_sort(&sizes);
    *out = sizes;
    return CPM_OK;
}

/* ---- sizes that the times ask for */

static int bisect_one(const cpm_measurements *m, const cpm_experiment *x, const cpm_sizes *sizes,
                      cpm_sizes *all, cpm_error *e)
{
    cpm_sizes next = {0};
    double y[MOST_SIZES];
    size_t at[MOST_SIZES];
    int count = 0;
    for (int i = 0; i < sizes->count; i++) {
        const cpm_measurement *r = sweep_find(m, *x, sizes->at[i]);
        if (!r)
            continue;
        at[count] = sizes->at[i];
        y[count++] = cpm_measurement_value(r, m->statistic);
    }
    int status = cpm_sizes_bisect(at, y, count, tolerance, least_step, NEW_SIZES, &next, e);
    for (int i = 0; !status && i < next.count && all->count < MOST_SIZES; i++)
        status = cpm_sizes_add(all, next.at[i], e);
    cpm_sizes_free(&next);
    return status;
}

/* Calls bisect_one for each experiment: the pairs, or the collectives. */
static int bisect_all(const sweep *s, const cpm_measurements *m, const cpm_sizes *sizes,
                      cpm_sizes *all, cpm_error *e)
{
    const choices *of = s->collectives;
    cpm_experiment x = {.k = -1, .count = 1};
    int status = CPM_OK;
    for (int i = 0; of && !status && i < of->count; i++) {
        x = cpm_experiment_of(&of->at[i], 0);
        status = bisect_one(m, &x, sizes, all, e);
    }
    if (of)
        return status;
    status = cpm_experiment_parse("roundtrip", &x, e);
    for (x.i = 0; !status && x.i < m->n; x.i++)
        for (x.j = x.i + 1; !status && x.j < m->n; x.j++)
            status = bisect_one(m, &x, sizes, all, e);
    return status;
}

static int add_adaptive(const sweep *s, const cpm_measurements *m, cpm_sizes *all, cpm_error *e)
{
    cpm_sizes measured = {0};
    int status = sweep_sizes(m, &measured, e);
    if (!status && measured.count >= 3 && measured.count < MOST_SIZES)
        status = bisect_all(s, m, &measured, all, e);
    cpm_sizes_free(&measured);
    return status;
}

/* ---- the design */

static int add_size(const sweep *s, int n, size_t bytes, cpm_design *next, cpm_error *e)
{
    if (!s->collectives)
        return cpm_design_tournament(next, n, bytes, e);
    int status = CPM_OK;
    for (int i = 0; !status && i < s->collectives->count; i++) {
        const cpm_experiment x = cpm_experiment_of(&s->collectives->at[i], bytes);
        status = cpm_design_add(next, &x, e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}

int sweep_plan(void *context, int n, const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    const sweep *s = context;
    cpm_sizes all = {0};
    int status = CPM_OK;
    for (int i = 0; !status && i < s->sizes.count; i++)
        status = cpm_sizes_add(&all, s->sizes.at[i], e);
    if (!status && s->adaptive)
        status = add_adaptive(s, so_far, &all, e);
    for (int i = 0; !status && i < all.count; i++)
        status = add_size(s, n, all.at[i], next, e);
    cpm_sizes_free(&all);
    return status;
}

/* ---- what the commands share */

/* clang-format off */
const option sweep_options[] = {
    {"sizes", 'm', "SIZES", "message sizes: 1K,2K or 1K:1M (doubling) or 0:256K:4K (stride)",
     offsetof(settings, calls.sizes), set_sizes},
    {"adaptive", 0, NULL, "add sizes where the time departs from the line between its neighbours",
     offsetof(sweep_settings, adaptive), NULL},
    {"output", 'o', "FILE.meas", "write the measurements to a file", offsetof(settings, out.path),
     set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

int sweep_default_sizes(settings *s, const char *otherwise, cpm_error *e)
{
    return s->calls.sizes.count ? CPM_OK : cpm_sizes_parse(otherwise, &s->calls.sizes, e);
}

void sweep_head(const call *c, const cpm_measurements *m, const char *what)
{
    printf("# cpm %s: %d processes\n# %s\n", c->command->name, m->n, what);
    printf("# times in microseconds: the %s with its %g %% confidence interval\n",
           cpm_statistic_named(m->statistic), 100 * c->set->how.precision.confidence);
}

void sweep_sheets(const call *c, const cpm_measurements *m, const cpm_report_table *rows,
                  cpm_report_tables *out)
{
    *out = (cpm_report_tables){.title = c->command->name};
    cpm_report_tables_metadata(out, "processes", "n", (long)m->n);
    cpm_report_tables_metadata(out, "statistic", "s", cpm_statistic_named(m->statistic));
    cpm_report_tables_metadata(out, "confidence", "r", c->set->how.precision.confidence);
    cpm_report_tables_begin(out, rows);
}
