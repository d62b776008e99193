#include "measurements/switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/network_shapes.h"
#include "collectives/topology_place.h"

/* ---- from a topology */

typedef struct {
    const cpm_topology *topology;
    const char *file;
    FILE *line; /* of names */
    int *below; /* [nodes] 1: a switch that a process is at */
    cpm_error *e;
} naming;

static int put_switch(const naming *w, int process, const char *host)
{
    const cpm_topology *t = w->topology;
    int v, status = cpm_topology_find_host(t, w->file, process, host, &v, w->e);
    if (status)
        return status;
    int at = t->neighbour[t->first[v]];
    w->below[at] = 1;
    fprintf(w->line, "%s%s", process ? " " : "", t->name[at]);
    return CPM_OK;
}

static int put_switches(const naming *w, char *hosts, int n)
{
    int status = CPM_OK;
    for (int i = 0; i < n && !status; i++) {
        const char *host = strsep(&hosts, " ");
        status = put_switch(w, i, host ? host : "");
    }
    return status;
}

/* below: then the switches of processes at and below each node. */
static void add_up(const int *parent, const int *order, int nodes, int *below)
{
    for (int k = nodes - 1; k > 0; k--)
        below[parent[order[k]]] += below[order[k]];
}

/* How many links have two switches of processes or more on both sides, so that messages of several
 * switches meet there. */
static int count_deeper(const naming *w, int *work, int *deeper)
{
    const cpm_topology *t = w->topology;
    int *parent = work, *order = work + t->nodes, root = t->hosts, all;
    int status = cpm_topology_orient(t, root, parent, order, w->e);
    if (status)
        return status;
    add_up(parent, order, t->nodes, w->below);
    all = w->below[root];
    for (int v = t->hosts; v < t->nodes; v++)
        *deeper += v != root && w->below[v] >= 2 && all - w->below[v] >= 2;
    return CPM_OK;
}

static int note_deeper(const naming *w, cpm_metadata *metadata)
{
    int deeper = 0, *work = malloc(2 * (size_t)w->topology->nodes * sizeof *work);
    int status = work ? count_deeper(w, work, &deeper) : cpm_no_memory(w->e);
    if (!status && deeper > 0)
        status = cpm_metadata_set(metadata, w->e, CPM_METADATA_DEEPER, "%d", deeper);
    free(work);
    return status;
}

/* ---- links */

/* like[hosts]: the node of each host of the campaign. */
static int find_like(const cpm_topology *t, const char *file, const cpm_hosts *named, int *like,
                     cpm_error *e)
{
    int status = CPM_OK;
    for (int i = named->n - 1; i >= 0 && !status; i--)
        status =
            cpm_topology_find_host(t, file, i, named->name[named->of[i]], &like[named->of[i]], e);
    return status;
}

static int select_links(const cpm_topology *t, const char *file, const cpm_hosts *named,
                        cpm_links *out, cpm_error *e)
{
    if (t->hosts == 0)
        return cpm_links_of_shape(t->shape, named->count, out, e);
    int *like = malloc((size_t)named->count * sizeof *like);
    int *number = malloc((size_t)t->links.count * sizeof *number);
    int status = like && number ? find_like(t, file, named, like, e) : cpm_no_memory(e);
    if (!status)
        status = cpm_links_of(&t->links, like, named->count, number, out, e);
    free(like);
    free(number);
    return status;
}

/* Of a shape, or of what messages share besides the tree. */
static int describe_links(const cpm_topology *t, const char *file, cpm_metadata *metadata,
                          cpm_error *e)
{
    const char *hosts = cpm_metadata_get(metadata, "hosts");
    cpm_hosts named = {0};
    cpm_links links = {0};
    char *line = NULL;
    int status = cpm_hosts_of_line(hosts ? hosts : "", &named, e);
    if (!status)
        status = select_links(t, file, &named, &links, e);
    if (!status && links.count)
        status = cpm_links_line(&links, &line, e);
    if (!status && links.count)
        status = cpm_metadata_set(metadata, e, CPM_METADATA_LINKS, "%s", line);
    free(line);
    cpm_links_clear(&links);
    cpm_hosts_clear(&named);
    return status;
}

int cpm_measurements_links(const cpm_measurements *m, int hosts, cpm_links *out, cpm_error *e)
{
    const char *line = cpm_metadata_get(&m->metadata, CPM_METADATA_LINKS);
    cpm_error why = {0};
    *out = (cpm_links){0};
    int status = line ? cpm_links_of_line(line, hosts, out, &why) : CPM_OK;
    if (status == CPM_EPARSE)
        return cpm_fail(e, CPM_EDATA, "the header's links are wrong: %s", why.text);
    return status ? cpm_no_memory(e) : CPM_OK;
}

static int describe_switches(const cpm_topology *t, const char *file, int n, cpm_metadata *metadata,
                             cpm_error *e)
{
    const char *hosts = cpm_metadata_get(metadata, "hosts");
    char *copy = strdup(hosts ? hosts : ""), *line = NULL;
    size_t size;
    naming w = {t, file, open_memstream(&line, &size), calloc((size_t)t->nodes, sizeof(int)), e};
    int status = copy && w.line && w.below ? put_switches(&w, copy, n) : cpm_no_memory(e);
    if (w.line && fclose(w.line) != 0 && !status)
        status = cpm_no_memory(e);
    if (!status)
        status = cpm_metadata_set(metadata, e, "switches", "%s", line);
    if (!status)
        status = note_deeper(&w, metadata);
    free(w.below);
    free(line);
    free(copy);
    return status;
}

/* In a shape switches say less than links do. */
int cpm_switches_describe(const cpm_topology *t, const char *file, int n, cpm_metadata *metadata,
                          cpm_error *e)
{
    int status = t->shape ? CPM_OK : describe_switches(t, file, n, metadata, e);
    return status || !(t->shape || t->links.count) ? status : describe_links(t, file, metadata, e);
}

/* ---- from a header */

int cpm_measurements_switches(const cpm_measurements *m, int n, cpm_hosts *out, cpm_error *e)
{
    const char *switches = cpm_metadata_get(&m->metadata, "switches");
    *out = (cpm_hosts){0};
    if (!switches)
        return CPM_OK;
    int status = cpm_hosts_of_line(switches, out, e);
    if (status == CPM_ENOMEM || (!status && out->n == n))
        return status;
    cpm_hosts_clear(out);
    return cpm_fail(e, CPM_EDATA, "the header does not name one switch for each of %d processes",
                    n);
}
