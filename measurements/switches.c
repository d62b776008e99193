#include "measurements/switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/notice.h"
#include "collectives/network_shapes.h"
#include "collectives/topology_links.h"
#include "collectives/topology_place.h"

/* ---- from a topology */

typedef struct {
    const cpm_topology *topology;
    const char *file;
    int n;
    cpm_hosts named;   /* the campaign's */
    const char **host; /* [n] names */
    int *node;         /* [n] of the host of each process, then [hosts] of each host */
    cpm_metadata *metadata;
    cpm_error *e;
} naming;

/* Where a process has no name, "" is refused as a host that is not there. */
static int find_nodes(naming *w)
{
    size_t n = (size_t)w->n;
    w->host = calloc(n, sizeof *w->host);
    w->node = calloc(2 * n, sizeof *w->node);
    if (!w->host || !w->node)
        return cpm_no_memory(w->e);
    for (int i = 0; i < w->n; i++)
        w->host[i] = i < w->named.n ? w->named.name[w->named.of[i]] : "";
    int status = cpm_topology_find_hosts(w->topology, w->file, w->host, w->n, w->node, w->e);
    for (int i = 0; i < w->n && !status; i++)
        w->node[w->n + w->named.of[i]] = w->node[i];
    return status;
}

static int describe_switches(const naming *w)
{
    const cpm_topology *t = w->topology;
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    for (int i = 0; out && i < w->n; i++)
        fprintf(out, "%s%s", i ? " " : "", t->name[t->neighbour[t->first[w->node[i]]]]);
    int status = out && fclose(out) == 0 ? CPM_OK : cpm_no_memory(w->e);
    if (!status)
        status = cpm_metadata_set(w->metadata, w->e, "switches", "%s", line);
    free(line);
    return status;
}

static int put_links(const naming *w, const cpm_links *links)
{
    char *line = NULL;
    int status = links->count ? cpm_links_line(links, &line, w->e) : CPM_OK;
    if (!status && links->count)
        status = cpm_metadata_set(w->metadata, w->e, CPM_METADATA_LINKS, "%s", line);
    if (!status && links->count && w->topology->fabric) {
        static const char assumed[] = "assumed, by the destination (D-mod-k)";
        cpm_notice("%s does not say which of several ways messages take: %s", w->file, assumed);
        status = cpm_metadata_set(w->metadata, w->e, CPM_METADATA_WAYS, "%s", assumed);
    }
    free(line);
    return status;
}

static int describe_links(const naming *w)
{
    const cpm_topology *t = w->topology;
    cpm_links links = {0};
    int status = t->hosts ? cpm_links_of_topology(t, w->node + w->n, w->named.count, &links, w->e)
                          : cpm_links_of_shape(t->shape, w->named.count, &links, w->e);
    if (!status)
        status = put_links(w, &links);
    cpm_links_clear(&links);
    return status;
}

/* In a shape, or where cables are no tree, switches say less than links do. */
int cpm_switches_describe(const cpm_topology *t, const char *file, int n, cpm_metadata *metadata,
                          cpm_error *e)
{
    const char *hosts = cpm_metadata_get(metadata, "hosts");
    naming w = {.topology = t, .file = file, .n = n, .metadata = metadata, .e = e};
    int status = cpm_hosts_of_line(hosts ? hosts : "", &w.named, e);
    if (!status && t->hosts)
        status = find_nodes(&w);
    if (!status && !t->shape && !t->fabric)
        status = describe_switches(&w);
    if (!status)
        status = describe_links(&w);
    free(w.host);
    free(w.node);
    cpm_hosts_clear(&w.named);
    return status;
}

/* ---- from a header */

bool cpm_metadata_names_topology(const cpm_metadata *metadata)
{
    return cpm_metadata_get(metadata, "switches") || cpm_metadata_get(metadata, CPM_METADATA_LINKS);
}

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
