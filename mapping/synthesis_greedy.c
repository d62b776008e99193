/* Starts by matching in time: clocks of processes and of what their messages share are moved on,
 * and again and again the message that would be there first is fixed (W. Won et al., TACOS:
 * Topology-aware collective algorithm synthesizer for distributed machine learning, MICRO 2024;
 * here hosts and links need not be alike). */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mapping/connection.h"
#include "mapping/synthesis_parts.h"

/* A message that is fixed. */
typedef struct {
    double start;
    int step; /* of a count without times: later than what its stream needs, and one of a process's
                 sends and receives in each */
    int from, to, stream;
} transfer;

typedef struct {
    const contacts_form *form;
    const routes *on; /* streams go only there; NULL: they may go anywhere */
    int n, streams;
    connection *between; /* [n * n] */
    double *sending;     /* [n] when it can send the next */
    double *receiving;   /* [n] and receive */
    double *shared;      /* [resources] when each is free */
    int resources;
    double *arrival; /* [n * streams] when a process has it; infinite: it does not yet */
    int *holders;    /* [streams] */
    double *taste;   /* [streams] random, tells those of as many holders apart */
    double *due;     /* [n * n] when the next message would be there at the earliest */
    int *next;       /* [n * n] its stream; -1: there is none */
    transfer *at;    /* [n * streams] */
    int count;
} greedy;

static void clear_greedy(greedy *g)
{
    free(g->between);
    free(g->sending);
    free(g->receiving);
    free(g->shared);
    free(g->arrival);
    free(g->holders);
    free(g->taste);
    free(g->due);
    free(g->next);
    free(g->at);
}

/* ---- what messages cost */

double synthesis_message(const synthesis *s, int from, int to, size_t bytes)
{
    const connection l = connection_of(s->model, from, to, bytes);
    return l.send + l.latency + l.flow + l.recv;
}

static void find_links(greedy *g, const cpm_model *m, size_t bytes)
{
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            connection *l = &g->between[i * g->n + j];
            *l = i == j ? (connection){0} : connection_of(m, i, j, bytes);
            for (int u = 0; u < l->uses; u++)
                g->resources = l->resource[u] >= g->resources ? l->resource[u] + 1 : g->resources;
        }
}

static int open_greedy(greedy *g, synthesis *s, const contacts_form *f, size_t bytes, cpm_error *e)
{
    const size_t n = (size_t)f->n, streams = (size_t)contacts_streams(f);
    *g = (greedy){.form = f,
                  .n = f->n,
                  .streams = (int)streams,
                  .between = malloc(n * n * sizeof *g->between),
                  .sending = malloc(n * sizeof *g->sending),
                  .receiving = malloc(n * sizeof *g->receiving),
                  .arrival = malloc(n * streams * sizeof *g->arrival),
                  .holders = malloc(streams * sizeof *g->holders),
                  .taste = malloc(streams * sizeof *g->taste),
                  .due = malloc(n * n * sizeof *g->due),
                  .next = malloc(n * n * sizeof *g->next),
                  .at = malloc(n * streams * sizeof *g->at)};
    if (!g->between || !g->sending || !g->receiving || !g->arrival || !g->holders || !g->taste ||
        !g->due || !g->next || !g->at)
        return cpm_no_memory(e);
    find_links(g, s->model, bytes);
    g->shared = malloc(((size_t)g->resources + 1) * sizeof *g->shared);
    return g->shared ? CPM_OK : cpm_no_memory(e);
}

/* ---- matching */

static bool holds(const greedy *g, int process, int stream)
{
    return g->arrival[process * g->streams + stream] < INFINITY;
}

static bool may_go(const greedy *g, int from, int to, int stream)
{
    return !g->on || g->on->parent[stream % g->on->trees * g->n + to] == from;
}

/* On routes in order, else what the fewest have. */
static bool comes_before(const greedy *g, int x, int y)
{
    if (g->on)
        return x < y;
    return g->holders[x] < g->holders[y] ||
           (g->holders[x] == g->holders[y] && g->taste[x] < g->taste[y]);
}

