/* Measurements of extended LMO by message size: one-way times, overheads, and what they say about
 * the protocol. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "estimators/lmo2.h"
#include "estimators/rendezvous.h"

/* What a process shows with another. */
typedef struct {
    double value, half, trip; /* the empty round trip */
} shown;

typedef struct {
    const cpm_measurements *m;
    cpm_lmo2_data *d;
    double *work; /* [n*n] */
    shown *with;  /* [n] */
    cpm_error *e;
} taking;

static size_t at(const cpm_lmo2_data *d, int i, int j)
{
    return (size_t)i * (size_t)d->n + (size_t)j;
}

static double half_of(const taking *t, const cpm_measurement *m)
{
    return cpm_measurement_half(m, t->m->statistic);
}

static const cpm_measurement *find(const taking *t, int kind, int i, int j, size_t send,
                                   size_t reply)
{
    return cpm_measurements_best(t->m, cpm_experiment_pair(kind, i, j, send, reply));
}

static int missing(const taking *t, int kind, int i, int j, size_t bytes)
{
    return cpm_fail(t->e, CPM_EDATA,
                    "%s experiments of processes %d and %d with %zu bytes are missing, which model "
                    "lmo2 needs",
                    cpm_experiment_kinds[kind].name, i, j, bytes);
}

bool cpm_lmo2_near(const cpm_measurements *m, int n, int i, bool *near)
{
    double nearest = INFINITY;
    bool known = true;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < n; j++) {
            near[j] = false;
            if (j == i)
                continue;
            const cpm_measurement *trip =
                cpm_measurements_best(m, cpm_experiment_pair(CPM_ROUNDTRIP, i, j, 0, 0));
            double seconds = trip ? cpm_measurement_value(trip, m->statistic) : NAN;
            known = known && trip;
            if (seconds < nearest)
                nearest = seconds;
            near[j] = seconds <= CPM_LMO2_NEAR * nearest;
        }
    return known;
}

static const cpm_measurement *send_of(const taking *t, int i, int j, size_t bytes)
{
    return find(t, CPM_SEND_TIME, i, j, bytes, 0);
}

static const cpm_measurement *receive_of(const taking *t, int i, int j, size_t bytes)
{
    return find(t, CPM_LATE_RECEIVE, i, j, 0, bytes);
}

/* The overhead of process i: the duration of its sends or late receives. Synchronous sends wait for
 * the whole message but for the receive overhead, and late receives for all but the send overhead;
 * there the overhead is what the other end's experiment lacks of the one-way time. */
static bool overhead_with(const taking *t, const cpm_lmo2_size *s, bool send, int i, int j,
                          double *value, double *half)
{
    bool synchronous = t->d->rendezvous && s->bytes >= t->d->rendezvous;
    bool sending = send != synchronous; /* which of the two experiments, and at whom */
    int who = synchronous ? j : i, partner = synchronous ? i : j;
    const cpm_measurement *m =
        sending ? send_of(t, who, partner, s->bytes) : receive_of(t, who, partner, s->bytes);
    if (!m)
        return false;
    double seconds = cpm_measurement_value(m, t->m->statistic);
    size_t way = send ? at(t->d, i, j) : at(t->d, j, i);
    if (synchronous && isnan(s->way_half[way]))
        return false;
    *value = synchronous ? fmax(0, s->way[way] - seconds) : seconds;
    *half = synchronous ? hypot(s->way_half[way], half_of(t, m)) : half_of(t, m);
    return true;
}

static double empty_trip(const taking *t, int i, int j)
{
    const cpm_measurement *trip = find(t, CPM_ROUNDTRIP, i, j, 0, 0);
    return trip ? cpm_measurement_value(trip, t->m->statistic) : INFINITY;
}

/* The median of what is shown with those that are near: errors grow with the way. Its interval: the
 * mean one's, less by their number. */
