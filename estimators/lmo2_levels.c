/* Extended LMO of hosts with several processes: a model of the network, from one process of each
 * host, and a model of every host's inside, from two of its processes. Each is planned and fitted
 * as if there were no others; what is new is what the processes of a host share: many of them at
 * once (crowded-trip) show how fast its memory is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/company.h"
#include "estimators/designs.h"
#include "estimators/lmo2.h"
#include "estimators/lmo2_apart.h"
#include "estimators/lmo2_collectives.h"
#include "estimators/lmo2_contention.h"
#include "estimators/lmo2_copies.h"
#include "estimators/lmo2_core.h"
#include "estimators/lmo2_homogeneous.h"
#include "estimators/lmo2_links.h"
#include "estimators/lmo2_members.h"
#include "estimators/lmo2_ports.h"
#include "estimators/lmo2_routes.h"
#include "estimators/lmo2_trunks.h"
#include "estimators/rendezvous.h"
#include "estimators/switches_find.h"
#include "estimators/view.h"
#include "measurements/switches.h"
#include "models/allocate.h"
#include "models/experiments.h"
#include "models/lmo2.h"

cpm_plan_function cpm_lmo2_plan;
cpm_fit_function cpm_lmo2_fit;

/* ---- representatives */

typedef struct {
    cpm_hosts hosts;
    cpm_hosts switches; /* of all processes; none: nothing is known of these */
    cpm_links links;    /* between hosts; none: nothing is known of these */
    bool given;         /* they are, or links are, the topology's */
    bool shared;        /* hosts that have none in common slow each other, */
    bool alone;         /* and switches do not explain it */
    cpm_hosts crossing; /* of the first process of each host, in the same order */
    cpm_view between;   /* the first process of each host */
    cpm_view inside;    /* the first two of each host that has two (on one socket, if these are
                           told apart), one pair after the other */
    cpm_view across;    /* the first two on different sockets of each host that has such; none:
                           sockets are not told apart */
} levels;

static void free_levels(levels *l)
{
    cpm_hosts_clear(&l->hosts);
    cpm_hosts_clear(&l->crossing);
    cpm_hosts_clear(&l->switches);
    cpm_links_clear(&l->links);
    cpm_view_clear(&l->between);
    cpm_view_clear(&l->inside);
    cpm_view_clear(&l->across);
}

/* Appends the first two of a host's processes, rank[count], that are apart, or that are not. */
static void choose_pair(const cpm_hosts *hosts, const int *rank, int count, bool apart,
                        cpm_view *out)
{
    for (int q = 0; q < count && (!apart || hosts->socket); q++)
        for (int r = q + 1; r < count; r++)
            if (cpm_hosts_apart(hosts, rank[q], rank[r]) == apart) {
                out->process[out->n++] = rank[q];
                out->process[out->n++] = rank[r];
                return;
            }
}

/* rank_of, first: as cpm_hosts_sort gives them. */
static void choose_pairs(levels *l, const int *rank_of, const int *first)
{
    l->inside.n = l->across.n = 0;
    for (int h = 0; h < l->hosts.count; h++) {
        int count = first[h + 1] - first[h];
        choose_pair(&l->hosts, rank_of + first[h], count, false, &l->inside);
        choose_pair(&l->hosts, rank_of + first[h], count, true, &l->across);
    }
}

/* Sockets are told apart where there are messages of both kinds. */
static int choose_with(levels *l, const int *rank_of, const int *first, cpm_error *e)
{
    for (int h = 0; h < l->hosts.count; h++)
        l->between.process[l->between.n++] = rank_of[first[h]];
    choose_pairs(l, rank_of, first);
    if (l->inside.n && l->across.n)
        return CPM_OK;
    int status = cpm_hosts_set_sockets(&l->hosts, NULL, e);
    choose_pairs(l, rank_of, first);
    return status;
}

static int choose_representatives(levels *l, cpm_error *e)
{
    size_t hosts = (size_t)l->hosts.count, n = (size_t)l->hosts.n;
    int *rank_of = malloc(n * sizeof *rank_of), *first = malloc((hosts + 1) * sizeof *first);
    l->between.process = malloc(hosts * sizeof *l->between.process);
    l->inside.process = malloc(2 * hosts * sizeof *l->inside.process);
    l->across.process = malloc(2 * hosts * sizeof *l->across.process);
    int status = rank_of && first && l->between.process && l->inside.process && l->across.process
                     ? CPM_OK
                     : cpm_no_memory(e);
    if (!status) {
        cpm_hosts_sort(&l->hosts, rank_of, first);
        status = choose_with(l, rank_of, first, e);
    }
    free(rank_of);
    free(first);
    return status;
}

/* More would take too long alone; fewer have too few partners to tell ports. */
enum { MOST_ALONE = 32, LEAST_OF_PORTS = 5 };

