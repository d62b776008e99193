/* The doctor's look at what lies between hosts: where few pairs of hosts are slow together, and
 * equally so, though neither end explains it, they share one slow link inside the network. Which
 * pairs a link serves the routes decide, which nobody needs to know. Hosts that reach a set of
 * others more slowly, all of them and both ways, may be built like that: a note says it. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "base/vector.h"
#include "diagnose/examiner.h"
#include "models/lmo2.h"

enum { LEAST_HOSTS = 6, LEAST_PAIRS = 3, MOST_LINKS = 4 };

static const double far = 6;           /* standard deviations, which no pair is from like ones */
static const double seldom = 1.645;    /* those that a value exceeds in one of 20 */
static const double one_speed = 0.15;  /* pairs of one link differ by less, as a logarithm */
static const double least_dense = 0.4; /* half in a long ring of a torus, all in a tree */
static const double nearer = 0.9;      /* latency of the link's own ends, to those behind them */

typedef struct {
    cpm_examiner *x;
    int n, p, slice;
    const double *value; /* [n*n] of the parameter */
    double *rest;        /* [n*n] logarithms without what ends explain; NaN: not compared */
    double *work;        /* [n*n] */
    char *slow;          /* [n*n] pairs that are, and are not yet explained */
    char *group;         /* [n*n] those of one link */
    int *cover;          /* [n] hosts, one of which is an end of each pair of the group */
    int covering;
    int *set;             /* [2 n] of senders and receivers, see join_ways */
    double middle, sigma; /* of rest */
} between;

static size_t at_of(const between *b, int i, int j)
{
    return (size_t)i * (size_t)b->n + (size_t)j;
}

static int count(const between *b, const char *marks)
{
    int marked = 0;
    for (size_t at = 0; at < (size_t)b->n * (size_t)b->n; at++)
        marked += marks[at];
    return marked;
}

/* ---- slow pairs */

static int gather(const between *b, const char *only, const double *x)
{
    int used = 0;
    for (size_t at = 0; at < (size_t)b->n * (size_t)b->n; at++)
        if (!isnan(b->rest[at]) && (!only || only[at]))
            b->work[used++] = x[at];
    return used;
}

static void set_scale(between *b, const double *se)
{
    int used = gather(b, NULL, b->rest);
    b->middle = cpm_median(b->work, used);
    used = gather(b, NULL, b->rest);
    for (int q = 0; q < used; q++)
        b->work[q] = fabs(b->work[q] - b->middle);
    b->sigma = fmax(1.4826 * cpm_median(b->work, used), cpm_least_spread);
    used = gather(b, NULL, se);
    b->sigma = fmax(b->sigma, cpm_median(b->work, used));
}

static void mark_slow(between *b, const double *se)
{
    double least = log(1 + b->x->o->least_effect);
    for (size_t at = 0; at < (size_t)b->n * (size_t)b->n; at++) {
        double deviation = fmax(b->sigma, se[at]);
        b->slow[at] = b->rest[at] - b->middle > fmax(far * deviation, least + seldom * deviation);
    }
}

/* Who is slow with nearly all others is slow himself, which others look at. */
static void leave_out_ends(between *b)
{
    for (int i = 0; i < b->n; i++)
        for (int in = 0; in < 2; in++) {
            int slow = 0, all = 0;
            for (int j = 0; j < b->n; j++) {
                size_t at = in ? at_of(b, j, i) : at_of(b, i, j);
                all += !isnan(b->rest[at]);
                slow += b->slow[at] != 0;
            }
            for (int j = 0; j < b->n && 20 * slow >= 19 * all; j++)
                b->slow[in ? at_of(b, j, i) : at_of(b, i, j)] = 0;
        }
}

/* ---- the pairs of one link */

/* Those that are as slow as most slow ones. */
static void take_group(between *b)
{
    int used = gather(b, b->slow, b->value);
    double usual = cpm_median(b->work, used);
    for (size_t at = 0; at < (size_t)b->n * (size_t)b->n; at++)
        b->group[at] = b->slow[at] && fabs(log(b->value[at] / usual)) < one_speed;
}

/* What a byte takes at least from that host, or to it. */
static double least_of(const between *b, int host, bool in)
{
    double least = INFINITY;
    for (int j = 0; j < b->n; j++) {
        size_t at = in ? at_of(b, j, host) : at_of(b, host, j);
        if (!isnan(b->rest[at]))
            least = fmin(least, b->value[at]);
    }
    return least;
}

/* Whether a host is that slow with everybody: the others' messages pass through it (a torus). */
static bool is_through_host(between *b)
{
    gather(b, b->group, b->value);
    double usual = cpm_median(b->work, count(b, b->group));
    for (int i = 0; i < b->n; i++)
        for (int in = 0; in < 2; in++)
            if (fabs(log(least_of(b, i, in) / usual)) < one_speed)
                return true;
    return false;
}

static bool is_edge(const between *b, int i, int j)
{
    return i != j && (b->group[at_of(b, i, j)] || b->group[at_of(b, j, i)]);
}

