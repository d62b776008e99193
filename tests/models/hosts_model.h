/* Random models of hosts with several processes. */
#ifndef CPM_TESTS_HOSTS_MODEL_H
#define CPM_TESTS_HOSTS_MODEL_H

#include <stdio.h>

#include "models/allocate.h"
#include "random_model.h"

enum { MOST_HOSTS = 16 };

/* Extended LMO of n processes, process i on host[i] (numbered as they come), which is its class.
 * Between hosts 3 regimes, inside 2, both synchronous from the last one on; link ends and memory
 * are as fast as the fastest message. */
static inline cpm_model *hosts_model(const int *host, int n, unsigned seed)
{
    size_t between[] = {0, 4096, 65536}, inside[] = {0, 16384};
    char text[MOST_HOSTS][16], *name[MOST_HOSTS];
    int hosts = 0;
    for (int i = 0; i < n; i++)
        hosts = host[i] >= hosts ? host[i] + 1 : hosts;
    for (int h = 0; h < hosts; h++) {
        snprintf(text[h], sizeof text[h], "h%d", h);
        name[h] = text[h];
    }
    cpm_classes classes;
    cpm_model *m;
    if (cpm_classes_create(n, host, hosts, (const char *const *)name, &classes, NULL) ||
        cpm_model_allocate(&cpm_lmo2, &classes,
                           (const cpm_sizes[CPM_LEVELS]){{between, 3}, {inside, 2}}, &m, NULL))
        abort();
    cpm_classes_clear(&classes);
    for (int i = 0; i < n; i++)
        if (cpm_model_set_host(m, i, text[host[i]], NULL))
            abort();
    if (cpm_model_settle_hosts(m, NULL))
        abort();
    cpm_model *network = random_lmo2(hosts > 1 ? hosts : 2, seed); /* of hosts */
    for (int p = CPM_LMO2_CS; p <= CPM_LMO2_INVBETA && hosts > 1; p++)
        memcpy(m->value[p], network->value[p], cpm_parameter_all_values(m, p) * sizeof(double));
    for (int h = 0; h < hosts; h++) {
        for (int p = CPM_LMO2_CS; p <= CPM_LMO2_TN; p++) /* regimes that differ can be told apart */
            m->value[p][2 * hosts + h] *= 0.1;
        for (int j = 0; j < hosts; j++)
            if (j != h)
                m->value[CPM_LMO2_L][(hosts + h) * hosts + j] += 60e-6;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < h; j++) /* of empty messages only the mean of both ways is known */
                m->value[CPM_LMO2_L][(k * hosts + h) * hosts + j] =
                    m->value[CPM_LMO2_L][(k * hosts + j) * hosts + h];
        m->value[CPM_LMO2_GO][h] = m->value[CPM_LMO2_GI][h] = 1;
        for (int j = 0; j < hosts; j++)
            if (j != h) {
                const double *last = m->value[CPM_LMO2_INVBETA] + 2 * hosts * hosts;
                m->value[CPM_LMO2_GO][h] = fmin(m->value[CPM_LMO2_GO][h], last[h * hosts + j]);
                m->value[CPM_LMO2_GI][h] = fmin(m->value[CPM_LMO2_GI][h], last[j * hosts + h]);
            }
        m->value[CPM_LMO2_MEMORY][h] = m->value[CPM_LMO2_INSIDE_INVBETA][hosts + h] =
            random_between(&seed, 1e-9, 2e-9);
        for (int k = 0; k < 2; k++) {
            int at = k * hosts + h;
            m->value[CPM_LMO2_INSIDE_CS][at] = random_between(&seed, 0.2e-6, 0.4e-6);
            m->value[CPM_LMO2_INSIDE_CR][at] = random_between(&seed, 0.2e-6, 0.4e-6);
            m->value[CPM_LMO2_INSIDE_TS][at] = random_between(&seed, 0.02e-9, 0.1e-9);
            m->value[CPM_LMO2_INSIDE_TR][at] = random_between(&seed, 0.02e-9, 0.1e-9);
            m->value[CPM_LMO2_INSIDE_L][at] = random_between(&seed, 0.3e-6, 0.5e-6) + 10e-6 * k;
        }
        m->value[CPM_LMO2_INSIDE_INVBETA][h] = random_between(&seed, 0.2e-9, 0.4e-9);
        m->value[CPM_LMO2_INSIDE_CN][hosts + h] = random_between(&seed, 0.2e-6, 0.4e-6);
        m->value[CPM_LMO2_INSIDE_TN][hosts + h] = random_between(&seed, 0.02e-9, 0.1e-9);
    }
    cpm_model_free(network);
    m->value[CPM_LMO2_RENDEZVOUS][0] = 65536;
    m->value[CPM_LMO2_LATE][0] = 0;
    m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0] = 16384;
    return m;
}