/* Switches with one host each explain nothing. */
static int judge_switches(const cpm_measurements *seen, levels *l, cpm_error *e)
{
    bool still = l->switches.count < 2 || l->switches.count == l->hosts.count;
    int status = still ? CPM_OK : cpm_company_shares(seen->n, CPM_APART, seen, &still, e);
    l->alone = still && seen->n <= MOST_ALONE;
    if (l->switches.count < 2 || l->switches.count == l->hosts.count)
        cpm_hosts_clear(&l->switches);
    return status;
}

/* Where the campaign has shown that there must be some: from its own latencies and exchanges. */
static int find_switches(const cpm_measurements *m, levels *l, cpm_error *e)
{
    cpm_measurements seen = {0};
    cpm_switches_signs exchanged;
    int status = cpm_view_measurements(&l->between, m, &seen, e);
    if (!status)
        status = cpm_company_shares(seen.n, 1, &seen, &l->shared, e);
    if (!status && l->shared)
        status = cpm_switches_find(m, m, &l->switches, &exchanged, e);
    if (!status && l->shared)
        status = judge_switches(&seen, l, e);
    l->shared = l->shared && (l->alone || l->switches.count > 0);
    cpm_measurements_clear(&seen);
    return status;
}

static int find_levels(const cpm_measurements *m, int n, levels *out, cpm_error *e)
{
    *out = (levels){0};
    int status = cpm_measurements_hosts(m, n, &out->hosts, e);
    if (!status)
        status = cpm_measurements_switches(m, n, &out->switches, e);
    if (!status)
        status = cpm_measurements_links(m, out->hosts.count, &out->links, e);
    out->given = out->switches.count > 0 || out->links.count > 0;
    if (!status)
        status = choose_representatives(out, e);
    if (!status && !out->given)
        status = find_switches(m, out, e);
    return status || !out->switches.count ? status
                                          : cpm_hosts_of(&out->switches, out->between.process,
                                                         out->between.n, &out->crossing, e);
}

static bool each_alone(const levels *l)
{
    return l->hosts.count == l->hosts.n;
}

/* ---- planning */

static const cpm_hosts *crossing_of(const levels *l)
{
    return l->crossing.count ? &l->crossing : NULL;
}

/* Of the first processes of hosts. */
static cpm_lmo2_inside inside_of(const levels *l)
{
    return (cpm_lmo2_inside){.switches = crossing_of(l),
                             .links = l->links.count ? &l->links : NULL,
                             .core = !l->links.count && (l->shared || l->crossing.count > 1)};
}

static cpm_lmo2_network network_of(const levels *l)
{
    return (cpm_lmo2_network){inside_of(l), !l->given, l->shared, l->alone};
}

static int plan_in(const levels *l, const cpm_view *v, bool pairs, const cpm_estimation *options,
                   const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    const cpm_lmo2_network network = network_of(l);
    cpm_measurements seen = {0};
    cpm_design theirs = {0};
    int status = cpm_view_measurements(v, so_far, &seen, e);
    if (!status)
        status = cpm_lmo2_plan_level(options, v->n, pairs ? NULL : &network, &seen, &theirs, e);
    if (!status)
        status = cpm_view_design(v, &theirs, next, e);
    cpm_measurements_clear(&seen);
    cpm_design_clear(&theirs);
    return status;
}

/* What the processes of a view have shown of the messages among them. */
typedef struct {
    cpm_regimes regimes;
    size_t rendezvous, buffered;
    size_t synchronous; /* the largest that is measured; 0: there is none */
} protocol;

static int find_protocol(const cpm_view *v, const cpm_measurements *m, size_t largest,
                         protocol *out, cpm_error *e)
{
    cpm_measurements seen = {0};
    int status = cpm_view_measurements(v, m, &seen, e);
    *out = (protocol){0};
    if (!status) {
        out->rendezvous = cpm_rendezvous_find(&seen, seen.n, largest);
        status = cpm_regimes_find(&seen, seen.n, largest, out->rendezvous, &out->regimes, e);
    }
    if (!status)
        out->buffered = cpm_lmo2_largest(&out->regimes, out->rendezvous);
    size_t longest = status ? 0 : cpm_lmo2_largest(&out->regimes, 0);
    out->synchronous = out->rendezvous && longest >= out->rendezvous ? longest : 0;
    cpm_measurements_clear(&seen);
    return status;
}

/* What the messages of many processes at once show (lmo2_contention.h). */
typedef int plan_contention(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                            cpm_design *next, cpm_error *e);

/* Of the processes of hosts: their memory, and whether they are alike. */
static int plan_processes(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                          cpm_design *next, cpm_error *e)
{
    int status = cpm_lmo2_memory_plan(hosts, bytes, so_far, next, e);
    return status ? status : cpm_lmo2_members_plan(hosts, bytes, next, e);
}