static double middle_of_near(const taking *t, int count, double *half)
{
    double nearest = INFINITY, halves = 0;
    int used = 0;
    for (int q = 0; q < count; q++)
        nearest = fmin(nearest, t->with[q].trip);
    for (int q = 0; q < count; q++)
        if (t->with[q].trip <= CPM_LMO2_NEAR * nearest) {
            halves += t->with[q].half;
            t->work[used++] = t->with[q].value;
        }
    *half = halves / used / sqrt(used);
    return cpm_median(t->work, used);
}

static int take_overhead(taking *t, const cpm_lmo2_size *s, bool send, int i, double *value,
                         double *half)
{
    int count = 0;
    for (int j = 0; j < t->d->n; j++) {
        shown *x = &t->with[count];
        if (i == j || !overhead_with(t, s, send, i, j, &x->value, &x->half))
            continue;
        x->trip = empty_trip(t, i, j);
        count++;
    }
    if (count == 0)
        return missing(t, send ? CPM_SEND_TIME : CPM_LATE_RECEIVE, i, (i + 1) % t->d->n, s->bytes);
    *value = middle_of_near(t, count, half);
    return CPM_OK;
}

/* A send that does not block keeps its processor busy for longer by what the round trip takes
 * longer then. */
static bool start_with(const taking *t, const cpm_lmo2_size *s, int i, int j, double *value,
                       double *half)
{
    const cpm_measurement *posted = find(t, CPM_POSTED_TRIP, i, j, s->bytes, 0);
    const cpm_measurement *trip = find(t, CPM_ROUNDTRIP, i, j, s->bytes, 0);
    if (!posted || !trip)
        return false;
    *value = s->send[i] + cpm_measurement_value(posted, t->m->statistic) -
             cpm_measurement_value(trip, t->m->statistic);
    *half = hypot(half_of(t, posted), half_of(t, trip));
    return true;
}

static void take_start(taking *t, cpm_lmo2_size *s, int i)
{
    int count = 0;
    double half;
    s->start[i] = s->start_half[i] = NAN;
    for (int j = 0; j < t->d->n; j++) {
        shown *x = &t->with[count];
        if (i == j || !start_with(t, s, i, j, &x->value, &x->half))
            continue;
        x->trip = empty_trip(t, i, j);
        count++;
    }
    if (count == 0)
        return;
    s->start[i] = middle_of_near(t, count, &half);
    s->start_half[i] = hypot(s->send_half[i], half);
}

static int take_overheads(taking *t, cpm_lmo2_size *s)
{
    int status = CPM_OK;
    for (int i = 0; i < t->d->n && !status; i++) {
        status = take_overhead(t, s, true, i, &s->send[i], &s->send_half[i]);
        if (!status)
            status = take_overhead(t, s, false, i, &s->recv[i], &s->recv_half[i]);
        if (!status)
            take_start(t, s, i);
    }
    return status;
}

/* What an empty message from j to i takes: half of the empty round trip, and of what sending and
 * receiving differ. Receives of late messages are measured with the transfer. */
static double empty_way(const taking *t, double round_trip, int j, int i)
{
    const cpm_lmo2_size *empty = &t->d->at[0];
    if (t->d->late)
        return round_trip / 2;
    double differ = empty->send[j] - empty->send[i] + empty->recv[i] - empty->recv[j];
    return (round_trip + differ) / 2;
}

/* The way at the size that is third of a regime, from those at the first two. */
static double extended(const cpm_lmo2_size *third, size_t pair)
{
    const cpm_lmo2_size *first = third - 2, *second = third - 1;
    double per_byte =
        (second->way[pair] - first->way[pair]) / (double)(second->bytes - first->bytes);
    return second->way[pair] + per_byte * (double)(third->bytes - second->bytes);
}

/* Whether the size of s, which is third of a regime, was measured of this pair in worse company
 * than the second, or not at all. */
