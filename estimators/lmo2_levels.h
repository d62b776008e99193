/* Extended LMO of hosts with several processes: a model of the network, from one process of each
 * host, and a model of every host's inside, from two of its processes. Each is planned and fitted
 * as if there were no others; what is new is what the processes of a host share: many of them at
 * once (crowded-trip) show how fast its memory is. */
#ifndef CPM_ESTIMATORS_LMO2_LEVELS_H
#define CPM_ESTIMATORS_LMO2_LEVELS_H

#include "collectives/hosts.h"
#include "collectives/links.h"
#include "estimators/lmo2.h"
#include "estimators/view.h"

/* What is known of hosts, and who stands for them. */
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
} cpm_lmo2_levels;

/* Of n processes, as far as it was told or measured. CPM_EDATA, CPM_ENOMEM. The caller frees what
 * there is in any case. */
int cpm_lmo2_levels_find(const cpm_measurements *m, int n, cpm_lmo2_levels *out, cpm_error *e);
void cpm_lmo2_levels_free(cpm_lmo2_levels *l);

/* What the processes of a view have shown of the messages among them. */
typedef struct {
    cpm_regimes regimes;
    size_t rendezvous, buffered;
    size_t synchronous; /* the largest that is measured; 0: there is none */
} cpm_lmo2_protocol;

/* Of messages of up to so many bytes. CPM_EDATA: too little was measured; CPM_ENOMEM. The caller
 * frees the regimes. */
int cpm_lmo2_protocol_find(const cpm_view *v, const cpm_measurements *m, size_t largest,
                           cpm_lmo2_protocol *out, cpm_error *e);

/* Fits the network of the first processes of hosts, seen from them; ends: of their link ends, too.
 * CPM_EDATA, CPM_ENOMEM. */
int cpm_lmo2_network_fit(const cpm_lmo2_levels *l, bool ends, const cpm_measurements *seen,
                         const cpm_lmo2_data *d, cpm_model **out, cpm_error *e);

static inline bool cpm_lmo2_each_alone(const cpm_lmo2_levels *l)
{
    return l->hosts.count == l->hosts.n;
}

static inline const cpm_hosts *cpm_lmo2_crossing_of(const cpm_lmo2_levels *l)
{
    return l->crossing.count ? &l->crossing : NULL;
}

/* Of the first processes of hosts. */
static inline cpm_lmo2_inside cpm_lmo2_inside_of(const cpm_lmo2_levels *l)
{
    return (cpm_lmo2_inside){.switches = cpm_lmo2_crossing_of(l),
                             .links = l->links.count ? &l->links : NULL,
                             .core = !l->links.count && (l->shared || l->crossing.count > 1)};
}

/* Where it was not told which links there are. */
static inline bool cpm_lmo2_may_have_routes(const cpm_lmo2_levels *l)
{
    return !l->links.count && l->crossing.count > 1;
}

/* Where nothing else is known to be shared inside the network; fewer have too few partners. */
static inline bool cpm_lmo2_may_have_ports(const cpm_lmo2_levels *l)
{
    enum { LEAST = 5 };
    return !l->given && !l->shared && l->between.n >= LEAST;
}

#endif
