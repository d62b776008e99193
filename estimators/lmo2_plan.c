/* The design of extended LMO, in steps that need each other's results:
 *   company: whether pairs slow each other;
 *   regimes: round trips of disjoint pairs over message sizes, and where sends begin to wait;
 *   at one to three sizes of each regime: round trips between all pairs in both directions (among
 *   many at the third size between some: lmo2_spare.c), and for
 *   a few partners of each process the duration of a send and of a receive that need not wait, and
 *   of synchronous sizes round trips whose send does not block;
 *   where pairs slow each other, long messages again, apart from each other;
 *   link ends: two messages out (train) and two in (two-to-one) at the largest buffered size. */
#include <math.h>
#include <stdlib.h>

#include "estimators/company.h"
#include "estimators/designs.h"
#include "estimators/lmo2.h"
#include "estimators/lmo2_apart.h"
#include "estimators/rendezvous.h"
#include "estimators/rounds.h"
#include "measurements/campaign.h"

enum { PARTNERS = 3 };

/* The ends; and where these are far apart one between, nearer to the first, because times are
 * wanted with relative errors. */
int cpm_lmo2_sizes(const cpm_regime *r, size_t sizes[3])
{
    int count = 0;
    sizes[count++] = r->first;
    if (r->last / 4 > r->first && r->last >= CPM_LMO2_LEAST_SHARED)
        sizes[count++] = r->last / 4;
    if (r->last > r->first)
        sizes[count++] = r->last;
    return count;
}

size_t cpm_lmo2_largest(const cpm_regimes *regimes, size_t rendezvous)
{
    size_t largest = 0;
    for (int k = 0; k < regimes->count; k++) {
        size_t sizes[3];
        int count = cpm_lmo2_sizes(&regimes->at[k], sizes);
        for (int s = 0; s < count; s++)
            if (!rendezvous || sizes[s] < rendezvous)
                largest = sizes[s];
    }
    return largest;
}

size_t cpm_lmo2_crossing(const cpm_regimes *regimes, size_t rendezvous)
{
    size_t buffered = cpm_lmo2_largest(regimes, rendezvous);
    return buffered < CPM_LMO2_LEAST_SHARED ? cpm_lmo2_largest(regimes, 0) : buffered;
}

