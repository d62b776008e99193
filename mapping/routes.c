/* Trees of pieces. */
#include "mapping/routes.h"

#include <stdlib.h>

void routes_clear(routes *r)
{
    free(r->parent);
    *r = (routes){0};
}

static int create(int n, int trees, routes *out, cpm_error *e)
{
    *out = (routes){n, trees, malloc((size_t)n * (size_t)trees * sizeof *out->parent)};
    return out->parent ? CPM_OK : cpm_no_memory(e);
}

/* Processes host by host. */
typedef struct {
    const cpm_hosts *h;
    int *rank, *first;
} places;

static int find_places(const cpm_hosts *h, places *p, cpm_error *e)
{
    *p = (places){h, malloc((size_t)h->n * sizeof *p->rank),
                  malloc(((size_t)h->count + 1) * sizeof *p->first)};
    if (!p->rank || !p->first)
        return cpm_no_memory(e);
    cpm_hosts_sort(h, p->rank, p->first);
    return CPM_OK;
}

static void clear_places(places *p)
{
    free(p->rank);
    free(p->first);
}

/* The process of that place on a host, counted round. */
static int process_at(const places *p, int host, int place)
{
    int count = p->first[host + 1] - p->first[host];
    return p->rank[p->first[host] + place % count];
}

static int most_on_a_host(const places *p)
{
    int most = 1;
    for (int h = 0; h < p->h->count; h++)
        most = p->first[h + 1] - p->first[h] > most ? p->first[h + 1] - p->first[h] : most;
    return most;
}

/* Who is entered is given it by process before, and gives it to the others of its host. */
static void enter(const places *p, int host, int entry, int before, int *parent)
{
    for (int k = p->first[host]; k < p->first[host + 1]; k++)
        parent[p->rank[k]] = p->rank[k] == entry ? before : entry;
}

/* The hosts of tree t as the levels of a tree have them: the root's, its inner ones, leaves. */
static void order_hosts(const int *order, int hosts, int k, int t, int *out)
{
    int count = 0;
    out[count++] = order[0];
    for (int inner = 1; inner >= 0; inner--)
        for (int i = 1; i < hosts; i++)
            if ((i % k == t) == inner)
                out[count++] = order[i];
}

/* Of place i > 0 in that order: the first inner host has the root's host as its parent. */
static int parent_place(int i, int k)
{
    return i == 1 ? 0 : 1 + (i - 2) / k;
}

int routes_from_root(const cpm_hosts *h, int root, int k, const int *order, routes *out,
                     cpm_error *e)
{
    places p;
    int *hosts = malloc((size_t)h->count * sizeof *hosts);
    int status = find_places(h, &p, e);
    if (!status && !hosts)
        status = cpm_no_memory(e);
    if (!status)
        status = create(h->n, k * most_on_a_host(&p), out, e);
    for (int t = 0; !status && t < out->trees; t++) {
        int *parent = out->parent + (size_t)t * (size_t)h->n;
        order_hosts(order, h->count, k, t % k, hosts);
        enter(&p, hosts[0], root, -1, parent);
        for (int i = 1; i < h->count; i++) {
            int above = parent_place(i, k);
            int before = above ? process_at(&p, hosts[above], t / k) : root;
            enter(&p, hosts[i], process_at(&p, hosts[i], t / k), before, parent);
        }
    }
    clear_places(&p);
    free(hosts);
    return status;
}

int routes_down(const cpm_hosts *h, int root, int k, const int *parent, routes *out, cpm_error *e)
{
    places p;
    int status = find_places(h, &p, e);
    if (!status)
        status = create(h->n, k * most_on_a_host(&p), out, e);
    for (int t = 0; !status && t < out->trees; t++)
        for (int host = 0; host < h->count; host++) {
            int *to = out->parent + (size_t)t * (size_t)h->n;
            const int above = parent[t % k * h->count + host], place = t / k;
            if (above < 0)
                enter(&p, host, root, -1, to);
            else
                enter(&p, host, process_at(&p, host, place),
                      above == h->of[root] ? root : process_at(&p, above, place), to);
        }
    clear_places(&p);
    return status;
}

/* From the k-th process of all, which is on the i-th host. */
static void leave(const places *p, const int *order, int i, int k, bool ring, int *parent)
{
    int place = k - p->first[order[i]], before = p->rank[k];
    enter(p, order[i], before, -1, parent);
    for (int step = 1; step < p->h->count; step++) {
        int host = order[(i + step) % p->h->count];
        int entry = process_at(p, host, place);
        enter(p, host, entry, before, parent);
        before = ring ? entry : before;
    }
}

/* Tree w * n + r is that of process r on way w. */
static int from_all(const cpm_hosts *h, int ways, const int *orders, bool ring, routes *out,
                    cpm_error *e)
{
    places p;
    int status = find_places(h, &p, e);
    if (!status)
        status = create(h->n, ways * h->n, out, e);
    for (int at = 0; at < ways * h->count && !status; at++) {
        const int way = at / h->count, i = at % h->count, *order = orders + (at - i);
        for (int k = p.first[order[i]]; k < p.first[order[i] + 1]; k++)
            leave(&p, order, i, k, ring,
                  out->parent + (size_t)(way * h->n + p.rank[k]) * (size_t)h->n);
    }
    clear_places(&p);
    return status;
}

int routes_round(const cpm_hosts *h, int k, const int *rings, routes *out, cpm_error *e)
{
    return from_all(h, k, rings, true, out, e);
}

int routes_across(const cpm_hosts *h, const int *order, routes *out, cpm_error *e)
{
    return from_all(h, 1, order, false, out, e);
}
