/* What is to be measured of hosts with several processes. */
#include "estimators/lmo2_levels.h"

#include <stdlib.h>

#include "estimators/designs.h"
#include "estimators/lmo2_apart.h"
#include "estimators/lmo2_contention.h"
#include "estimators/lmo2_copies.h"
#include "estimators/lmo2_core.h"
#include "estimators/lmo2_links.h"
#include "estimators/lmo2_members.h"
#include "estimators/lmo2_ports.h"
#include "estimators/lmo2_routes.h"
#include "estimators/lmo2_trunks.h"
#include "estimators/switches_find.h"

cpm_plan_function cpm_lmo2_plan;

static cpm_lmo2_network network_of(const cpm_lmo2_levels *l)
{
    return (cpm_lmo2_network){cpm_lmo2_inside_of(l), !l->given, l->shared, l->alone};
}

static int plan_in(const cpm_lmo2_levels *l, const cpm_view *v, bool pairs,
                   const cpm_estimation *options, const cpm_measurements *so_far, cpm_design *next,
                   cpm_error *e)
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

static int plan_shared(const cpm_lmo2_levels *l, const cpm_view *v, plan_contention *contention,
                       const cpm_estimation *options, const cpm_measurements *so_far,
                       cpm_design *next, cpm_error *e)
{
    cpm_lmo2_protocol p;
    int status = cpm_lmo2_protocol_find(v, so_far, cpm_design_largest(options), &p, e);
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
static int plan_one(const cpm_lmo2_levels *l, const cpm_view *v, bool pairs,
                    plan_contention *contention, const cpm_estimation *options,
                    const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
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

static int plan_levels(const cpm_lmo2_levels *l, const cpm_estimation *options,
                       const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    int status = plan_one(l, &l->between, false, cpm_lmo2_ends_plan, options, so_far, next, e);
    if (!status)
        status = plan_one(l, &l->inside, true, plan_processes, options, so_far, next, e);
    return status ? status
                  : plan_one(l, &l->across, true, cpm_lmo2_sockets_plan, options, so_far, next, e);
}

static int plan_hosts(const cpm_lmo2_levels *l, const cpm_estimation *options,
                      const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    const cpm_lmo2_network network = network_of(l);
    return cpm_lmo2_each_alone(l)
               ? cpm_lmo2_plan_level(options, l->hosts.n, &network, so_far, next, e)
               : plan_levels(l, options, so_far, next, e);
}

/* What the first processes of hosts, seen alone, are to measure besides. */
typedef int plan_besides(const cpm_lmo2_levels *l, const cpm_lmo2_protocol *p,
                         const cpm_measurements *seen, cpm_design *next, cpm_error *e);

/* When all else between hosts is known. */
static int plan_between(const cpm_lmo2_levels *l, const cpm_estimation *options,
                        plan_besides *besides, const cpm_measurements *so_far, cpm_design *next,
                        cpm_error *e)
{
    cpm_lmo2_protocol p;
    cpm_measurements seen = {0};
    cpm_design theirs = {0};
    int status = cpm_lmo2_protocol_find(&l->between, so_far, cpm_design_largest(options), &p, e);
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
static int plan_crossing(const cpm_lmo2_levels *l, size_t bytes, const cpm_measurements *seen,
                         cpm_design *next, cpm_error *e)
{
    cpm_links routes = {0};
    int status = cpm_lmo2_trunks_plan(&l->crossing, bytes, seen, next, e);
    if (!status && cpm_lmo2_may_have_routes(l))
        status = cpm_lmo2_routes_plan(&l->crossing, bytes, seen, next, e);
    if (!status && cpm_lmo2_may_have_routes(l))
        status = cpm_lmo2_routes_find(&l->crossing, bytes, seen, &routes, e);
    if (!status && routes.count)
        status = cpm_lmo2_links_plan(&routes, bytes, next, e);
    cpm_links_clear(&routes);
    return status;
}

/* Trunks, links, or what may be one for all. */
static int plan_inside(const cpm_lmo2_levels *l, const cpm_lmo2_protocol *p,
                       const cpm_measurements *seen, cpm_design *next, cpm_error *e)
{
    size_t bytes = cpm_lmo2_crossing(&p->regimes, p->rendezvous);
    int status = CPM_OK;
    if (l->crossing.count > 1)
        status = plan_crossing(l, bytes, seen, next, e);
    if (!status && l->links.count)
        status = cpm_lmo2_links_plan(&l->links, bytes, next, e);
    return !status && cpm_lmo2_inside_of(l).core
               ? cpm_lmo2_core_plan(cpm_lmo2_crossing_of(l), l->between.n, bytes, next, e)
               : status;
}

static int plan_switches(const cpm_lmo2_levels *l, const cpm_estimation *options,
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

static int plan_ports(const cpm_lmo2_levels *l, const cpm_lmo2_protocol *p,
                      const cpm_measurements *seen, cpm_design *next, cpm_error *e)
{
    return p->buffered >= CPM_LMO2_LEAST_SHARED
               ? cpm_lmo2_ports_plan(l->between.n, p->buffered, seen, next, e)
               : CPM_OK;
}

int cpm_lmo2_plan(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                  cpm_design *next, cpm_error *e)
{
    cpm_lmo2_levels l;
    int status = cpm_lmo2_levels_find(so_far, n, &l, e);
    if (!status && l.shared)
        status = cpm_switches_plan_exchanges((void *)(uintptr_t)so_far, n, so_far, next, e);
    if (!status && next->count == 0)
        status = l.switches.count > 1 || l.links.count || l.shared
                     ? plan_switches(&l, options, so_far, next, e)
                     : plan_hosts(&l, options, so_far, next, e);
    if (!status && cpm_lmo2_may_have_ports(&l) && cpm_design_is_measured(next, so_far))
        status = plan_between(&l, options, plan_ports, so_far, next, e);
    cpm_lmo2_levels_free(&l);
    return status;
}
