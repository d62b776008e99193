/* The model of hosts with several processes. */
#include "estimators/lmo2_levels.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/designs.h"
#include "estimators/lmo2_collectives.h"
#include "estimators/lmo2_contention.h"
#include "estimators/lmo2_copies.h"
#include "estimators/lmo2_homogeneous.h"
#include "estimators/lmo2_imported.h"
#include "estimators/lmo2_members.h"
#include "estimators/lmo2_told.h"
#include "estimators/switches_find.h"
#include "measurements/switches.h"
#include "models/allocate.h"
#include "models/lmo2.h"

cpm_fit_function cpm_lmo2_fit;

/* ---- between hosts */

/* The model of one process of each host; of a single host there is no network to know. */
static int fit_between(const cpm_lmo2_levels *l, const cpm_estimation *options,
                       const cpm_measurements *m, cpm_model **out, cpm_error *e)
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
        status = cpm_lmo2_network_fit(l, l->between.n > 2, &seen, &d, out, e);
    cpm_lmo2_data_free(&d);
    cpm_measurements_clear(&seen);
    return status;
}

/* The link ends of two hosts. */
static int fit_ends(const cpm_lmo2_levels *l, const cpm_estimation *options,
                    const cpm_measurements *m, cpm_model *out, cpm_error *e)
{
    cpm_lmo2_protocol p = {0};
    if (l->between.n != 2)
        return CPM_OK;
    int status = cpm_lmo2_protocol_find(&l->between, m, cpm_design_largest(options), &p, e);
    if (!status)
        status = cpm_lmo2_ends_fit(&l->hosts, p.buffered, m, out, e);
    cpm_regimes_free(&p.regimes);
    return status;
}

/* ---- inside hosts, and between their sockets */

/* The model of the pair of processes of one host, the pair-th of the view. */
static int fit_pair(const cpm_view *v, int pair, const cpm_lmo2_protocol *p,
                    const cpm_measurements *m, cpm_lmo2_lack *lack, cpm_model **out, cpm_error *e)
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

static int note_filled(const cpm_lmo2_levels *l, cpm_level level, int unknown, cpm_model *m,
                       cpm_error *e)
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

