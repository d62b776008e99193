/* What all measuring subcommands share: their options, and running a campaign. */
#include "tools/measure/measuring.h"

#include <stdlib.h>

#include "tools/frame/options.h"
#include "tools/measure/conditions.h"
#include "tools/measure/last_words.h"
#include "tools/measure/progress.h"
#include "tools/measure/session.h"
#include "tools/mpi/processes.h"

/* Simulated processes are one process, which cannot lose a part. */
#ifdef CPM_SMPI
#define DEFAULT_PATIENCE 0
#else
#define DEFAULT_PATIENCE 30
#endif

/* clang-format off */
#define SIMULATING \
    {"machine", 0, "FILE.mod", "simulate the cluster with this model: no MPI, no mpiexec", \
     offsetof(settings, machine.model), set_text}, \
    {"noise", 0, "X", "relative noise added to the times, for laboratories (default 0)", \
     offsetof(settings, machine.noise), set_fraction}, \
    {"seed", 0, "N", "seed of the noise (default 1)", offsetof(settings, machine.seed), set_unsigned}
#define WATCHING \
    {"patience", 0, "SECONDS", "probe the processes after SECONDS without progress; one that does not " \
     "answer ends the campaign (default 30; 0: wait for ever)", \
     offsetof(settings, machine.patience), set_seconds}, \
    {"quiet", 'q', NULL, "do not print progress", offsetof(settings, out.quiet), NULL}

const option measuring_options[] = {
    SIMULATING,
    {"min-reps", 0, "N", "minimum number of repetitions of an experiment (default 5)",
     offsetof(settings, how.precision.min_reps), set_integer},
    {"max-reps", 0, "N", "maximum number of repetitions of an experiment (default 100)",
     offsetof(settings, how.precision.max_reps), set_integer},
    {"confidence", 0, "X", "level of the confidence intervals (default 0.95)",
     offsetof(settings, how.precision.confidence), set_fraction},
    {"error", 0, "X", "repeat until half the confidence interval is this share of the time "
                      "(default 0.025)",
     offsetof(settings, how.precision.relative_error), set_fraction},
    {"statistic", 0, "STATISTIC", "median (default), mean or minimum of the repetitions",
     offsetof(settings, how.precision.statistic), set_statistic},
    {"timing", 0, "TIMING", "how to time collectives: root, max or global (default: global in "
     "validate and on one host, else max). bench coll and validate also take batch: the time per call of calls "
     "back to back",
     offsetof(settings, calls.timing), set_timing},
    {"serial", 0, NULL, "run one experiment at a time, even where several would not disturb each "
                        "other",
     offsetof(settings, how.serial), NULL},
    WATCHING,
    {NULL, 0, NULL, NULL, 0, NULL},
};

const option machine_options[] = {
    SIMULATING,
    WATCHING,
    {NULL, 0, NULL, NULL, 0, NULL},
};

const option budget_options[] = {
    {"budget", 0, "SECONDS", "measure as precisely as this time allows: repeat from the minimum "
     "up to the maximum number, then add experiments (default 0: no limit)",
     offsetof(settings, how.budget), set_seconds},
    {"max-seconds", 0, "X", "time limit per experiment, after its minimum of repetitions "
     "(default 0.05; 0: none)",
     offsetof(settings, how.precision.max_seconds), set_seconds},
    {NULL, 0, NULL, NULL, 0, NULL},
};

