/* Measurements of extended LMO by message size: one-way times, overheads, and what they say about
 * the protocol. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "estimators/lmo2.h"

/* A send that lasts this share of its message's time waits for it; a receive and a send that
 * together last this share leave no time for a transfer before the receive. */
static const double whole_send = 0.85, whole_late = 0.9;

typedef struct {
    const cpm_measurements *m;
    cpm_lmo2_data *d;
    double *work; /* [n*n] */
    cpm_error *e;
} taking;

static size_t at(const cpm_lmo2_data *d, int i, int j)
{
    return (size_t)i * (size_t)d->n + (size_t)j;
}

static double half_of(const cpm_measurement *m)
{
    return (m->summary.ci_high - m->summary.ci_low) / 2;
}

static const cpm_measurement *find(const taking *t, int kind, int i, int j, size_t send,
                                   size_t reply)
{
    cpm_experiment x = {.kind = &cpm_experiment_kinds[kind],
                        .i = i,
                        .j = j,
                        .k = -1,
                        .count = 1,
                        .send_bytes = send,
                        .reply_bytes = reply};
    int found = cpm_measurements_find(t->m, &x);
    return found < 0 ? NULL : &t->m->at[found];
}

static int missing(const taking *t, int kind, int i, int j, size_t bytes)
{
    return cpm_fail(t->e, CPM_EDATA,
                    "%s experiments of processes %d and %d with %zu bytes are missing, which model "
                    "lmo2 needs",
                    cpm_experiment_kinds[kind].name, i, j, bytes);
}

static double median(double *values, size_t count)
{
    gsl_sort(values, 1, count);
    return gsl_stats_median_from_sorted_data(values, 1, count);
}

/* Median over the partners of process i. Its interval: the mean one's, less by their number. */
static int take_overhead(taking *t, int kind, size_t bytes, int i, double *value, double *half)
{
    size_t count = 0;
    double halves = 0;
    for (int j = 0; j < t->d->n; j++) {
        const cpm_measurement *m = i == j                  ? NULL
                                   : kind == CPM_SEND_TIME ? find(t, kind, i, j, bytes, 0)
                                                           : find(t, kind, i, j, 0, bytes);
        if (!m)
            continue;
        t->work[count++] = cpm_measurement_value(m, t->m->statistic);
        halves += half_of(m);
    }
    if (count == 0)
        return missing(t, kind, i, (i + 1) % t->d->n, bytes);
    *half = halves / (double)count / sqrt((double)count);
    *value = median(t->work, count);
    return CPM_OK;
}

static int take_overheads(taking *t, cpm_lmo2_size *s)
{
    int status = CPM_OK;
    for (int i = 0; i < t->d->n && !status; i++) {
        status = take_overhead(t, CPM_SEND_TIME, s->bytes, i, &s->send[i], &s->send_half[i]);
        if (!status)
            status = take_overhead(t, CPM_LATE_RECEIVE, s->bytes, i, &s->late[i], &s->late_half[i]);
    }
    return status;
}

/* What an empty message from j to i takes: half of the empty round trip, and of what sending and
 * receiving differ. */
static double empty_way(const taking *t, double round_trip, int j, int i)
{
    const cpm_lmo2_size *empty = &t->d->at[0];
    double differ = empty->send[j] - empty->send[i] + empty->late[i] - empty->late[j];
    return (round_trip + differ) / 2;
}

static int take_way(taking *t, cpm_lmo2_size *s, int i, int j)
{
    const cpm_measurement *trip = find(t, CPM_ROUNDTRIP, i, j, s->bytes, 0);
    const cpm_measurement *empty = find(t, CPM_ROUNDTRIP, i, j, 0, 0);
    const cpm_measurement *back = find(t, CPM_ROUNDTRIP, j, i, 0, 0);
    if (!trip || !empty || !back)
        return missing(t, CPM_ROUNDTRIP, i, j, trip ? 0 : s->bytes);
    cpm_statistic statistic = t->m->statistic;
    double nothing =
        (cpm_measurement_value(empty, statistic) + cpm_measurement_value(back, statistic)) / 2;
    s->way[at(t->d, i, j)] =
        (s->bytes ? cpm_measurement_value(trip, statistic) : nothing) - empty_way(t, nothing, j, i);
    /* of the empty trip it is a half */
    s->way_half[at(t->d, i, j)] =
        s->bytes ? hypot(half_of(trip), half_of(empty) / sqrt(8)) : half_of(empty) / sqrt(8);
    return CPM_OK;
}

static int take_ways(taking *t, cpm_lmo2_size *s)
{
    int status = CPM_OK;
    for (int i = 0; i < t->d->n; i++)
        for (int j = 0; j < t->d->n && !status; j++) {
            s->way[at(t->d, i, j)] = s->way_half[at(t->d, i, j)] = NAN;
            if (i != j)
                status = take_way(t, s, i, j);
        }
    return status;
}

/* ---- the protocol */

static bool is_synchronous(taking *t, const cpm_lmo2_size *s)
{
    size_t count = 0;
    for (int i = 0; i < t->d->n; i++)
        for (int j = 0; j < t->d->n; j++) {
            const cpm_measurement *m = i == j ? NULL : find(t, CPM_SEND_TIME, i, j, s->bytes, 0);
            if (m)
                t->work[count++] =
                    cpm_measurement_value(m, t->m->statistic) / s->way[at(t->d, i, j)];
        }
    return median(t->work, count) > whole_send;
}