static bool is_covering(const between *b, int host)
{
    for (int q = 0; q < b->covering; q++)
        if (b->cover[q] == host)
            return true;
    return false;
}

/* Pairs of that host that have no end among the covering ones. */
static int open_pairs(const between *b, int host)
{
    int open = 0;
    for (int j = 0; j < b->n && !is_covering(b, host); j++)
        open += is_edge(b, host, j) && !is_covering(b, j);
    return open;
}

/* Greedily: whoever has most pairs that are not covered. */
static void find_cover(between *b)
{
    b->covering = 0;
    for (;;) {
        int best = 0, most = 0;
        for (int i = 0; i < b->n; i++)
            if (open_pairs(b, i) > most) {
                most = open_pairs(b, i);
                best = i;
            }
        if (!most)
            return;
        b->cover[b->covering++] = best;
    }
}

/* ---- whether it is one link */

static int set_of(const between *b, int node)
{
    while (b->set[node] != node)
        node = b->set[node];
    return node;
}

/* Senders are 0 to n - 1, receivers n to 2 n - 1. */
static void join_ways(between *b)
{
    for (int k = 0; k < 2 * b->n; k++)
        b->set[k] = k;
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++)
            if (b->group[at_of(b, i, j)])
                b->set[set_of(b, i)] = set_of(b, b->n + j);
}

/* Whether of all pairs of its senders and receivers enough are ways of the group. */
static bool is_dense(const between *b, int set)
{
    int senders = 0, receivers = 0, ways = 0;
    for (int i = 0; i < b->n; i++) {
        senders += set_of(b, i) == set;
        receivers += set_of(b, b->n + i) == set;
        for (int j = 0; j < b->n; j++)
            ways += b->group[at_of(b, i, j)] && set_of(b, i) == set;
    }
    return ways >= least_dense * senders * receivers;
}

/* Who sends over a link in one direction sends over it to most whom others reach through it. */
static bool is_one_link(between *b)
{
    int sets = 0;
    join_ways(b);
    for (int k = b->n; k < 2 * b->n; k++) {
        bool used = false;
        for (int i = 0; i < b->n; i++)
            used = used || (set_of(b, k) == k && set_of(b, i) == k);
        sets += used;
        if (used && !is_dense(b, k))
            return false;
    }
    return sets <= 2 && count(b, b->group) >= LEAST_PAIRS;
}

/* All of some hosts with all of some others, there and back. */
static bool is_built_so(const between *b)
{
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++)
            if (b->group[at_of(b, i, j)] && !b->group[at_of(b, j, i)])
                return false;
    for (int q = 1; q < b->covering; q++)
        for (int j = 0; j < b->n; j++)
            if (is_edge(b, b->cover[0], j) != is_edge(b, b->cover[q], j))
                return false;
    return b->covering > 1;
}

/* ---- its name */

static int latency_of(const cpm_model *m)
{
    for (int p = 0; p < m->type->count; p++)
        if (m->type->parameters[p].shape == CPM_PAIR &&
            strcmp(m->type->parameters[p].unit, "s") == 0 && cpm_model_has_parameter(m, p))
            return p;
    return -1;
}

/* Where one pair is clearly nearer than all others of the link these are its ends. */
static void name_by_ends(between *b)
{
    int p = latency_of(b->x->m), ends[2] = {0, 0};
    double least = INFINITY, second = INFINITY;
    for (int i = 0; p >= 0 && i < b->n; i++)
        for (int j = i + 1; j < b->n; j++) {
            if (!is_edge(b, i, j))
                continue;
            double l = b->x->m->value[p][at_of(b, i, j)];
            second = fmin(second, fmax(l, least));
            if (l < least) {
                least = l;
                ends[0] = i, ends[1] = j;
            }
        }
    if (!(least < nearer * second))
        return;
    memcpy(b->cover, ends, sizeof ends);
    b->covering = 2;
}

