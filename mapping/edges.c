/* Costs of all edges, by the model's cost of one message. */
#include "mapping/edges.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static bool collects(const cpm_operation *operation, int n, int root)
{
    int64_t unit = operation->units(n, NULL) == n ? (root + 1) % n : 0;
    return operation->combines || !operation->before(n, root, root, unit, NULL);
}

static void set_edge(const cpm_mapping_problem *p, int i, int j, cpm_edges *g)
{
    const cpm_model *m = p->model;
    size_t bytes = g->sizes ? g->sizes[j] : p->sizes.bytes;
    cpm_cost c;
    m->type->cost(m, g->collects ? j : i, g->collects ? i : j, bytes, &c);
    size_t place = (size_t)i * (size_t)g->n + (size_t)j;
    g->takes[place] = c.send + c.wire + c.recv;
    g->busy[place] = fmax(g->collects ? c.recv : c.send, c.gap);
}

int cpm_edges_create(const cpm_mapping_problem *p, cpm_edges *out, cpm_error *e)
{
    int n = p->model->n;
    size_t count = (size_t)n * (size_t)n;
    const cpm_operation *operation = p->what.operation;
    cpm_edges g = {.n = n, .root = p->what.at.root};
    g.collects = collects(operation, n, g.root);
    g.sizes = operation->units(n, NULL) == n ? p->sizes.each : NULL;
    if (cpm_memory_suffices(count * (sizeof *g.takes + sizeof *g.busy))) {
        g.takes = calloc(count, sizeof *g.takes);
        g.busy = calloc(count, sizeof *g.busy);
    }
    if (!g.takes || !g.busy) {
        cpm_edges_clear(&g);
        return cpm_no_memory(e);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j)
                set_edge(p, i, j, &g);
    *out = g;
    return CPM_OK;
}

void cpm_edges_clear(cpm_edges *g)
{
    free(g->takes);
    free(g->busy);
    *g = (cpm_edges){0};
}