static int plan_shared(const levels *l, const cpm_view *v, plan_contention *contention,
                       const cpm_estimation *options, const cpm_measurements *so_far,
                       cpm_design *next, cpm_error *e)
{
    protocol p;
    int status = find_protocol(v, so_far, cpm_design_largest(options), &p, e);
    if (!status && p.buffered >= CPM_LMO2_LEAST_SHARED)
        status = contention(&l->hosts, p.buffered, so_far, next, e);
    if (!status && v == &l->inside && p.synchronous)
        status = cpm_lmo2_fetching_plan(&l->hosts, p.synchronous, so_far, next, e);
    if (!status && v == &l->inside && p.synchronous)
        status = cpm_lmo2_copies_plan(&l->hosts, p.synchronous, next, e);
    if (!status && v == &l->inside && p.synchronous)
        status = cpm_lmo2_copying_plan(&l->hosts, p.synchronous, so_far, next, e);
    cpm_regimes_free(&p.regimes);
    return status;
}

/* One level: its processes (pairs: 0 and 1, 2 and 3, ... only), and when these are measured what
 * many of them share. */
static int plan_one(const levels *l, const cpm_view *v, bool pairs, plan_contention *contention,
                    const cpm_estimation *options, const cpm_measurements *so_far, cpm_design *next,
                    cpm_error *e)
{
    cpm_design theirs = {0};
    if (v->n < 2)
        return CPM_OK;
    int status = plan_in(l, v, pairs, options, so_far, &theirs, e);
    bool known = !status && cpm_design_is_measured(&theirs, so_far);
    if (!status)
        status = cpm_plan_fixed(&theirs, l->hosts.n, so_far, next, e);
    cpm_design_clear(&theirs);
    return !status && known ? plan_shared(l, v, contention, options, so_far, next, e) : status;
}

static int plan_levels(const levels *l, const cpm_estimation *options,
                       const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    int status = plan_one(l, &l->between, false, cpm_lmo2_ends_plan, options, so_far, next, e);
    if (!status)
        status = plan_one(l, &l->inside, true, plan_processes, options, so_far, next, e);
    return status ? status
                  : plan_one(l, &l->across, true, cpm_lmo2_sockets_plan, options, so_far, next, e);
}

static int plan_hosts(const levels *l, const cpm_estimation *options,
                      const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    const cpm_lmo2_network network = network_of(l);
    return each_alone(l) ? cpm_lmo2_plan_level(options, l->hosts.n, &network, so_far, next, e)
                         : plan_levels(l, options, so_far, next, e);
}

/* Where it was not told which links there are. */
static bool may_have_routes(const levels *l)
{
    return !l->links.count && l->crossing.count > 1;
}

/* What the first processes of hosts, seen alone, are to measure besides. */
typedef int plan_besides(const levels *l, const protocol *p, const cpm_measurements *seen,
                         cpm_design *next, cpm_error *e);

/* When all else between hosts is known. */
static int plan_between(const levels *l, const cpm_estimation *options, plan_besides *besides,
                        const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    protocol p;
    cpm_measurements seen = {0};
    cpm_design theirs = {0};
    int status = find_protocol(&l->between, so_far, cpm_design_largest(options), &p, e);
    if (!status)
        status = cpm_view_measurements(&l->between, so_far, &seen, e);
    if (!status)
        status = besides(l, &p, &seen, &theirs, e);
    if (!status)
        status = cpm_view_design(&l->between, &theirs, next, e);
    cpm_design_clear(&theirs);
    cpm_measurements_clear(&seen);
    cpm_regimes_free(&p.regimes);
    return status;
}

/* Trunks; and if switches have several links, these. */
static int plan_crossing(const levels *l, size_t bytes, const cpm_measurements *seen,
                         cpm_design *next, cpm_error *e)
{
    cpm_links routes = {0};
    int status = cpm_lmo2_trunks_plan(&l->crossing, bytes, seen, next, e);
    if (!status && may_have_routes(l))
        status = cpm_lmo2_routes_plan(&l->crossing, bytes, seen, next, e);
    if (!status && may_have_routes(l))
        status = cpm_lmo2_routes_find(&l->crossing, bytes, seen, &routes, e);
    if (!status && routes.count)
        status = cpm_lmo2_links_plan(&routes, bytes, next, e);
    cpm_links_clear(&routes);
    return status;
}

/* Trunks, links, or what may be one for all. */
static int plan_inside(const levels *l, const protocol *p, const cpm_measurements *seen,
                       cpm_design *next, cpm_error *e)
{
    size_t bytes = cpm_lmo2_crossing(&p->regimes, p->rendezvous);
    int status = CPM_OK;
    if (l->crossing.count > 1)
        status = plan_crossing(l, bytes, seen, next, e);
    if (!status && l->links.count)
        status = cpm_lmo2_links_plan(&l->links, bytes, next, e);
    return !status && inside_of(l).core
               ? cpm_lmo2_core_plan(crossing_of(l), l->between.n, bytes, next, e)
               : status;
}

