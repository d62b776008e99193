/* The table of starts. Those that complete edges early know that a sender is busy for a part of a
 * message's time only: their cost is not one number, as in their source, but two. */
#include "mapping/starts.h"

#include <math.h>
#include <stdlib.h>

#include "mapping/graph.h"

static size_t place(const cpm_edges *g, int from, int to)
{
    return (size_t)from * (size_t)g->n + (size_t)to;
}

/* ---- orders */

static int in_order(const cpm_edges *g, cpm_growth *out, cpm_error *e)
{
    (void)e;
    for (int v = 0; v < g->n; v++)
        out->order[v] = (int)(((long)v + g->root) % g->n);
    return CPM_OK;
}

static size_t size_of(const cpm_edges *g, int process)
{
    return g->sizes ? g->sizes[process] : 0;
}

/* Insertion keeps ranks in order among equals. */
static int by_size(const cpm_edges *g, bool large_first, cpm_growth *out, cpm_error *e)
{
    in_order(g, out, e);
    for (int v = 2; v < g->n; v++) {
        int process = out->order[v], u = v;
        size_t size = size_of(g, process);
        for (; u > 1; u--) {
            size_t before = size_of(g, out->order[u - 1]);
            if (large_first ? before >= size : before <= size)
                break;
            out->order[u] = out->order[u - 1];
        }
        out->order[u] = process;
    }
    return CPM_OK;
}

static int large_first(const cpm_edges *g, cpm_growth *out, cpm_error *e)
{
    return by_size(g, true, out, e);
}

static int large_last(const cpm_edges *g, cpm_growth *out, cpm_error *e)
{
    return by_size(g, false, out, e);
}

/* ---- trees */

static int shortest_paths(const cpm_edges *g, cpm_growth *out, cpm_error *e)
{
    return cpm_graph_shortest_paths(g->n, g->root, g->takes, out->parent, out->order, e);
}

static int fastest_edge(const cpm_edges *g, cpm_growth *out, cpm_error *e)
{
    return cpm_graph_spanning_tree(g->n, g->root, g->takes, out->parent, out->order, e);
}

/* What a process that joins can do for those that wait: its fastest edge to another of them. */
static double fastest_to_waiting(const cpm_edges *g, const cpm_growth *t, int process)
{
    double fastest = INFINITY;
    for (int k = 0; k < g->n; k++)
        if (k != process && t->parent[k] == -2)
            fastest = fmin(fastest, g->takes[place(g, process, k)]);
    return isinf(fastest) ? 0 : fastest;
}

typedef struct {
    double completed;
    int from, to;
} next_edge;

/* The edge from one that has joined to one that waits (parent -2) that is completed first, later[j]
 * added. */
static next_edge earliest(const cpm_edges *g, const cpm_growth *t, int joined, const double *ready,
                          const double *later)
{
    next_edge best = {INFINITY, -1, -1};
    for (int v = 0; v < joined; v++)
        for (int j = 0, i = t->order[v]; j < g->n; j++) {
            if (t->parent[j] != -2)
                continue;
            double completed = ready[i] + g->takes[place(g, i, j)] + later[j];
            if (best.from < 0 || completed < best.completed)
                best = (next_edge){completed, i, j};
        }
    return best;
}

static void join_all(const cpm_edges *g, bool look_ahead, double *ready, double *later,
                     cpm_growth *t)
{
    for (int j = 0; j < g->n; j++)
        t->parent[j] = -2;
    t->parent[g->root] = -1;
    t->order[0] = g->root;
    for (int joined = 1; joined < g->n; joined++) {
        for (int j = 0; look_ahead && j < g->n; j++)
            later[j] = fastest_to_waiting(g, t, j);
        next_edge x = earliest(g, t, joined, ready, later);
        size_t edge = place(g, x.from, x.to);
        ready[x.to] = ready[x.from] + g->takes[edge];
        ready[x.from] += g->busy[edge];
        t->parent[x.to] = x.from;
        t->order[joined] = x.to;
    }
}

static int earliest_edge(const cpm_edges *g, bool look_ahead, cpm_growth *out, cpm_error *e)
{
    double *ready = calloc((size_t)g->n, sizeof *ready),
           *later = calloc((size_t)g->n, sizeof *later);
    int status = CPM_OK;
    if (ready && later)
        join_all(g, look_ahead, ready, later, out);
    else
        status = cpm_fail(e, CPM_ENOMEM, "no memory for a tree of %d processes", g->n);
    free(ready);
    free(later);
    return status;
}

static int completed_first(const cpm_edges *g, cpm_growth *out, cpm_error *e)
{
    return earliest_edge(g, false, out, e);
}

static int completed_first_ahead(const cpm_edges *g, cpm_growth *out, cpm_error *e)
{
    return earliest_edge(g, true, out, e);
}

/* clang-format off */
const cpm_start cpm_starts[] = {
    {"in-order",       "processes by rank",                                                  false, in_order},
    {"fastest-edge",   "FEF, Bhat et al. 2003; Prim's minimum spanning tree",                true,  fastest_edge},
    {"earliest-edge",  "ECEF, Bhat et al. 2003",                                             true,  completed_first},
    {"look-ahead",     "ECEF with look-ahead, Bhat et al. 2003",                             true,  completed_first_ahead},
    {"shortest-paths", "Dijkstra's tree of shortest paths",                                  true,  shortest_paths},
    {"large-first",    "sorted by block size",                                               false, large_first},
    {"large-last",     "sorted by block size",                                               false, large_last},
    {0},
};
/* clang-format on */
