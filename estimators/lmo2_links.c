#include "estimators/lmo2_links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/lmo2.h"
#include "estimators/lmo2_bursts.h"
#include "estimators/rounds.h"
#include "models/lmo2.h"

/* ---- who meets on a link */

/* Pairs of hosts that send over one link at once. */
typedef struct {
    const cpm_links *links;
    int link, dealing;
    cpm_link_use *user; /* [hosts*hosts] all that can, the shortest ways first */
    cpm_link_use *pair; /* [hosts] those that do */
    int users, pairs, crowd;
    int *load;  /* [links] of these pairs */
    bool *busy; /* [hosts] */
} burst;

static int open_burst(const cpm_links *l, burst *b, cpm_error *e)
{
    size_t hosts = (size_t)l->hosts;
    *b = (burst){.links = l,
                 .user = malloc(hosts * hosts * sizeof *b->user),
                 .pair = malloc(hosts * sizeof *b->pair),
                 .load = malloc((size_t)l->count * sizeof *b->load),
                 .busy = malloc(hosts * sizeof *b->busy)};
    return b->user && b->pair && b->load && b->busy ? CPM_OK : cpm_no_memory(e);
}

static void close_burst(burst *b)
{
    free(b->user);
    free(b->pair);
    free(b->load);
    free(b->busy);
}