static int plan_switches(const levels *l, const cpm_estimation *options,
                         const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    cpm_design asked = {0};
    const cpm_lmo2_inside inside = {.switches = l->switches.count ? &l->switches : NULL,
                                    .hosts = &l->hosts,
                                    .links = l->links.count ? &l->links : NULL};
    int status = plan_hosts(l, options, so_far, &asked, e);
    if (!status && cpm_design_is_measured(&asked, so_far))
        status = plan_between(l, options, plan_inside, so_far, &asked, e);
    if (!status)
        status = cpm_design_close_round(&asked, e);
    if (!status)
        status = cpm_lmo2_keep_apart(&inside, &asked, next, e);
    cpm_design_clear(&asked);
    return status;
}

static int plan_ports(const levels *l, const protocol *p, const cpm_measurements *seen,
                      cpm_design *next, cpm_error *e)
{
    return p->buffered >= CPM_LMO2_LEAST_SHARED
               ? cpm_lmo2_ports_plan(l->between.n, p->buffered, seen, next, e)
               : CPM_OK;
}

/* Where nothing else is known to be shared inside the network. */
static bool may_have_ports(const levels *l)
{
    return !l->given && !l->shared && l->between.n >= LEAST_OF_PORTS;
}

int cpm_lmo2_plan(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                  cpm_design *next, cpm_error *e)
{
    levels l;
    int status = find_levels(so_far, n, &l, e);
    if (!status && l.shared)
        status = cpm_switches_plan_exchanges((void *)(uintptr_t)so_far, n, so_far, next, e);
    if (!status && next->count == 0)
        status = l.switches.count > 1 || l.links.count || l.shared
                     ? plan_switches(&l, options, so_far, next, e)
                     : plan_hosts(&l, options, so_far, next, e);
    if (!status && may_have_ports(&l) && cpm_design_is_measured(next, so_far))
        status = plan_between(&l, options, plan_ports, so_far, next, e);
    free_levels(&l);
    return status;
}

int cpm_lmo2_rendezvous(const cpm_estimation *options, const cpm_measurements *m, size_t *bytes,
                        cpm_error *e)
{
    levels l;
    protocol p = {0};
    int status = find_levels(m, m->n, &l, e);
    if (!status && l.between.n > 1)
        status = find_protocol(&l.between, m, cpm_design_largest(options), &p, e);
    *bytes = p.rendezvous;
    cpm_regimes_free(&p.regimes);
    free_levels(&l);
    return status;
}

/* ---- fitting: between hosts */

/* How far a model is off the trains, on average, as a share of their times. */
static int miss_trains(const cpm_model *m, const cpm_measurements *seen, double *off, cpm_error *e)
{
    int count = 0, status = CPM_OK;
    double sum = 0, seconds;
    for (int q = 0; q < seen->count && !status; q++) {
        const cpm_measurement *r = &seen->at[q];
        if (r->what.kind != &cpm_experiment_kinds[CPM_TRAIN] || !(r->summary.min > 0))
            continue;
        status = cpm_model_experiments(m, &r->what, 1, &seconds, e);
        sum += fabs(seconds / cpm_measurement_value(r, seen->statistic) - 1);
        count++;
    }
    *off = count ? sum / count : 0;
    return status;
}

/* With ports, which take the place of the model without them if they explain trains far better. */
static int fit_ports(const cpm_links *ports, bool ends, const cpm_measurements *seen,
                     const cpm_lmo2_data *d, cpm_model **out, cpm_error *e)
{
    const cpm_lmo2_inside inside = {.links = ports};
    cpm_model *other = NULL;
    double off = 0, off_other = 0;
    int status = cpm_lmo2_fit_level(seen, d, ends, &inside, NULL, &other, e);
    if (!status)
        cpm_lmo2_ports_keep(other);
    if (!status)
        status = miss_trains(*out, seen, &off, e);
    if (!status)
        status = miss_trains(other, seen, &off_other, e);
    if (!status && off_other < off / 2) {
        cpm_model *worse = *out;
        *out = other;
        other = worse;
        status = cpm_note(&(*out)->notes, e,
                          CPM_LMO2_SHARED ": hosts have several ports. Which partners use the same "
                                          "one was measured");
    }
    cpm_model_free(other);
    return status;
}

/* With several links of each switch, which take the place of trunks if they explain bursts far
 * better. */
static int fit_routes(const levels *l, const cpm_links *routes, const cpm_measurements *seen,
                      const cpm_lmo2_data *d, cpm_model **out, cpm_error *e)
{
    const cpm_lmo2_inside inside = {.switches = &l->crossing, .links = routes, .many = true};
    size_t bytes = cpm_lmo2_crossing(&d->regimes, d->rendezvous);
    cpm_model *other = NULL;
    int off = 0, off_other = 0;
    int status = cpm_lmo2_fit_level(seen, d, l->between.n > 2, &inside, NULL, &other, e);
    if (!status)
        status = cpm_lmo2_trunks_unexplained(&l->crossing, bytes, seen, *out, &off, e);
    if (!status)
        status = cpm_lmo2_trunks_unexplained(&l->crossing, bytes, seen, other, &off_other, e);
    if (!status && off_other < off / 2) {
        cpm_model *worse = *out;
        *out = other;
        other = worse;
        status = cpm_note(&(*out)->notes, e,
                          "switches have several links: of each destination it was measured which "
                          "one leads to it");
    }
    cpm_model_free(other);
    return status;
}

