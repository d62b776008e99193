#include "models/extrapolation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "models/lmo2.h"

/* ---- processes and hosts */

static int most_on_a_host(const cpm_model *m, int *most, cpm_error *e)
{
    int *count = calloc((size_t)m->on.count + 1, sizeof *count);
    if (!count)
        return cpm_no_memory(e);
    *most = 0;
    for (int i = 0; i < m->n && m->on.count > 0; i++)
        if (++count[m->on.of[i]] > *most)
            *most = count[m->on.of[i]];
    free(count);
    return CPM_OK;
}

static int hosts_of(const cpm_model *m)
{
    return m->inside.count > 0 ? m->on.count : m->n;
}

int cpm_model_note_layout(const cpm_model *from, cpm_model *to, cpm_error *e)
{
    enum { TEXT = 250 };
    char text[TEXT] = "";
    int measured = 0, now = 0, hosts = hosts_of(from);
    size_t used = 0;
    int status = most_on_a_host(from, &measured, e);
    if (!status)
        status = most_on_a_host(to, &now, e);
    if (status)
        return status;
    if (now > measured)
        used = (size_t)snprintf(text, sizeof text,
                                "%d processes on a host, of which at most %d were measured%s", now,
                                measured, hosts_of(to) > hosts ? "; " : "");
    if (hosts_of(to) > hosts)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%d hosts, all taken to be like the %d that were measured, "
                                 "sharing nothing more",
                                 hosts_of(to), hosts);
    if (hosts_of(to) > hosts && to->switches.count > 1)
        snprintf(text + used, sizeof text - used,
                 "; each further %d are on switches of their own, like the measured ones", hosts);
    return *text ? cpm_metadata_set(&to->metadata, e, CPM_METADATA_EXTRAPOLATED, "%s", text)
                 : CPM_OK;
}

double cpm_model_spread(const cpm_model *m)
{
    const char *text = cpm_metadata_get(&m->metadata, CPM_METADATA_SPREAD);
    double spread;
    return text && cpm_number_parse(text, &spread) && spread > 0 ? spread : 0;
}

/* ---- sizes */

size_t cpm_model_largest(const cpm_model *m)
{
    const char *text = cpm_metadata_get(&m->metadata, CPM_METADATA_LARGEST);
    return text ? (size_t)strtoull(text, NULL, 10) : 0;
}

/* ---- sharing */

enum { MEMORY = 1, SOCKETS = 2, ENDS = 4, FETCHING = 8 };

static bool says(const cpm_model *m, const char *note)
{
    return m->notes && strstr(m->notes, note);
}

/* Two processes of a host exchange messages as they did when they were measured. */
static int find_unknown(const cpm_model *m, int *unknown, cpm_error *e)
{
    int most = 0;
    *unknown = 0;
    if (m->type != &cpm_lmo2 || m->inside.count == 0)
        return CPM_OK;
    int status = most_on_a_host(m, &most, e);
    if (status)
        return status;
    if (most > 2 && says(m, CPM_LMO2_MEMORY_UNKNOWN))
        *unknown |= MEMORY;
    bool fetched = !isnan(m->value[CPM_LMO2_FETCHED][0]);
    if (*unknown & MEMORY && fetched && !says(m, CPM_LMO2_FETCHING_SEEN))
        *unknown |= FETCHING;
    if (most > 2 && m->across.count > 0 && says(m, CPM_LMO2_SOCKETS_UNKNOWN))
        *unknown |= SOCKETS;
    if (most > 1 && m->on.count > 1 && says(m, CPM_LMO2_ENDS_UNKNOWN))
        *unknown |= ENDS;
    return CPM_OK;
}

int cpm_model_may_share(const cpm_model *m, bool *out, cpm_error *e)
{
    int unknown, status = find_unknown(m, &unknown, e);
    if (!status)
        *out = unknown != 0;
    return status;
}

bool cpm_model_lacks_combining(const cpm_model *m, cpm_combining what)
{
    if (m->type != &cpm_lmo2)
        return false;
    const int constant = cpm_lmo2_combining[what];
    for (size_t k = 0; k < cpm_parameter_all_values(m, constant); k++)
        if (isnan(m->value[constant][k] + m->value[constant + 1][k]))
            return true;
    return what == CPM_COMBINING_OTHER;
}

/* A capacity where there is none: what one message takes alone. */
static void share_inside(cpm_model *m, int capacity, int alone, const cpm_sizes *regimes)
{
    size_t g = (size_t)m->classes.count, last = (size_t)(regimes->count - 1) * g;
    for (size_t k = 0; k < g; k++)
        if (isnan(m->value[capacity][k]))
            m->value[capacity][k] = m->value[alone][last + k];
}

/* No end is slower than the fastest of its messages. */
static void share_end(cpm_model *m, int end)
{
    int last = m->sizes.count - 1;
    for (int i = 0; i < m->n; i++) {
        double *value = &m->value[end][cpm_place(m, 0, i)], least = INFINITY;
        for (int j = 0; j < m->n; j++) {
            int from = end == CPM_LMO2_GO ? i : j, to = end == CPM_LMO2_GO ? j : i;
            if (m->on.of[i] != m->on.of[j])
                least = fmin(least, m->value[CPM_LMO2_INVBETA][cpm_pair_place(m, last, from, to)]);
        }
        if (isnan(*value) && isfinite(least))
            *value = least;
    }
}

int cpm_model_share_all(const cpm_model *m, cpm_model **out, cpm_error *e)
{
    int unknown, status = find_unknown(m, &unknown, e);
    if (!status)
        status = cpm_model_regroup(m, &m->classes, out, e);
    if (status)
        return status;
    if (unknown & MEMORY)
        share_inside(*out, CPM_LMO2_MEMORY, CPM_LMO2_INSIDE_INVBETA, &m->inside);
    if (unknown & FETCHING)
        share_inside(*out, CPM_LMO2_FETCHING, CPM_LMO2_INSIDE_INVBETA, &m->inside);
    if (unknown & SOCKETS)
        share_inside(*out, CPM_LMO2_SOCKETS, CPM_LMO2_ACROSS_INVBETA, &m->across);
    if (unknown & ENDS) {
        share_end(*out, CPM_LMO2_GO);
        share_end(*out, CPM_LMO2_GI);
    }
    return CPM_OK;
}
