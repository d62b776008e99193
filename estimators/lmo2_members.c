#include "estimators/lmo2_members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>

/* ---- who meets whom */

/* The processes host by host; of hosts whose sockets are told apart, each of these is one here. */
typedef struct {
    int *rank_of, *first; /* as cpm_hosts_sort gives them */
    int hosts;
} members;

static int members_create(const cpm_hosts *hosts, members *out, cpm_error *e)
{
    cpm_hosts alike;
    *out = (members){0};
    int status = cpm_hosts_of_sockets(hosts, &alike, e);
    if (status)
        return status;
    *out = (members){.rank_of = malloc((size_t)alike.n * sizeof *out->rank_of),
                     .first = malloc(((size_t)alike.count + 1) * sizeof *out->first),
                     .hosts = alike.count};
    if (out->rank_of && out->first)
        cpm_hosts_sort(&alike, out->rank_of, out->first);
    else
        status = cpm_no_memory(e);
    cpm_hosts_clear(&alike);
    return status;
}

static void members_free(members *m)
{
    free(m->rank_of);
    free(m->first);
}

static int on_host(const members *m, int host)
{
    return m->first[host + 1] - m->first[host];
}

/* Pair q of the processes of a host: half of them have the others as partners; where their number
 * is odd the last one has the first, too, and alone (last). False: there is no such pair. */
static bool pair_of(const members *m, int host, bool last, int q, int *a, int *b)
{
    const int *rank = m->rank_of + m->first[host];
    int processes = on_host(m, host), half = processes / 2;
    if (last ? q > 0 || processes < 2 || processes % 2 == 0 : q >= half)
        return false;
    *a = rank[last ? processes - 1 : q];
    *b = rank[last ? 0 : q + half];
    return true;
}

/* What process i needs for a message to or from j. */
static cpm_experiment overhead_of(int i, int j, bool receive, size_t bytes)
{
    return receive ? cpm_experiment_pair(CPM_LATE_RECEIVE, i, j, 0, bytes)
                   : cpm_experiment_pair(CPM_SEND_TIME, i, j, bytes, 0);
}

/* ---- planning */

static int add_round(const members *m, bool last, bool turned, bool receive, size_t bytes,
                     cpm_design *next, cpm_error *e)
{
    int status = CPM_OK, a, b;
    for (int h = 0; h < m->hosts && !status; h++)
        for (int q = 0; pair_of(m, h, last, q, &a, &b) && !status; q++) {
            cpm_experiment x = overhead_of(turned ? b : a, turned ? a : b, receive, bytes);
            status = cpm_design_add(next, &x, e);
        }
    return status ? status : cpm_design_close_round(next, e);
}

int cpm_lmo2_members_plan(const cpm_hosts *hosts, size_t bytes, cpm_design *next, cpm_error *e)
{
    members m;
    int status = members_create(hosts, &m, e);
    for (int round = 0; round < 8 && !status; round++)
        status = add_round(&m, round & 4, round & 2, round & 1, bytes, next, e);
    members_free(&m);
    return status;
}

/* ---- fitting */

static double seconds_of(const cpm_measurements *m, int i, int j, bool receive, size_t bytes)
{
    cpm_experiment x = overhead_of(i, j, receive, bytes);
    int at = cpm_measurements_find(m, &x);
    return at < 0 ? NAN : cpm_measurement_value(&m->at[at], m->statistic);
}

/* Sending and receiving with that partner. */
static double both_of(const cpm_measurements *m, int i, int j, size_t bytes)
{
    return seconds_of(m, i, j, false, bytes) + seconds_of(m, i, j, true, bytes);
}

/* A process of an odd number has two partners; then it is what it needs with the first. */
static void take_host(const members *who, int host, size_t bytes, const cpm_measurements *m,
                      double *seconds)
{
    int a, b;
    if (pair_of(who, host, true, 0, &a, &b))
        seconds[a] = both_of(m, a, b, bytes);
    for (int q = 0; pair_of(who, host, false, q, &a, &b); q++) {
        seconds[a] = both_of(m, a, b, bytes);
        seconds[b] = both_of(m, b, a, bytes);
    }
}

/* In units of the host's median process, of two the faster one; returns how many are known. */
static int scale_host(const members *who, int host, double *seconds, double *work)
{
    const int *rank = who->rank_of + who->first[host];
    size_t known = 0;
    for (int q = 0; q < on_host(who, host); q++)
        if (seconds[rank[q]] > 0)
            work[known++] = seconds[rank[q]];
    if (!known)
        return 0;
    gsl_sort(work, 1, known);
    for (int q = 0; q < on_host(who, host); q++)
        seconds[rank[q]] /= work[(known - 1) / 2];
    return (int)known;
}

static int set_fact(const double *times, int n, cpm_model *m, cpm_error *e)
{
    enum { WORD = 12 };
    char *text = malloc((size_t)n * WORD + 1), *end = text;
    if (!text)
        return cpm_no_memory(e);
    for (int i = 0; i < n; i++)
        end += isfinite(times[i]) ? snprintf(end, WORD, "%s%.4g", i ? " " : "", times[i])
                                  : snprintf(end, WORD, "%s-", i ? " " : "");
    int status = cpm_metadata_set(&m->metadata, e, CPM_METADATA_OVERHEADS, "%s", text);
    free(text);
    return status;
}

int cpm_lmo2_members_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                         cpm_model *m, cpm_error *e)
{
    members who;
    int status = members_create(hosts, &who, e), known = 0;
    double *seconds = malloc(2 * (size_t)hosts->n * sizeof *seconds);
    if (!status && !seconds)
        status = cpm_no_memory(e);
    for (int i = 0; !status && i < hosts->n; i++)
        seconds[i] = NAN;
    for (int h = 0; !status && h < who.hosts; h++) {
        take_host(&who, h, bytes, measured, seconds);
        known += scale_host(&who, h, seconds, seconds + hosts->n);
    }
    if (!status && known)
        status = set_fact(seconds, hosts->n, m, e);
    members_free(&who);
    free(seconds);
    return status;
}
