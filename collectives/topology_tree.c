/* Walking over the tree of a network, and the ring that follows it. */
#include "collectives/topology_tree.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/fabric.h"

void cpm_topology_free(cpm_topology *t)
{
    if (!t)
        return;
    for (int v = 0; t->name && v < t->nodes; v++)
        free(t->name[v]);
    free(t->name);
    free(t->line);
    free(t->first);
    free(t->neighbour);
    free(t->shape);
    cpm_links_clear(&t->links);
    if (t->fabric)
        cpm_fabric_clear(t->fabric);
    free(t->fabric);
    free(t);
}

int cpm_topology_of_shape(const char *shape, cpm_topology **out, cpm_error *e)
{
    cpm_topology *t = calloc(1, sizeof *t);
    if (!t || !(t->shape = strdup(shape)) || !(t->first = calloc(1, sizeof *t->first))) {
        cpm_topology_free(t);
        return cpm_no_memory(e);
    }
    *out = t;
    return CPM_OK;
}

int cpm_topology_holds(const cpm_topology *t, int n, cpm_error *e)
{
    if (n >= 1 && n <= t->hosts)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL, "the topology has hosts for 1 to %d processes, not for %d",
                    t->hosts, n);
}

/* A stack of nodes that were seen but not walked over yet; neighbours are pushed last first, so
 * that they come off in their order. */
static void walk(const cpm_topology *t, int root, int *parent, int *order, int *stack)
{
    int height = 0, walked = 0;
    parent[root] = -1;
    stack[height++] = root;
    while (height > 0) {
        int v = stack[--height];
        order[walked++] = v;
        for (int k = t->first[v + 1] - 1; k >= t->first[v]; k--) {
            int w = t->neighbour[k];
            if (w == parent[v])
                continue;
            parent[w] = v;
            stack[height++] = w;
        }
    }
}

int cpm_topology_orient(const cpm_topology *t, int root, int *parent, int *order, cpm_error *e)
{
    int *room = malloc(3 * (size_t)t->nodes * sizeof *room);
    if (!room)
        return cpm_no_memory(e);
    if (!parent)
        parent = room;
    if (!order)
        order = room + t->nodes;
    walk(t, root, parent, order, room + 2 * (size_t)t->nodes);
    free(room);
    return CPM_OK;
}

/* Depth first, every subtree is one run of hosts: the ring enters it once and leaves it once. */
int cpm_topology_ring(const cpm_topology *t, int n, int *order, cpm_error *e)
{
    int status = cpm_topology_holds(t, n, e);
    if (status)
        return status;
    int *all = malloc((size_t)t->nodes * sizeof *all);
    if (!all)
        return cpm_no_memory(e);
    status = cpm_topology_orient(t, 0, NULL, all, e);
    for (int k = 0, placed = 0; !status && k < t->nodes; k++)
        if (all[k] < n)
            order[placed++] = all[k];
    free(all);
    return status;
}
