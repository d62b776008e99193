/* A sweep: the same experiments over message sizes, given ones or chosen by what was measured. */
#ifndef CPM_TOOLS_MEASURE_SWEEP_H
#define CPM_TOOLS_MEASURE_SWEEP_H

#include "base/sizes.h"
#include "measurements/campaign.h"
#include "tools/frame/choices.h"
#include "tools/frame/command.h"

/* What to sweep. */
typedef struct {
    settings shared;
    bool adaptive;
} sweep_settings;

static inline sweep_settings *sweep_of(const call *c)
{
    return (sweep_settings *)c->set;
}

typedef struct {
    const choices *collectives; /* NULL: round trips between all pairs */
    cpm_sizes sizes;            /* borrowed */
    bool adaptive;              /* add sizes where times depart from the line between neighbours */
} sweep;

/* A cpm_planner; context is a const sweep. */
cpm_planner sweep_plan;

extern const option sweep_options[]; /* --sizes, --adaptive, --output */

/* Gives sizes their default. CPM_ENOMEM. */
int sweep_default_sizes(settings *s, const char *otherwise, cpm_error *e);

/* Prints the head of a table: "# cpm bench p2p ..." and what the columns are. */
void sweep_head(const call *c, const cpm_measurements *m, const char *what);

/* Begins tables for programs with what such a head says, and the first of them. */
void sweep_sheets(const call *c, const cpm_measurements *m, const cpm_report_table *rows,
                  cpm_report_tables *out);

/* The sizes that were measured, ascending. The caller frees them. CPM_ENOMEM. */
int sweep_sizes(const cpm_measurements *m, cpm_sizes *out, cpm_error *e);

/* The result of x at that size (round trips reply with as many bytes), or NULL. */
const cpm_measurement *sweep_find(const cpm_measurements *m, cpm_experiment x, size_t bytes);

#endif