/* The same with process i on socket[i] of its host. Between sockets 2 regimes, synchronous from the
 * second one on; their link is as fast as one message. */
static inline cpm_model *sockets_model(const int *host, const int *socket, int n, unsigned seed)
{
    size_t across[] = {0, 8192};
    cpm_model *near = hosts_model(host, n, seed), *m;
    const cpm_sizes regimes[CPM_LEVELS] = {near->sizes, near->inside, {across, 2}};
    int hosts = near->classes.count;
    if (cpm_model_allocate(&cpm_lmo2, &near->classes, regimes, &m, NULL) ||
        cpm_model_copy_hosts(near, m, NULL) || cpm_model_set_sockets(m, socket, NULL))
        abort();
    for (int p = 0; p < CPM_LMO2_ACROSS_CS; p++)
        memcpy(m->value[p], near->value[p], cpm_parameter_all_values(near, p) * sizeof(double));
    for (int h = 0; h < hosts; h++) {
        m->value[CPM_LMO2_SOCKETS][h] = m->value[CPM_LMO2_ACROSS_INVBETA][hosts + h] =
            random_between(&seed, 3e-9, 4e-9);
        m->value[CPM_LMO2_ACROSS_INVBETA][h] = random_between(&seed, 0.6e-9, 0.9e-9);
        for (int k = 0; k < 2; k++) {
            int at = k * hosts + h;
            m->value[CPM_LMO2_ACROSS_CS][at] = random_between(&seed, 0.4e-6, 0.6e-6);
            m->value[CPM_LMO2_ACROSS_CR][at] = random_between(&seed, 0.4e-6, 0.6e-6);
            m->value[CPM_LMO2_ACROSS_TS][at] = random_between(&seed, 0.1e-9, 0.2e-9);
            m->value[CPM_LMO2_ACROSS_TR][at] = random_between(&seed, 0.1e-9, 0.2e-9);
            m->value[CPM_LMO2_ACROSS_L][at] = random_between(&seed, 0.8e-6, 1.2e-6) + 10e-6 * k;
        }
        m->value[CPM_LMO2_ACROSS_CN][hosts + h] = random_between(&seed, 0.4e-6, 0.6e-6);
        m->value[CPM_LMO2_ACROSS_TN][hosts + h] = random_between(&seed, 0.1e-9, 0.2e-9);
    }
    m->value[CPM_LMO2_ACROSS_RENDEZVOUS][0] = 8192;
    cpm_model_free(near);
    return m;
}

/* Every host, and every pair of hosts, has the values of the first. */
static inline void make_alike(cpm_model *m)
{
    int g = m->classes.count;
    for (int p = 0; p < m->type->count; p++)
        for (int k = 0; k < cpm_parameter_slices(m, p); k++) {
            double *value = m->value[p] + (size_t)k * cpm_parameter_values(m, p);
            if (m->type->parameters[p].shape == CPM_PROCESS)
                for (int i = 0; i < g; i++)
                    value[i] = value[0];
            if (m->type->parameters[p].shape == CPM_PAIR)
                for (int i = 0; i < g * g; i++)
                    value[i] = i / g == i % g ? 0 : value[1];
        }
}

#endif
