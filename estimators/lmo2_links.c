#include "estimators/lmo2_links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "estimators/lmo2.h"
#include "models/experiments.h"
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

/* So many bytes at least fill a link for much longer than a first message takes to reach it. */
enum { BURST = 1 << 20, FEWEST = 4 };
/* Bursts over links are known by their answers, which are longer than those over trunks. */
enum { FIRST_LINK = 16 };
/* Each is made with two choices of pairs, of which the faster counts: the other met something else.
 */
enum { DEALINGS = 2 };

static cpm_experiment pair_of(const burst *b, int q, size_t bytes)
{
    cpm_experiment x = cpm_experiment_pair(CPM_CROWDED_BURST, b->pair[q].from, b->pair[q].to, bytes,
                                           FIRST_LINK + (size_t)(DEALINGS * b->link + b->dealing));
    x.count = bytes < BURST / FEWEST ? (int)(BURST / bytes) : FEWEST;
    return x;
}

/* ---- planning: bursts that have no link and no process in common are made at once */

typedef struct {
    size_t wide;
    char *busy; /* [rounds][wide] processes and links */
    int64_t room;
    int rounds;
    cpm_design *round; /* [rounds] each a design of its own */
} rounds;

/* What a burst needs of a round. */
static void mark(const burst *b, char *needs)
{
    int hosts = b->links->hosts;
    for (int h = 0; h < hosts; h++)
        needs[h] = b->busy[h];
    for (int k = 0; k < b->links->count; k++)
        needs[hosts + k] = b->load[k] > 0;
}

static bool fits(const char *busy, const char *needs, size_t wide)
{
    for (size_t k = 0; k < wide; k++)
        if (busy[k] && needs[k])
            return false;
    return true;
}

static int find_round(rounds *r, const char *needs, int *at, cpm_error *e)
{
    for (*at = 0; *at < r->rounds; ++*at)
        if (fits(r->busy + (size_t)*at * r->wide, needs, r->wide))
            return CPM_OK;
    if (!cpm_vector_reserve(&r->busy, &r->room, (r->rounds + 1) * (int64_t)r->wide, 1) ||
        !cpm_vector_extend(&r->round, r->rounds, sizeof *r->round))
        return cpm_no_memory(e);
    memset(r->busy + (size_t)r->rounds * r->wide, 0, r->wide);
    r->round[r->rounds++] = (cpm_design){0};
    return CPM_OK;
}

static int add_burst(rounds *r, const burst *b, size_t bytes, char *needs, cpm_error *e)
{
    int at, status;
    mark(b, needs);
    status = find_round(r, needs, &at, e);
    for (size_t k = 0; k < r->wide && !status; k++)
        r->busy[(size_t)at * r->wide + k] |= needs[k];
    for (int q = 0; q < b->pairs && !status; q++) {
        cpm_experiment x = pair_of(b, q, bytes);
        status = cpm_design_add(&r->round[at], &x, e);
    }
    return status;
}

