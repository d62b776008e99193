#include "estimators/lmo2_ports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "estimators/designs.h"
#include "estimators/lmo2_apart.h"
#include "models/lmo2.h"

enum { PARTNERS = 3, MOST_PORTS = 4 };

/* Whether two messages were told to share a port. */
typedef enum { UNKNOWN, APART, SHARED } verdict;

typedef struct {
    int n;
    size_t bytes;
    const cpm_measurements *m;
    int *port; /* [n*n] of each process to each partner; -1: not known */
} ports;

/* ---- what a train tells */

/* NULL: it was not measured. */
static const cpm_measurement *find(const ports *p, int kind, int i, int j, size_t bytes)
{
    bool in = kind == CPM_LATE_RECEIVE;
    return cpm_measurements_best(p->m,
                                 cpm_experiment_pair(kind, i, j, in ? 0 : bytes, in ? bytes : 0));
}

/* Of a send to any partner, or a late receive from any; 0: none was measured. */
static double overhead(const ports *p, int kind, int i)
{
    const cpm_measurement *r = NULL;
    for (int j = 0; j < p->n && !r; j++)
        r = i == j ? NULL : find(p, kind, i, j, p->bytes);
    return r ? cpm_measurement_value(r, p->m->statistic) : 0;
}

static cpm_experiment train_of(const ports *p, int i, int j, int k)
{
    cpm_experiment x = cpm_experiment_pair(CPM_TRAIN, i, j, p->bytes, 0);
    x.k = k;
    return x;
}

/* Of what it could be behind: less, if it gets more of the port than the first one does. */
static const double least_behind = 0.25;

/* Half an interval of how far the second message is behind. */
static double error_of(const ports *p, const cpm_measurement *train, const cpm_measurement *trip,
                       const cpm_measurement *back)
{
    return hypot(cpm_measurement_half(train, p->m->statistic),
                 hypot(cpm_measurement_half(trip, p->m->statistic),
                       cpm_measurement_half(back, p->m->statistic)));
}

/* The second message is behind by what the first one keeps the processor busy, or by what it keeps
 * the port busy, if that is clearly more. surely: what noise could explain as well is not known. */
static verdict judge(const ports *p, const cpm_experiment *train, bool surely)
{
    const cpm_measurement *trip = find(p, CPM_ROUNDTRIP, train->i, train->k, p->bytes);
    const cpm_measurement *back = find(p, CPM_ROUNDTRIP, train->k, train->i, train->reply_bytes);
    const cpm_measurement *empty = find(p, CPM_ROUNDTRIP, train->i, train->k, 0);
    int at = cpm_measurements_find(p->m, train);
    double send = overhead(p, CPM_SEND_TIME, train->i);
    double receive = overhead(p, CPM_LATE_RECEIVE, train->k);
    if (at < 0 || !trip || !back || !empty || !(send > 0 && receive > 0))
        return UNKNOWN;
    double out = cpm_measurement_value(trip, p->m->statistic);
    double nothing = cpm_measurement_value(empty, p->m->statistic);
    double answer = cpm_measurement_value(back, p->m->statistic) - nothing;
    double behind = cpm_measurement_value(&p->m->at[at], p->m->statistic) - out - answer;
    double flow = out - nothing - send - receive;
    double least = send + least_behind * (flow - send);
    double error = surely ? error_of(p, &p->m->at[at], trip, back) : 0;
    if (flow < 1.5 * send || fabs(behind - least) < error)
        return UNKNOWN;
    return behind > least ? SHARED : APART;
}

/* Whether the usual trains tell both, each often enough that it is not chance. */
static int are_mixed(const ports *p, bool *mixed, cpm_error *e)
{
    cpm_design usual = {0};
    int count[SHARED + 1] = {0};
    int status = cpm_design_trains(&usual, p->n, 1, PARTNERS, p->bytes, p->bytes, e);
    for (int q = 0; q < usual.count && !status; q++)
        count[judge(p, &usual.at[q], true)]++;
    cpm_design_clear(&usual);
    int known = count[APART] + count[SHARED];
    *mixed = known > 0 && 10 * count[APART] > known && 10 * count[SHARED] > known;
    return status;
}

/* ---- port by port */

/* The first partner behind i, in a circle, whose port is not known; -1: all are. So not all have
 * the same first partner, with whom they would be measured one after the other. */
static int first_unknown(const ports *p, int i)
{
    for (int step = 1; step < p->n; step++) {
        int j = (i + step) % p->n;
        if (p->port[i * p->n + j] < 0)
            return j;
    }
    return -1;
}

static void set_rest(const ports *p, int i, int port)
{
    for (int j = 0; j < p->n; j++)
        if (j != i && p->port[i * p->n + j] < 0)
            p->port[i * p->n + j] = port;
}

/* Whether trains to the first partner and each other that is left were all measured, and tell. */
static bool are_measured(const ports *p, int i, int first, bool *tell)
{
    *tell = true;
    for (int k = 0; k < p->n; k++) {
        cpm_experiment x = train_of(p, i, first, k);
        if (k == i || k == first || p->port[i * p->n + k] >= 0)
            continue;
        if (cpm_measurements_find(p->m, &x) < 0)
            return false;
        *tell = *tell && judge(p, &x, false) != UNKNOWN;
    }
    return true;
}

/* Who leaves by the port of the first partner that is left. Where that cannot be told all do. */
static bool assign(const ports *p, int i, int port)
{
    int *of = p->port + (ptrdiff_t)i * p->n, first = first_unknown(p, i);
    bool tell;
    if (!are_measured(p, i, first, &tell))
        return false;
    for (int k = 0; k < p->n; k++) {
        cpm_experiment x = train_of(p, i, first, k);
        if (k != i && of[k] < 0 && (!tell || k == first || judge(p, &x, false) == SHARED))
            of[k] = port;
    }
    return true;
}

