#include "estimators/lmo2_routes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "estimators/lmo2_bursts.h"
#include "estimators/lmo2_trunks.h"

/* More processes would take too long; more links are none. */
enum { MOST_PROCESSES = 64, MOST_LINKS = 8 };

/* Two that meet take longer than two that do not by more than this share. */
static const double longer = 0.2;

typedef struct {
    const cpm_hosts *on;
    size_t bytes;
    const cpm_measurements *m;
    int *rank_of, *first; /* as cpm_hosts_sort gives them */
    int *link;            /* [n] of a destination; -1: not known */
    double *slowness;     /* [n] of its burst with the first of those that are left */
    int links;
} routes;

static int open_routes(const cpm_hosts *on, size_t bytes, const cpm_measurements *m, routes *r,
                       cpm_error *e)
{
    size_t n = (size_t)on->n;
    *r = (routes){.on = on,
                  .bytes = bytes,
                  .m = m,
                  .rank_of = malloc(n * sizeof *r->rank_of),
                  .first = malloc(((size_t)on->count + 1) * sizeof *r->first),
                  .link = malloc(n * sizeof *r->link),
                  .slowness = malloc(n * sizeof *r->slowness)};
    if (!r->rank_of || !r->first || !r->link || !r->slowness)
        return cpm_no_memory(e);
    cpm_hosts_sort(on, r->rank_of, r->first);
    for (int d = 0; d < on->n; d++)
        r->link[d] = -1;
    return CPM_OK;
}

static void close_routes(routes *r)
{
    free(r->rank_of);
    free(r->first);
    free(r->link);
    free(r->slowness);
}

/* ---- two destinations */

/* The next switch behind that of d which has two processes, and neither destination; -1: none. */
static int senders_of(const routes *r, int d, int other)
{
    for (int step = 1; step < r->on->count; step++) {
        int u = (r->on->of[d] + step) % r->on->count;
        if (u != r->on->of[other] && r->first[u + 1] - r->first[u] > 1)
            return u;
    }
    return -1;
}

/* Bursts are known by their answers: no links that are found have as many. */
static size_t answer_of(const routes *r, int d)
{
    size_t n = (size_t)r->on->n, first = 16 + 4 * n * MOST_LINKS;
    return first + (size_t)r->links * n + (size_t)d;
}

/* To d and to the first destination that is left. False: no switch has senders for both. */
static bool burst_to(const routes *r, int first, int d, cpm_experiment pair[2])
{
    int u = senders_of(r, d, first);
    if (u < 0)
        return false;
    const int *sender = r->rank_of + r->first[u];
    pair[0] = cpm_lmo2_burst_pair(sender[0], d, r->bytes, answer_of(r, d));
    pair[1] = cpm_lmo2_burst_pair(sender[1], first, r->bytes, answer_of(r, d));
    return true;
}

/* What a burst takes its first pair, in round trips of this pair that meet none; NaN: not measured.
 */
static double slowness_of(const routes *r, const cpm_experiment *x)
{
    const cpm_measurement *trip =
        cpm_measurements_best(r->m, cpm_experiment_pair(CPM_ROUNDTRIP, x->i, x->j, r->bytes, 0));
    int at = cpm_measurements_find(r->m, x);
    return at < 0 || !trip ? NAN
                           : cpm_measurement_value(&r->m->at[at], r->m->statistic) /
                                 cpm_measurement_value(trip, r->m->statistic);
}

/* ---- link by link */

static int first_unknown(const routes *r)
{
    for (int d = 0; d < r->on->n; d++)
        if (r->link[d] < 0)
            return d;
    return -1;
}

/* False: something was not measured. */
static bool take_bursts(const routes *r, int first)
{
    for (int d = 0; d < r->on->n; d++) {
        cpm_experiment pair[2];
        r->slowness[d] = NAN;
        if (d == first || r->link[d] >= 0 || !burst_to(r, first, d, pair))
            continue;
        r->slowness[d] = slowness_of(r, &pair[0]);
        if (isnan(r->slowness[d]))
            return false;
    }
    return true;
}

