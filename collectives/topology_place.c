#include "collectives/topology_place.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a tree */

/* Counts links at both ends, then fills from the back. */
static void list_neighbours(cpm_topology *t, const int *up)
{
    for (int v = 0; v < t->nodes; v++)
        if (up[v] >= 0) {
            t->first[v]++;
            t->first[up[v]]++;
        }
    for (int v = 1; v <= t->nodes; v++)
        t->first[v] += t->first[v - 1];
    for (int v = t->nodes - 1; v >= 0; v--)
        if (up[v] >= 0) {
            t->neighbour[--t->first[v]] = up[v];
            t->neighbour[--t->first[up[v]]] = v;
        }
}

int cpm_topology_of_tree(int hosts, int nodes, const int *up, cpm_topology **out, cpm_error *e)
{
    cpm_topology *t = calloc(1, sizeof *t);
    if (!t)
        return cpm_no_memory(e);
    *t = (cpm_topology){.hosts = hosts,
                        .nodes = nodes,
                        .first = calloc((size_t)nodes + 1, sizeof *t->first),
                        .neighbour = calloc(2 * (size_t)nodes, sizeof *t->neighbour)};
    if (!t->first || !t->neighbour) {
        cpm_topology_free(t);
        return cpm_no_memory(e);
    }
    list_neighbours(t, up);
    *out = t;
    return CPM_OK;
}

/* ---- processes on hosts */

/* Nodes are processes, switches, then hosts that have several processes. node[h]: 0, or that of
 * host h. Returns how many nodes there are. */
static int count_nodes(const cpm_topology_places *p, int *node)
{
    int nodes = p->processes + p->switches;
    for (int h = 0; h < p->hosts; h++)
        node[h] = 0;
    for (int i = 0; i < p->processes; i++)
        node[p->host[i]]++;
    for (int h = 0; h < p->hosts; h++)
        node[h] = node[h] > 1 ? nodes++ : 0;
    return nodes;
}

static void hang_up(const cpm_topology_places *p, const int *node, int *up)
{
    int switches = p->processes; /* the first of them */
    for (int i = 0; i < p->processes; i++) {
        int host = p->host[i];
        up[i] = node[host] ? node[host] : switches + p->at[host];
    }
    for (int s = 0; s < p->switches; s++)
        up[switches + s] = p->up[s] < 0 ? -1 : switches + p->up[s];
    for (int h = 0; h < p->hosts; h++)
        if (node[h])
            up[node[h]] = switches + p->at[h];
}

int cpm_topology_place(const cpm_topology_places *p, cpm_topology **out, cpm_error *e)
{
    size_t most = (size_t)p->processes + (size_t)p->switches + (size_t)p->hosts;
    int *node = malloc((size_t)p->hosts * sizeof *node), *up = malloc(most * sizeof *up);
    int status = node && up ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        int nodes = count_nodes(p, node);
        hang_up(p, node, up);
        status = cpm_topology_of_tree(p->processes, nodes, up, out, e);
    }
    free(node);
    free(up);
    return status;
}

/* ---- by names */

/* Whether names are those of one host, but only one of them with its domain. */
static bool are_alike(const char *a, const char *b)
{
    size_t length = strcspn(a, ".");
    return length == strcspn(b, ".") && strncmp(a, b, length) == 0 && (!a[length] || !b[length]);
}

int cpm_topology_host(const cpm_topology *t, const char *host)
{
    int found = -1, alike = 0;
    for (int v = 0; v < t->hosts; v++)
        if (strcmp(t->name[v], host) == 0)
            return v;
    for (int v = 0; v < t->hosts; v++)
        if (are_alike(t->name[v], host)) {
            found = v;
            alike++;
        }
    return alike == 1 ? found : -1;
}

/* Others that are missing after the first one, each once and not all: " (and so are 'b', 'c')". */
static void put_missing(const cpm_topology *t, const char *const *host, int n, int first, FILE *out)
{
    enum { MOST = 8 };
    int put = 0;
    for (int i = first + 1; i < n; i++) {
        bool known = cpm_topology_host(t, host[i]) >= 0;
        for (int k = first; k < i && !known; k++)
            known = strcmp(host[k], host[i]) == 0;
        if (!known && ++put <= MOST)
            fprintf(out, "%s'%s'", put > 1 ? ", " : " (nor are ", host[i]);
    }
    if (put > MOST)
        fprintf(out, " and %d more", put - MOST);
    fputs(put ? ")" : "", out);
}

static int refuse_host(const cpm_topology *t, const char *file, const char *const *host, int n,
                       int i, cpm_error *e)
{
    char others[512] = ""; /* of which the last byte stays 0 */
    for (int v = t->hosts; v < t->nodes; v++)
        if (strcmp(t->name[v], host[i]) == 0)
            return cpm_fail(e, CPM_EINVAL,
                            "%s:%d: '%s' is a switch, but process %d is on a host '%s'", file,
                            t->line[v], host[i], i, host[i]);
    FILE *out = fmemopen(others, sizeof others - 1, "w");
    if (!out)
        return cpm_no_memory(e);
    put_missing(t, host, n, i, out);
    fclose(out);
    if (t->form)
        return cpm_fail(e, CPM_EINVAL,
                        "%s: process %d is on host '%s', which is none of the %d of %s%s", file, i,
                        host[i], t->hosts, t->form, others);
    return cpm_fail(e, CPM_EINVAL,
                    "%s: process %d is on host '%s', which is none of the %d there%s; add a line "
                    "'host %s SWITCH'",
                    file, i, host[i], t->hosts, others, host[i]);
}

/* Processes of a host often follow each other. */
int cpm_topology_find_hosts(const cpm_topology *t, const char *file, const char *const *host, int n,
                            int *node, cpm_error *e)
{
    for (int i = 0; i < n; i++) {
        bool same = i && strcmp(host[i], host[i - 1]) == 0;
        node[i] = same ? node[i - 1] : cpm_topology_host(t, host[i]);
        if (node[i] < 0)
            return refuse_host(t, file, host, n, i, e);
    }
    return CPM_OK;
}

/* up[nodes], seen from the first switch: the number of the switch that each hangs on. */
static int orient_to_switches(const cpm_topology *t, int *up, cpm_error *e)
{
    int status = cpm_topology_orient(t, t->hosts, up, NULL, e);
    for (int v = 0; v < t->nodes && !status; v++)
        up[v] = up[v] < 0 ? -1 : up[v] - t->hosts;
    return status;
}

int cpm_topology_of_processes(const cpm_topology *t, const char *file, const char *const *host,
                              int n, cpm_topology **out, cpm_error *e)
{
    int *found = malloc(((size_t)n + (size_t)t->nodes) * sizeof *found), *up = found + n;
    if (!found)
        return cpm_no_memory(e);
    int status = cpm_topology_find_hosts(t, file, host, n, found, e);
    if (!status)
        status = orient_to_switches(t, up, e);
    if (!status) {
        const cpm_topology_places p = {.processes = n,
                                       .hosts = t->hosts,
                                       .switches = t->nodes - t->hosts,
                                       .host = found,
                                       .at = up,
                                       .up = up + t->hosts};
        status = cpm_topology_place(&p, out, e);
    }
    free(found);
    return status;
}