/* link: while users are sorted, the length of the way. */
static int by_length(const void *a, const void *b)
{
    const cpm_link_use *x = a, *y = b;
    if (x->link != y->link)
        return x->link - y->link;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* The same with others first of those that are as long. */
static int by_length_back(const void *a, const void *b)
{
    const cpm_link_use *x = a, *y = b;
    return x->link != y->link ? x->link - y->link : -by_length(a, b);
}

static void find_users(burst *b)
{
    b->users = 0;
    for (int i = 0; i < b->links->hosts; i++)
        for (int j = 0; j < b->links->hosts; j++) {
            int count;
            const int *way = cpm_links_way(b->links, i, j, &count);
            for (int u = 0; u < count; u++)
                if (way[u] == b->link)
                    b->user[b->users++] = (cpm_link_use){i, j, count};
        }
    qsort(b->user, (size_t)b->users, sizeof *b->user, b->dealing ? by_length_back : by_length);
}

/* How busy other links may be that a burst uses: not shared by its pairs; less than the link at
 * hand; or as much. */
enum { APART, LESS, AS_MUCH, CROWDS };

static bool may_join(const burst *b, const cpm_link_use *x, int crowd)
{
    int count, most = crowd == APART ? 1 : b->load[b->link] + (crowd == AS_MUCH);
    const int *way = cpm_links_way(b->links, x->from, x->to, &count);
    if (b->busy[x->from] || b->busy[x->to])
        return false;
    for (int u = 0; u < count; u++)
        if (way[u] != b->link && b->load[way[u]] + 1 > (most > 1 ? most : 1))
            return false;
    return true;
}

static void join(burst *b, const cpm_link_use *x)
{
    int count;
    const int *way = cpm_links_way(b->links, x->from, x->to, &count);
    for (int u = 0; u < count; u++)
        b->load[way[u]]++;
    b->busy[x->from] = b->busy[x->to] = true;
    b->pair[b->pairs++] = *x;
}

/* How often a user would meet pairs of the burst elsewhere. */
static int meets(const burst *b, const cpm_link_use *x)
{
    int count, sum = 0;
    const int *way = cpm_links_way(b->links, x->from, x->to, &count);
    for (int u = 0; u < count; u++)
        sum += way[u] != b->link ? b->load[way[u]] : 0;
    return sum;
}

/* Of those that may, the user that meets others least: what a burst has in common besides the link
 * is blamed as well. NULL: none may. */
static const cpm_link_use *find_next(const burst *b)
{
    const cpm_link_use *best = NULL;
    int least = 0;
    for (int q = 0; q < b->users; q++) {
        const cpm_link_use *x = &b->user[q];
        if (!may_join(b, x, b->crowd))
            continue;
        int met = meets(b, x);
        if (!best || met < least) {
            best = x;
            least = met;
        }
    }
    return best;
}

/* With as little in common as lets two pairs meet at all. */
static void gather_burst(burst *b, int link, int dealing)
{
    b->link = link;
    b->dealing = dealing;
    b->pairs = 0;
    find_users(b);
    for (b->crowd = APART; b->crowd < CROWDS && b->pairs < 2; b->crowd += b->pairs < 2) {
        b->pairs = 0;
        memset(b->load, 0, (size_t)b->links->count * sizeof *b->load);
        memset(b->busy, 0, (size_t)b->links->hosts * sizeof *b->busy);
        for (const cpm_link_use *next; (next = find_next(b));)
            join(b, next);
    }
}

/* Bursts over links are known by their answers, which are longer than those over trunks. */
enum { FIRST_LINK = 16 };
/* Each is made with two choices of pairs, of which the faster counts: the other met something else.
 */
enum { DEALINGS = 2 };

static cpm_experiment pair_of(const burst *b, int q, size_t bytes)
{
    return cpm_lmo2_burst_pair(b->pair[q].from, b->pair[q].to, bytes,
                               FIRST_LINK + (size_t)(DEALINGS * b->link + b->dealing));
}

/* ---- planning: bursts that have no link and no process in common are made at once */

static int take_all(const burst *b, cpm_rounds *r, cpm_error *e)
{
    int hosts = b->links->hosts, status = CPM_OK;
    for (int h = 0; h < hosts && !status; h++)
        if (b->busy[h])
            status = cpm_rounds_take(r, h, e);
    for (int k = 0; k < b->links->count && !status; k++)
        if (b->load[k] > 0)
            status = cpm_rounds_take(r, hosts + k, e);
    return status;
}

/* pair[hosts]: space. */
static int add_burst(const burst *b, size_t bytes, cpm_experiment *pair, cpm_rounds *r,
                     cpm_error *e)
{
    for (int q = 0; q < b->pairs; q++)
        pair[q] = pair_of(b, q, bytes);
    int status = take_all(b, r, e);
    return status ? status : cpm_rounds_add(r, pair, b->pairs, e);
}

int cpm_lmo2_links_plan(const cpm_links *l, size_t bytes, cpm_design *next, cpm_error *e)
{
    burst b;
    cpm_rounds r = {.wide = (size_t)l->hosts + (size_t)l->count};
    cpm_experiment *pair = malloc((size_t)l->hosts * sizeof *pair);
    int status = open_burst(l, &b, e);
    if (!status && !pair)
        status = cpm_no_memory(e);
    for (int k = 0; k < DEALINGS * l->count && !status && bytes >= CPM_LMO2_LEAST_SHARED; k++) {
        gather_burst(&b, k / DEALINGS, k % DEALINGS);
        if (b.pairs > 1)
            status = add_burst(&b, bytes, pair, &r, e);
    }
    if (!status)
        status = cpm_rounds_put(&r, next, e);
    cpm_rounds_clear(&r);
    free(pair);
    close_burst(&b);
    return status;
}

/* ---- fitting */

/* A burst that was measured; of two the one that met less besides, or was faster. */
typedef struct {
    int link, crowd;
    double slowest, time; /* seconds */
} met;

typedef struct {
    size_t bytes;
    burst burst;
    cpm_lmo2_burst took;
    cpm_error *e;
} fitting;

/* False: it was not measured. */
static bool take_dealing(fitting *f, int link, int dealing)
{
    gather_burst(&f->burst, link, dealing);
    f->took.pairs = f->burst.pairs;
    for (int q = 0; q < f->burst.pairs; q++)
        f->took.pair[q] = pair_of(&f->burst, q, f->bytes);
    return cpm_lmo2_burst_take(&f->took);
}

static bool take_burst(fitting *f, int link, met *out)
{
    *out = (met){.link = link, .crowd = CROWDS};
    for (int dealing = 0; dealing < DEALINGS; dealing++) {
        if (!take_dealing(f, link, dealing) || f->burst.crowd > out->crowd ||
            (f->burst.crowd == out->crowd && f->took.time >= out->time))
            continue;
        out->crowd = f->burst.crowd;
        out->slowest = f->took.slowest;
        out->time = f->took.time;
    }
    return out->crowd < CROWDS;
}

/* What is slower, or can be blamed alone, is known already: what that does not explain is this
 * one's. It is not to blame if the model explains one of its bursts without it. */
static int fit_link(fitting *f, const met *t)
{
    double *value = &f->took.m->value[CPM_LMO2_LINK][t->link], least = INFINITY, apart;
    double *half = &f->took.m->ci[CPM_LMO2_LINK][t->link];
    int best = 0, status = CPM_OK;
    for (int dealing = 0; dealing < DEALINGS && !status; dealing++) {
        if (!take_dealing(f, t->link, dealing) || f->burst.crowd != t->crowd)
            continue;
        status = cpm_lmo2_burst_misses(&f->took, value, NAN, &apart, f->e);
        if (!status && apart < least) {
            best = dealing;
            least = apart;
        }
    }
    *value = *half = NAN;
    if (status || least <= 1)
        return status;
    take_dealing(f, t->link, best);
    return cpm_lmo2_burst_invert(&f->took, value, half, f->e);
}

/* First what is blamed alone; of those the slowest. */
static int by_slowness(const void *a, const void *b)
{
    const met *x = a, *y = b;
    if (x->crowd != y->crowd)
        return x->crowd - y->crowd;
    return (x->slowest < y->slowest) - (x->slowest > y->slowest);
}

/* No link is slower than the fastest message over it: seconds per byte. */
static double fastest_message(fitting *f, int link)
{
    const cpm_model *m = f->took.m;
    double fastest = INFINITY;
    f->burst.link = link;
    find_users(&f->burst);
    for (int q = 0; q < f->burst.users; q++) {
        const cpm_link_use *u = &f->burst.user[q];
        size_t hosts = (size_t)m->links.hosts, last = (size_t)(m->sizes.count - 1) * hosts * hosts;
        size_t at = last + (size_t)u->from * hosts + (size_t)u->to;
        fastest = fmin(fastest, m->value[CPM_LMO2_INVBETA][at]);
    }
    return fastest;
}

/* Whether only one host sends over it, or receives: a port, on which no two pairs can meet. */
static bool is_port(const burst *b)
{
    bool one_from = true, one_to = true;
    for (int q = 1; q < b->users; q++) {
        one_from = one_from && b->user[q].from == b->user[0].from;
        one_to = one_to && b->user[q].to == b->user[0].to;
    }
    return one_from || one_to;
}

/* What no burst could use is not known to be shared; but ports are as fast as their fastest
 * message. */
static void forget_others(fitting *f, const met *t, int known)
{
    double *value = f->took.m->value[CPM_LMO2_LINK];
    for (int k = 0; k < f->took.m->links.count; k++) {
        bool seen = false;
        for (int q = 0; q < known && !seen; q++)
            seen = t[q].link == k;
        f->burst.link = k;
        find_users(&f->burst);
        value[k] = seen || is_port(&f->burst) ? value[k] : NAN;
    }
}

/* Until it is known each link is as fast as its fastest message: the messages of one pair meet on
 * it, too. What is known then is known better in a second turn, in which only ports are assumed. */
static int fit_links(fitting *f, met *t)
{
    enum { TURNS = 2 };
    cpm_model *m = f->took.m;
    double *value = m->value[CPM_LMO2_LINK], *half = m->ci[CPM_LMO2_LINK];
    int known = 0, status = CPM_OK;
    for (int k = 0; k < m->links.count; k++) {
        known += take_burst(f, k, &t[known]);
        value[k] = fastest_message(f, k);
        half[k] = NAN;
    }
    qsort(t, (size_t)known, sizeof *t, by_slowness);
    for (int turn = 0; turn < TURNS; turn++) {
        for (int q = 0; q < known && !status; q++)
            status = fit_link(f, &t[q]);
        forget_others(f, t, known);
    }
    return status;
}

int cpm_lmo2_links_fit(size_t bytes, const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    fitting f = {.bytes = bytes, .took = {.measured = measured, .m = m}, .e = e};
    met *t = malloc((size_t)m->links.count * sizeof *t);
    int status = open_burst(&m->links, &f.burst, e);
    if (!status)
        status = cpm_lmo2_burst_open(&f.took, m->links.hosts, e);
    if (!status)
        status = t ? fit_links(&f, t) : cpm_no_memory(e);
    close_burst(&f.burst);
    cpm_lmo2_burst_close(&f.took);
    free(t);
    return status;
}

/* Links on which pairs can meet, and those on which they were measured. */
static void count_links(fitting *f, int *all, int *measured)
{
    met t;
    *all = *measured = 0;
    for (int k = 0; k < f->took.m->links.count; k++) {
        gather_burst(&f->burst, k, 0);
        *all += f->burst.pairs > 1;
        *measured += take_burst(f, k, &t);
    }
}

static int note_links(cpm_model *m, int all, int measured, cpm_error *e)
{
    int shared = 0, count = m->links.count;
    if (all && !measured)
        return cpm_note(&m->notes, e,
                        "network: whether messages share %d of %d links inside it was not measured",
                        all, count);
    for (int k = 0; k < count; k++)
        shared += !isnan(m->value[CPM_LMO2_LINK][k]);
    if (measured < all)
        return cpm_note(&m->notes, e,
                        "network: messages share %d of %d links inside it; of %d on which pairs "
                        "can meet %d were measured",
                        shared, count, all, measured);
    return cpm_note(&m->notes, e, "network: messages share %d of %d links inside it", shared,
                    count);
}

int cpm_lmo2_links_note(size_t bytes, const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    fitting f = {.bytes = bytes, .took = {.measured = measured, .m = m}, .e = e};
    int all = 0, seen = 0, status = open_burst(&m->links, &f.burst, e);
    if (!status)
        status = cpm_lmo2_burst_open(&f.took, m->links.hosts, e);
    if (!status)
        count_links(&f, &all, &seen);
    close_burst(&f.burst);
    cpm_lmo2_burst_close(&f.took);
    return status ? status : note_links(m, all, seen, e);
}