/* An experiment of processes 0 and 1, 2 and 3, ..., and the same turned. */
static int add_pairs(cpm_design *next, int n, cpm_experiment x, cpm_error *e)
{
    int status = CPM_OK;
    for (int turned = 0; turned < 2 && !status; turned++) {
        for (int i = 0; i + 1 < n && !status; i += 2) {
            x.i = i + turned;
            x.j = i + 1 - turned;
            status = cpm_design_add(next, &x, e);
        }
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}

/* Who meets whom. */
typedef struct {
    cpm_design *next;
    int n;
    const cpm_lmo2_network *network; /* NULL: 0 meets 1, 2 meets 3, ... */
    const bool *near;                /* [n*n] what partners are chosen of; NULL: all */
} level;

/* With so many partners, n: with all. */
static int meet(const level *m, int partners, int kind, size_t send_bytes, size_t reply_bytes,
                cpm_error *e)
{
    if (!m->network)
        return add_pairs(m->next, m->n, cpm_experiment_pair(kind, 0, 1, send_bytes, reply_bytes),
                         e);
    return cpm_design_both_ways(m->next, m->n, partners, kind, send_bytes, reply_bytes, e);
}

/* With some that are near: what the way takes hides what the process does. */
static int meet_near(const level *m, int kind, size_t send_bytes, size_t reply_bytes, cpm_error *e)
{
    if (!m->near)
        return meet(m, PARTNERS, kind, send_bytes, reply_bytes, e);
    return cpm_design_near(m->next, m->n, PARTNERS, m->near,
                           cpm_experiment_pair(kind, 0, 1, send_bytes, reply_bytes), e);
}

/* Whether links are shared shows where messages are long. */
static int add_roundtrips(const level *m, const cpm_regime *r, size_t bytes, cpm_error *e)
{
    if (cpm_lmo2_is_spare(r, m->n, bytes))
        return meet(m, CPM_LMO2_FEW - 1, CPM_ROUNDTRIP, bytes, 0, e);
    return m->network && bytes >= CPM_LMO2_LEAST_SHARED
               ? cpm_company_roundtrips(m->n, bytes, m->next, e)
               : meet(m, m->n, CPM_ROUNDTRIP, bytes, 0, e);
}

static int add_size(const level *m, const cpm_regime *r, size_t bytes, bool synchronous,
                    cpm_error *e)
{
    int status = add_roundtrips(m, r, bytes, e);
    if (!status)
        status = meet_near(m, CPM_SEND_TIME, bytes, 0, e);
    if (!status)
        status = meet_near(m, CPM_LATE_RECEIVE, 0, bytes, e);
    if (!status && synchronous)
        status = meet_near(m, CPM_POSTED_TRIP, bytes, 0, e);
    return status;
}

/* All processes at once, as in a reduction; times so often that the clock counts for nothing. */
static int add_combining(const level *m, int kind, cpm_error *e)
{
    static const struct {
        size_t bytes;
        int times;
    } sizes[] = {{CPM_LMO2_LEAST_COMBINED, 64}, {CPM_LMO2_MOST_COMBINED, 4}};
    int status = CPM_OK;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && !status; k++) {
        for (int i = 0; i < m->n && !status; i++) {
            cpm_experiment x = cpm_experiment_combine(kind, i, sizes[k].times, sizes[k].bytes);
            status = cpm_design_add(m->next, &x, e);
        }
        if (!status)
            status = cpm_design_close_round(m->next, e);
    }
    return status;
}

/* The same pairs, with the same company, receive in memory that they ask for, and in what they
 * have.
 */
static int add_fresh(const level *m, size_t bytes, cpm_error *e)
{
    int status = meet(m, 1, CPM_FRESH_TRIP, bytes, 0, e);
    const int first = m->next->count;
    if (!status)
        status = meet(m, 1, CPM_FRESH_TRIP, bytes, 0, e);
    for (int k = first; k < m->next->count; k++)
        m->next->at[k].count = 2;
    return status;
}

/* Combining; what more than a receive it takes to copy a message, a short one and the largest; and
 * memory that is asked for. */
static int add_local(const level *m, size_t buffered, size_t largest, cpm_error *e)
{
    const size_t least = CPM_LMO2_LEAST_COMBINED;
    int status = CPM_OK;
    for (int kind = CPM_COMBINE_BYTES; kind <= CPM_COMBINE_DOUBLES && !status; kind++)
        status = add_combining(m, kind, e);
    if (status || buffered < CPM_LMO2_LEAST_SHARED)
        return status;
    status = meet(m, 1, CPM_LATE_RECEIVE, 0, least, e);
    if (!status)
        status = meet(m, 1, CPM_LATE_UNPACK, least / 2, least - least / 2, e);
    if (!status)
        status = meet(m, 1, CPM_LATE_UNPACK, largest / 2, largest - largest / 2, e);
    if (!status && largest >= CPM_LMO2_LEAST_FRESH)
        status = add_fresh(m, largest, e);
    return status;
}

/* rendezvous: the least synchronous size, 0: none. */
static int add_sizes(const level *m, const cpm_regimes *regimes, size_t rendezvous, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < regimes->count && !status; k++) {
        size_t sizes[3];
        int count = cpm_lmo2_sizes(&regimes->at[k], sizes);
        for (int s = 0; s < count && !status; s++)
            status =
                add_size(m, &regimes->at[k], sizes[s], rendezvous && sizes[s] >= rendezvous, e);
    }
    return status ? status
                  : add_local(m, cpm_lmo2_largest(regimes, rendezvous),
                              cpm_lmo2_largest(regimes, 0), e);
}

/* ---- link ends */