/* As far as it was measured. Partners that are left are on the last one. */
static bool assign_all(const ports *p, int i)
{
    for (int port = 0; port < MOST_PORTS && first_unknown(p, i) >= 0; port++)
        if (!assign(p, i, port))
            return false;
    set_rest(p, i, MOST_PORTS - 1);
    return true;
}

static int open_ports(int n, size_t bytes, const cpm_measurements *m, ports *p, cpm_error *e)
{
    *p = (ports){n, bytes, m, malloc((size_t)n * (size_t)n * sizeof *p->port)};
    if (!p->port)
        return cpm_no_memory(e);
    for (int q = 0; q < n * n; q++)
        p->port[q] = -1;
    return CPM_OK;
}

/* ---- planning */

static int add_trains(const ports *p, int i, cpm_design *next, cpm_error *e)
{
    int first = first_unknown(p, i), status = CPM_OK;
    for (int k = 0; k < p->n && !status; k++) {
        cpm_experiment x = train_of(p, i, first, k);
        if (k != i && k != first && p->port[i * p->n + k] < 0)
            status = cpm_design_add(next, &x, e);
    }
    return status;
}

/* All that can be at once. */
static int add_rounds(int n, const cpm_design *trains, cpm_design *next, cpm_error *e)
{
    cpm_hosts each = {0};
    int status = cpm_hosts_regular(n, 1, false, &each, e);
    if (!status)
        status = cpm_lmo2_keep_apart(&(cpm_lmo2_inside){.hosts = &each}, trains, next, e);
    cpm_hosts_clear(&each);
    return status;
}

static int plan_trains(const ports *p, cpm_design *next, cpm_error *e)
{
    cpm_design trains = {0};
    int status = CPM_OK;
    for (int i = 0; i < p->n && !status; i++)
        if (!assign_all(p, i))
            status = add_trains(p, i, &trains, e);
    if (!status)
        status = cpm_design_close_round(&trains, e);
    if (!status && trains.count)
        status = add_rounds(p->n, &trains, next, e);
    cpm_design_clear(&trains);
    return status;
}

/* Trains are compared with the round trips of all pairs, which may not be measured at that size. */
int cpm_lmo2_ports_plan(int n, size_t bytes, const cpm_measurements *so_far, cpm_design *next,
                        cpm_error *e)
{
    ports p;
    bool mixed = false;
    int status = open_ports(n, bytes, so_far, &p, e);
    if (!status)
        status = are_mixed(&p, &mixed, e);
    if (!status && mixed)
        status = cpm_design_both_ways(next, n, n, CPM_ROUNDTRIP, bytes, 0, e);
    if (!status && mixed && cpm_design_is_measured(next, so_far))
        status = plan_trains(&p, next, e);
    free(p.port);
    return status;
}

/* ---- what was found */

static int add_port(cpm_links_draft *d, int host, int partner, int port, cpm_error *e)
{
    char name[64];
    snprintf(name, sizeof name, "port%d.%d>", host, port);
    int out = -1, in = -1, status = cpm_links_draft_cross(d, host, partner, name, &out, e);
    snprintf(name, sizeof name, "port%d.%d<", host, port);
    return status ? status : cpm_links_draft_cross(d, partner, host, name, &in, e);
}

/* Of a process with one port its link end says it all. */
static int add_host(const ports *p, int i, cpm_links_draft *d, cpm_error *e)
{
    int most = 0, status = CPM_OK;
    for (int j = 0; j < p->n; j++)
        most = p->port[i * p->n + j] > most ? p->port[i * p->n + j] : most;
    for (int j = 0; j < p->n && most > 0 && !status; j++)
        if (j != i)
            status = add_port(d, i, j, p->port[i * p->n + j], e);
    return status;
}

int cpm_lmo2_ports_find(int n, size_t bytes, const cpm_measurements *m, cpm_links *out,
                        cpm_error *e)
{
    ports p;
    bool mixed = false;
    cpm_links_draft d = {.hosts = n};
    *out = (cpm_links){0};
    int status = open_ports(n, bytes, m, &p, e);
    if (!status)
        status = are_mixed(&p, &mixed, e);
    for (int i = 0; i < n && mixed && !status; i++)
        mixed = assign_all(&p, i);
    for (int i = 0; i < n && mixed && !status; i++)
        status = add_host(&p, i, &d, e);
    free(p.port);
    if (!status && d.count)
        return cpm_links_draft_end(&d, out, e);
    cpm_links_draft_clear(&d);
    return status;
}

/* The slowest link between host i and any other, out or in; 0: it has none. */
static double slowest_port(const cpm_model *m, int i, bool in)
{
    double slowest = 0;
    for (int j = 0; j < m->links.hosts; j++) {
        int count;
        const int *way = cpm_links_way(&m->links, in ? j : i, in ? i : j, &count);
        for (int u = 0; u < count; u++)
            slowest = fmax(slowest, m->value[CPM_LMO2_LINK][way[u]]);
    }
    return slowest;
}

void cpm_lmo2_ports_keep(cpm_model *m)
{
    static const int ends[] = {CPM_LMO2_GO, CPM_LMO2_GI};
    for (int in = 0; in < 2; in++)
        for (int i = 0; i < m->links.hosts; i++) {
            double port = slowest_port(m, i, in), *end = &m->value[ends[in]][i];
            if (port > 0 && *end > (1 + least_behind) / 2 * port)
                *end = m->ci[ends[in]][i] = NAN;
        }
}
