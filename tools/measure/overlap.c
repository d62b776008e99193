/* cpm bench coll --overlap: what computing hides of nonblocking collectives, measured. */
#include "tools/measure/overlap.h"

#include <stdio.h>
#include <stdlib.h>

#include "measurements/machine.h"
#include "tools/frame/overlap.h"
#include "tools/measure/session.h"

static int measure_one(const call *c, const cpm_collective *what, size_t bytes, double computing,
                       overlap_time *out, cpm_error *e)
{
    cpm_overlap found;
    const cpm_experiment x = cpm_experiment_of(what, bytes);
    int status = c->machine->overlap(c->machine, &x, computing, &c->set->how.precision, &found, e);
    *out = (overlap_time){.what = *what,
                          .bytes = bytes,
                          .alone = found.alone,
                          .computing = found.computing,
                          .with = found.with};
    return status;
}

static int print(const call *c, overlap_time *at, int count, cpm_error *e)
{
    cpm_report_tables all = {.title = c->command->name};
    char header[400];
    cpm_report_tables_metadata(&all, "processes", "n", (long)c->machine->n);
    cpm_report_tables_metadata(&all, "statistic", "s",
                               cpm_statistic_named(c->set->how.precision.statistic));
    snprintf(header, sizeof header,
             "# cpm %s: %d processes, nonblocking calls; times in microseconds: the %s\n%s",
             c->command->name, c->machine->n, cpm_statistic_named(c->set->how.precision.statistic),
             overlap_explained);
    return overlap_print(c, at, count, header, &all, e);
}

int overlap_measure(call *c, const choices *which, double computing, cpm_error *e)
{
    const cpm_sizes *sizes = &c->set->calls.sizes;
    const int count = sizes->count * which->count;
    overlap_time *at = calloc((size_t)count + 1, sizeof *at);
    int status = at ? CPM_OK : cpm_no_memory(e);
    status = session_agree(c, status, e);
    for (int k = 0; k < count && !status; k++)
        status = measure_one(c, &which->at[k % which->count], sizes->at[k / which->count],
                             computing, &at[k], e);
    if (!status)
        status = session_agree(c, c->speaks ? print(c, at, count, e) : CPM_OK, e);
    free(at);
    return status;
}