/* Fits the network of the first processes of hosts, seen from them. */
static int fit_network(const levels *l, bool ends, const cpm_measurements *seen,
                       const cpm_lmo2_data *d, cpm_model **out, cpm_error *e)
{
    const cpm_lmo2_inside inside = inside_of(l);
    cpm_links ports = {0}, routes = {0};
    int at = cpm_lmo2_buffered(d), status = CPM_OK;
    if (may_have_ports(l) && at >= 0)
        status = cpm_lmo2_ports_find(d->n, d->at[at].bytes, seen, &ports, e);
    if (!status)
        status = cpm_lmo2_fit_level(seen, d, ends, &inside, NULL, out, e);
    if (!status && ports.count)
        status = fit_ports(&ports, ends, seen, d, out, e);
    if (!status && may_have_routes(l))
        status = cpm_lmo2_routes_find(&l->crossing, cpm_lmo2_crossing(&d->regimes, d->rendezvous),
                                      seen, &routes, e);
    if (!status && routes.count)
        status = fit_routes(l, &routes, seen, d, out, e);
    cpm_links_clear(&ports);
    cpm_links_clear(&routes);
    return status;
}

/* The model of one process of each host; of a single host there is no network to know. */
static int fit_between(const levels *l, const cpm_estimation *options, const cpm_measurements *m,
                       cpm_model **out, cpm_error *e)
{
    cpm_measurements seen = {0};
    cpm_lmo2_data d = {0};
    *out = NULL;
    if (l->between.n < 2)
        return CPM_OK;
    int status = cpm_view_measurements(&l->between, m, &seen, e);
    if (!status)
        status = cpm_lmo2_take(&seen, cpm_design_largest(options), &d, e);
    if (!status)
        status = fit_network(l, l->between.n > 2, &seen, &d, out, e);
    cpm_lmo2_data_free(&d);
    cpm_measurements_clear(&seen);
    return status;
}

/* The link ends of two hosts. */
static int fit_ends(const levels *l, const cpm_estimation *options, const cpm_measurements *m,
                    cpm_model *out, cpm_error *e)
{
    protocol p = {0};
    if (l->between.n != 2)
        return CPM_OK;
    int status = find_protocol(&l->between, m, cpm_design_largest(options), &p, e);
    if (!status)
        status = cpm_lmo2_ends_fit(&l->hosts, p.buffered, m, out, e);
    cpm_regimes_free(&p.regimes);
    return status;
}

/* ---- fitting: inside hosts, and between their sockets */

/* The model of the pair of processes of one host, the pair-th of the view. */
static int fit_pair(const cpm_view *v, int pair, const protocol *p, const cpm_measurements *m,
                    cpm_lmo2_lack *lack, cpm_model **out, cpm_error *e)
{
    cpm_view two = {2, v->process + 2 * (ptrdiff_t)pair};
    cpm_measurements seen = {0};
    cpm_lmo2_data d = {0};
    int status = cpm_view_measurements(&two, m, &seen, e);
    if (!status)
        status = cpm_lmo2_take_with(&seen, &p->regimes, p->rendezvous, &d, e);
    if (!status)
        status = cpm_lmo2_fit_level(&seen, &d, false, NULL, lack, out, e);
    cpm_lmo2_data_free(&d);
    cpm_measurements_clear(&seen);
    return status;
}

/* The parameters that are the same of all levels. */
static const int same[][CPM_LEVELS] = {
    {CPM_LMO2_CS, CPM_LMO2_INSIDE_CS, CPM_LMO2_ACROSS_CS},
    {CPM_LMO2_TS, CPM_LMO2_INSIDE_TS, CPM_LMO2_ACROSS_TS},
    {CPM_LMO2_CR, CPM_LMO2_INSIDE_CR, CPM_LMO2_ACROSS_CR},
    {CPM_LMO2_TR, CPM_LMO2_INSIDE_TR, CPM_LMO2_ACROSS_TR},
    {CPM_LMO2_CN, CPM_LMO2_INSIDE_CN, CPM_LMO2_ACROSS_CN},
    {CPM_LMO2_TN, CPM_LMO2_INSIDE_TN, CPM_LMO2_ACROSS_TN},
    {CPM_LMO2_L, CPM_LMO2_INSIDE_L, CPM_LMO2_ACROSS_L},
    {CPM_LMO2_INVBETA, CPM_LMO2_INSIDE_INVBETA, CPM_LMO2_ACROSS_INVBETA},
};
enum { SAME = sizeof same / sizeof *same };

