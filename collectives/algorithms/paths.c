/* Neighbourhood collectives: each block takes a path of processes, a phase for each part of it, and
 * what two processes have for each other in a phase is one message. Directly; along the dimensions
 * of a grid, one after the other, where few messages bring the blocks of many neighbours (Traeff,
 * Carpen-Amarie, Hunold, Rougier 2016, Message-combining algorithms for isomorphic, sparse
 * collective communication); or by one process of each host for each other host. */
#include <stdlib.h>

#include "collectives/algorithm.h"

enum { MOST_PHASES = CPM_GRID_DIMENSIONS };

/* A unit goes from one process to another one. */
typedef struct {
    int from, to, unit;
} hop;

/* Hops of a phase, of each process those with which it sends, and those with which it receives. */
typedef struct {
    hop *sent, *received;
    int *first_sent, *first_received; /* [n + 1] */
} phase;

typedef struct {
    int phases;
    phase at[MOST_PHASES];
} state;

/* What paths go by. */
typedef struct {
    const cpm_neighbours *neighbours;
    const cpm_hosts *hosts;
    int *rank_of, *first; /* processes host by host (cpm_hosts_sort); NULL: not known */
} map;

/* Where a block from one process to another one is after so many phases. */
typedef int path(const map *m, int from, int to, int phases);

static void state_free(void *x)
{
    state *own = x;
    for (int k = 0; own && k < own->phases; k++) {
        free(own->at[k].sent);
        free(own->at[k].received);
        free(own->at[k].first_sent);
        free(own->at[k].first_received);
    }
    free(own);
}

/* ---- hops */

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

static int by_sender(const void *a, const void *b)
{
    const hop *x = a, *y = b;
    int order = compare(x->from, y->from);
    order = order ? order : compare(x->to, y->to);
    return order ? order : compare(x->unit, y->unit);
}

static int by_receiver(const void *a, const void *b)
{
    const hop *x = a, *y = b;
    int order = compare(x->to, y->to);
    order = order ? order : compare(x->from, y->from);
    return order ? order : compare(x->unit, y->unit);
}

/* What goes to many neighbours makes each hop once. */
static int without_doubles(hop *at, int count)
{
    int kept = 0;
    for (int k = 0; k < count; k++)
        if (kept == 0 || by_sender(&at[kept - 1], &at[k]))
            at[kept++] = at[k];
    return kept;
}

/* same: a process has the same for all neighbours. */
static int make_phase(const map *m, path *way, bool same, int k, phase *out, cpm_error *e)
{
    const cpm_neighbours *g = m->neighbours;
    size_t edges = (size_t)g->edges + 1, n = (size_t)g->n;
    int count = 0;
    out->sent = malloc(edges * sizeof *out->sent);
    out->received = malloc(edges * sizeof *out->received);
    out->first_sent = calloc(n + 1, sizeof *out->first_sent);
    out->first_received = calloc(n + 1, sizeof *out->first_received);
    if (!out->sent || !out->received || !out->first_sent || !out->first_received)
        return cpm_no_memory(e);
    for (int edge = 0; edge < g->edges; edge++) {
        const hop h = {way(m, g->from[edge], g->to[edge], k),
                       way(m, g->from[edge], g->to[edge], k + 1), same ? g->from[edge] : edge};
        if (h.from != h.to)
            out->sent[count++] = h;
    }
    qsort(out->sent, (size_t)count, sizeof *out->sent, by_sender);
    count = without_doubles(out->sent, count);
    for (int i = 0; i < count; i++) {
        out->received[i] = out->sent[i];
        out->first_sent[out->sent[i].from + 1]++;
        out->first_received[out->sent[i].to + 1]++;
    }
    qsort(out->received, (size_t)count, sizeof *out->received, by_receiver);
    for (int i = 0; i < g->n; i++) {
        out->first_sent[i + 1] += out->first_sent[i];
        out->first_received[i + 1] += out->first_received[i];
    }
    return CPM_OK;
}

/* ---- paths */

static int directly(const map *m, int from, int to, int phases)
{
    (void)m;
    return phases ? to : from;
}

static int by_dimensions(const map *m, int from, int to, int phases)
{
    const cpm_neighbours *g = m->neighbours;
    int at = 0;
    for (int d = 0; d < g->dimensions; d++)
        at = at * g->size[d] + cpm_grid_cell(g, d < phases ? to : from, d);
    return at;
}

/* The process of a host that speaks with another host: they take turns. */
static int speaker(const map *m, int host, int other)
{
    int count = m->first[host + 1] - m->first[host];
    return m->rank_of[m->first[host] + other % count];
}

static int by_hosts(const map *m, int from, int to, int phases)
{
    const int *host = m->hosts->of;
    if (phases == 0)
        return from;
    if (phases == 3 || host[from] == host[to])
        return to;
    return phases == 1 ? speaker(m, host[from], host[to]) : speaker(m, host[to], host[from]);
}

/* ---- schedules */

static void add_hop(cpm_steps *out, bool sends, const hop *h, bool first)
{
    if (!first)
        cpm_and(out, h->unit, 1);
    else if (sends)
        cpm_send(out, h->to, h->unit, 1);
    else
        cpm_recv(out, h->from, h->unit, 1);
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const state *x = s->state;
    for (const phase *p = x->at; p < x->at + x->phases; p++) {
        const hop *h = p->received;
        int begin = p->first_received[rank];
        for (int k = begin; k < p->first_received[rank + 1]; k++)
            add_hop(out, false, &h[k], k == begin || h[k].from != h[k - 1].from);
        h = p->sent;
        begin = p->first_sent[rank];
        for (int k = begin; k < p->first_sent[rank + 1]; k++)
            add_hop(out, true, &h[k], k == begin || h[k].to != h[k - 1].to);
        cpm_next_round(out);
    }
}

static int map_hosts(map *m, cpm_error *e)
{
    m->rank_of = malloc((size_t)m->hosts->n * sizeof *m->rank_of);
    m->first = malloc(((size_t)m->hosts->count + 1) * sizeof *m->first);
    if (!m->rank_of || !m->first)
        return cpm_no_memory(e);
    cpm_hosts_sort(m->hosts, m->rank_of, m->first);
    return CPM_OK;
}

static int create(const cpm_call *call, path *way, int phases, cpm_schedule *s, cpm_error *e)
{
    map m = {.neighbours = call->neighbours, .hosts = call->hosts};
    const bool same = s->operation->send.elsewhere == CPM_ONE_BLOCK;
    state *x = calloc(1, sizeof *x);
    if (!x)
        return cpm_no_memory(e);
    s->blocks = same ? call->n : call->neighbours->edges;
    s->state = x;
    s->free_state = state_free;
    s->build = build;
    int status = m.hosts ? map_hosts(&m, e) : CPM_OK;
    for (int k = 0; k < phases && !status; k++) {
        x->phases++;
        status = make_phase(&m, way, same, k, &x->at[k], e);
    }
    free(m.rank_of);
    free(m.first);
    return status;
}

cpm_create cpm_neighbours_directly, cpm_neighbours_by_dimensions, cpm_neighbours_by_hosts;

int cpm_neighbours_directly(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                            cpm_error *e)
{
    (void)a;
    return create(call, directly, 1, s, e);
}

int cpm_neighbours_by_dimensions(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                                 cpm_error *e)
{
    (void)a;
    return create(call, by_dimensions, call->neighbours->dimensions, s, e);
}

int cpm_neighbours_by_hosts(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                            cpm_error *e)
{
    (void)a;
    return create(call, by_hosts, 3, s, e);
}
