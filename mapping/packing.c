/* Threshold accepting (G. Dueck, T. Scheuer, J. Computational Physics 90, 1990): small changes are
 * kept unless they make it worse by more than a threshold, which falls to 0. Judged are the loads
 * of all that is shared, by their norm of order 8, which is nearly the largest one. */
#include "mapping/packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "mapping/connection.h"
#include "mapping/tour.h"

enum { ORDER = 8, MOST_HOPS = CONNECTION_USES + 2, PIECES = 4 };

/* What a way from host to host loads. */
typedef struct {
    int uses;
    int resource[MOST_HOPS];
    double seconds[MOST_HOPS];
    double one; /* seconds of a piece that has everything for itself */
} hop;

typedef struct {
    const packing *of;
    int hosts, resources;
    hop *between;  /* [hosts * hosts] */
    double *load;  /* [resources] seconds */
    double powers; /* their sum */
    int *kept;     /* [hosts] */
} packer;

static void clear(packer *p)
{
    free(p->between);
    free(p->load);
    free(p->kept);
}

static void add_use(hop *h, int resource, double seconds)
{
    h->resource[h->uses] = resource;
    h->seconds[h->uses++] = seconds;
}

/* Processors come before the model's resources; a host's share the work. */
static hop hop_of(const packing *of, int from, int to, const int *process, const int *count,
                  bool processors)
{
    const size_t piece = of->bytes / (size_t)(of->ways * PIECES) + 1;
    const connection c = connection_of(of->model, process[of->reversed ? to : from],
                                       process[of->reversed ? from : to], piece);
    const double sender = c.send * PIECES / count[of->reversed ? to : from];
    const double receiver = c.recv * PIECES / count[of->reversed ? from : to];
    hop h = {.one = c.send + c.latency + c.flow + c.recv};
    for (int u = 0; u < c.uses; u++)
        add_use(&h, of->hosts->count + c.resource[u], c.seconds[u] * PIECES);
    if (processors) {
        add_use(&h, from, of->reversed ? receiver : sender);
        add_use(&h, to, of->reversed ? sender : receiver);
    }
    return h;
}

static void find_hops(packer *p, const int *process, const int *count, bool processors)
{
    for (int a = 0; a < p->hosts; a++)
        for (int b = 0; b < p->hosts; b++) {
            hop *h = &p->between[a * p->hosts + b];
            *h = a == b ? (hop){0} : hop_of(p->of, a, b, process, count, processors);
            for (int u = 0; u < h->uses; u++)
                p->resources = h->resource[u] >= p->resources ? h->resource[u] + 1 : p->resources;
        }
}

static int open(packer *p, const packing *of, bool processors, cpm_error *e)
{
    const cpm_hosts *h = of->hosts;
    const size_t hosts = (size_t)h->count;
    int *process = malloc(hosts * sizeof *process), *count = calloc(hosts, sizeof *count);
    *p = (packer){.of = of,
                  .hosts = h->count,
                  .between = malloc(hosts * hosts * sizeof *p->between),
                  .kept = malloc(hosts * sizeof *p->kept)};
    const bool room = process && count && p->between && p->kept;
    for (int r = h->n - 1; r >= 0 && room; r--) {
        process[h->of[r]] = r;
        count[h->of[r]]++;
    }
    if (room)
        find_hops(p, process, count, processors);
    p->load = calloc((size_t)p->resources + 1, sizeof *p->load);
    free(process);
    free(count);
    return room && p->load ? CPM_OK : cpm_no_memory(e);
}

static double power(double x)
{
    const double x2 = x * x, x4 = x2 * x2;
    return x4 * x4;
}

static void load(packer *p, int from, int to, double sign)
{
    const hop *h = &p->between[from * p->hosts + to];
    for (int u = 0; u < h->uses; u++) {
        double *at = &p->load[h->resource[u]];
        p->powers -= power(*at);
        *at = fmax(0, *at + sign * h->seconds[u]);
        p->powers += power(*at);
    }
}

static double loads(const packer *p)
{
    return pow(fmax(0, p->powers), 1.0 / ORDER);
}

/* ---- how long, and what is kept */

typedef struct {
    double begin, now; /* seconds of the monotonic clock */
    long change, changes;
} effort;

static effort begin_effort(const packer *p)
{
    enum { EACH = 4000 };
    const double now = cpm_monotonic_seconds();
    return (effort){now, now, 0, (long)EACH * p->of->ways * p->hosts};
}

/* What part of the way is gone: of changes, or of the time. */
static double part(effort *t, const packer *p)
{
    enum { OFTEN = 16 };
    if (t->change++ % OFTEN == 0)
        t->now = cpm_monotonic_seconds();
    return fmax((double)t->change / (double)t->changes, (t->now - t->begin) / p->of->seconds);
}

/* Up to so much worse is kept; the last fifth only improves. */
static double threshold(double part)
{
    const double most = 0.1;
    return 1 + fmax(0, most * (1 - part / 0.8));
}

static int random_below(const packer *p, int n)
{
    return (int)gsl_rng_uniform_int(p->of->random, (unsigned long)n);
}