/* A host's value is the mean of its two processes, or of both ways between them. */
static void set_host(const cpm_model *pair, cpm_level level, int host, cpm_model *m)
{
    size_t hosts = (size_t)m->classes.count;
    for (size_t p = 0; p < SAME; p++)
        for (int k = 0; k < pair->sizes.count; k++) {
            int from = same[p][CPM_BETWEEN], of = same[p][level];
            bool link = pair->type->parameters[from].shape == CPM_PAIR;
            size_t one = link ? cpm_pair_place(pair, k, 0, 1) : cpm_place(pair, k, 0);
            size_t other = link ? cpm_pair_place(pair, k, 1, 0) : cpm_place(pair, k, 1);
            size_t to = (size_t)k * hosts + (size_t)host;
            m->value[of][to] = (pair->value[from][one] + pair->value[from][other]) / 2;
            m->ci[of][to] = hypot(pair->ci[from][one], pair->ci[from][other]) / 2;
        }
}

/* Of one slice over hosts: those that were measured (known) give the others their mean. */
static void fill_unknown(const bool *known, int hosts, double *value, double *ci)
{
    double sum = 0;
    int count = 0;
    for (int h = 0; h < hosts; h++)
        if (known[h]) {
            sum += value[h];
            count++;
        }
    for (int h = 0; h < hosts; h++)
        if (!known[h]) {
            value[h] = sum / count;
            ci[h] = NAN;
        }
}

static int note_filled(const levels *l, cpm_level level, int unknown, cpm_model *m, cpm_error *e)
{
    int hosts = l->hosts.count;
    if (level == CPM_ACROSS)
        return cpm_note(&m->notes, e,
                        "%d of %d hosts have processes on one socket only: what is between their "
                        "sockets is taken to be the mean of the others'",
                        unknown, hosts);
    return cpm_note(&m->notes, e,
                    "%d of %d hosts have one process%s: their inside is taken to be the mean of "
                    "the others'",
                    unknown, hosts, l->across.n ? " on a socket" : "");
}

static int fill_hosts(const levels *l, cpm_level level, const bool *known, cpm_model *m,
                      cpm_error *e)
{
    int hosts = m->classes.count, unknown = 0;
    for (int h = 0; h < hosts; h++)
        unknown += !known[h];
    for (size_t p = 0; p < SAME && unknown; p++)
        for (int k = 0; k < cpm_model_regimes(m, level)->count; k++) {
            size_t at = (size_t)k * (size_t)hosts;
            fill_unknown(known, hosts, m->value[same[p][level]] + at, m->ci[same[p][level]] + at);
        }
    return unknown ? note_filled(l, level, unknown, m, e) : CPM_OK;
}

/* known[hosts] is space. */
static int fit_pairs(const levels *l, cpm_level level, const protocol *p, const cpm_measurements *m,
                     bool *known, cpm_model *out, cpm_error *e)
{
    const cpm_view *v = level == CPM_ACROSS ? &l->across : &l->inside;
    cpm_lmo2_lack lack = {0}, worst = {0};
    int status = CPM_OK;
    memset(known, 0, (size_t)l->hosts.count * sizeof *known);
    for (int q = 0; q < v->n / 2 && !status; q++) {
        cpm_model *pair = NULL;
        int host = l->hosts.of[v->process[2 * (ptrdiff_t)q]];
        status = fit_pair(v, q, p, m, &lack, &pair, e);
        cpm_lmo2_worse_lack(&lack, &worst);
        if (!status)
            set_host(pair, level, host, out);
        known[host] = true;
        cpm_model_free(pair);
    }
    if (!status)
        status = cpm_lmo2_note_lack(
            level == CPM_ACROSS ? "between sockets: " : "inside hosts: ", &worst, out, e);
    return status ? status : fill_hosts(l, level, known, out, e);
}

static int fit_inside(const levels *l, const protocol *p, const cpm_measurements *m, bool *known,
                      cpm_model *out, cpm_error *e)
{
    if (p->rendezvous)
        out->value[CPM_LMO2_INSIDE_RENDEZVOUS][0] = (double)p->rendezvous;
    int status = fit_pairs(l, CPM_INSIDE, p, m, known, out, e);
    if (!status)
        status = cpm_lmo2_memory_fit(&l->hosts, p->buffered, m, out, e);
    if (!status)
        status = cpm_lmo2_members_fit(&l->hosts, p->buffered, m, out, e);
    if (!status && p->synchronous)
        status = cpm_lmo2_fetching_fit(&l->hosts, p->synchronous, m, out, e);
    if (!status && p->synchronous)
        status = cpm_lmo2_copies_fit(&l->hosts, p->synchronous, m, out, e);
    return status || isnan(out->value[CPM_LMO2_FETCHED][0])
               ? status
               : cpm_lmo2_copying_fit(&l->hosts, p->synchronous, m, out, e);
}

