/* A model in memory: making it, and what it says of a message. */
#include "models/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "models/allocate.h"

int cpm_parameter_index(const cpm_model_type *type, const char *name)
{
    for (int p = 0; p < type->count; p++)
        if (strcmp(type->parameters[p].name, name) == 0)
            return p;
    return -1;
}

size_t cpm_parameter_values(const cpm_model *m, int p)
{
    size_t g = (size_t)m->classes.count;
    switch (m->type->parameters[p].shape) {
    case CPM_SCALAR:
        return 1;
    case CPM_PROCESS:
        return g;
    case CPM_PAIR:
        return g * g;
    case CPM_SWITCH:
    case CPM_INNER_LINK:
        return (size_t)cpm_model_things(m, m->type->parameters[p].shape);
    }
    return 0;
}

const char *cpm_shape_thing(cpm_shape shape)
{
    return shape == CPM_SWITCH ? "switch" : shape == CPM_INNER_LINK ? "link" : NULL;
}

int cpm_model_things(const cpm_model *m, cpm_shape shape)
{
    return shape == CPM_SWITCH ? m->switches.count : shape == CPM_INNER_LINK ? m->links.count : 0;
}

const char *cpm_model_thing(const cpm_model *m, cpm_shape shape, int i)
{
    return shape == CPM_SWITCH       ? m->switches.name[i]
           : shape == CPM_INNER_LINK ? m->links.name[i]
                                     : NULL;
}

bool cpm_model_type_sized(const cpm_model_type *type)
{
    for (int p = 0; p < type->count; p++)
        if (type->parameters[p].sized)
            return true;
    return false;
}

bool cpm_model_type_knows_inside(const cpm_model_type *type)
{
    for (int p = 0; p < type->count; p++)
        if (type->parameters[p].level == CPM_INSIDE)
            return true;
    return false;
}

static bool has_shape(const cpm_model_type *type, cpm_shape shape)
{
    for (int p = 0; p < type->count; p++)
        if (type->parameters[p].shape == shape)
            return true;
    return false;
}

bool cpm_model_type_knows_switches(const cpm_model_type *type)
{
    return has_shape(type, CPM_SWITCH);
}

bool cpm_model_type_knows_links(const cpm_model_type *type)
{
    return has_shape(type, CPM_INNER_LINK);
}

const cpm_sizes *cpm_model_regimes(const cpm_model *m, cpm_level level)
{
    return level == CPM_ACROSS ? &m->across : level == CPM_INSIDE ? &m->inside : &m->sizes;
}

const cpm_sizes *cpm_parameter_sizes(const cpm_model *m, int p)
{
    return cpm_model_regimes(m, m->type->parameters[p].level);
}

bool cpm_model_has_parameter(const cpm_model *m, int p)
{
    cpm_level level = m->type->parameters[p].level;
    if (level == CPM_LOCAL)
        return true;
    if (cpm_shape_thing(m->type->parameters[p].shape))
        return cpm_model_things(m, m->type->parameters[p].shape) > 0;
    if (level != CPM_BETWEEN)
        return cpm_model_regimes(m, level)->count > 0;
    return m->inside.count == 0 || m->on.count > 1;
}

int cpm_parameter_slices(const cpm_model *m, int p)
{
    return m->type->parameters[p].sized ? cpm_parameter_sizes(m, p)->count : 1;
}

size_t cpm_parameter_all_values(const cpm_model *m, int p)
{
    return (size_t)cpm_parameter_slices(m, p) * cpm_parameter_values(m, p);
}

static bool allocate_parameter(cpm_model *m, int p)
{
    size_t values = cpm_parameter_all_values(m, p);
    m->value[p] = calloc(values + 1, sizeof *m->value[p]); /* not 0 bytes */
    m->ci[p] = malloc((values + 1) * sizeof *m->ci[p]);
    if (!m->value[p] || !m->ci[p])
        return false;
    cpm_memory_large_pages(m->value[p], values * sizeof *m->value[p]); /* walks look all over it */
    for (size_t i = 0; i < values; i++)
        m->ci[p][i] = NAN;
    for (size_t i = 0; i < values && m->type->parameters[p].optional; i++)
        m->value[p][i] = NAN;
    return true;
}

static bool allocate_parameters(cpm_model *m)
{
    size_t count = (size_t)m->type->count;
    m->value = calloc(count, sizeof *m->value);
    m->ci = calloc(count, sizeof *m->ci);
    if (!m->value || !m->ci)
        return false;
    for (int p = 0; p < m->type->count; p++)
        if (!allocate_parameter(m, p))
            return false;
    return true;
}

static bool allocate_hosts(cpm_model *m)
{
    m->hosts = calloc((size_t)m->n, sizeof *m->hosts);
    for (int i = 0; m->hosts && i < m->n; i++)
        if (!(m->hosts[i] = strdup("")))
            return false;
    return m->hosts != NULL;
}

static int check_ascending(const cpm_sizes *sizes, cpm_error *e)
{
    for (int k = 1; k < sizes->count; k++)
        if (sizes->at[k] <= sizes->at[k - 1])
            return cpm_fail(e, CPM_EINVAL, "message sizes must ascend, but %zu follows %zu",
                            sizes->at[k], sizes->at[k - 1]);
    return CPM_OK;
}