/* The stream that a process can send first. */
static int choose_stream(const greedy *g, int from, int to)
{
    int best = -1;
    double best_start = INFINITY;
    for (int x = 0; x < g->streams; x++) {
        if (!holds(g, from, x) || holds(g, to, x) || !may_go(g, from, to, x))
            continue;
        double start = fmax(g->sending[from], g->arrival[from * g->streams + x]);
        if (best >= 0 && start > best_start)
            continue;
        if (best < 0 || start < best_start || comes_before(g, x, best)) {
            best = x;
            best_start = start;
        }
    }
    return best;
}

typedef struct {
    double start, flows, ends, done;
} times;

static times time_of(const greedy *g, int from, int to, int stream)
{
    const connection *l = &g->between[from * g->n + to];
    double start = fmax(g->sending[from], g->arrival[from * g->streams + stream]);
    double flows = start + l->send + l->latency, ends;
    for (int u = 0; u < l->uses; u++)
        flows = fmax(flows, g->shared[l->resource[u]]);
    ends = flows + l->flow;
    return (times){flows - l->latency - l->send, flows, ends,
                   fmax(ends, g->receiving[to]) + l->recv};
}

static void look(greedy *g, int from, int to)
{
    const int k = from * g->n + to;
    g->next[k] = from == to ? -1 : choose_stream(g, from, to);
    g->due[k] = INFINITY;
    if (g->next[k] < 0)
        return;
    times t = time_of(g, from, to, g->next[k]);
    g->due[k] = g->on ? t.start + 1e-3 * g->next[k] * (t.done - t.start) / g->streams : t.done;
}

static void begin_matching(greedy *g, synthesis *s)
{
    const contacts_form *f = g->form;
    g->count = 0;
    memset(g->sending, 0, (size_t)g->n * sizeof *g->sending);
    memset(g->receiving, 0, (size_t)g->n * sizeof *g->receiving);
    memset(g->shared, 0, (size_t)g->resources * sizeof *g->shared);
    for (int k = 0; k < g->n * g->streams; k++)
        g->arrival[k] = INFINITY;
    for (int x = 0; x < g->streams; x++) {
        int owner = f->spreads->rooted ? f->root : x % contacts_sources(f);
        g->arrival[owner * g->streams + x] = 0;
        g->holders[x] = 1;
        g->taste[x] = gsl_rng_uniform(s->random);
    }
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            look(g, i, j);
}

static void fix(greedy *g, int from, int to)
{
    const int stream = g->next[from * g->n + to];
    const connection *l = &g->between[from * g->n + to];
    const times t = time_of(g, from, to, stream);
    g->at[g->count++] = (transfer){t.start, 0, from, to, stream};
    for (int u = 0; u < l->uses; u++)
        g->shared[l->resource[u]] = t.flows + l->seconds[u];
    if (g->receiving[from] > t.start)
        g->receiving[from] += l->send;
    g->sending[from] = l->synchronous ? t.ends : t.start + l->send;
    g->receiving[to] = t.done;
    if (g->sending[to] > t.done - l->recv)
        g->sending[to] += l->recv;
    g->arrival[to * g->streams + stream] = t.done;
    g->holders[stream]++;
    for (int j = 0; j < g->n; j++)
        look(g, to, j); /* it has something new */
}

/* Times only grow but where a process gets something, so that a pair is looked at again only when
 * it would be the next. False: nobody lacks anything. */
static bool find_next(greedy *g, int *from, int *to)
{
    for (;;) {
        int best = -1;
        for (int k = 0; k < g->n * g->n; k++)
            if (g->next[k] >= 0 && (best < 0 || g->due[k] < g->due[best]))
                best = k;
        if (best < 0)
            return false;
        double before = g->due[best];
        *from = best / g->n;
        *to = best % g->n;
        look(g, *from, *to);
        if (g->next[best] >= 0 && g->due[best] <= before)
            return true;
    }
}

