/* Fitting with any estimator: parameters, thresholds, provenance. */
#include "estimators/estimator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/residuals.h"
#include "estimators/thresholds.h"

static void known(char *text, size_t size, const char *model)
{
    size_t used = 0;
    text[0] = '\0';
    for (const cpm_estimator *r = cpm_estimators; r->model && used < size; r++)
        if (!model || strcmp(r->model, model) == 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", r->method);
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

int cpm_estimator_planner(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                          cpm_error *e)
{
    const cpm_estimator_context *c = context;
    if (n < c->estimator->min_processes)
        return cpm_fail(e, CPM_EPROCESS, "model %s needs at least %d processes, got %d",
                        c->estimator->model, c->estimator->min_processes, n);
    int status = c->estimator->plan(c->options, n, so_far, next, e);
    const cpm_model_type *type;
    if (!status)
        status = cpm_model_type_find(c->estimator->model, &type, e);
    if (!status && c->options->thresholds && cpm_thresholds_apply(type))
        status = cpm_thresholds_plan(c->options, n, so_far, next, e);
    return status;
}

int cpm_estimator_enough(void *context, const cpm_measurements *so_far, cpm_error *e)
{
    const cpm_estimator_context *c = context;
    cpm_model *model = NULL;
    int status = c->estimator->fit(c->options, so_far, &model, e);
    cpm_model_free(model);
    return status;
}

static int set_hosts(cpm_model *model, const cpm_measurements *m, cpm_error *e)
{
    const char *hosts = cpm_facts_get(&m->facts, "hosts");
    char *copy = hosts ? strdup(hosts) : NULL, *rest = copy;
    int status = CPM_OK;
    for (int i = 0; i < model->n && copy && !status; i++) {
        char *host = strsep(&rest, " ");
        status = cpm_model_set_host(model, i, host ? host : "", e);
    }
    free(copy);
    return status;
}

static int set_provenance(const cpm_estimator *estimator, const cpm_measurements *m,
                          const char *path, const char *checksum, cpm_model *model, cpm_error *e)
{
    int status = cpm_facts_copy(&model->facts, &m->facts, e);
    if (!status && m->duration >= 0)
        status = cpm_facts_set(&model->facts, e, "duration", "%.9g", m->duration);
    if (!status)
        status = cpm_facts_set(&model->facts, e, "method", "%s", estimator->method);
    if (!status && path)
        status = cpm_facts_set(&model->facts, e, "measurements", "%s", path);
    if (!status && checksum)
        status = cpm_facts_set(&model->facts, e, "measurements_sha256", "%s", checksum);
    return status ? status : set_hosts(model, m, e);
}

int cpm_estimate(const cpm_estimator *estimator, const cpm_estimation *options,
                 const cpm_measurements *m, const char *path, const char *checksum, cpm_model **out,
                 cpm_error *e)
{
    if (m->n < estimator->min_processes)
        return cpm_fail(e, CPM_EPROCESS, "model %s needs at least %d processes, got %d",
                        estimator->model, estimator->min_processes, m->n);
    cpm_model *model;
    int status = estimator->fit(options, m, &model, e);
    if (status)
        return status;
    if (options->thresholds && cpm_thresholds_apply(model->type))
        status = cpm_thresholds_fit(m, model, e);
    if (!status)
        status = cpm_note_contradictions(m, estimator->method, model, e);
    if (!status)
        status = set_provenance(estimator, m, path, checksum, model, e);
    if (status)
        cpm_model_free(model);
    else
        *out = model;
    return status;
}