static int check_sizes(const cpm_model_type *type, const cpm_sizes regimes[CPM_LEVELS],
                       cpm_error *e)
{
    int count = regimes[CPM_BETWEEN].count, status = CPM_OK;
    if (cpm_model_type_sized(type) != (count > 0))
        return cpm_fail(e, CPM_EINVAL, "model %s %s message sizes", type->name,
                        count ? "has no parameters that depend on" : "needs a list of");
    if (regimes[CPM_INSIDE].count > 0 && !cpm_model_type_knows_inside(type))
        return cpm_fail(e, CPM_EINVAL, "model %s has no parameters of messages inside a host",
                        type->name);
    for (int level = 0; level < CPM_LEVELS && !status; level++)
        status = check_ascending(&regimes[level], e);
    return status;
}

/* With their intervals. */
static size_t bytes_of_values(const cpm_model *m)
{
    size_t values = 0;
    for (int p = 0; p < m->type->count; p++)
        values += cpm_parameter_all_values(m, p);
    return values * (sizeof **m->value + sizeof **m->ci);
}

static bool copy_sizes(const cpm_sizes *from, cpm_sizes *to)
{
    if (from->count == 0)
        return true;
    to->at = malloc((size_t)from->count * sizeof *to->at);
    if (!to->at)
        return false;
    memcpy(to->at, from->at, (size_t)from->count * sizeof *to->at);
    to->count = from->count;
    return true;
}

static bool copy_regimes(const cpm_sizes regimes[CPM_LEVELS], cpm_model *m)
{
    return copy_sizes(&regimes[CPM_BETWEEN], &m->sizes) &&
           copy_sizes(&regimes[CPM_INSIDE], &m->inside) &&
           copy_sizes(&regimes[CPM_ACROSS], &m->across);
}

int cpm_model_create(const cpm_model_type *type, int n, cpm_model **out, cpm_error *e)
{
    size_t zero = 0;
    cpm_sizes sizes = {.at = &zero, .count = cpm_model_type_sized(type)};
    return cpm_model_create_sized(type, n, &sizes, out, e);
}

static int check_processes(const cpm_model_type *type, int n, cpm_error *e)
{
    if (n < type->min_processes)
        return cpm_fail(e, CPM_EPROCESS, "model %s needs at least %d processes, not %d", type->name,
                        type->min_processes, n);
    return CPM_OK;
}

int cpm_model_create_sized(const cpm_model_type *type, int n, const cpm_sizes *sizes,
                           cpm_model **out, cpm_error *e)
{
    cpm_classes alone;
    int status = check_processes(type, n, e);
    if (!status)
        status = cpm_classes_create(n, NULL, 0, NULL, &alone, e);
    if (status)
        return status;
    status = cpm_model_create_classes(type, &alone, sizes, out, e);
    cpm_classes_clear(&alone);
    return status;
}

int cpm_model_create_classes(const cpm_model_type *type, const cpm_classes *classes,
                             const cpm_sizes *sizes, cpm_model **out, cpm_error *e)
{
    int status = check_processes(type, classes->n, e);
    return status
               ? status
               : cpm_model_allocate(type, classes, (const cpm_sizes[CPM_LEVELS]){*sizes}, out, e);
}

int cpm_model_create_like(const cpm_model *m, const cpm_classes *classes, cpm_model **out,
                          cpm_error *e)
{
    const cpm_sizes regimes[CPM_LEVELS] = {m->sizes, m->inside, m->across};
    int status = cpm_model_allocate(m->type, classes, regimes, out, e);
    if (!status)
        (*out)->whole = m->whole;
    return status;
}

int cpm_model_allocate(const cpm_model_type *type, const cpm_classes *classes,
                       const cpm_sizes regimes[CPM_LEVELS], cpm_model **out, cpm_error *e)
{
    int status = check_sizes(type, regimes, e);
    if (status)
        return status;
    cpm_model *m = calloc(1, sizeof *m);
    if (!m)
        return cpm_no_memory(e);
    m->type = type;
    m->n = m->whole = classes->n;
    status = cpm_classes_copy(classes, &m->classes, e);
    if (!status && (!copy_regimes(regimes, m) || !cpm_memory_suffices(bytes_of_values(m)) ||
                    !allocate_hosts(m) || !allocate_parameters(m)))
        status = cpm_no_memory(e);
    if (!status)
        status = cpm_model_settle_hosts(m, e);
    return cpm_model_hand_over(status, m, out);
}

int cpm_model_copy_hosts(const cpm_model *from, cpm_model *to, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < from->n && !status; i++)
        status = cpm_model_set_host(to, i, from->hosts[i], e);
    if (!status)
        status = cpm_model_settle_hosts(to, e);
    return status ? status : cpm_model_set_sockets(to, from->on.socket, e);
}

int cpm_model_copy_provenance(const cpm_model *from, cpm_model *to, cpm_error *e)
{
    if (from->notes && !(to->notes = strdup(from->notes)))
        return cpm_no_memory(e);
    return cpm_metadata_copy(&to->metadata, &from->metadata, e);
}