/* A library that has gone over to synchronous sends does not go back. */
static void judge_regimes(taking *t)
{
    cpm_lmo2_data *d = t->d;
    bool later = true;
    for (int q = d->count - 1; q >= 0; q--) {
        bool last_of_regime = q + 1 == d->count || d->at[q + 1].regime != d->at[q].regime;
        if (last_of_regime)
            later = later && d->at[q].bytes > 0 && is_synchronous(t, &d->at[q]);
        d->synchronous[d->at[q].regime] = later;
    }
}

static bool is_late(taking *t, const cpm_lmo2_size *s)
{
    size_t count = 0;
    for (int i = 0; i < t->d->n; i++)
        for (int j = 0; j < t->d->n; j++) {
            const cpm_measurement *m = i == j ? NULL : find(t, CPM_LATE_RECEIVE, i, j, 0, s->bytes);
            if (m)
                t->work[count++] = (cpm_measurement_value(m, t->m->statistic) + s->send[j]) /
                                   s->way[at(t->d, j, i)];
        }
    return median(t->work, count) > whole_late;
}

static void judge_late(taking *t)
{
    int sizes = 0, late = 0;
    for (int q = 0; q < t->d->count; q++)
        if (!t->d->synchronous[t->d->at[q].regime]) {
            sizes++;
            late += is_late(t, &t->d->at[q]);
        }
    t->d->late = 2 * late > sizes;
}

/* ---- memory */

static bool allocate_size(cpm_lmo2_size *s, size_t n)
{
    s->way = malloc(n * n * sizeof *s->way);
    s->way_half = malloc(n * n * sizeof *s->way_half);
    s->send = malloc(n * sizeof *s->send);
    s->send_half = malloc(n * sizeof *s->send_half);
    s->late = malloc(n * sizeof *s->late);
    s->late_half = malloc(n * sizeof *s->late_half);
    return s->way && s->way_half && s->send && s->send_half && s->late && s->late_half;
}

static int allocate(cpm_lmo2_data *d, cpm_error *e)
{
    size_t regimes = (size_t)d->regimes.count;
    d->at = calloc(3 * regimes, sizeof *d->at);
    d->synchronous = calloc(regimes, sizeof *d->synchronous);
    bool ok = d->at && d->synchronous;
    for (int k = 0; k < d->regimes.count && ok; k++) {
        size_t sizes[3];
        int count = cpm_lmo2_sizes(&d->regimes.at[k], sizes);
        for (int s = 0; s < count && ok; s++) {
            d->at[d->count] = (cpm_lmo2_size){.bytes = sizes[s], .regime = k};
            ok = allocate_size(&d->at[d->count++], (size_t)d->n);
        }
    }
    return ok ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for a fit of %d processes", d->n);
}

void cpm_lmo2_data_free(cpm_lmo2_data *d)
{
    for (int q = 0; q < d->count; q++) {
        free(d->at[q].way);
        free(d->at[q].way_half);
        free(d->at[q].send);
        free(d->at[q].send_half);
        free(d->at[q].late);
        free(d->at[q].late_half);
    }
    free(d->at);
    free(d->synchronous);
    cpm_regimes_free(&d->regimes);
    *d = (cpm_lmo2_data){0};
}

/* ---- all of it */

static int take(taking *t)
{
    int status = CPM_OK;
    for (int q = 0; q < t->d->count && !status; q++)
        status = take_overheads(t, &t->d->at[q]);
    for (int q = 0; q < t->d->count && !status; q++)
        status = take_ways(t, &t->d->at[q]);
    if (status)
        return status;
    judge_regimes(t);
    judge_late(t);
    return CPM_OK;
}

int cpm_lmo2_take(const cpm_measurements *m, size_t largest, cpm_lmo2_data *out, cpm_error *e)
{
    cpm_lmo2_data d = {.n = m->n};
    taking t = {.m = m, .d = &d, .e = e};
    int status = cpm_regimes_find(m, m->n, largest, &d.regimes, e);
    if (!status)
        status = allocate(&d, e);
    t.work = malloc((size_t)m->n * (size_t)m->n * sizeof *t.work);
    if (!status && !t.work)
        status = cpm_fail(e, CPM_ENOMEM, "no memory for a fit of %d processes", m->n);
    if (!status)
        status = take(&t);
    free(t.work);
    if (status)
        cpm_lmo2_data_free(&d);
    else
        *out = d;
    return status;
}

int cpm_lmo2_buffered(const cpm_lmo2_data *d)
{
    for (int q = d->count - 1; q >= 0; q--)
        if (!d->synchronous[d->at[q].regime])
            return q;
    return -1;
}

double cpm_lmo2_apart(const cpm_lmo2_data *d, int q, int i, int j, int k)
{
    const cpm_lmo2_size *empty = &d->at[0], *s = &d->at[q];
    double of_j = empty->way[at(d, i, j)] + s->way[at(d, j, i)];
    double of_k = empty->send[i] + empty->way[at(d, i, k)] + s->way[at(d, k, i)];
    return fabs(of_j - of_k);
}
