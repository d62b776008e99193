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

/* As linear trees count: all but the root from the first rank on. */
static int by_rank(const cpm_edges *g, cpm_growth *out, cpm_error *e)
{
    (void)e;
    out->order[0] = g->root;
    for (int v = 1; v < g->n; v++)
        out->order[v] = v <= g->root ? v - 1 : v;
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

/* Earliest completing edges. Everything an edge's completion depends on only grows while processes
 * join: when its sender is ready, and what the look-ahead adds. So what was the earliest of a
 * sender is a lower bound, and is computed anew only when it would be chosen. */
typedef struct {
    const cpm_edges *g;
    cpm_growth *tree;
    int joined;
    double *ready;    /* [n] when a process that has joined can send */
    double *earliest; /* [n] bound of the completion of its next edge */
    int *to;          /* [n] where that leads */
    double *later;    /* [n] look-ahead: what the fastest edge of a process that waits takes */
    int *later_to;    /* [n] and where it leads */
} completing;

static bool waits(const completing *c, int process)
{
    return c->tree->parent[process] == -2;
}

/* The fastest edge of one that waits to another; if it is the last, what it was. */
static void look_ahead(completing *c, int process)
{
    double fastest = INFINITY;
    for (int k = 0; k < c->g->n; k++) {
        double takes = c->g->takes[place(c->g, process, k)];
        if (k == process || !waits(c, k) || takes >= fastest)
            continue;
        c->later[process] = fastest = takes;
        c->later_to[process] = k;
    }
}

static void find_earliest(completing *c, int from)
{
    c->earliest[from] = INFINITY;
    for (int j = 0; j < c->g->n; j++) {
        if (!waits(c, j))
            continue;
        double completed = c->ready[from] + c->g->takes[place(c->g, from, j)] + c->later[j];
        if (completed < c->earliest[from]) {
            c->earliest[from] = completed;
            c->to[from] = j;
        }
    }
}

/* The sender of the edge that is completed first. */
static int first_sender(completing *c)
{
    for (;;) {
        int best = c->tree->order[0];
        for (int k = 1; k < c->joined; k++)
            if (c->earliest[c->tree->order[k]] < c->earliest[best])
                best = c->tree->order[k];
        double bound = c->earliest[best];
        find_earliest(c, best);
        if (c->earliest[best] <= bound)
            return best;
    }
}

static void join(completing *c, int process, int parent, double ready)
{
    c->tree->parent[process] = parent;
    c->tree->order[c->joined++] = process;
    c->ready[process] = ready;
    c->earliest[process] = 0;
}

static void join_all(completing *c, bool ahead)
{
    const cpm_edges *g = c->g;
    for (int j = 0; j < g->n; j++)
        c->tree->parent[j] = -2;
    join(c, g->root, -1, 0);
    for (int j = 0; ahead && j < g->n; j++)
        look_ahead(c, j);
    while (c->joined < g->n) {
        int from = first_sender(c), to = c->to[from];
        size_t edge = place(g, from, to);
        join(c, to, from, c->ready[from] + g->takes[edge]);
        c->ready[from] += g->busy[edge];
        for (int j = 0; ahead && j < g->n; j++)
            if (waits(c, j) && c->later_to[j] == to)
                look_ahead(c, j);
    }
}

static int earliest_edge(const cpm_edges *g, bool ahead, cpm_growth *out, cpm_error *e)
{
    size_t n = (size_t)g->n;
    double *times = calloc(3 * n, sizeof *times);
    int *ends = calloc(2 * n, sizeof *ends);
    int status = times && ends ? CPM_OK : cpm_no_memory(e);
    if (!status)
        join_all(&(completing){.g = g,
                               .tree = out,
                               .ready = times,
                               .earliest = times + n,
                               .later = times + 2 * n,
                               .to = ends,
                               .later_to = ends + n},
                 ahead);
    free(times);
    free(ends);
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

const char cpm_start_in_order[] = "in-order";

/* clang-format off */
const cpm_start cpm_starts[] = {
    {cpm_start_in_order, "processes by rank, from the root on",                              false, in_order},
    {cpm_start_in_order, "the root, then all others by rank, as in linear trees",            false, by_rank},
    {"fastest-edge",   "FEF, Bhat et al. 2003; Prim's minimum spanning tree",                true,  fastest_edge},
    {"earliest-edge",  "ECEF, Bhat et al. 2003",                                             true,  completed_first},
    {"look-ahead",     "ECEF with look-ahead, Bhat et al. 2003",                             true,  completed_first_ahead},
    {"shortest-paths", "Dijkstra's tree of shortest paths",                                  true,  shortest_paths},
    {"large-first",    "sorted by block size",                                               false, large_first},
    {"large-last",     "sorted by block size",                                               false, large_last},
    {0},
};
/* clang-format on */
