/* Both directions of every pair are measured: links may be slower one way than the other, and every
 * process is to send and to receive. */
#include "estimators/logp_family.h"

#include <math.h>

enum { FIRST_COUNT = 100, MOST_MESSAGES = 6400 };

/* Change of the time per message at which doubling their number ends. */
static const double settled = 0.01;

/* ---- designs */

static cpm_experiment of_kind(int kind, int count, size_t send_bytes, size_t reply_bytes)
{
    return (cpm_experiment){.kind = &cpm_experiment_kinds[kind],
                            .k = -1,
                            .count = count,
                            .send_bytes = send_bytes,
                            .reply_bytes = reply_bytes};
}

static const cpm_measurement *find(const cpm_measurements *m, cpm_experiment x, int i, int j)
{
    x.i = i;
    x.j = j;
    int found = cpm_measurements_find(m, &x);
    return found < 0 ? NULL : &m->at[found];
}

/* How many messages the next saturation from i to j sends; 0: the last one was long enough. */
static int next_count(const cpm_measurements *m, int i, int j, size_t bytes)
{
    double before = INFINITY;
    for (int count = FIRST_COUNT; count <= MOST_MESSAGES; count *= 2) {
        const cpm_measurement *r = find(m, of_kind(CPM_SATURATION, count, bytes, 0), i, j);
        if (!r)
            return count;
        double each = cpm_measurement_value(r, m->statistic) / count;
        if (fabs(each - before) <= settled * each)
            return 0;
        before = each;
    }
    return 0;
}

typedef struct {
    cpm_experiment x;               /* all but its processes */
    const cpm_measurements *so_far; /* saturation: decides the count; else NULL */
} wanted;

static int add_round(cpm_design *next, const cpm_experiment *pair, int pairs, bool turned,
                     const wanted *w, cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < pairs && !status; q++) {
        cpm_experiment x = w->x;
        x.i = turned ? pair[q].j : pair[q].i;
        x.j = turned ? pair[q].i : pair[q].j;
        if (w->so_far)
            x.count = next_count(w->so_far, x.i, x.j, x.send_bytes);
        if (x.count > 0)
            status = cpm_design_add(next, &x, e);
    }
    return status ? status : cpm_design_close_round(next, e);
}

static int add_all_pairs(cpm_design *next, int n, const wanted *w, cpm_error *e)
{
    cpm_design pairs = {0};
    int status = cpm_design_tournament(&pairs, n, 0, e);
    for (int r = 0, first = 0; r < pairs.rounds && !status; first = pairs.end[r++])
        for (int turned = 0; turned < 2 && !status; turned++)
            status = add_round(next, pairs.at + first, pairs.end[r] - first, turned, w, e);
    cpm_design_clear(&pairs);
    return status;
}

int cpm_design_all_pairs(cpm_design *next, int n, int kind, size_t send_bytes, size_t reply_bytes,
                         cpm_error *e)
{
    return add_all_pairs(next, n, &(wanted){of_kind(kind, 1, send_bytes, reply_bytes), NULL}, e);
}

int cpm_design_logp_size(cpm_design *next, int n, size_t bytes, cpm_error *e)
{
    int status = cpm_design_all_pairs(next, n, CPM_ROUNDTRIP, bytes, 0, e);
    if (!status)
        status = cpm_design_all_pairs(next, n, CPM_SEND_TIME, bytes, 0, e);
    return status ? status : cpm_design_all_pairs(next, n, CPM_LATE_RECEIVE, 0, bytes, e);
}

int cpm_design_saturation(cpm_design *next, int n, const cpm_measurements *so_far, size_t bytes,
                          cpm_error *e)
{
    return add_all_pairs(next, n, &(wanted){of_kind(CPM_SATURATION, 0, bytes, 0), so_far}, e);
}

bool cpm_design_is_measured(const cpm_design *d, const cpm_measurements *so_far)
{
    for (int q = 0; q < d->count; q++)
        if (cpm_measurements_find(so_far, &d->at[q]) < 0)
            return false;
    return true;
}

/* ---- results */

static cpm_time time_of(const cpm_measurements *m, const cpm_measurement *r)
{
    return (cpm_time){cpm_measurement_value(r, m->statistic),
                      (r->summary.ci_high - r->summary.ci_low) / 2};
}

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
    const cpm_measurement *r = find(m, of_kind(CPM_ROUNDTRIP, 1, send_bytes, reply_bytes), i, j);
    if (!r)
        return missing(CPM_ROUNDTRIP, i, j, send_bytes, reply_bytes, e);
    *out = time_of(m, r);
    return CPM_OK;
}

int cpm_take_gap(const cpm_measurements *m, int i, int j, size_t bytes, cpm_time *out, cpm_error *e)
{
    const cpm_measurement *longest = NULL;
    for (int count = FIRST_COUNT; count <= MOST_MESSAGES; count *= 2) {
        const cpm_measurement *r = find(m, of_kind(CPM_SATURATION, count, bytes, 0), i, j);
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
    cpm_experiment x = of_kind(kind, 1, sends ? bytes : 0, sends ? 0 : bytes);
    cpm_time sum = {0, 0};
    int count = 0;
    for (int j = 0; j < m->n; j++) {
        const cpm_measurement *r = j == i ? NULL : find(m, x, i, j);
        if (!r)
            continue;
        cpm_time t = time_of(m, r);
        sum = (cpm_time){sum.value + t.value, hypot(sum.half, t.half)};
        count++;
    }
    if (count == 0)
        return missing(kind, i, i == 0, x.send_bytes, x.reply_bytes, e);
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