static int compare_hosts(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void put_hosts(const between *b, FILE *out)
{
    const cpm_model *m = b->x->m;
    for (int q = 0; q < b->covering; q++) {
        fputs(q ? ", " : "", out);
        if (m->hosts[b->cover[q]][0])
            fputs(m->hosts[b->cover[q]], out);
        else
            fprintf(out, "process %d", b->cover[q]);
    }
}

/* "h4, h5, h6, h7"; NULL: no memory. The caller frees it. */
static char *hosts_text(const between *b)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    put_hosts(b, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- what is said */

/* The number of the link of these hosts, which it owns from then on; -1: no memory. */
static int number_of(cpm_diagnosis *d, char *hosts)
{
    for (int k = 0; k < d->inners; k++)
        if (strcmp(d->inner[k], hosts) == 0) {
            free(hosts);
            return k;
        }
    if (!cpm_vector_extend(&d->inner, d->inners, sizeof *d->inner)) {
        free(hosts);
        return -1;
    }
    d->inner[d->inners] = hosts;
    return d->inners++;
}

static int keep_link(between *b)
{
    int pairs = count(b, b->group), used = gather(b, b->group, b->rest);
    double distance = cpm_median(b->work, used) - b->middle;
    gather(b, b->group, b->value);
    cpm_symptom s = {.kind = CPM_INNER,
                     .parameter = b->p,
                     .slice = b->slice,
                     .j = pairs,
                     .value = cpm_median(b->work, used),
                     .times = exp(distance),
                     .p = (double)(b->n * b->n) * gsl_cdf_ugaussian_Q(distance / b->sigma)};
    name_by_ends(b);
    qsort(b->cover, (size_t)b->covering, sizeof *b->cover, compare_hosts);
    char *hosts = hosts_text(b);
    s.i = hosts ? number_of(b->x->d, hosts) : -1;
    return s.i < 0 ? cpm_no_memory(b->x->e) : cpm_examine_keep(b->x, &s);
}

static int note_built(between *b)
{
    char name[80];
    cpm_examine_put_name(b->x, b->p, b->slice, name, sizeof name);
    qsort(b->cover, (size_t)b->covering, sizeof *b->cover, compare_hosts);
    char *hosts = hosts_text(b);
    int status = hosts ? cpm_note(&b->x->d->notes, b->x->e,
                                  "%d pairs of %s with other hosts are equally slow in %s: the "
                                  "network may be built like that",
                                  count(b, b->group), hosts, name)
                       : cpm_no_memory(b->x->e);
    free(hosts);
    return status;
}

/* Marks whose messages mostly cross that link, one way or the other. */
static void mark_behind(between *b)
{
    for (int i = 0; i < b->n; i++) {
        int out = 0, in = 0;
        for (int j = 0; j < b->n; j++) {
            out += b->group[at_of(b, i, j)];
            in += b->group[at_of(b, j, i)];
        }
        if (2 * out >= b->n - 1 || 2 * in >= b->n - 1)
            b->x->behind[i] = 1;
    }
}

/* One link after the other. Those of the last group that is none stay slow. */
static int explain(between *b, double *logs)
{
    int status = CPM_OK;
    for (int k = 0; !status && k < MOST_LINKS && count(b, b->slow) >= LEAST_PAIRS; k++) {
        take_group(b);
        find_cover(b);
        bool through = is_through_host(b);
        if (!through && (!is_one_link(b) || 2 * b->covering > b->n))
            return CPM_OK;
        if (!through) {
            status = is_built_so(b) ? note_built(b) : keep_link(b);
            mark_behind(b);
        }
        for (size_t at = 0; at < (size_t)b->n * (size_t)b->n; at++)
            if (b->group[at]) {
                b->slow[at] = 0;
                logs[at] = NAN;
            }
    }
    return status;
}

/* Ways that are slow without being those of one link: others may be slow like them. */
static void mark_various(between *b)
{
    int used = gather(b, b->slow, b->rest);
    double *various = &b->x->various[b->p];
    gsl_sort(b->work, 1, (size_t)used);
    if (used >= LEAST_PAIRS)
        *various = fmax(*various, b->work[used - LEAST_PAIRS] - b->middle);
}

static int examine(between *b, double *logs, const double *se)
{
    int known = gather(b, NULL, b->rest);
    if (known < LEAST_HOSTS * (LEAST_HOSTS - 1))
        return CPM_OK;
    set_scale(b, se);
    bool certain = far * b->sigma < log(b->x->o->fault); /* or it explains, but proves nothing */
    int before = b->x->d->count;
    b->x->looks += certain;
    mark_slow(b, se);
    leave_out_ends(b);
    bool many = 3 * count(b, b->slow) > known; /* that is how the network is */
    int status = many ? CPM_OK : explain(b, logs);
    if (!certain)
        b->x->d->count = before;
    mark_various(b);
    return status;
}

bool cpm_examine_is_of_inner(const cpm_examiner *x, const cpm_symptom *s)
{
    bool end =
        x->m->type == &cpm_lmo2 && (s->parameter == CPM_LMO2_GO || s->parameter == CPM_LMO2_GI);
    return s->kind == CPM_OWN && end && x->behind[s->i];
}

int cpm_examine_inner(cpm_examiner *x, int parameter, int slice, const double *rest,
                      const double *se, double *logs)
{
    size_t n = (size_t)x->m->n, size = n * n;
    between b = {.x = x, .n = x->m->n, .p = parameter, .slice = slice};
    b.value = x->m->value[parameter] + (size_t)slice * size;
    b.rest = malloc(2 * size * sizeof *b.rest);
    b.slow = malloc(2 * size);
    b.cover = malloc((3 * n + 2) * sizeof *b.cover);
    int status = b.rest && b.slow && b.cover ? CPM_OK : cpm_no_memory(x->e);
    if (!status) {
        memcpy(b.rest, rest, size * sizeof *rest);
        b.work = b.rest + size;
        b.group = b.slow + size;
        b.set = b.cover + n + 2;
        status = examine(&b, logs, se);
    }
    free(b.rest);
    free(b.slow);
    free(b.cover);
    return status;
}