const option measurements_options[] = {
    {"raw", 0, NULL, "write every sample, not only the summary",
     offsetof(settings, how.raw), NULL},
    {"resume", 0, NULL, "continue the measurements file of a campaign that was stopped",
     offsetof(settings, how.resume), NULL},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

void measuring_defaults(void *set)
{
    settings *s = set;
    s->how.precision = (cpm_precision)CPM_PRECISION_DEFAULT;
    s->calls.timing = MPIB_TIMING_DEFAULT;
    s->machine.seed = 1;
    s->machine.patience = DEFAULT_PATIENCE;
}

/* Times of 1 ms are repeated fifty times; of 20 ms, which scatter little, five. */
void measuring_model_defaults(void *set)
{
    settings *s = set;
    measuring_defaults(s);
    s->how.precision.max_seconds = 0.05;
}

/* Goes through a campaign with what is said of its conditions. */
typedef struct {
    const call *c;
    conditions begin;
} campaign_state;

static int describe_call(const call *c, const cpm_metadata *what, const conditions *begin,
                         cpm_metadata *metadata, cpm_error *e)
{
    int status = call_describe(c, metadata, e);
    if (!status)
        status = conditions_describe(begin, metadata, e);
    if (!status)
        status = cpm_metadata_copy(metadata, what, e);
    return status ? status
                  : cpm_metadata_set(metadata, e, "serial", c->set->how.serial ? "yes" : "no");
}

static int end_conditions(void *context, const cpm_metadata *header, cpm_metadata *more,
                          cpm_error *e)
{
    const campaign_state *s = context;
    return conditions_after(s->c, &s->begin, header, more, e);
}

int measuring_run(call *c, const measuring_plan *plan, const char *path, const cpm_metadata *what,
                  cpm_measurements *out, cpm_meas_file **file, cpm_error *e)
{
    campaign_state state = {.c = c};
    progress shown = progress_start();
    cpm_campaign campaign = {.path = path,
                             .file = file,
                             .resume = c->set->how.resume,
                             .raw = c->set->how.raw,
                             .serial = c->set->how.serial,
                             .precision = c->set->how.precision,
                             .placement = c->placement,
                             .topology = c->topology,
                             .topology_file = c->set->where.topology,
                             .budget = plan->enough ? c->set->how.budget : 0,
                             .time_limit = plan->enough ? 0 : c->set->how.budget,
                             .enough = plan->enough,
                             .repetitions = plan->repetitions,
                             .ended = end_conditions,
                             .conditions = &state,
                             .progress = c->set->out.quiet ? NULL : progress_show,
                             .progress_context = &shown};
    cpm_metadata warned = {0};
    int status = conditions_before(c, &state.begin, &warned, e);
    if (!status)
        status = session_agree(c, describe_call(c, what, &state.begin, &campaign.metadata, e), e);
    if (!status)
        status = session_agree(c, cpm_metadata_copy(&campaign.metadata, &warned, e), e);
    last_words_prepare(path);
    if (!status)
        status = cpm_campaign_run(c->machine, plan->planner, plan->context, &campaign, out, e);
    last_words_measured();
    progress_end(&shown);
    cpm_metadata_clear(&warned);
    cpm_metadata_clear(&campaign.metadata);
    return status;
}

/* "all" if none are named. The caller frees them. */
static int list_collectives(const choices *which, char **out, cpm_error *e)
{
    char name[CPM_EXPERIMENT_NAME];
    size_t size;
    FILE *f = open_memstream(out, &size);
    for (int k = 0; f && k < which->count; k++) {
        cpm_collective_print(&which->at[k], name, sizeof name);
        fprintf(f, "%s%s", k ? " " : "", name);
    }
    if (f && !which->count)
        fputs("all", f);
    return f && fclose(f) == 0 ? CPM_OK : cpm_no_memory(e);
}

int measuring_describe(const call *c, const char *design, const choices *collectives,
                       const char *sizes, cpm_metadata *out, cpm_error *e)
{
    char *names = NULL;
    cpm_combining what = c->set->calls.combining, of;
    int status = cpm_metadata_set(out, e, "design", "%s", design);
    if (!status && collectives)
        status = cpm_metadata_set(out, e, "root", "%d", c->set->calls.root);
    if (!status && sizes)
        status = cpm_metadata_set(out, e, "sizes", "%s", sizes);
    else if (!status)
        status = cpm_sizes_describe(&c->set->calls.sizes, out, e);
    if (!status && collectives)
        status = list_collectives(collectives, &names, e);
    if (!status && names)
        status = cpm_metadata_set(out, e, "collectives", "%s", names);
    if (!status && collectives && what != CPM_COMBINING_BYTES &&
        (!collectives->count || choices_combine(collectives, &of)))
        status = cpm_metadata_set(out, e, CPM_METADATA_COMBINING, "%s", cpm_combinings[what].name);
    free(names);
    return status;
}

int measuring_hosts(const call *c, placement *p, cpm_error *e)
{
    cpm_hosts hosts;
    if (c->simulated)
        placement_of_model(p, c->simulated);
    if (c->simulated || p->known.hosts)
        return CPM_OK;
    cpm_error why = {0};
    int status = processes_hosts(&hosts, &why);
    if (!status)
        placement_take_hosts(p, &hosts);
    return status && status != CPM_EMPI ? cpm_fail(e, status, "%s", why.text) : CPM_OK;
}

void measuring_timing(const cpm_measurements *m, char *text, size_t size)
{
    const char *timing = cpm_metadata_get(&m->metadata, "timing");
    const char *error = cpm_metadata_get(&m->metadata, "clock_error");
    int used = snprintf(text, size, "%s", timing ? timing : "unknown");
    if (error && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", clocks agree within %.2g us",
                 1e6 * strtod(error, NULL));
}