/* The first that is left, and who shares its link. */
static void assign(routes *r, int first, double fastest)
{
    for (int d = 0; d < r->on->n; d++)
        if (d == first || r->slowness[d] > (1 + longer) * fastest)
            r->link[d] = r->links;
    r->links++;
}

typedef enum { MISSING, UNTOLD, TOLD } found;

/* What does not meet is as fast as the fastest burst so far. */
static found assign_all(routes *r)
{
    double fastest = INFINITY;
    for (int first; (first = first_unknown(r)) >= 0;) {
        if (r->links == MOST_LINKS || 2 * r->links >= r->on->n)
            return UNTOLD;
        if (!take_bursts(r, first))
            return MISSING;
        for (int d = 0; d < r->on->n; d++)
            fastest = isnan(r->slowness[d]) ? fastest : fmin(fastest, r->slowness[d]);
        assign(r, first, fastest);
    }
    return r->links > 1 ? TOLD : UNTOLD;
}

static int find_routes(const cpm_hosts *on, size_t bytes, const cpm_measurements *m, routes *r,
                       found *known, cpm_error *e)
{
    bool differ = false;
    int status = open_routes(on, bytes, m, r, e);
    if (!status && on->n <= MOST_PROCESSES)
        status = cpm_lmo2_trunks_differ(on, bytes, m, &differ, e);
    *known = differ && !status ? assign_all(r) : UNTOLD;
    return status;
}

/* ---- planning */

static int add_bursts(const routes *r, cpm_design *next, cpm_error *e)
{
    int first = first_unknown(r), status = CPM_OK;
    for (int d = 0; d < r->on->n && !status; d++) {
        cpm_experiment pair[2];
        if (d == first || r->link[d] >= 0 || !burst_to(r, first, d, pair))
            continue;
        for (int q = 0; q < 2 && !status; q++)
            status = cpm_design_add(next, &pair[q], e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}

int cpm_lmo2_routes_plan(const cpm_hosts *on, size_t bytes, const cpm_measurements *so_far,
                         cpm_design *next, cpm_error *e)
{
    routes r;
    found known;
    int status = find_routes(on, bytes, so_far, &r, &known, e);
    if (!status && known == MISSING)
        status = add_bursts(&r, next, e);
    close_routes(&r);
    return status;
}

/* ---- what was found */

/* The link up from the sender's switch, or down to the receiver's. */
static int add_use(const routes *r, int from, int to, bool down, cpm_links_draft *d, cpm_error *e)
{
    char name[64];
    snprintf(name, sizeof name, "switch%d.%d%c", r->on->of[down ? to : from], r->link[to],
             down ? '<' : '>');
    int link = -1;
    return cpm_links_draft_cross(d, from, to, name, &link, e);
}

static int add_ways(const routes *r, cpm_links_draft *d, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < r->on->n && !status; i++)
        for (int j = 0; j < r->on->n && !status; j++) {
            if (cpm_hosts_share(r->on, i, j))
                continue;
            status = add_use(r, i, j, false, d, e);
            if (!status)
                status = add_use(r, i, j, true, d, e);
        }
    return status;
}

int cpm_lmo2_routes_find(const cpm_hosts *on, size_t bytes, const cpm_measurements *m,
                         cpm_links *out, cpm_error *e)
{
    routes r;
    found known;
    cpm_links_draft d = {.hosts = on->n};
    *out = (cpm_links){0};
    int status = find_routes(on, bytes, m, &r, &known, e);
    if (!status && known == TOLD)
        status = add_ways(&r, &d, e);
    close_routes(&r);
    if (!status && d.count)
        return cpm_links_draft_end(&d, out, e);
    cpm_links_draft_clear(&d);
    return status;
}