double cpm_model_confidence(const cpm_model *m, double asked)
{
    static const double usual = 0.95;
    double said;
    const char *text = cpm_metadata_get(&m->metadata, CPM_METADATA_CONFIDENCE);
    if (asked > 0)
        return asked;
    return text && cpm_number_parse(text, &said) && said > 0 && said < 1 ? said : usual;
}

void cpm_model_free(cpm_model *m)
{
    if (!m)
        return;
    for (int p = 0; p < m->type->count; p++) {
        if (m->value)
            free(m->value[p]);
        if (m->ci)
            free(m->ci[p]);
    }
    for (int i = 0; m->hosts && i < m->n; i++)
        free(m->hosts[i]);
    free(m->value);
    free(m->ci);
    cpm_classes_clear(&m->classes);
    cpm_classes_clear(&m->switches);
    cpm_links_clear(&m->links);
    free(m->sizes.at);
    free(m->inside.at);
    free(m->across.at);
    free(m->hosts);
    cpm_hosts_clear(&m->on);
    cpm_hosts_clear(&m->near);
    free(m->notes);
    cpm_metadata_clear(&m->metadata);
    free(m);
}

int cpm_model_hand_over(int status, cpm_model *m, cpm_model **out)
{
    if (status)
        cpm_model_free(m);
    else
        *out = m;
    return status;
}

int cpm_model_set_host(cpm_model *m, int rank, const char *host, cpm_error *e)
{
    if (rank < 0 || rank >= m->n)
        return cpm_fail(e, CPM_EINVAL, "rank %d is not in 0..%d", rank, m->n - 1);
    char *copy = cpm_escape_copy(host);
    if (!copy)
        return cpm_no_memory(e);
    free(m->hosts[rank]);
    m->hosts[rank] = copy;
    return CPM_OK;
}

int cpm_model_settle_hosts(cpm_model *m, cpm_error *e)
{
    if (m->inside.count == 0)
        return CPM_OK;
    cpm_hosts on;
    int status = cpm_hosts_named((const char *const *)m->hosts, m->n, &on, e);
    if (status)
        return status;
    on.socket = m->on.socket;
    m->on.socket = NULL;
    cpm_hosts_clear(&m->on);
    m->on = on;
    status = cpm_classes_set_hosts(&m->classes, &m->on, e);
    return status ? status : cpm_model_set_sockets(m, m->on.socket, e);
}

int cpm_model_set_sockets(cpm_model *m, const int *socket, cpm_error *e)
{
    cpm_hosts near = {0};
    if (m->across.count == 0)
        return CPM_OK;
    int status = cpm_hosts_set_sockets(&m->on, socket, e);
    if (!status)
        status = cpm_hosts_of_sockets(&m->on, &near, e);
    cpm_hosts_clear(&m->near);
    m->near = near;
    return status;
}

/* Room for the parameters of a shape, in the place of what there was. */
static int allocate_shape(cpm_model *m, cpm_shape shape, cpm_error *e)
{
    int status = CPM_OK;
    for (int p = 0; p < m->type->count && !status; p++) {
        if (m->type->parameters[p].shape != shape)
            continue;
        free(m->value[p]);
        free(m->ci[p]);
        if (!allocate_parameter(m, p))
            status = cpm_no_memory(e);
    }
    return status;
}

int cpm_model_set_links(cpm_model *m, const cpm_links *links, cpm_error *e)
{
    cpm_links copy = {0};
    if (links->count && links->hosts != cpm_model_hosts(m))
        return cpm_fail(e, CPM_EINVAL, "links of %d hosts for a model of %d", links->hosts,
                        cpm_model_hosts(m));
    int status = links->count ? cpm_links_copy(links, &copy, e) : CPM_OK;
    if (status)
        return status;
    cpm_links_clear(&m->links);
    m->links = copy;
    return allocate_shape(m, CPM_INNER_LINK, e);
}

int cpm_model_set_switches(cpm_model *m, const cpm_classes *switches, cpm_error *e)
{
    cpm_classes copy = {0};
    if (switches->count && switches->n != m->n)
        return cpm_fail(e, CPM_EINVAL, "switches of %d processes for a model of %d", switches->n,
                        m->n);
    int status = switches->count ? cpm_classes_copy(switches, &copy, e) : CPM_OK;
    if (status)
        return status;
    cpm_classes_clear(&m->switches);
    m->switches = copy;
    return allocate_shape(m, CPM_SWITCH, e);
}

double cpm_model_half(const cpm_model *m, int p, size_t at)
{
    double own = m->ci[p][at];
    return isnan(own) && !isnan(m->value[p][at]) && m->type->half ? m->type->half(m, p, at) : own;
}

double cpm_model_p2p(const cpm_model *m, int from, int to, size_t bytes)
{
    cpm_cost cost;
    m->type->cost(m, from, to, bytes, &cost);
    return cost.send + cost.wire + cost.recv;
}

bool cpm_model_flows(const cpm_model *m)
{
    return m->type->flow && m->type->flows(m);
}
