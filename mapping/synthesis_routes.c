/* Ways for streams: trees from the root and rings round all hosts, in a short order, and packed. */
#include <stdlib.h>

#include "mapping/host_order.h"
#include "mapping/packing.h"
#include "mapping/synthesis_parts.h"

enum { MOST_TREES = 6 };

void synthesis_ways_clear(synthesis_ways *all)
{
    for (int k = 0; k < all->count; k++)
        routes_clear(&all->at[k]);
    *all = (synthesis_ways){0};
}

/* What routes are made of. */
typedef struct {
    synthesis *s;
    const contacts_form *form;
    cpm_hosts hosts;
    int *order; /* [hosts] */
    int *room;  /* [MOST_TREES * hosts] */
} finder;

static int hosts_of(const cpm_model *m, cpm_hosts *out, cpm_error *e)
{
    int status = CPM_OK, *one = malloc((size_t)m->n * sizeof *one);
    if (!one)
        return cpm_no_memory(e);
    for (int r = 0; r < m->n; r++)
        one[r] = r;
    if (cpm_hosts_have_levels(&m->on))
        status = cpm_hosts_of(&m->on, one, m->n, out, e);
    else
        status = cpm_hosts_regular(m->n, 1, false, out, e);
    free(one);
    return status;
}

static int open(finder *x, synthesis *s, const contacts_form *f, cpm_error *e)
{
    *x = (finder){.s = s, .form = f};
    int status = hosts_of(s->model, &x->hosts, e);
    if (status)
        return status;
    const size_t hosts = (size_t)x->hosts.count;
    x->order = malloc(hosts * sizeof *x->order);
    x->room = malloc(MOST_TREES * hosts * sizeof *x->room);
    if (!x->order || !x->room)
        return cpm_no_memory(e);
    return host_order(s->model, &x->hosts, x->hosts.of[f->root], s->bytes, x->order, e);
}

static void clear_finder(finder *x)
{
    cpm_hosts_clear(&x->hosts);
    free(x->order);
    free(x->room);
}

static void added(synthesis_ways *out, int ways)
{
    out->ways[out->count++] = ways;
}

/* As many trees from the root as there are other hosts, and few. */
static int find_trees(const finder *x, synthesis_ways *out, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = x->hosts.count - 1; k >= 1 && !status; k = k > MOST_TREES ? MOST_TREES : k - 1) {
        status = routes_from_root(&x->hosts, x->form->root, k, x->order, &out->at[out->count], e);
        added(out, k);
    }
    return status;
}

/* Round a ring, and straight to all hosts. */
static int find_tours(const finder *x, synthesis_ways *out, cpm_error *e)
{
    int status = CPM_OK;
    if (x->hosts.count < 2)
        return status;
    status = routes_round(&x->hosts, 1, x->order, &out->at[out->count], e);
    added(out, 1);
    if (!status && x->hosts.count > 2) {
        status = routes_across(&x->hosts, x->order, &out->at[out->count], e);
        added(out, 1);
    }
    return status;
}

static int pack(const finder *x, const packing *p, routes *out, cpm_error *e)
{
    const bool rooted = x->form->spreads->rooted;
    int status = rooted ? packing_trees(p, x->room, e) : packing_rings(p, x->room, e);
    if (status)
        return status;
    return rooted ? routes_down(p->hosts, x->form->root, p->ways, x->room, out, e)
                  : routes_round(p->hosts, p->ways, x->room, out, e);
}

/* Rings load link ends alike, however they go. */
static bool is_packed(const finder *x)
{
    const cpm_model *m = x->s->model;
    return x->hosts.count > 3 &&
           (x->form->spreads->rooted || m->links.count > 0 || m->switches.count > 1);
}

static int find_packed(const finder *x, synthesis_ways *out, cpm_error *e)
{
    static const int ways[] = {1, 2, 3, 4, 6};
    const double part = 0.02; /* of the time */
    int status = CPM_OK;
    for (size_t k = 0; k < sizeof ways / sizeof *ways && is_packed(x) && !status; k++) {
        const packing p = {.model = x->s->model,
                           .hosts = &x->hosts,
                           .order = x->order,
                           .bytes = synthesis_spread_bytes(x->s, x->form),
                           .ways = ways[k],
                           .reversed = x->form->turn == CONTACTS_REVERSED,
                           .random = x->s->random,
                           .seconds = part * x->s->effort->seconds};
        status = pack(x, &p, &out->at[out->count], e);
        added(out, ways[k]);
    }
    return status;
}

int synthesis_find_ways(synthesis *s, const contacts_form *f, synthesis_ways *out, cpm_error *e)
{
    finder x;
    *out = (synthesis_ways){0};
    int status = open(&x, s, f, e);
    if (!status)
        status = find_packed(&x, out, e);
    if (!status)
        status = f->spreads->rooted ? find_trees(&x, out, e) : find_tours(&x, out, e);
    clear_finder(&x);
    return status;
}