typedef struct {
    int i, j, k;
    int crossing; /* of its two messages */
    double apart;
} meeting;

/* Where one message only goes over trunks it is no slower there than alone: then the next best. */
static int by_apart(const void *a, const void *b)
{
    const meeting *x = a, *y = b;
    if (x->crossing != y->crossing)
        return x->crossing - y->crossing;
    return (x->apart > y->apart) - (x->apart < y->apart);
}

/* Links on both of two ways. */
static int common_links(const cpm_links *l, const int one[2], const int other[2])
{
    int ones, others, count = 0;
    const int *a = cpm_links_way(l, one[0], one[1], &ones);
    const int *b = cpm_links_way(l, other[0], other[1], &others);
    for (int u = 0; u < ones; u++)
        for (int v = 0; v < others; v++)
            count += a[u] == b[v];
    return count;
}

static meeting meeting_of(const cpm_lmo2_data *d, const cpm_lmo2_inside *inside, int q, int i,
                          int j, int k)
{
    const cpm_hosts *on = inside->switches;
    int crossing = on ? !cpm_hosts_share(on, i, j) + !cpm_hosts_share(on, i, k) : 0;
    if (inside->links)
        crossing = common_links(inside->links, (int[]){i, j}, (int[]){i, k}) +
                   common_links(inside->links, (int[]){j, i}, (int[]){k, i});
    return (meeting){i, j, k, crossing, cpm_lmo2_apart(d, q, i, j, k)};
}

/* For each process the pairs whose replies meet best at its link end, and at nothing before. */
static int choose_meetings(const cpm_lmo2_data *d, const cpm_lmo2_inside *inside, int q,
                           meeting *all, meeting *chosen)
{
    int count = 0;
    for (int i = 0; i < d->n; i++) {
        int candidates = 0;
        for (int j = 0; j < d->n; j++)
            for (int k = 0; k < d->n; k++)
                if (i != j && i != k && j != k)
                    all[candidates++] = meeting_of(d, inside, q, i, j, k);
        qsort(all, (size_t)candidates, sizeof *all, by_apart);
        for (int c = 0; c < PARTNERS && c < candidates; c++)
            chosen[count++] = all[c];
    }
    return count;
}

/* x: all but the processes. */
static int add_meeting(const meeting *m, cpm_experiment x, cpm_rounds *r, cpm_error *e)
{
    const int who[] = {m->i, m->j, m->k};
    int status = CPM_OK;
    x.i = m->i;
    x.j = m->j;
    x.k = m->k;
    for (int q = 0; q < 3 && !status; q++)
        status = cpm_rounds_take(r, who[q], e);
    return status ? status : cpm_rounds_add(r, &x, 1, e);
}

static int add_meetings(cpm_design *next, const cpm_lmo2_data *d, const cpm_lmo2_inside *inside,
                        int q, cpm_experiment x, cpm_error *e)
{
    size_t n = (size_t)d->n;
    meeting *all = malloc(n * n * sizeof *all), *chosen = malloc(n * PARTNERS * sizeof *chosen);
    cpm_rounds rounds = {.wide = n};
    int status = all && chosen ? CPM_OK : cpm_no_memory(e);
    int count = status ? 0 : choose_meetings(d, inside, q, all, chosen);
    for (int c = 0; c < count && !status; c++)
        status = add_meeting(&chosen[c], x, &rounds, e);
    if (!status)
        status = cpm_rounds_put(&rounds, next, e);
    cpm_rounds_clear(&rounds);
    free(all);
    free(chosen);
    return status;
}

/* Whether some are not near. */
static bool are_scattered(const cpm_lmo2_data *d)
{
    for (int i = 0; i < d->n; i++)
        for (int j = 0; j < d->n; j++)
            if (i != j && !cpm_lmo2_is_near(d, i, j))
                return true;
    return false;
}

/* Trains are to meet at nothing but the link end, too, where it is known what else there is, or
 * where some ways are long. */