static int by_start(const void *a, const void *b)
{
    const transfer *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static int by_step(const void *a, const void *b)
{
    const transfer *x = a, *y = b;
    return x->step != y->step ? x->step - y->step : by_start(a, b);
}

/* Rounds in the order of time would let much come before what came is passed on: while a piece is
 * on its way others start. In steps it is passed on at once. */
static int sort_by_steps(greedy *g, cpm_error *e)
{
    int *has = calloc((size_t)g->n * (size_t)g->streams, sizeof *has);
    int *last = calloc(2 * (size_t)g->n, sizeof *last), status = CPM_OK;
    if (!has || !last)
        status = cpm_no_memory(e);
    for (int k = 0; k < g->count && !status; k++) {
        transfer *t = &g->at[k];
        int *sent = &last[t->from], *got = &last[g->n + t->to];
        t->step = has[t->from * g->streams + t->stream];
        t->step = 1 + (*sent > t->step ? *sent : t->step);
        t->step = *got >= t->step ? *got + 1 : t->step;
        *sent = *got = has[t->to * g->streams + t->stream] = t->step;
    }
    if (!status)
        qsort(g->at, (size_t)g->count, sizeof *g->at, by_step);
    free(has);
    free(last);
    return status;
}

static void match(greedy *g, synthesis *s)
{
    int from, to;
    begin_matching(g, s);
    while (!synthesis_out_of_time(s) && find_next(g, &from, &to))
        fix(g, from, to);
    qsort(g->at, (size_t)g->count, sizeof *g->at, by_start);
}

/* ---- contacts */

static int add_start(synthesis *s, const greedy *g, synthesis_starts *all, cpm_error *e)
{
    contacts c = {0};
    int status = CPM_OK;
    for (int k = 0; k < g->count && !status; k++) {
        const transfer *t = &g->at[k];
        status = contacts_add(&c, (contact){t->from, t->to, t->stream, {true, true}}, e);
    }
    if (!status)
        status = synthesis_add_start(s, all, g->form, &c, g->on ? "routes" : "greedy", e);
    contacts_clear(&c);
    return status;
}

/* ---- with and without routes */

static int match_on(synthesis *s, greedy *g, const routes *on, synthesis_starts *all, cpm_error *e)
{
    if (synthesis_out_of_time(s))
        return CPM_OK;
    g->on = on;
    match(g, s);
    int status = add_start(s, g, all, e);
    if (!status)
        status = sort_by_steps(g, e);
    return status ? status : add_start(s, g, all, e);
}

static int match_pieces(synthesis *s, const contacts_form *f, const synthesis_ways *ways,
                        synthesis_starts *all, cpm_error *e)
{
    enum { MOST_WAYS = 6 };
    size_t pieces = (size_t)f->pieces;
    greedy g;
    int status = open_greedy(&g, s, f, (synthesis_spread_bytes(s, f) + pieces - 1) / pieces, e);
    if (!status)
        status = match_on(s, &g, NULL, all, e);
    for (int k = 0; k < ways->count && !status; k++)
        if (ways->ways[k] <= MOST_WAYS && ways->ways[k] <= f->pieces)
            status = match_on(s, &g, &ways->at[k], all, e);
    clear_greedy(&g);
    return status;
}

static int start_on(synthesis *s, const contacts_form *f, const synthesis_ways *ways,
                    synthesis_starts *all, cpm_error *e)
{
    enum { MOST_TRANSFERS = 8000, LEAST_PIECE = 2048, MOST_PIECES = 256 };
    const size_t bytes = synthesis_spread_bytes(s, f);
    contacts_form form = *f;
    int status = CPM_OK;
    for (int k = 0; k < ways->count && !status; k++)
        status = synthesis_start_in_steps(s, f, &ways->at[k], all, e);
    for (form.pieces = 1; form.pieces <= MOST_PIECES && !status; form.pieces *= 2) {
        bool small = form.pieces > 1 && bytes / (size_t)form.pieces < LEAST_PIECE;
        if (small || contacts_streams(&form) * f->n > MOST_TRANSFERS || synthesis_out_of_time(s))
            break;
        status = match_pieces(s, &form, ways, all, e);
    }
    return status;
}

int synthesis_start_greedily(synthesis *s, const contacts_form *f, synthesis_starts *all,
                             cpm_error *e)
{
    synthesis_ways ways;
    bool alike = !f->spreads->dataless && f->spreads->after(2, 0, 1, 0, NULL);
    if (!alike || f->turn == CONTACTS_COMBINED || f->turn == CONTACTS_APART)
        return CPM_OK;
    int status = synthesis_find_ways(s, f, &ways, e);
    if (!status)
        status = start_on(s, f, &ways, all, e);
    synthesis_ways_clear(&ways);
    return status;
}
