#include "collectives/topology_links.h"

#include <stdio.h>
#include <stdlib.h>

#include "collectives/fabric.h"

/* The tree as seen from its first switch. */
typedef struct {
    const cpm_topology *t;
    int *parent, *order, *depth; /* [nodes] */
    int *below;                  /* [nodes] switches of hosts at and below each */
    int *number;                 /* of links: the topology's, then of nodes up and down; -1: none */
    int from, to;                /* hosts of whoever asks */
    cpm_links_draft draft;
    cpm_error *e;
} drawing;

static int pass(drawing *w, int k, const char *name)
{
    return cpm_links_draft_cross(&w->draft, w->from, w->to, name, &w->number[k], w->e);
}

static int switch_of(const cpm_topology *t, int host)
{
    return t->neighbour[t->first[host]];
}

static void look(drawing *w, const int *like, int hosts)
{
    const cpm_topology *t = w->t;
    for (int k = 0; k < hosts; k++)
        w->below[switch_of(t, like[k])] = 1;
    for (int k = 1; k < t->nodes; k++)
        w->depth[w->order[k]] = w->depth[w->parent[w->order[k]]] + 1;
    for (int k = t->nodes - 1; k > 0; k--)
        w->below[w->parent[w->order[k]]] += w->below[w->order[k]];
}

/* The link above a node carries messages of several switches to several. */
static bool is_inner(const drawing *w, int v)
{
    return w->below[v] >= 2 && w->below[w->t->hosts] - w->below[v] >= 2;
}

static int pass_link(drawing *w, int v, bool up)
{
    const cpm_topology *t = w->t;
    int k = t->links.count + 2 * v + !up, status;
    const char *low = t->name[v], *high = t->name[w->parent[v]];
    char *name = NULL;
    if (!is_inner(w, v))
        return CPM_OK;
    if (w->number[k] >= 0)
        return pass(w, k, NULL);
    if (asprintf(&name, "%s>%s", up ? low : high, up ? high : low) < 0)
        return cpm_no_memory(w->e);
    status = pass(w, k, name);
    free(name);
    return status;
}

/* From both ends to where they meet. */
static int cross(drawing *w, int a, int b)
{
    int count, status = CPM_OK;
    const int *named = w->t->links.count ? cpm_links_way(&w->t->links, a, b, &count) : NULL;
    for (int u = 0; named && u < count && !status; u++)
        status = pass(w, named[u], w->t->links.name[named[u]]);
    while (a != b && !status) {
        bool up = w->depth[a] >= w->depth[b];
        int *low = up ? &a : &b;
        status = pass_link(w, *low, up);
        *low = w->parent[*low];
    }
    return status;
}

static int cross_all(drawing *w, const int *like)
{
    int status = cpm_topology_orient(w->t, w->t->hosts, w->parent, w->order, w->e);
    if (status)
        return status;
    look(w, like, w->draft.hosts);
    for (w->from = 0; w->from < w->draft.hosts; w->from++)
        for (w->to = 0; w->to < w->draft.hosts && !status; w->to++)
            if (w->from != w->to)
                status = cross(w, like[w->from], like[w->to]);
    return status;
}

static int links_of_tree(const cpm_topology *t, const int *like, int hosts, cpm_links *out,
                         cpm_error *e)
{
    size_t nodes = (size_t)t->nodes, links = (size_t)t->links.count + 2 * nodes;
    int *room = calloc(4 * nodes + links, sizeof *room);
    drawing w = {.t = t,
                 .parent = room,
                 .order = room + nodes,
                 .depth = room + 2 * nodes,
                 .below = room + 3 * nodes,
                 .number = room + 4 * nodes,
                 .draft.hosts = hosts,
                 .e = e};
    if (!room)
        return cpm_no_memory(e);
    for (size_t k = 0; k < links; k++)
        w.number[k] = -1;
    int status = cross_all(&w, like);
    free(room);
    if (!status)
        return cpm_links_draft_end(&w.draft, out, e);
    cpm_links_draft_clear(&w.draft);
    return status;
}

/* All hosts of a shape have been numbered with its links. */
static int links_of_shape(const cpm_topology *t, const int *like, int hosts, cpm_links *out,
                          cpm_error *e)
{
    int *number = malloc((size_t)t->links.count * sizeof *number + 1);
    int status = number ? cpm_links_of(&t->links, like, hosts, number, out, e) : cpm_no_memory(e);
    free(number);
    return status;
}

int cpm_links_of_topology(const cpm_topology *t, const int *like, int hosts, cpm_links *out,
                          cpm_error *e)
{
    if (t->shape)
        return links_of_shape(t, like, hosts, out, e);
    return t->fabric ? cpm_links_of_fabric(t->fabric, like, hosts, out, e)
                     : links_of_tree(t, like, hosts, out, e);
}
