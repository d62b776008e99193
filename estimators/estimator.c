/* Fitting with any estimator: parameters, thresholds, provenance. */
#include "estimators/estimator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/asked.h"
#include "estimators/classes.h"
#include "estimators/designs.h"
#include "estimators/lmo2_homogeneous.h"
#include "estimators/residuals.h"
#include "estimators/self_check.h"
#include "estimators/streams.h"
#include "estimators/thresholds.h"
#include "measurements/batch_calls.h"
#include "measurements/held_out.h"
#include "measurements/switches.h"
#include "models/extrapolation.h"

static void known(char *text, size_t size, const char *model)
{
    size_t used = 0;
    text[0] = '\0';
    for (const cpm_estimator *r = cpm_estimators; r->model && used < size; r++)
        if (!model || strcmp(r->model, model) == 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", r->method);
}

static bool is_first(const cpm_estimator *r)
{
    for (const cpm_estimator *s = cpm_estimators; s < r; s++)
        if (strcmp(s->method, r->method) == 0)
            return false;
    return true;
}

const char *cpm_estimator_named(int k)
{
    for (const cpm_estimator *r = cpm_estimators; r->model; r++)
        if (is_first(r) && k-- == 0)
            return r->method;
    return NULL;
}

int cpm_estimator_find(const char *model, const char *method, const cpm_estimator **out,
                       cpm_error *e)
{
    const cpm_model_type *type;
    int status = cpm_model_type_find(model, &type, e);
    if (status)
        return status;
    for (const cpm_estimator *r = cpm_estimators; r->model; r++)
        if (strcmp(r->model, model) == 0 && (!method || strcmp(r->method, method) == 0)) {
            *out = r;
            return CPM_OK;
        }
    char methods[200];
    known(methods, sizeof methods, model);
    return cpm_fail(e, CPM_EUNKNOWN, "unknown method '%s' for model %s (known: %s)",
                    method ? method : "", model, methods);
}

/* Of hosts, if the model knows their inside. */
static int find_classes(const cpm_measurements *m, const cpm_model_type *type, cpm_classes *classes,
                        cpm_error *e)
{
    cpm_hosts hosts = {0};
    if (!cpm_model_type_knows_inside(type))
        return cpm_classes_find(m, NULL, classes, e);
    int status = cpm_measurements_hosts(m, m->n, &hosts, e);
    if (!status)
        status = cpm_classes_find(m, &hosts, classes, e);
    cpm_hosts_clear(&hosts);
    return status;
}

/* The options with the classes of the processes that were measured; the caller clears these. type:
 * of the model that is fitted; NULL: none yet, so classes are not looked for. */
static int resolve(const cpm_estimation *options, const cpm_measurements *m, int n,
                   const cpm_model_type *type, cpm_estimation *resolved, cpm_classes *classes,
                   cpm_error *e)
{
    const char *hosts = cpm_metadata_get(&m->metadata, "hosts");
    int status;
    if (options->find_classes && type)
        status = find_classes(m, type, classes, e);
    else if (options->class_rules)
        status = cpm_class_rules_apply(options->class_rules, n, hosts, classes, e);
    else
        status = cpm_classes_create(n, NULL, 0, NULL, classes, e);
    *resolved = *options;
    resolved->classes = classes;
    if (!(options->confidence > 0))
        resolved->confidence = cpm_asked_confidence(&m->metadata);
    return status;
}

/* A sweep shows what it shows at several sizes, and an escalation takes as long as a hundred
 * gathers; long messages take long and scatter little. */
int cpm_estimator_repetitions(void *context, const cpm_experiment *x, int most)
{
    enum { LONG = 32 * 1024, OF_LONG = 5, OF_SWEEP = 10 };
    const cpm_estimator_context *c = context;
    if (cpm_self_check_measures(c->estimator->model, x))
        return 0; /* the least */
    if (cpm_thresholds_measure(x))
        return most / OF_SWEEP;
    return x->send_bytes >= LONG || x->reply_bytes >= LONG ? most / OF_LONG : most;
}

/* Thresholds are those of a network: not looked for where all processes are on one host. */
static int seek_thresholds(const cpm_estimation *options, const cpm_model_type *type,
                           const cpm_measurements *m, int n, bool *out, cpm_error *e)
{
    cpm_hosts hosts = {0};
    *out = options->thresholds && cpm_thresholds_apply(type) && !cpm_lmo2_only_collectives(m);
    if (!*out)
        return CPM_OK;
    int status = cpm_measurements_hosts(m, n, &hosts, e);
    *out = hosts.count > 1;
    cpm_hosts_clear(&hosts);
    return status;
}

/* From which size on sends wait, if a model knows it, is known when all else was measured. */
static int plan_thresholds(const cpm_estimator_context *c, const cpm_measurements *so_far,
                           cpm_design *next, cpm_error *e)
{
    if (!c->estimator->rendezvous)
        return cpm_thresholds_plan(so_far, next, e);
    size_t rendezvous = 0;
    if (!cpm_design_is_measured(next, so_far))
        return CPM_OK;
    int status = c->estimator->rendezvous(c->options, so_far, &rendezvous, e);
    return status ? status : cpm_thresholds_plan_gather(rendezvous, so_far, next, e);
}

/* What is fitted: parameters, then thresholds. */
static int plan_design(const cpm_estimator_context *c, int n, const cpm_measurements *so_far,
                       cpm_design *next, cpm_error *e)
{
    cpm_estimation options;
    cpm_classes classes = {0};
    int status = resolve(c->options, so_far, n, NULL, &options, &classes, e);
    if (!status)
        status = c->estimator->plan(&options, n, so_far, next, e);
    cpm_classes_clear(&classes);
    const cpm_model_type *type;
    bool thresholds = false;
    if (!status)
        status = cpm_model_type_find(c->estimator->model, &type, e);
    if (!status)
        status = seek_thresholds(c->options, type, so_far, n, &thresholds, e);
    if (!status && thresholds)
        status = plan_thresholds(c, so_far, next, e);
    return status;
}

int cpm_estimator_planner(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                          cpm_error *e)
{
    const cpm_estimator_context *c = context;
    if (n < c->estimator->min_processes)
        return cpm_fail(e, CPM_EPROCESS, "model %s needs at least %d processes, got %d",
                        c->estimator->model, c->estimator->min_processes, n);
    cpm_measurements own;
    if (cpm_held_out_check(&so_far->metadata, e))
        return CPM_EDATA;
    const cpm_measurements *fitted = cpm_without_held_out(so_far, &own, e);
    int status = fitted ? plan_design(c, n, fitted, next, e) : CPM_ENOMEM;
    if (!status && cpm_design_is_measured(next, so_far))
        status = cpm_self_check_plan(so_far, next, e);
    cpm_without_held_out_clear(&own);
    return status;
}

static int set_hosts(cpm_model *model, const cpm_measurements *m, cpm_error *e)
{
    const char *hosts = cpm_metadata_get(&m->metadata, "hosts");
    char *copy = hosts ? strdup(hosts) : NULL, *rest = copy;
    int status = CPM_OK;
    for (int i = 0; i < model->n && copy && !status; i++) {
        char *host = strsep(&rest, " ");
        status = cpm_model_set_host(model, i, host ? host : "", e);
    }
    free(copy);
    return status ? status : cpm_model_settle_hosts(model, e);
}

static size_t largest_message(const cpm_measurements *m)
{
    size_t largest = 0;
    for (int q = 0; q < m->count; q++) {
        const cpm_experiment *x = &m->at[q].what;
        size_t bytes = x->send_bytes > x->reply_bytes ? x->send_bytes : x->reply_bytes;
        if (x->kind && bytes > largest)
            largest = bytes;
    }
    return largest;
}

static double confidence_of(const cpm_estimator *estimator, const cpm_estimation *options,
                            const cpm_measurements *m)
{
    bool asked = estimator->finds_intervals && options->confidence > 0;
    return asked ? options->confidence : cpm_asked_confidence(&m->metadata);
}

static int set_provenance(const cpm_estimator *estimator, const cpm_estimation *options,
                          const cpm_measurements *m, const char *path, const char *checksum,
                          cpm_model *model, cpm_error *e)
{
    size_t largest = largest_message(m);
    int status = cpm_metadata_copy(&model->metadata, &m->metadata, e);
    if (!status && m->duration >= 0)
        status = cpm_metadata_set(&model->metadata, e, "duration", "%.9g", m->duration);
    if (!status)
        status = cpm_metadata_set(&model->metadata, e, "method", "%s", estimator->method);
    if (!status)
        status = cpm_metadata_set(&model->metadata, e, CPM_METADATA_CONFIDENCE, "%.15g",
                                  confidence_of(estimator, options, m));
    if (!status && largest > 0)
        status = cpm_metadata_set(&model->metadata, e, CPM_METADATA_LARGEST, "%zu", largest);
    if (!status && path)
        status = cpm_metadata_set(&model->metadata, e, "measurements", "%s", path);
    if (!status && checksum)
        status = cpm_metadata_set(&model->metadata, e, "measurements_sha256", "%s", checksum);
    return status ? status : set_hosts(model, m, e);
}

/* Puts a model that was fitted without classes into them; its own were hosts. */
static int pool(const cpm_estimator *estimator, const cpm_classes *classes, cpm_model **model,
                cpm_error *e)
{
    cpm_model *pooled;
    if (!classes->name || estimator->knows_classes)
        return CPM_OK;
    int status = cpm_model_regroup(*model, classes, &pooled, e);
    if (status)
        return status;
    cpm_model_free(*model);
    *model = pooled;
    return CPM_OK;
}

static int raise_negative(cpm_model *m, int parameter, cpm_error *e)
{
    size_t count = cpm_parameter_all_values(m, parameter);
    int negative = 0;
    double worst = 0;
    for (size_t v = 0; v < count; v++) {
        double *value = &m->value[parameter][v];
        if (!(*value < 0))
            continue;
        worst = *value < worst ? *value : worst;
        *value = 0;
        negative++;
    }
    if (!negative)
        return CPM_OK;
    return cpm_note(&m->notes, e,
                    "%d of %zu values of %s came out negative (down to %.3g %s) and are set to 0",
                    negative, count, m->type->parameters[parameter].name, worst,
                    m->type->parameters[parameter].unit);
}

int cpm_estimate_raise_negative(cpm_model *m, cpm_error *e)
{
    int status = CPM_OK;
    for (int p = 0; p < m->type->count && !status; p++)
        if (!m->type->parameters[p].may_be_negative)
            status = raise_negative(m, p, e);
    return status;
}

/* An experiment meets three processes, and so three pairs, at most. A file that claims to be of
 * more than it measured is refused before there is memory for each of them, or each pair. */
static int check_units(const cpm_measurements *m, const cpm_model_type *type,
                       const cpm_classes *classes, int hosts, cpm_error *e)
{
    enum { FEW = 64, MOST_IMPORTED = 1024 };
    double met = 3.0 * m->count, units = classes->name ? classes->count : hosts, needed = units;
    bool some = cpm_is_imported(m) && units <= MOST_IMPORTED; /* pairs are enough */
    for (int p = 0; p < type->count; p++)
        if (type->parameters[p].shape == CPM_PAIR && !some)
            needed = units * (units - 1) / 2;
    if (units <= FEW || needed <= met)
        return CPM_OK;
    return cpm_fail(e, CPM_EDATA,
                    "measurements are missing: %d are too few for the model %s of %d processes",
                    m->count, type->name, m->n);
}

static int check_extent(const cpm_measurements *m, const cpm_model_type *type,
                        const cpm_classes *classes, cpm_error *e)
{
    cpm_hosts hosts = {.count = m->n};
    int status = CPM_OK;
    if (cpm_model_type_knows_inside(type) && cpm_lmo2_only_collectives(m))
        return CPM_OK; /* all processes are taken to be alike */
    if (cpm_model_type_knows_inside(type))
        status = cpm_measurements_hosts(m, m->n, &hosts, e);
    if (!status)
        status = check_units(m, type, classes, hosts.count, e);
    cpm_hosts_clear(&hosts);
    return status;
}

static int fit(const cpm_estimator *estimator, const cpm_estimation *options,
               const cpm_measurements *m, cpm_model **out, cpm_error *e)
{
    cpm_estimation resolved;
    cpm_classes classes = {0};
    cpm_model *model = NULL;
    const cpm_model_type *type;
    int status = cpm_model_type_find(estimator->model, &type, e);
    bool alone = !options->class_rules || !estimator->knows_classes;
    if (!status && alone)
        status = check_extent(m, type, &(cpm_classes){0}, e);
    if (!status)
        status = resolve(options, m, m->n, type, &resolved, &classes, e);
    if (!status && !alone)
        status = check_extent(m, type, &classes, e);
    if (!status)
        status = estimator->fit(&resolved, m, &model, e);
    if (!status)
        status = cpm_estimate_raise_negative(model, e);
    if (!status)
        status = pool(estimator, &classes, &model, e);
    if (!status && classes.name)
        status = cpm_note_classes(options->find_classes, m, model, e);
    cpm_classes_clear(&classes);
    return cpm_model_hand_over(status, model, out);
}

int cpm_estimator_enough(void *context, const cpm_measurements *so_far, cpm_error *e)
{
    const cpm_estimator_context *c = context;
    cpm_model *model = NULL;
    cpm_measurements own;
    const cpm_measurements *fitted = cpm_without_held_out(so_far, &own, e);
    int status = fitted ? fit(c->estimator, c->options, fitted, &model, e) : CPM_ENOMEM;
    cpm_model_free(model);
    cpm_without_held_out_clear(&own);
    return status;
}

static int note_topology(const cpm_measurements *m, cpm_model *model, cpm_error *e)
{
    const cpm_model_type *type = model->type;
    if (!cpm_metadata_names_topology(&m->metadata) || cpm_model_type_knows_switches(type) ||
        cpm_model_type_knows_links(type))
        return CPM_OK;
    return cpm_note(&model->notes, e,
                    CPM_TOPOLOGY_LEFT_OUT ": model %s knows neither switches nor links",
                    type->name);
}

static int fit_with_notes(const cpm_estimator *estimator, const cpm_estimation *options,
                          const cpm_measurements *m, cpm_model **out, cpm_error *e)
{
    if (m->n < estimator->min_processes)
        return cpm_fail(e, CPM_EPROCESS, "model %s needs at least %d processes, got %d",
                        estimator->model, estimator->min_processes, m->n);
    cpm_model *model;
    bool thresholds;
    int status = fit(estimator, options, m, &model, e);
    if (status)
        return status;
    status = seek_thresholds(options, model->type, m, m->n, &thresholds, e);
    if (!status && thresholds)
        status = cpm_thresholds_fit(m, model, e);
    else if (!status && options->thresholds && cpm_thresholds_apply(model->type) &&
             !cpm_lmo2_only_collectives(m))
        status = cpm_note(&model->notes, e,
                          "all processes are on one host: S, M1 and M2 of a network are left out");
    if (!status)
        status = note_topology(m, model, e);
    if (!status)
        status = cpm_note_contradictions(m, &estimator->advice, model, e);
    return cpm_model_hand_over(status, model, out);
}

static int fit_without_held_out(const cpm_estimator *estimator, const cpm_estimation *options,
                                const cpm_measurements *m, cpm_model **out, cpm_error *e)
{
    cpm_measurements own;
    if (cpm_held_out_check(&m->metadata, e))
        return CPM_EDATA;
    const cpm_measurements *fitted = cpm_without_held_out(m, &own, e);
    int status = fitted ? fit_with_notes(estimator, options, fitted, out, e) : CPM_ENOMEM;
    cpm_without_held_out_clear(&own);
    return status;
}

int cpm_estimate(const cpm_estimator *estimator, const cpm_estimation *options,
                 const cpm_measurements *m, const char *name, const char *checksum, cpm_model **out,
                 cpm_error *e)
{
    cpm_model *model = NULL;
    cpm_error why = {0};
    if (fit_without_held_out(estimator, options, m, &model, &why))
        /* only what is said of the data lacks their name */
        return !name || why.code != CPM_EDATA || strstr(why.text, name)
                   ? cpm_fail(e, why.code, "%s", why.text)
                   : cpm_fail(e, why.code, "%s: %s", name, why.text);
    int status = set_provenance(estimator, options, m, checksum ? name : NULL, checksum, model, e);
    if (!status)
        status = cpm_self_check_make(m, model, e);
    return cpm_model_hand_over(status, model, out);
}

/* Models are of isolated calls. */
static int check_isolated(const cpm_measurements *m, const char *path, cpm_error *e)
{
    cpm_error why = {0};
    int batch, status = cpm_batch_of_metadata(&m->metadata, &batch, &why);
    if (status)
        return cpm_fail(e, status, "%s: %s", path, why.text);
    if (batch == CPM_ISOLATED)
        return CPM_OK;
    return cpm_fail(e, CPM_EDATA,
                    "%s: its collectives follow each other ('# timing: batch'), and models are "
                    "fitted to isolated ones: measure with another --timing",
                    path);
}

/* Collectives that are fitted have their ranks in order. */
int cpm_estimate_read(const char *path, cpm_measurements *out, char checksum[65], cpm_error *e)
{
    const cpm_placement plain = {0};
    int status = cpm_measurements_read(path, out, checksum, e);
    if (status)
        return status;
    status = cpm_measurements_check_placement(out, path, &plain, e);
    if (!status)
        status = check_isolated(out, path, e);
    if (!status && out->duration >= 0)
        return CPM_OK;
    if (status) {
        cpm_measurements_clear(out);
        return status;
    }
    cpm_measurements_clear(out);
    return cpm_fail(e, CPM_EDATA,
                    "%s: is not complete: no '# duration:' at its end, so it was truncated or its "
                    "campaign was stopped (which goes on with --resume)",
                    path);
}

int cpm_estimate_as_asked(const cpm_estimator *estimator, const cpm_estimation *options,
                          const cpm_measurements *m, const char *path, const char *checksum,
                          cpm_model **out, cpm_error *e)
{
    cpm_estimation completed = *options;
    cpm_asked asked = {0};
    int status = cpm_asked_complete(&m->metadata, path, &completed, &asked, e);
    if (!status)
        status = cpm_estimate(estimator, &completed, m, path, checksum, out, e);
    cpm_asked_clear(&asked);
    return status;
}

int cpm_estimate_file(const cpm_estimator *estimator, const cpm_estimation *options,
                      const char *path, cpm_measurements *results, cpm_model **out, cpm_error *e)
{
    cpm_measurements read = {0};
    char checksum[65];
    int status = cpm_estimate_read(path, &read, checksum, e);
    if (!status)
        status = cpm_estimate_as_asked(estimator, options, &read, path, checksum, out, e);
    if (status)
        cpm_measurements_clear(&read);
    else
        *results = read;
    return status;
}
