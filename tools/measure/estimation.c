/* What measure, fit and model share. A model is always fitted to the file of its measurements, so
 * that cpm model gives what cpm fit gives afterwards; cpm model to the file that it still holds. */
#include "tools/measure/estimation.h"

#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "collectives/network_shapes.h"
#include "collectives/topology_tree.h"
#include "estimators/asked.h"
#include "estimators/self_check.h"
#include "tools/frame/options.h"
#include "tools/measure/discover.h"
#include "tools/measure/measuring.h"
#include "tools/measure/residuals.h"
#include "tools/measure/self_check.h"
#include "tools/measure/session.h"

const char *gap_named(int k)
{
    static const char *const names[] = {"roundtrips", "saturation", NULL};
    return names[k];
}

static int set_gap(void *value, const char *text, cpm_error *e)
{
    int saturation;
    int status = cpm_names_find(gap_named, "way", text, &saturation, e);
    if (!status)
        *(gap_way *)value = saturation ? GAP_SATURATION : GAP_ROUNDTRIPS;
    return status;
}

/* clang-format off */
const option estimation_options[] = {
    {"model", 'M', "MODEL", "model type (default lmo2; fit: the type that the file was measured "
                            "for). An unknown name lists the known ones", offsetof(estimation_settings, model), set_text},
    {"estimator", 0, "ESTIMATOR", "estimator of the parameters (default: the best one of the model "
                               "type)",
     offsetof(estimation_settings, estimator), set_text},
    {"sizes", 'm', "SIZES", "message sizes of the round trips (lmo: only the largest one counts)",
     offsetof(settings, calls.sizes), set_sizes},
    {"parameter-error", 0, "X", "lmo: add trains until half the intervals of C and t are this "
     "share of them, for 95 % of the processes (default 0.03)", offsetof(estimation_settings, parameter_error), set_number},
    {"classes", 0, "FILE",
     "processes of one class share their parameters. The file has lines \"HOST CLASS\" (or a "
     "pattern node0*, or ranks 0-15); auto: the fit finds the classes", offsetof(estimation_settings, classes), set_text},
    {"gap", 0, "WAY", "plogp: measure g(M) by roundtrips (default) or by saturation at every size",
     offsetof(estimation_settings, gap), set_gap},
    {"no-thresholds", 0, NULL, "do not estimate the thresholds S, M1 and M2, which need R",
     offsetof(estimation_settings, no_thresholds), NULL},
    {NULL, 0, NULL, NULL, 0, NULL},
};
const option switches_options[] = {
    {"topology", 0, "FILE", "switches and hosts of the network, by name; also Slurm's "
     "topology.conf or the output of ibnetdiscover. Or its shape: 'torus 4x4', 'fat-tree 4,4 1,2 "
     "1,1', 'dragonfly 3,1 1,1 4,1 2'. Then hosts are those of the run, in order. Only lmo2 models "
     "the links that messages share",
     offsetof(settings, where.topology), set_text},
    {"discover", 0, "FILE", "find which hosts share a switch, write them to this topology file, "
     "and use it", offsetof(estimation_settings, discover), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

int estimation_find(const call *c, const cpm_estimator **out, cpm_estimation *options, cpm_error *e)
{
    const char *model = estimation_of(c)->model ? estimation_of(c)->model : "lmo2";
    int status = cpm_estimator_find(model, estimation_of(c)->estimator, out, e);
    if (status)
        return status;
    *options = CPM_ESTIMATION_DEFAULT;
    options->sizes = c->set->calls.sizes;
    options->thresholds = !estimation_of(c)->no_thresholds;
    options->gap_saturation = estimation_of(c)->gap == GAP_SATURATION;
    options->gap_chosen = estimation_of(c)->gap != GAP_USUAL;
    if (estimation_of(c)->parameter_error > 0)
        options->parameter_error = estimation_of(c)->parameter_error;
    else if (c->set->how.budget > 0)
        options->parameter_error = CPM_PARAMETER_ERROR_BUDGET;
    options->confidence = c->set->how.precision.confidence;
    return CPM_OK;
}

int estimation_check(const call *c, cpm_error *e)
{
    if (c->set->where.topology && estimation_of(c)->discover)
        return cpm_fail(e, CPM_EINVAL,
                        "--topology and --discover: the switches are either known or to be found");
    return CPM_OK;
}

int estimation_classes(const call *c, cpm_class_rules **rules, cpm_estimation *options,
                       cpm_error *e)
{
    *rules = NULL;
    options->find_classes =
        estimation_of(c)->classes && strcmp(estimation_of(c)->classes, "auto") == 0;
    if (!estimation_of(c)->classes || options->find_classes)
        return CPM_OK;
    int status = cpm_class_rules_read(estimation_of(c)->classes, rules, e);
    options->class_rules = *rules;
    return status;
}

static int read_shape_or_file(const char *text, cpm_topology **out, cpm_error *e)
{
    if (cpm_network_shape_named(text))
        return cpm_topology_of_shape(text, out, e);
    if (strchr(text, ' ') && access(text, F_OK) != 0)
        return cpm_fail(e, CPM_EINVAL,
                        "--topology: '%s' is neither a file nor a shape; shapes are 'torus ...', "
                        "'fat-tree ...' and 'dragonfly ...'",
                        text);
    return cpm_topology_read(text, out, e);
}

/* Rank 0 notes what it says. */
static int read_topology(call *c, cpm_topology **out, cpm_error *e)
{
    if (!c->set->where.topology)
        return CPM_OK;
    int status = CPM_OK;
    if (c->speaks)
        status = read_shape_or_file(c->set->where.topology, out, e);
    c->topology = *out;
    return session_agree(c, status, e);
}

/* Where ranks wait for processors, collectives take what the scheduler makes of them: nothing is
 * checked. */
static int describe(const call *c, const cpm_estimator *estimator, const cpm_estimation *options,
                    int each, cpm_metadata *what, cpm_error *e)
{
    int status = cpm_asked_describe(estimator, options, what, e);
    return status || *c->oversubscription
               ? status
               : cpm_self_check_describe(estimator->model, c->machine->n, each, what, e);
}

/* The most processes on a host; 1 if nobody knows. Collective. */
static int most_on_a_host(const call *c, int *out, cpm_error *e)
{
    placement at = {0};
    int status = measuring_hosts(c, &at, e);
    const cpm_hosts *hosts = at.known.hosts;
    *out = 1;
    for (int h = 0; !status && hosts && h < hosts->count; h++) {
        int each = cpm_hosts_processes(hosts, h);
        *out = each > *out ? each : *out;
    }
    placement_close(&at);
    return status;
}

/* It is noted in the file, and no fit of this model uses it. */
static void warn_of_topology(const call *c, const cpm_estimator *estimator)
{
    const cpm_model_type *type;
    bool found = estimation_of(c)->discover;
    if ((!found && !c->set->where.topology) || cpm_model_type_find(estimator->model, &type, NULL) ||
        cpm_model_type_knows_switches(type) || cpm_model_type_knows_links(type))
        return;
    fprintf(stderr,
            "cpm: warning: %s model %s, which knows neither switches nor links: use --model lmo2\n",
            found ? "what --discover finds does not change" : "--topology does not change",
            type->name);
}

int estimation_campaign(call *c, const cpm_estimator *estimator, const cpm_estimation *options,
                        const cpm_metadata *more, const char *path, cpm_measurements *results,
                        cpm_meas_file **file, cpm_error *e)
{
    cpm_estimator_context context = {estimator, options};
    cpm_metadata what = {0};
    cpm_topology *topology = NULL;
    const measuring_plan plan = {.planner = cpm_estimator_planner,
                                 .context = &context,
                                 .enough = cpm_estimator_enough,
                                 .repetitions = cpm_estimator_repetitions};
    int each, status = estimation_of(c)->discover ? discover_switches(c, e) : CPM_OK;
    if (!status)
        status = read_topology(c, &topology, e);
    if (!status)
        status = most_on_a_host(c, &each, e);
    if (!status)
        status = session_agree(c, describe(c, estimator, options, each, &what, e), e);
    if (!status && more)
        status = session_agree(c, cpm_metadata_copy(&what, more, e), e);
    if (!status && c->speaks)
        warn_of_topology(c, estimator);
    if (!status)
        status = measuring_run(c, &plan, path, &what, results, file, e);
    cpm_metadata_clear(&what);
    c->topology = NULL;
    cpm_topology_free(topology);
    return status;
}

int estimation_measure(call *c, const cpm_estimator *estimator, const cpm_estimation *options,
                       const char *path, cpm_meas_file **file, cpm_error *e)
{
    cpm_measurements results = {0};
    int status = estimation_campaign(c, estimator, options, NULL, path, &results, file, e);
    if (!status && c->speaks)
        self_check_warn_not_made(&results);
    cpm_measurements_clear(&results);
    return status;
}

static int keep(const cpm_model *model, const cpm_measurements *m, const cpm_format *report,
                const char *mod, cpm_error *e)
{
    int status = cpm_model_write(model, mod, e);
    return status || !report ? status : residuals_print(model, m, *report, e);
}

int estimation_write(const cpm_estimator *estimator, const cpm_estimation *options,
                     const cpm_measurements *m, const char *name, const char *checksum,
                     const cpm_format *report, const char *mod, cpm_error *e)
{
    cpm_model *model = NULL;
    int status = (checksum ? cpm_estimate_as_asked : cpm_estimate)(estimator, options, m, name,
                                                                   checksum, &model, e);
    if (!status)
        status = keep(model, m, report, mod, e);
    if (!status)
        self_check_repeat(model, "note", CPM_TOPOLOGY_LEFT_OUT);
    if (!status)
        self_check_tell(model, false);
    cpm_model_free(model);
    return status;
}

int estimation_fit_measured(const cpm_estimator *estimator, const cpm_estimation *options,
                            const cpm_meas_file *file, const char *name, bool quiet,
                            const char *mod, cpm_error *e)
{
    cpm_measurements results = {0};
    cpm_model *model = NULL;
    char checksum[65];
    int status = cpm_meas_read_back(file, &results, checksum, e);
    if (!status)
        status = cpm_estimate(estimator, options, &results, name, checksum, &model, e);
    if (!status)
        status = cpm_model_write(model, mod, e);
    if (!status)
        self_check_tell(model, quiet);
    cpm_measurements_clear(&results);
    cpm_model_free(model);
    return status;
}

char *with_suffix(const char *path, const char *old, const char *suffix)
{
    char *result;
    size_t length = strlen(path), end = strlen(old);
    if (length > end && strcmp(path + length - end, old) == 0)
        length -= end;
    return asprintf(&result, "%.*s%s", (int)length, path, suffix) < 0 ? NULL : result;
}