/* The k-th of ways, all of which have as many hosts. */
static int *way_at(const packer *p, int *ways, int k)
{
    return ways + (size_t)k * (size_t)p->hosts;
}

/* ---- rings */

static void load_ring(packer *p, const int *ring, double sign)
{
    for (int k = 0; k < p->hosts; k++)
        load(p, ring[k], ring[(k + 1) % p->hosts], sign);
}

/* A part of the ring is turned round, or one host moved. */
static void change_ring(const packer *p, int *ring)
{
    int from = random_below(p, p->hosts), to = random_below(p, p->hosts);
    const int one = ring[from];
    if (random_below(p, 2)) {
        turn_round(ring, from < to ? from : to, from < to ? to : from);
        return;
    }
    for (; from < to; from++)
        ring[from] = ring[from + 1];
    for (; from > to; from--)
        ring[from] = ring[from - 1];
    ring[to] = one;
}

static void try_ring(packer *p, int *ring, double worse, double *now)
{
    const size_t room = (size_t)p->hosts * sizeof *ring;
    memcpy(p->kept, ring, room);
    load_ring(p, ring, -1);
    change_ring(p, ring);
    load_ring(p, ring, 1);
    const double then = loads(p);
    if (then <= *now * worse) {
        *now = then;
        return;
    }
    load_ring(p, ring, -1);
    memcpy(ring, p->kept, room);
    load_ring(p, ring, 1);
}

/* At first every other one goes round the other way. */
static void begin_rings(packer *p, int *rings)
{
    for (int k = 0; k < p->of->ways; k++) {
        int *ring = way_at(p, rings, k);
        memcpy(ring, p->of->order, (size_t)p->hosts * sizeof *ring);
        if (k % 2)
            turn_round(ring, 0, p->hosts - 1);
        load_ring(p, ring, 1);
    }
}

int packing_rings(const packing *of, int *rings, cpm_error *e)
{
    packer p;
    int status = open(&p, of, false, e); /* a ring has each of them send and receive once */
    if (!status) {
        begin_rings(&p, rings);
        effort t = begin_effort(&p);
        double now = loads(&p);
        for (double gone; (gone = part(&t, &p)) < 1;)
            try_ring(&p, way_at(&p, rings, random_below(&p, of->ways)), threshold(gone), &now);
    }
    clear(&p);
    return status;
}

/* ---- trees */

/* Seconds of one piece to the host that gets it last. */
static double longest(packer *p, const int *parent)
{
    double most = 0;
    for (int v = 0; v < p->hosts; v++) {
        double late = 0;
        for (int u = v; parent[u] >= 0; u = parent[u])
            late += p->between[parent[u] * p->hosts + u].one;
        most = fmax(most, late);
    }
    return most;
}

static bool is_below(const int *parent, int host, int top)
{
    while (host >= 0 && host != top)
        host = parent[host];
    return host == top;
}

/* The trees, and when they are all the way down. */
typedef struct {
    int *parent;  /* [ways * hosts] */
    double *late; /* [ways] seconds */
} trees;

static double latest(const packer *p, const trees *t)
{
    double most = 0;
    for (int k = 0; k < p->of->ways; k++)
        most = fmax(most, t->late[k]);
    return most;
}

/* Another host than its parent gives it to a host. */
static void try_tree(packer *p, trees *t, double worse, double *now)
{
    const int k = random_below(p, p->of->ways);
    const int v = random_below(p, p->hosts), u = random_below(p, p->hosts);
    int *parent = way_at(p, t->parent, k);
    const int was = parent[v];
    if (was < 0 || u == was || is_below(parent, u, v))
        return;
    const double late = t->late[k];
    load(p, was, v, -1);
    load(p, u, v, 1);
    parent[v] = u;
    t->late[k] = longest(p, parent);
    const double then = loads(p) + latest(p, t);
    if (then <= *now * worse) {
        *now = then;
        return;
    }
    load(p, u, v, -1);
    load(p, was, v, 1);
    parent[v] = was;
    t->late[k] = late;
}

/* At first chains, every other one from the far end. */
static void begin_trees(packer *p, trees *t)
{
    const int *order = p->of->order, others = p->hosts - 1;
    for (int k = 0; k < p->of->ways; k++) {
        int *parent = way_at(p, t->parent, k), before = order[0];
        parent[before] = -1;
        for (int i = 0; i < others; i++) {
            const int next = order[1 + (k % 2 ? others - 1 - i : i)];
            parent[next] = before;
            load(p, before, next, 1);
            before = next;
        }
        t->late[k] = longest(p, parent);
    }
}

int packing_trees(const packing *of, int *parent, cpm_error *e)
{
    packer p;
    trees all = {parent, malloc((size_t)of->ways * sizeof *all.late)};
    int status = open(&p, of, true, e);
    if (!status && !all.late)
        status = cpm_no_memory(e);
    if (!status) {
        begin_trees(&p, &all);
        effort t = begin_effort(&p);
        double now = loads(&p) + latest(&p, &all);
        for (double gone; (gone = part(&t, &p)) < 1;)
            try_tree(&p, &all, threshold(gone), &now);
    }
    free(all.late);
    clear(&p);
    return status;
}