static int fit_across(const levels *l, const protocol *p, const cpm_measurements *m, bool *known,
                      cpm_model *out, cpm_error *e)
{
    if (!l->across.n)
        return CPM_OK;
    if (p->rendezvous)
        out->value[CPM_LMO2_ACROSS_RENDEZVOUS][0] = (double)p->rendezvous;
    int status = fit_pairs(l, CPM_ACROSS, p, m, known, out, e);
    return status ? status : cpm_lmo2_sockets_fit(&l->hosts, p->buffered, m, out, e);
}

/* 1 where nothing is said. */
static long number_behind(const char *text, const char *word)
{
    const char *at = text ? strstr(text, word) : NULL;
    return at ? strtol(at + strlen(word), NULL, 10) : 1;
}

/* Inside a host there is one level, unless its processes are known to be on several sockets. */
static int note_levels(const levels *l, const cpm_measurements *measured, cpm_model *m,
                       cpm_error *e)
{
    const char *inside = cpm_metadata_get(&measured->metadata, "inside");
    long sockets = number_behind(inside, "sockets "), caches = number_behind(inside, "caches ");
    if (l->across.n)
        return cpm_note(&m->notes, e,
                        "messages between sockets of a host are a level of their own, measured on "
                        "%d of %d hosts",
                        l->across.n / 2, l->hosts.count);
    if (!sockets && !caches)
        return cpm_note(
            &m->notes, e,
            "the system does not tell which sockets and caches processors share (CPM must be "
            "built with hwloc). The model treats messages inside a host alike");
    if (sockets <= 1 && caches <= 1)
        return CPM_OK;
    return cpm_note(
        &m->notes, e,
        "processes of a host have %ld sockets and %ld last-level caches, but the model treats "
        "messages inside a host alike, wherever its processes run. To tell them apart, bind each "
        "process to a processor, with two on one socket",
        sockets, caches);
}

/* Of the messages inside hosts, or between their sockets. */
static int note_regimes(const char *where, const protocol *p, cpm_model *m, cpm_error *e)
{
    if (!p->regimes.count)
        return CPM_OK;
    int status = cpm_note(&m->notes, e, "%s: %d regimes of message sizes", where, p->regimes.count);
    if (!status && p->rendezvous)
        status = cpm_note(&m->notes, e, "%s sends wait for their receivers from %zu bytes on",
                          where, p->rendezvous);
    return status;
}

/* ---- the model of hosts */

/* Class h is host h, under its name. */
static int host_classes(const levels *l, const cpm_measurements *m, cpm_classes *out, cpm_error *e)
{
    const char *hosts = cpm_metadata_get(&m->metadata, "hosts");
    char *line = strdup(hosts ? hosts : ""), *rest = line;
    const char **name = calloc((size_t)l->hosts.count, sizeof *name);
    int status = line && name ? CPM_OK : cpm_no_memory(e);
    for (int i = 0; i < l->hosts.n && !status; i++) {
        const char *word = strsep(&rest, " ");
        if (!name[l->hosts.of[i]])
            name[l->hosts.of[i]] = word ? word : "";
    }
    if (!status)
        status = cpm_classes_create(l->hosts.n, l->hosts.of, l->hosts.count, name, out, e);
    free(line);
    free(name);
    return status;
}

/* Hosts of the network's model are the classes. */
static int copy_network(const cpm_model *network, cpm_model *m, cpm_error *e)
{
    for (int p = 0; p < m->type->count; p++) {
        if (m->type->parameters[p].level != CPM_BETWEEN)
            continue;
        size_t bytes = cpm_parameter_all_values(m, p) * sizeof(double);
        memcpy(m->value[p], network->value[p], bytes);
        memcpy(m->ci[p], network->ci[p], bytes);
    }
    if (network->notes && !(m->notes = strdup(network->notes)))
        return cpm_no_memory(e);
    return CPM_OK;
}

/* The first sizes of the regimes; the caller frees out->at. */
static int first_sizes(const protocol *p, cpm_sizes *out, cpm_error *e)
{
    out->at = malloc((size_t)p->regimes.count * sizeof *out->at + 1); /* not 0 bytes */
    if (!out->at)
        return cpm_no_memory(e);
    for (int k = 0; k < p->regimes.count; k++)
        out->at[out->count++] = p->regimes.at[k].first;
    return CPM_OK;
}

/* p[CPM_LEVELS]: what was found of each level. */
static int create(const levels *l, const cpm_model *network, const protocol *p,
                  const cpm_measurements *m, cpm_model **out, cpm_error *e)
{
    size_t zero = 0;
    cpm_sizes first[CPM_LEVELS] = {network ? network->sizes : (cpm_sizes){&zero, 1}};
    cpm_classes classes = {0};
    int status = host_classes(l, m, &classes, e);
    for (int level = CPM_INSIDE; level < CPM_LEVELS && !status; level++)
        status = first_sizes(&p[level], &first[level], e);
    if (!status)
        status = cpm_model_allocate(&cpm_lmo2, &classes, first, out, e);
    for (int i = 0; i < l->hosts.n && !status; i++)
        status = cpm_model_set_host(*out, i, classes.name[l->hosts.of[i]], e);
    if (!status)
        status = cpm_model_settle_hosts(*out, e);
    if (!status)
        status = cpm_model_set_sockets(*out, l->hosts.socket, e);
    if (!status && l->switches.count)
        status = cpm_lmo2_set_switches(*out, &l->switches, e);
    if (!status && network)
        status = cpm_model_set_links(*out, &network->links, e);
    cpm_classes_clear(&classes);
    free(first[CPM_INSIDE].at);
    free(first[CPM_ACROSS].at);
    return status;
}