static bool is_spared(const taking *t, const cpm_lmo2_size *s, int i, int j)
{
    if (!cpm_lmo2_is_spare(&t->d->regimes.at[s->regime], t->d->n, s->bytes))
        return false;
    const cpm_measurement *trip = find(t, CPM_ROUNDTRIP, i, j, s->bytes, 0);
    const cpm_measurement *before = find(t, CPM_ROUNDTRIP, i, j, s[-1].bytes, 0);
    return !trip || (before && before->what.count > trip->what.count);
}

static int take_way(taking *t, cpm_lmo2_size *s, int i, int j)
{
    const cpm_measurement *trip = find(t, CPM_ROUNDTRIP, i, j, s->bytes, 0);
    const cpm_measurement *empty = find(t, CPM_ROUNDTRIP, i, j, 0, 0);
    const cpm_measurement *back = find(t, CPM_ROUNDTRIP, j, i, 0, 0);
    if (is_spared(t, s, i, j)) {
        s->way[at(t->d, i, j)] = extended(s, at(t->d, i, j));
        return CPM_OK;
    }
    if (!trip || !empty || !back)
        return missing(t, CPM_ROUNDTRIP, i, j, trip ? 0 : s->bytes);
    cpm_statistic statistic = t->m->statistic;
    double nothing =
        (cpm_measurement_value(empty, statistic) + cpm_measurement_value(back, statistic)) / 2;
    s->way[at(t->d, i, j)] =
        (s->bytes ? cpm_measurement_value(trip, statistic) : nothing) - empty_way(t, nothing, j, i);
    /* of the empty trip it is a half */
    s->way_half[at(t->d, i, j)] = s->bytes ? hypot(half_of(t, trip), half_of(t, empty) / sqrt(8))
                                           : half_of(t, empty) / sqrt(8);
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

static bool is_late(taking *t, const cpm_lmo2_size *s)
{
    int count = 0;
    for (int i = 0; i < t->d->n; i++)
        for (int j = 0; j < t->d->n; j++) {
            const cpm_measurement *send = i == j ? NULL : send_of(t, j, i, s->bytes);
            const cpm_measurement *recv = i == j ? NULL : receive_of(t, i, j, s->bytes);
            if (send && recv)
                t->work[count++] = (cpm_measurement_value(send, t->m->statistic) +
                                    cpm_measurement_value(recv, t->m->statistic)) /
                                   s->way[at(t->d, j, i)];
        }
    return count > 0 && cpm_median(t->work, count) > CPM_LATE;
}

static void judge_late(taking *t)
{
    int sizes = 0, late = 0;
    for (int q = 0; q <= cpm_lmo2_buffered(t->d); q++) {
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
    s->recv = malloc(n * sizeof *s->recv);
    s->recv_half = malloc(n * sizeof *s->recv_half);
    s->start = malloc(n * sizeof *s->start);
    s->start_half = malloc(n * sizeof *s->start_half);
    return s->way && s->way_half && s->send && s->send_half && s->recv && s->recv_half &&
           s->start && s->start_half;
}

static int allocate(cpm_lmo2_data *d, cpm_error *e)
{
    size_t regimes = (size_t)d->regimes.count;
    d->at = calloc(3 * regimes, sizeof *d->at);
    bool ok = d->at != NULL;
    for (int k = 0; k < d->regimes.count && ok; k++) {
        size_t sizes[3];
        int count = cpm_lmo2_sizes(&d->regimes.at[k], sizes);
        for (int s = 0; s < count && ok; s++) {
            d->at[d->count] = (cpm_lmo2_size){.bytes = sizes[s], .regime = k};
            ok = allocate_size(&d->at[d->count++], (size_t)d->n);
        }
    }
    return ok ? CPM_OK : cpm_no_memory(e);
}

void cpm_lmo2_data_free(cpm_lmo2_data *d)
{
    for (int q = 0; q < d->count; q++) {
        free(d->at[q].way);
        free(d->at[q].way_half);
        free(d->at[q].send);
        free(d->at[q].send_half);
        free(d->at[q].recv);
        free(d->at[q].recv_half);
        free(d->at[q].start);
        free(d->at[q].start_half);
    }
    free(d->at);
    cpm_regimes_free(&d->regimes);
    *d = (cpm_lmo2_data){0};
}

/* ---- all of it */

/* Ways of empty messages need only their own overheads; those of synchronous ones need the ways. */
static int take_others(taking *t)
{
    int status = CPM_OK;
    for (int q = 0; q < t->d->count && !status; q++)
        status = take_ways(t, &t->d->at[q]);
    for (int q = 1; q < t->d->count && !status; q++)
        status = take_overheads(t, &t->d->at[q]);
    return status;
}

/* That messages are late shows when all else is known, which it changes. */
static int take(taking *t, bool may_be_late)
{
    int status = take_overheads(t, &t->d->at[0]);
    if (!status)
        status = take_others(t);
    if (!status && may_be_late)
        judge_late(t);
    return status || !t->d->late ? status : take_others(t);
}

/* d has regimes and rendezvous; fills the rest, and gives it to *out or frees it. */
static int take_sizes(const cpm_measurements *m, bool may_be_late, cpm_lmo2_data *d,
                      cpm_lmo2_data *out, cpm_error *e)
{
    taking t = {.m = m, .d = d, .e = e};
    int status = allocate(d, e);
    t.work = malloc((size_t)m->n * (size_t)m->n * sizeof *t.work);
    t.with = malloc((size_t)m->n * sizeof *t.with);
    if (!status && !(t.work && t.with))
        status = cpm_no_memory(e);
    if (!status)
        status = take(&t, may_be_late);
    free(t.work);
    free(t.with);
    if (status)
        cpm_lmo2_data_free(d);
    else
        *out = *d;
    return status;
}

int cpm_lmo2_take(const cpm_measurements *m, size_t largest, cpm_lmo2_data *out, cpm_error *e)
{
    cpm_lmo2_data d = {.n = m->n, .rendezvous = cpm_rendezvous_find(m, m->n, largest)};
    int status = cpm_regimes_find(m, m->n, largest, d.rendezvous, &d.regimes, e);
    return status ? status : take_sizes(m, true, &d, out, e);
}

int cpm_lmo2_take_with(const cpm_measurements *m, const cpm_regimes *regimes, size_t rendezvous,
                       cpm_lmo2_data *out, cpm_error *e)
{
    cpm_lmo2_data d = {.n = m->n, .rendezvous = rendezvous};
    size_t bytes = (size_t)regimes->count * sizeof *regimes->at;
    d.regimes = (cpm_regimes){malloc(bytes), regimes->count};
    if (!d.regimes.at)
        return cpm_no_memory(e);
    memcpy(d.regimes.at, regimes->at, bytes);
    return take_sizes(m, false, &d, out, e);
}

int cpm_lmo2_buffered(const cpm_lmo2_data *d)
{
    for (int q = d->count - 1; q >= 0; q--)
        if (!d->rendezvous || d->at[q].bytes < d->rendezvous)
            return q;
    return -1;
}

bool cpm_lmo2_is_near(const cpm_lmo2_data *d, int i, int j)
{
    const double *way = d->at[0].way + (size_t)i * (size_t)d->n;
    double nearest = INFINITY;
    for (int k = 0; k < d->n; k++)
        if (k != i)
            nearest = fmin(nearest, way[k]);
    return way[j] <= CPM_LMO2_NEAR * nearest;
}

double cpm_lmo2_apart(const cpm_lmo2_data *d, int q, int i, int j, int k)
{
    const cpm_lmo2_size *empty = &d->at[0], *s = &d->at[q];
    double of_j = empty->way[at(d, i, j)] + s->way[at(d, j, i)];
    double of_k = empty->send[i] + empty->way[at(d, i, k)] + s->way[at(d, k, i)];
    return fabs(of_j - of_k);
}
