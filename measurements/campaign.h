/* A campaign: measures what a planner asks for, until it asks for nothing new, and keeps every
 * result on disk as it comes. */
#ifndef CPM_MEASUREMENTS_CAMPAIGN_H
#define CPM_MEASUREMENTS_CAMPAIGN_H

#include "collectives/topology_handle.h"
#include "measurements/machine.h"

/* A planner is pure: given what was measured so far, what should be measured (next must be empty;
 * it may name again what is there, the campaign leaves that out). It is called again with the new
 * results, so sizes can be chosen adaptively, and a resumed campaign goes on where it stopped. */
typedef int cpm_planner(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                        cpm_error *e);

typedef struct {
    const char *path; /* .meas file; NULL: keep in memory only */
    /* Not NULL: at rank 0 gets the file of a campaign that did not fail, which nobody else can
     * write until the caller closes it. */
    cpm_meas_file **file;
    bool resume, raw;
    bool serial; /* one experiment at a time */
    cpm_precision precision;
    /* How many of the precision's most repetitions an experiment is worth, which are never less
     * than its least; gets the planner's context. The same on every rank. NULL: all. */
    int (*repetitions)(void *context, const cpm_experiment *x, int most);
    /* Seconds, 0: as long as it takes. With a budget all rounds get as many repetitions as the time
     * allows between the precision's bounds, whatever their spread, and the campaign ends when the
     * time is used up, with CPM_EDATA if enough, which gets the planner's context, fails. */
    double budget;
    int (*enough)(void *context, const cpm_measurements *so_far, cpm_error *e);
    /* Seconds, 0: as long as it takes. The campaign ends, without failing, before the first round
     * that would begin after them; repetitions are as without. */
    double time_limit;
    const cpm_placement *placement; /* of all collectives; the same on every rank; may be NULL */
    /* Not NULL: says which switch the hosts are on, which is noted; it was read from that file. */
    const cpm_topology *topology;
    const char *topology_file;
    /* Not NULL: called on all ranks when all is measured; at rank 0 with the header of what is
     * measured, which is that of the file, too. Adds warnings ("warning", cpm_metadata_append) to
     * more. Collective. */
    int (*ended)(void *context, const cpm_metadata *header, cpm_metadata *more, cpm_error *e);
    void *conditions;      /* its context */
    cpm_metadata metadata; /* of the caller: "command", "design" ...; the machine's are added */
    /* Called at rank 0 after every round: experiments done, known so far, seconds since the start.
     * NULL: silent. */
    void (*progress)(void *context, int done, int total, double seconds);
    void *progress_context;
} cpm_campaign;

/* Collective. At rank 0 out holds all results, also after a failure (then what was measured until
 * then); elsewhere it stays empty. The output is opened before anything is measured. */
int cpm_campaign_run(cpm_machine *machine, cpm_planner *planner, void *context,
                     const cpm_campaign *options, cpm_measurements *out, cpm_error *e);

/* A planner that asks for a fixed design: context is a const cpm_design *. */
cpm_planner cpm_plan_fixed;

#endif