static int fit_hosts(const levels *l, const cpm_model *network, const protocol *p,
                     const cpm_measurements *m, cpm_model **out, cpm_error *e)
{
    bool *known = calloc((size_t)l->hosts.count, sizeof *known);
    int status = known ? create(l, network, p, m, out, e) : cpm_no_memory(e);
    if (!status && network)
        status = copy_network(network, *out, e);
    else if (!status)
        status = cpm_note(&(*out)->notes, e,
                          "all processes are on one host: nothing is known of a network");
    if (!status)
        status = note_regimes("inside hosts", &p[CPM_INSIDE], *out, e);
    if (!status)
        status = note_regimes("between sockets", &p[CPM_ACROSS], *out, e);
    if (!status)
        status = note_levels(l, m, *out, e);
    if (!status)
        status = fit_inside(l, &p[CPM_INSIDE], m, known, *out, e);
    if (!status)
        status = fit_across(l, &p[CPM_ACROSS], m, known, *out, e);
    free(known);
    return status;
}

static int fit_levels(const levels *l, const cpm_estimation *options, const cpm_measurements *m,
                      cpm_model **out, cpm_error *e)
{
    cpm_model *network = NULL;
    protocol p[CPM_LEVELS] = {0};
    int status = fit_between(l, options, m, &network, e);
    if (!status)
        status = find_protocol(&l->inside, m, cpm_design_largest(options), &p[CPM_INSIDE], e);
    if (!status && l->across.n)
        status = find_protocol(&l->across, m, cpm_design_largest(options), &p[CPM_ACROSS], e);
    if (!status)
        status = fit_hosts(l, network, p, m, out, e);
    if (!status)
        status = fit_ends(l, options, m, *out, e);
    cpm_model_free(network);
    cpm_regimes_free(&p[CPM_INSIDE].regimes);
    cpm_regimes_free(&p[CPM_ACROSS].regimes);
    return status;
}

static int fit_alone(const levels *l, const cpm_estimation *options, const cpm_measurements *m,
                     cpm_model **out, cpm_error *e)
{
    cpm_lmo2_data d = {0};
    int status = cpm_lmo2_take(m, cpm_design_largest(options), &d, e);
    if (!status)
        status = fit_network(l, true, m, &d, out, e);
    cpm_lmo2_data_free(&d);
    return status;
}

/* Of older files, whose campaigns did not fill inner links. */
static int note_deeper(const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    const char *links = cpm_metadata_get(&measured->metadata, "deeper_links");
    if (!links)
        return CPM_OK;
    return cpm_note(&m->notes, e,
                    "the topology has more than two levels: messages of several switches share %s "
                    "of its links, which the model takes to be never full",
                    links);
}

/* A topology in which messages may go several ways. */
static int note_ways(const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    const char *ways = cpm_metadata_get(&measured->metadata, CPM_METADATA_WAYS);
    return ways ? cpm_note(&m->notes, e, "which ways messages take in the topology is %s", ways)
                : CPM_OK;
}

/* What the campaign found out by itself. */
static int note_shared(const levels *l, cpm_model *m, cpm_error *e)
{
    if (!l->shared)
        return CPM_OK;
    if (l->switches.count > 1 && !l->alone)
        return cpm_note(&m->notes, e,
                        CPM_LMO2_SHARED ": hosts seem to be at %d switches. Long messages were "
                                        "measured again apart",
                        l->switches.count);
    return cpm_note(&m->notes, e,
                    CPM_LMO2_SHARED ". Switches do not explain all of it: long messages were "
                                    "measured again one by one");
}

int cpm_lmo2_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                 cpm_error *e)
{
    levels l;
    cpm_model *model = NULL;
    if (cpm_lmo2_only_collectives(m))
        return cpm_lmo2_fit_homogeneous(options, m, out, e);
    int status = find_levels(m, m->n, &l, e);
    if (!status)
        status = each_alone(&l) ? fit_alone(&l, options, m, &model, e)
                                : fit_levels(&l, options, m, &model, e);
    if (!status)
        status = note_deeper(m, model, e);
    if (!status)
        status = note_ways(m, model, e);
    if (!status)
        status = note_shared(&l, model, e);
    if (!status)
        status = cpm_lmo2_local_fit(m, model, e);
    if (!status)
        status = cpm_lmo2_from_collectives(m, model, e);
    free_levels(&l);
    return cpm_model_hand_over(status, model, out);
}