static int fill_hosts(const cpm_lmo2_levels *l, cpm_level level, const bool *known, cpm_model *m,
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
static int fit_pairs(const cpm_lmo2_levels *l, cpm_level level, const cpm_lmo2_protocol *p,
                     const cpm_measurements *m, bool *known, cpm_model *out, cpm_error *e)
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

static int fit_inside(const cpm_lmo2_levels *l, const cpm_lmo2_protocol *p,
                      const cpm_measurements *m, bool *known, cpm_model *out, cpm_error *e)
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

static int fit_across(const cpm_lmo2_levels *l, const cpm_lmo2_protocol *p,
                      const cpm_measurements *m, bool *known, cpm_model *out, cpm_error *e)
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
static int note_levels(const cpm_lmo2_levels *l, const cpm_measurements *measured, cpm_model *m,
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
static int note_regimes(const char *where, const cpm_lmo2_protocol *p, cpm_model *m, cpm_error *e)
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
static int host_classes(const cpm_lmo2_levels *l, const cpm_measurements *m, cpm_classes *out,
                        cpm_error *e)
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
static int first_sizes(const cpm_lmo2_protocol *p, cpm_sizes *out, cpm_error *e)
{
    out->at = malloc((size_t)p->regimes.count * sizeof *out->at + 1); /* not 0 bytes */
    if (!out->at)
        return cpm_no_memory(e);
    for (int k = 0; k < p->regimes.count; k++)
        out->at[out->count++] = p->regimes.at[k].first;
    return CPM_OK;
}

/* p[CPM_LEVELS]: what was found of each level. */
static int create(const cpm_lmo2_levels *l, const cpm_model *network, const cpm_lmo2_protocol *p,
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

static int fit_hosts(const cpm_lmo2_levels *l, const cpm_model *network, const cpm_lmo2_protocol *p,
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

static int fit_levels(const cpm_lmo2_levels *l, const cpm_estimation *options,
                      const cpm_measurements *m, cpm_model **out, cpm_error *e)
{
    cpm_model *network = NULL;
    cpm_lmo2_protocol p[CPM_LEVELS] = {0};
    int status = fit_between(l, options, m, &network, e);
    if (!status)
        status =
            cpm_lmo2_protocol_find(&l->inside, m, cpm_design_largest(options), &p[CPM_INSIDE], e);
    if (!status && l->across.n)
        status =
            cpm_lmo2_protocol_find(&l->across, m, cpm_design_largest(options), &p[CPM_ACROSS], e);
    if (!status)
        status = fit_hosts(l, network, p, m, out, e);
    if (!status)
        status = fit_ends(l, options, m, *out, e);
    cpm_model_free(network);
    cpm_regimes_free(&p[CPM_INSIDE].regimes);
    cpm_regimes_free(&p[CPM_ACROSS].regimes);
    return status;
}

static int fit_alone(const cpm_lmo2_levels *l, const cpm_estimation *options,
                     const cpm_measurements *m, cpm_model **out, cpm_error *e)
{
    cpm_lmo2_data d = {0};
    int status = cpm_lmo2_take(m, cpm_design_largest(options), &d, e);
    if (!status)
        status = cpm_lmo2_network_fit(l, true, m, &d, out, e);
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

/* Experiments that were measured again, apart or alone. Round trips alone are also what asks
 * whether links are shared: then there are no others. */
static int measured_again(const cpm_measurements *m, int again)
{
    int count = 0;
    bool others = again == CPM_APART;
    for (int q = 0; q < m->count; q++) {
        const cpm_experiment *x = &m->at[q].what;
        if (!cpm_lmo2_is_repeated(x) || x->count != again)
            continue;
        count++;
        others = others || x->kind != &cpm_experiment_kinds[CPM_ROUNDTRIP];
    }
    return others ? count : 0;
}

static int note_again(const char *found, const char *how, int count, cpm_model *m, cpm_error *e)
{
    if (!count)
        return cpm_note(&m->notes, e,
                        CPM_LMO2_SHARED "%s. Messages with bytes were not measured again %s", found,
                        how);
    return cpm_note(&m->notes, e,
                    CPM_LMO2_SHARED "%s. %d experiments with bytes were measured again %s", found,
                    count, how);
}

/* Whether exchanges were measured that show switches where latencies do not. */
static int asked_switches(const cpm_measurements *measured, bool *asked, cpm_error *e)
{
    cpm_design next = {0};
    int status =
        cpm_switches_plan_exchanges((void *)(uintptr_t)measured, measured->n, measured, &next, e);
    *asked = !status && cpm_design_is_measured(&next, measured);
    cpm_design_clear(&next);
    return status;
}

/* What the campaign found out by itself. */
static int note_shared(const cpm_lmo2_levels *l, const cpm_measurements *measured, cpm_model *m,
                       cpm_error *e)
{
    char found[60];
    bool asked = false;
    if (!l->shared)
        return CPM_OK;
    if (l->switches.count > 1 && !l->alone) {
        snprintf(found, sizeof found, ": hosts seem to be at %d switches", l->switches.count);
        return note_again(found, "apart", measured_again(measured, CPM_APART), m, e);
    }
    int status = asked_switches(measured, &asked, e);
    return status ? status
                  : note_again(asked ? ". Switches do not explain all of it"
                                     : ". Whether switches explain it was not measured",
                               "one by one", measured_again(measured, CPM_ALONE), m, e);
}

int cpm_lmo2_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                 cpm_error *e)
{
    cpm_lmo2_levels l;
    cpm_model *model = NULL;
    if (cpm_lmo2_only_collectives(m))
        return cpm_lmo2_fit_homogeneous(options, m, out, e);
    if (cpm_is_imported(m))
        return cpm_lmo2_fit_imported(m, out, e);
    int status = cpm_lmo2_levels_find(m, m->n, &l, e);
    if (!status)
        status = cpm_lmo2_each_alone(&l) ? fit_alone(&l, options, m, &model, e)
                                         : fit_levels(&l, options, m, &model, e);
    if (!status)
        status = note_deeper(m, model, e);
    if (!status)
        status = note_ways(m, model, e);
    if (!status)
        status = cpm_lmo2_told_note(&l, m, model, e);
    if (!status)
        status = note_shared(&l, m, model, e);
    if (!status)
        status = cpm_lmo2_local_fit(m, model, e);
    if (!status)
        status = cpm_lmo2_from_collectives(m, model, e);
    cpm_lmo2_levels_free(&l);
    return cpm_model_hand_over(status, model, out);
}