static int add_link_ends(cpm_design *next, const cpm_lmo2_data *d, const cpm_lmo2_inside *inside,
                         cpm_error *e)
{
    int q = cpm_lmo2_buffered(d);
    if (q < 0 || d->at[q].bytes < CPM_LMO2_LEAST_SHARED || d->n < 3)
        return CPM_OK;
    size_t bytes = d->at[q].bytes;
    cpm_experiment train = cpm_experiment_pair(CPM_TRAIN, 0, 1, bytes, 0);
    cpm_experiment in = cpm_experiment_pair(CPM_TWO_TO_ONE, 0, 1, 0, bytes);
    bool known = inside->switches || inside->links || are_scattered(d);
    int status = known ? add_meetings(next, d, inside, q, train, e)
                       : cpm_design_trains(next, d->n, 1, PARTNERS, bytes, bytes, e);
    return status ? status : add_meetings(next, d, inside, q, in, e);
}

/* ---- what was disturbed */

/* What combines shares no link, and regimes are told by few pairs. */
bool cpm_lmo2_is_repeated(const cpm_experiment *x)
{
    static const int kinds[] = {CPM_ROUNDTRIP, CPM_SEND_TIME, CPM_LATE_RECEIVE, CPM_POSTED_TRIP,
                                CPM_LATE_UNPACK};
    bool of_kind = false;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        of_kind = of_kind || x->kind == &cpm_experiment_kinds[kinds[k]];
    return of_kind && (x->send_bytes > 0 || x->reply_bytes > 0);
}

/* What has bytes, again. */
static int repeat_messages(const cpm_design *from, int again, cpm_design *out, cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < from->count && !status; q++) {
        cpm_experiment x = from->at[q];
        if (!cpm_lmo2_is_repeated(&x))
            continue;
        x.count = again;
        status = cpm_design_add(out, &x, e);
        if (!status && again == CPM_ALONE)
            status = cpm_design_close_round(out, e);
    }
    return status ? status : cpm_design_close_round(out, e);
}

/* sizes: all that is measured of them, in company. */
static int repeat_sizes(const level *who, const cpm_design *sizes, const cpm_measurements *so_far,
                        cpm_error *e)
{
    cpm_design again = {0};
    bool alone = who->network->alone;
    int status = repeat_messages(sizes, alone ? CPM_ALONE : CPM_APART, &again, e);
    if (!status)
        status = alone ? cpm_plan_fixed(&again, who->n, so_far, who->next, e)
                       : cpm_lmo2_keep_apart(&who->network->inside, &again, who->next, e);
    cpm_design_clear(&again);
    return status;
}

/* Whether who is beside whom matters; of a network that nobody has told anything of. */
static bool asks_company(const level *who, size_t bytes)
{
    return who->network && who->network->ask && bytes >= CPM_LMO2_LEAST_SHARED;
}

/* The shortest and long messages come first: where pairs slow each other regimes are to be told by
 * pairs that do not. But if time is short a model of whatever was seen comes first. */
static bool comes_first(const cpm_estimation *options)
{
    return options->parameter_error != CPM_PARAMETER_ERROR_BUDGET;
}

static int ask_company(const level *who, size_t bytes, const cpm_measurements *so_far, cpm_error *e)
{
    cpm_design first = {0};
    if (!asks_company(who, bytes))
        return CPM_OK;
    int status = cpm_design_both_ways(&first, who->n, who->n, CPM_ROUNDTRIP, 0, 0, e);
    if (!status)
        status = cpm_company_roundtrips(who->n, bytes, &first, e);
    if (!status)
        status = cpm_plan_fixed(&first, who->n, so_far, who->next, e);
    bool known = !status && cpm_design_is_measured(&first, so_far);
    if (known)
        status = cpm_company_plan(who->n, bytes, 1, so_far, who->next, e);
    if (known && !status && who->network->shared)
        status = repeat_sizes(who, &first, so_far, e);
    cpm_design_clear(&first);
    return status;
}

