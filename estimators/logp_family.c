/* Both directions of every pair are measured: links may be slower one way than the other, and every
 * process is to send and to receive. */
#include "estimators/logp_family.h"

#include <math.h>

#include "estimators/designs.h"

enum { FIRST_COUNT = 100, MOST_MESSAGES = 6400 };

/* Change of the time per message at which doubling their number ends. */
static const double settled = 0.01;

/* ---- designs */

static const cpm_measurement *find(const cpm_measurements *m, cpm_experiment x)
{
    int found = cpm_measurements_find(m, &x);
    return found < 0 ? NULL : &m->at[found];
}

static cpm_time time_of(const cpm_measurements *m, const cpm_measurement *r)
{
    return (cpm_time){cpm_measurement_value(r, m->statistic),
                      cpm_measurement_half(r, m->statistic)};
}

static cpm_experiment saturation(int i, int j, size_t bytes, int count)
{
    cpm_experiment x = cpm_experiment_pair(CPM_SATURATION, i, j, bytes, 0);
    x.count = count;
    return x;
}

/* How many messages the next saturation from i to j sends; 0: the last one was long enough, or so
 * long that noise hides what the next would change. */
static int next_count(const cpm_measurements *m, int i, int j, size_t bytes)
{
    cpm_time before = {INFINITY, 0};
    for (int count = FIRST_COUNT; count <= MOST_MESSAGES; count *= 2) {
        const cpm_measurement *r = find(m, saturation(i, j, bytes, count));
        if (!r)
            return count;
        cpm_time all = time_of(m, r), each = {all.value / count, all.half / count};
        double noise = hypot(each.half, before.half);
        if (fabs(each.value - before.value) <= fmax(settled * each.value, noise))
            return 0;
        before = each;
    }
    return 0;
}

int cpm_design_logp_size(cpm_design *next, int n, size_t bytes, cpm_error *e)
{
    int status = cpm_design_both_ways(next, n, n, CPM_ROUNDTRIP, bytes, 0, e);
    if (!status)
        status = cpm_design_both_ways(next, n, n, CPM_SEND_TIME, bytes, 0, e);
    return status ? status : cpm_design_both_ways(next, n, n, CPM_LATE_RECEIVE, 0, bytes, e);
}

int cpm_design_saturation(cpm_design *next, int n, const cpm_measurements *so_far, size_t bytes,
                          cpm_error *e)
{
    cpm_design all = {0};
    int status = cpm_design_both_ways(&all, n, n, CPM_SATURATION, bytes, 0, e);
    for (int r = 0, q = 0; r < all.rounds && !status; r++) {
        for (; q < all.end[r] && !status; q++) {
            cpm_experiment x = all.at[q];
            x.count = next_count(so_far, x.i, x.j, bytes);
            if (x.count > 0)
                status = cpm_design_add(next, &x, e);
        }
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    cpm_design_clear(&all);
    return status;
}

/* ---- results */

static int missing(int kind, int i, int j, size_t send_bytes, size_t reply_bytes, cpm_error *e)
{
    return cpm_fail(e, CPM_EDATA,
                    "%s experiments of processes %d and %d with %zu bytes out and %zu back are "
                    "missing, which this model needs",
                    cpm_experiment_kinds[kind].name, i, j, send_bytes, reply_bytes);
}

int cpm_take_roundtrip(const cpm_measurements *m, int i, int j, size_t send_bytes,
                       size_t reply_bytes, cpm_time *out, cpm_error *e)
{
    const cpm_measurement *r =
        find(m, cpm_experiment_pair(CPM_ROUNDTRIP, i, j, send_bytes, reply_bytes));
    if (!r)
        return missing(CPM_ROUNDTRIP, i, j, send_bytes, reply_bytes, e);
    *out = time_of(m, r);
    return CPM_OK;
}

int cpm_take_gap(const cpm_measurements *m, int i, int j, size_t bytes, cpm_time *out, cpm_error *e)
{
    const cpm_measurement *longest = NULL;
    for (int count = FIRST_COUNT; count <= MOST_MESSAGES; count *= 2) {
        const cpm_measurement *r = find(m, saturation(i, j, bytes, count));
        longest = r ? r : longest;
    }
    if (!longest)
        return missing(CPM_SATURATION, i, j, bytes, 0, e);
    cpm_time trip;
    int status = cpm_take_roundtrip(m, i, j, bytes, 0, &trip, e);
    if (status)
        return status;
    cpm_time all = time_of(m, longest);
    double others = longest->what.count - 1;
    *out = (cpm_time){(all.value - trip.value) / others, hypot(all.half, trip.half) / others};
    return CPM_OK;
}

int cpm_take_overhead(const cpm_measurements *m, int kind, int i, size_t bytes, cpm_time *out,
                      cpm_error *e)
{
    bool sends = kind == CPM_SEND_TIME;
    size_t out_bytes = sends ? bytes : 0, back_bytes = sends ? 0 : bytes;
    cpm_time sum = {0, 0};
    int count = 0;
    for (int j = 0; j < m->n; j++) {
        const cpm_measurement *r =
            j == i ? NULL : find(m, cpm_experiment_pair(kind, i, j, out_bytes, back_bytes));
        if (!r)
            continue;
        cpm_time t = time_of(m, r);
        sum = (cpm_time){sum.value + t.value, hypot(sum.half, t.half)};
        count++;
    }
    if (count == 0)
        return missing(kind, i, i == 0, out_bytes, back_bytes, e);
    *out = (cpm_time){sum.value / count, sum.half / count};
    return CPM_OK;
}

int cpm_set_overheads(const cpm_measurements *m, size_t bytes, cpm_model *model, int parameter,
                      cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < m->n && !status; i++) {
        cpm_time send = {0, 0}, recv = {0, 0};
        status = cpm_take_overhead(m, CPM_SEND_TIME, i, bytes, &send, e);
        if (!status)
            status = cpm_take_overhead(m, CPM_LATE_RECEIVE, i, bytes, &recv, e);
        model->value[parameter][i] = (send.value + recv.value) / 2;
        model->ci[parameter][i] = hypot(send.half, recv.half) / 2;
    }
    return status;
}
