/* What applications may ask of a model, and fitting one. */
#include <math.h>

#include "collectives/hosts.h"
#include "cpm/cpm.h"
#include "estimators/estimator.h"

const char *cpm_model_type_name(const cpm_model *m)
{
    return m->type->name;
}

const char *cpm_type_name(int index)
{
    for (int k = 0; k <= index && cpm_model_types[k]; k++)
        if (k == index)
            return cpm_model_types[k]->name;
    return NULL;
}

int cpm_model_processes(const cpm_model *m)
{
    return m->n;
}

static bool has_process(const cpm_model *m, int process)
{
    return process >= 0 && process < m->n;
}

const char *cpm_model_host(const cpm_model *m, int process)
{
    return has_process(m, process) ? m->hosts[process] : NULL;
}

/* Processes that a value of that shape belongs to. */
static const int processes_of[] = {
    [CPM_SCALAR] = 0, [CPM_PROCESS] = 1, [CPM_PAIR] = 2, [CPM_SWITCH] = 1, [CPM_INNER_LINK] = 0};

bool cpm_model_parameter(const cpm_model *m, int index, cpm_parameter_info *out)
{
    if (index < 0 || index >= m->type->count)
        return false;
    const cpm_parameter *p = &m->type->parameters[index];
    *out = (cpm_parameter_info){.name = p->name,
                                .unit = p->unit,
                                .meaning = p->meaning,
                                .processes = processes_of[p->shape],
                                .slices = cpm_parameter_slices(m, index)};
    return true;
}

/* Where the value stands; false if there is none. */
static bool find_place(const cpm_model *m, int parameter, int i, int j, int slice, size_t *place)
{
    if (parameter < 0 || slice < 0 || slice >= cpm_parameter_slices(m, parameter))
        return false;
    switch (m->type->parameters[parameter].shape) {
    case CPM_SCALAR:
        *place = (size_t)slice;
        return true;
    case CPM_PROCESS:
        *place = has_process(m, i) ? cpm_place(m, slice, i) : 0;
        return has_process(m, i);
    case CPM_SWITCH: /* that of the process */
        *place = has_process(m, i) && m->switches.count ? (size_t)m->switches.of[i] : 0;
        return has_process(m, i) && m->switches.count;
    case CPM_INNER_LINK: /* it has no name here */
        return false;
    default:
        if (!has_process(m, i) || !has_process(m, j) || i == j)
            return false;
        *place = cpm_pair_place(m, slice, i, j);
        return true;
    }
}

double cpm_model_value(const cpm_model *m, const char *parameter, int i, int j, int slice,
                       double *half)
{
    size_t place;
    int p = cpm_parameter_index(m->type, parameter);
    bool found = find_place(m, p, i, j, slice, &place);
    if (half)
        *half = found ? m->ci[p][place] : NAN;
    return found ? m->value[p][place] : NAN;
}

size_t cpm_model_slice_bytes(const cpm_model *m, int slice)
{
    return slice >= 0 && slice < m->sizes.count ? m->sizes.at[slice] : 0;
}

int cpm_model_values(const cpm_model *m, const char *parameter, double *values, double *half,
                     cpm_error *e)
{
    int p = cpm_parameter_index(m->type, parameter);
    if (p < 0)
        return cpm_fail(e, CPM_EUNKNOWN, "%s: has no parameter '%s'", m->type->name, parameter);
    int rank = processes_of[m->type->parameters[p].shape];
    int rows = rank > 0 ? m->n : 1, columns = rank > 1 ? m->n : 1;
    for (int s = 0; s < cpm_parameter_slices(m, p); s++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                size_t place,
                    at = ((size_t)s * (size_t)rows + (size_t)i) * (size_t)columns + (size_t)j;
                bool found = find_place(m, p, i, j, s, &place);
                values[at] = found ? m->value[p][place] : NAN;
                if (half)
                    half[at] = found ? m->ci[p][place] : NAN;
            }
    return CPM_OK;
}

size_t cpm_model_parameter_bytes(const cpm_model *m, const char *parameter, int slice)
{
    int p = cpm_parameter_index(m->type, parameter);
    if (p < 0 || !m->type->parameters[p].sized)
        return 0;
    const cpm_sizes *sizes = cpm_parameter_sizes(m, p);
    return slice >= 0 && slice < sizes->count ? sizes->at[slice] : 0;
}

bool cpm_model_fact(const cpm_model *m, int index, const char **key, const char **value)
{
    return cpm_metadata_at(&m->metadata, index, key, value);
}

int cpm_model_fit(const char *path, const char *type, const char *method, cpm_model **out,
                  cpm_error *e)
{
    const cpm_estimator *estimator;
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    options.confidence = 0; /* as the file says */
    cpm_measurements results = {0};
    int status = cpm_estimator_find(type, method, &estimator, e);
    if (!status)
        status = cpm_estimate_file(estimator, &options, path, &results, out, e);
    cpm_measurements_clear(&results);
    return status;
}

int cpm_model_for_layout(const cpm_model *m, const char *layout, const char *placement,
                         cpm_model **out, cpm_error *e)
{
    cpm_hosts hosts = {0};
    int status = cpm_hosts_read(layout, placement, &hosts, e);
    if (!status)
        status = cpm_model_lay_out(m, &hosts, out, e);
    cpm_hosts_clear(&hosts);
    return status;
}
