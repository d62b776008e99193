/* What all measuring subcommands share: their options, and running a campaign. */
#ifndef CPM_TOOLS_MEASURE_MEASURING_H
#define CPM_TOOLS_MEASURE_MEASURING_H

#include "measurements/campaign.h"
#include "tools/frame/command.h"
#include "tools/frame/placement.h"

/* --machine, --noise, --seed, precision, timing, --serial, --quiet. */
extern const option measuring_options[];
/* --machine, --noise, --seed, --patience and --quiet alone. */
extern const option machine_options[];
/* --budget and --max-seconds, for those that estimate. */
extern const option budget_options[];
/* --raw and --resume, for those that write measurements. */
extern const option measurements_options[];

void measuring_defaults(void *set);
/* The same for those that estimate. */
void measuring_model_defaults(void *set);

/* Sets what a header says of what is measured: "design"; "sizes" those of the call or, if not NULL,
 * this word; "collectives" with their "root", unless they are NULL (none in the list: all).
 * CPM_ENOMEM. */
int measuring_describe(const call *c, const char *design, const choices *collectives,
                       const char *sizes, cpm_metadata *out, cpm_error *e);

/* What is to be measured. */
typedef struct {
    cpm_planner *planner;
    void *context; /* of all three */
    /* As those of a campaign. With enough, --budget is that of the whole plan, which fails where it
     * does not suffice; without (NULL) it is the time from which on nothing new begins. */
    int (*enough)(void *context, const cpm_measurements *so_far, cpm_error *e);
    int (*repetitions)(void *context, const cpm_experiment *x, int most);
} measuring_plan;

/* Measures what the plan asks for, with the options of the call, into path (NULL: memory only).
 * what is for the header. file: NULL, or gets the file, which nobody else can write
 * until the caller closes it. Results are at rank 0. Same status on every rank. */
int measuring_run(call *c, const measuring_plan *plan, const char *path, const cpm_metadata *what,
                  cpm_measurements *out, cpm_meas_file **file, cpm_error *e);

/* Lets p know which processes share a host, if MPI can tell: unless p does, or a model simulates
 * the machine. Same status on every rank. Collective. */
int measuring_hosts(const call *c, placement *p, cpm_error *e);

/* How collectives were timed, for people: "max", "global, clocks agree within 0.05 us". */
void measuring_timing(const cpm_measurements *m, char *text, size_t size);

#endif