static int put_rounds(const rounds *r, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < r->rounds && !status; k++) {
        for (int q = 0; q < r->round[k].count && !status; q++)
            status = cpm_design_add(next, &r->round[k].at[q], e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}

int cpm_lmo2_links_plan(const cpm_links *l, size_t bytes, cpm_design *next, cpm_error *e)
{
    burst b;
    rounds r = {.wide = (size_t)l->hosts + (size_t)l->count};
    char *needs = malloc(r.wide);
    int status = open_burst(l, &b, e);
    if (!status && !needs)
        status = cpm_no_memory(e);
    for (int k = 0; k < DEALINGS * l->count && !status && bytes >= CPM_LMO2_LEAST_SHARED; k++) {
        gather_burst(&b, k / DEALINGS, k % DEALINGS);
        if (b.pairs > 1)
            status = add_burst(&r, &b, bytes, needs, e);
    }
    if (!status)
        status = put_rounds(&r, next, e);
    for (int k = 0; k < r.rounds; k++)
        cpm_design_clear(&r.round[k]);
    free(r.round);
    free(r.busy);
    free(needs);
    close_burst(&b);
    return status;
}

/* ---- fitting */

/* A burst that was measured. */
typedef struct {
    int link, dealing, crowd;
    double slowest, mean, half; /* seconds; of its pairs' mean */
} met;

typedef struct {
    const cpm_measurements *measured;
    size_t bytes;
    cpm_model *m;
    burst burst;
    cpm_experiment *pair; /* [hosts] */
    double *seconds;      /* [hosts] */
    cpm_error *e;
} fitting;

/* Two means that differ by less than this share and the measurement's interval are the same. */
static const double same = 0.05;

/* False: it was not measured. */
static bool take_dealing(fitting *f, int link, int dealing, met *out)
{
    gather_burst(&f->burst, link, dealing);
    *out = (met){.link = link, .dealing = dealing, .crowd = f->burst.crowd};
    for (int q = 0; q < f->burst.pairs; q++) {
        cpm_experiment x = pair_of(&f->burst, q, f->bytes);
        int at = cpm_measurements_find(f->measured, &x);
        if (at < 0)
            return false;
        const cpm_measurement *r = &f->measured->at[at];
        double seconds = cpm_measurement_value(r, f->measured->statistic);
        out->slowest = fmax(out->slowest, seconds);
        out->mean += seconds / f->burst.pairs;
        out->half =
            hypot(out->half, cpm_measurement_half(r, f->measured->statistic) / f->burst.pairs);
    }
    return f->burst.pairs > 1 && out->mean > 0;
}

static bool take_burst(fitting *f, int link, met *out)
{
    bool known = false;
    for (int dealing = 0; dealing < DEALINGS; dealing++) {
        met one;
        if (!take_dealing(f, link, dealing, &one) ||
            (known &&
             (one.crowd > out->crowd || (one.crowd == out->crowd && one.mean >= out->mean))))
            continue;
        *out = one;
        known = true;
    }
    return known;
}

/* By how much the pairs are above the model's on average if the link takes so long per byte, as a
 * share of what is tolerated. */
static int misses(fitting *f, const met *t, double seconds_per_byte, double *off)
{
    double sum = 0;
    int pairs = f->burst.pairs;
    f->m->value[CPM_LMO2_LINK][t->link] = seconds_per_byte;
    int status = cpm_model_experiments(f->m, f->pair, pairs, f->seconds, f->e);
    for (int q = 0; q < pairs && !status; q++)
        sum += f->seconds[q];
    *off = (t->mean - sum / pairs) / (same * t->mean + t->half);
    return status;
}

/* The capacity with which the model gives the measured time. */
static int invert(fitting *f, const met *t)
{
    enum { HALVINGS = 40 };
    double low = 0, high = t->slowest / (double)f->bytes / f->pair[0].count, off;
    int status = CPM_OK;
    for (int step = 0; step < HALVINGS && !status; step++) {
        double middle = (low + high) / 2;
        status = misses(f, t, middle, &off);
        *(off > 0 ? &low : &high) = middle;
    }
    f->m->value[CPM_LMO2_LINK][t->link] = (low + high) / 2;
    f->m->ci[CPM_LMO2_LINK][t->link] = (low + high) / 2 * t->half / t->mean;
    return status;
}

/* By how much a burst took longer than the model says if the link is not shared. */
static int miss_apart(fitting *f, int link, int dealing, met *t, double *apart)
{
    *apart = INFINITY;
    if (!take_dealing(f, link, dealing, t))
        return CPM_OK;
    for (int q = 0; q < f->burst.pairs; q++)
        f->pair[q] = pair_of(&f->burst, q, f->bytes);
    return misses(f, t, NAN, apart);
}

/* What is slower, or can be blamed alone, is known already: what that does not explain is this
 * one's. It is not to blame if the model explains one of its bursts without it. */
static int fit_link(fitting *f, const met *first)
{
    double least = INFINITY, apart;
    met best = *first, one;
    int status = CPM_OK;
    for (int dealing = 0; dealing < DEALINGS && !status; dealing++) {
        status = miss_apart(f, first->link, dealing, &one, &apart);
        if (one.crowd == first->crowd && apart < least) {
            best = one;
            least = apart;
        }
    }
    f->m->ci[CPM_LMO2_LINK][first->link] = NAN;
    if (!status && isfinite(least) && least > 1)
        status = miss_apart(f, best.link, best.dealing, &best, &apart);
    return status || !isfinite(least) || least <= 1 ? status : invert(f, &best);
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
    const cpm_model *m = f->m;
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
    double *value = f->m->value[CPM_LMO2_LINK];
    for (int k = 0; k < f->m->links.count; k++) {
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
    double *value = f->m->value[CPM_LMO2_LINK], *half = f->m->ci[CPM_LMO2_LINK];
    int known = 0, status = CPM_OK;
    for (int k = 0; k < f->m->links.count; k++) {
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
    size_t hosts = (size_t)m->links.hosts;
    fitting f = {.measured = measured, .bytes = bytes, .m = m, .e = e};
    met *t = malloc((size_t)m->links.count * sizeof *t);
    f.pair = malloc(hosts * sizeof *f.pair);
    f.seconds = malloc(hosts * sizeof *f.seconds);
    int status = open_burst(&m->links, &f.burst, e);
    if (!status)
        status = t && f.pair && f.seconds ? fit_links(&f, t) : cpm_no_memory(e);
    close_burst(&f.burst);
    free(f.seconds);
    free(f.pair);
    free(t);
    return status;
}

int cpm_lmo2_links_note(cpm_model *m, cpm_error *e)
{
    int shared = 0;
    for (int k = 0; k < m->links.count; k++)
        shared += !isnan(m->value[CPM_LMO2_LINK][k]);
    return cpm_note(&m->notes, e, "network: messages share %d of %d links inside it", shared,
                    m->links.count);
}