static int plan_again(const level *who, size_t bytes, const cpm_design *sizes,
                      const cpm_measurements *so_far, cpm_error *e)
{
    if (!who->network->shared)
        return CPM_OK;
    int status = repeat_sizes(who, sizes, so_far, e);
    if (status || who->network->alone || !cpm_design_is_measured(who->next, so_far))
        return status;
    return asks_company(who, bytes)
               ? cpm_company_plan(who->n, bytes, CPM_APART, so_far, who->next, e)
               : CPM_OK;
}

/* ---- all of it */

static int plan_network(const cpm_estimation *options, const level *who, const cpm_design *sizes,
                        const cpm_measurements *so_far, cpm_error *e)
{
    size_t largest = cpm_design_largest(options), asked = cpm_lmo2_asked(who->n, largest);
    cpm_lmo2_data d = {0};
    int status = comes_first(options) ? CPM_OK : ask_company(who, asked, so_far, e);
    if (!status)
        status = plan_again(who, asked, sizes, so_far, e);
    if (status || !cpm_design_is_measured(who->next, so_far))
        return status;
    status = cpm_lmo2_take(so_far, largest, &d, e);
    if (!status)
        status = add_link_ends(who->next, &d, &who->network->inside, e);
    cpm_lmo2_data_free(&d);
    return status;
}

/* *near: the caller frees it; NULL: all are, or it is not known yet. */
static int find_near(const level *who, const cpm_measurements *so_far, bool **near, cpm_error *e)
{
    *near = NULL;
    if (!who->network)
        return CPM_OK;
    bool *found = malloc((size_t)who->n * (size_t)who->n * sizeof *found);
    if (!found)
        return cpm_no_memory(e);
    bool known = true;
    for (int i = 0; i < who->n && known; i++)
        known = cpm_lmo2_near(so_far, who->n, i, found + (size_t)i * (size_t)who->n);
    if (known)
        *near = found;
    else
        free(found);
    return CPM_OK;
}

static int plan_with(const cpm_estimation *options, const level *who, const cpm_regimes *regimes,
                     size_t rendezvous, const cpm_measurements *so_far, cpm_error *e)
{
    cpm_design sizes = {0};
    bool *near = NULL;
    int status = comes_first(options) ? find_near(who, so_far, &near, e) : CPM_OK;
    if (!status)
        status = add_sizes(&(level){&sizes, who->n, who->network, near}, regimes, rendezvous, e);
    free(near);
    for (int k = 0; k < regimes->count && !status; k++)
        if (who->network && cpm_design_is_measured(&sizes, so_far))
            status = cpm_lmo2_spare_plan(&regimes->at[k], who->n, so_far, &sizes, e);
    if (!status)
        status = cpm_plan_fixed(&sizes, who->n, so_far, who->next, e);
    if (!status && who->network && cpm_design_is_measured(who->next, so_far))
        status = plan_network(options, who, &sizes, so_far, e);
    cpm_design_clear(&sizes);
    return status;
}

int cpm_lmo2_plan_level(const cpm_estimation *options, int n, const cpm_lmo2_network *network,
                        const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    size_t largest = cpm_design_largest(options);
    cpm_regimes regimes = {0};
    const level who = {next, n, network, NULL};
    bool first = comes_first(options), alone = first && network && network->alone;
    int status = first ? ask_company(&who, cpm_lmo2_asked(n, largest), so_far, e) : CPM_OK;
    if (status || !cpm_design_is_measured(next, so_far))
        return status;
    status = cpm_regimes_plan(so_far, n, largest, alone, next, e);
    if (!status)
        status = cpm_rendezvous_plan(so_far, n, largest, next, e);
    if (status || !cpm_design_is_measured(next, so_far))
        return status;
    size_t rendezvous = cpm_rendezvous_find(so_far, n, largest);
    status = cpm_regimes_find(so_far, n, largest, rendezvous, &regimes, e);
    if (!status)
        status = plan_with(options, &who, &regimes, rendezvous, so_far, e);
    cpm_regimes_free(&regimes);
    return status;
}
