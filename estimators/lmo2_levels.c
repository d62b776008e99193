#include "estimators/lmo2_levels.h"

#include <stdlib.h>

#include "estimators/company.h"
#include "estimators/designs.h"
#include "estimators/rendezvous.h"
#include "estimators/switches_find.h"
#include "measurements/switches.h"

/* ---- representatives */

void cpm_lmo2_levels_free(cpm_lmo2_levels *l)
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
static void choose_pairs(cpm_lmo2_levels *l, const int *rank_of, const int *first)
{
    l->inside.n = l->across.n = 0;
    for (int h = 0; h < l->hosts.count; h++) {
        int count = first[h + 1] - first[h];
        choose_pair(&l->hosts, rank_of + first[h], count, false, &l->inside);
        choose_pair(&l->hosts, rank_of + first[h], count, true, &l->across);
    }
}

/* Sockets are told apart where there are messages of both kinds. */
static int choose_with(cpm_lmo2_levels *l, const int *rank_of, const int *first, cpm_error *e)
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

static int choose_representatives(cpm_lmo2_levels *l, cpm_error *e)
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

/* More would take too long alone. */
enum { MOST_ALONE = 32 };

/* Switches with one host each explain nothing. */
static int judge_switches(const cpm_measurements *seen, cpm_lmo2_levels *l, cpm_error *e)
{
    bool still = l->switches.count < 2 || l->switches.count == l->hosts.count;
    int status = still ? CPM_OK : cpm_company_shares(seen->n, CPM_APART, seen, &still, e);
    l->alone = still && seen->n <= MOST_ALONE;
    if (l->switches.count < 2 || l->switches.count == l->hosts.count)
        cpm_hosts_clear(&l->switches);
    return status;
}

/* Where the campaign has shown that there must be some: from its own latencies and exchanges. */
static int find_switches(const cpm_measurements *m, cpm_lmo2_levels *l, cpm_error *e)
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

int cpm_lmo2_levels_find(const cpm_measurements *m, int n, cpm_lmo2_levels *out, cpm_error *e)
{
    *out = (cpm_lmo2_levels){0};
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

/* ---- what they have shown */

int cpm_lmo2_protocol_find(const cpm_view *v, const cpm_measurements *m, size_t largest,
                           cpm_lmo2_protocol *out, cpm_error *e)
{
    cpm_measurements seen = {0};
    int status = cpm_view_measurements(v, m, &seen, e);
    *out = (cpm_lmo2_protocol){0};
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

int cpm_lmo2_rendezvous(const cpm_estimation *options, const cpm_measurements *m, size_t *bytes,
                        cpm_error *e)
{
    cpm_lmo2_levels l;
    cpm_lmo2_protocol p = {0};
    int status = cpm_lmo2_levels_find(m, m->n, &l, e);
    if (!status && l.between.n > 1)
        status = cpm_lmo2_protocol_find(&l.between, m, cpm_design_largest(options), &p, e);
    *bytes = p.rendezvous;
    cpm_regimes_free(&p.regimes);
    cpm_lmo2_levels_free(&l);
    return status;
}
