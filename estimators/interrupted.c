/* Sweeps are sorted by size; longer messages bound shorter ones from above. Shorter round trips
 * bound longer ones by their time per byte, and round trips, which come first, sends and receives.
 */
#include "estimators/interrupted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int kinds[] = {CPM_ROUNDTRIP, CPM_SEND_TIME, CPM_LATE_RECEIVE};

enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t bytes_of(const cpm_measurement *r)
{
    return r->what.send_bytes + r->what.reply_bytes;
}

static bool belongs_to_sweep(const cpm_measurement *r)
{
    for (int k = 0; k < KINDS; k++)
        if (r->what.kind == &cpm_experiment_kinds[kinds[k]])
            return kinds[k] != CPM_ROUNDTRIP || r->what.reply_bytes == 0;
    return false;
}

static int order(long a, long b)
{
    return (a > b) - (a < b);
}

/* By kind, processes, size. */
static int compare(const void *a, const void *b)
{
    const cpm_measurement *x = *(cpm_measurement *const *)a, *y = *(cpm_measurement *const *)b;
    int by = order(x->what.kind - cpm_experiment_kinds, y->what.kind - cpm_experiment_kinds);
    if (!by)
        by = order(x->what.i, y->what.i);
    if (!by)
        by = order(x->what.j, y->what.j);
    return by ? by : (bytes_of(x) > bytes_of(y)) - (bytes_of(x) < bytes_of(y));
}

static bool same_sweep(const cpm_measurement *a, const cpm_measurement *b)
{
    return a->what.kind == b->what.kind && a->what.i == b->what.i && a->what.j == b->what.j;
}

/* What the message at k takes at most, by the one at before (-1: none), or by its round trip: a
 * send that waits for its receiver takes a hundred times as long as a shorter one that does not,
 * but no longer than there and back. */
static double most_of(const cpm_uninterrupted *u, cpm_measurement *const *at, int before, int k)
{
    const cpm_experiment *x = &at[k]->what;
    const cpm_measurement *bound = before < 0 ? NULL : at[before];
    double longer = 1;
    if (x->kind != &cpm_experiment_kinds[CPM_ROUNDTRIP]) {
        cpm_experiment trip = cpm_experiment_pair(CPM_ROUNDTRIP, x->i, x->j, bytes_of(at[k]), 0);
        int found = cpm_measurements_find(&u->m, &trip);
        bound = found < 0 ? NULL : &u->m.at[found];
    } else if (bound) {
        longer =
            (double)bytes_of(at[k]) / (double)bytes_of(bound); /* infinite behind an empty one */
    }
    return bound ? longer * cpm_measurement_value(bound, u->m.statistic) : INFINITY;
}

/* By longer messages, then by shorter ones or round trips. */
static int mark(const cpm_uninterrupted *u, cpm_measurement *const *at, int count,
                bool *interrupted)
{
    int marked = 0, before = -1;
    double least = INFINITY;
    for (int k = count - 1; k >= 0; k--) {
        double time = cpm_measurement_value(at[k], u->m.statistic);
        interrupted[k] = time > CPM_INTERRUPTION * least;
        least = fmin(least, time);
    }
    for (int k = 0; k < count; k++) {
        double time = cpm_measurement_value(at[k], u->m.statistic);
        if (!interrupted[k])
            interrupted[k] = time > CPM_INTERRUPTION * most_of(u, at, before, k);
        before = interrupted[k] ? before : k;
        marked += interrupted[k];
    }
    return marked;
}

static void set_time(cpm_measurement *r, double seconds, double half)
{
    cpm_summary *s = &r->summary;
    s->mean = s->median = s->huber = s->min = s->max = seconds;
    s->ci_low = fmax(0, seconds - half);
    s->ci_high = seconds + half;
    s->huber_half = half;
}

/* Between the neighbours; beyond the last size as with the last time per byte. */
static void repair(cpm_measurement *const *at, int count, int k, cpm_statistic statistic,
                   const bool *interrupted)
{
    int a = k - 1, b = k + 1;
    while (a >= 0 && interrupted[a])
        a--;
    while (b < count && interrupted[b])
        b++;
    double x = (double)bytes_of(at[k]);
    double low = a < 0 ? 0 : cpm_measurement_value(at[a], statistic);
    if (b == count) {
        double from = a < 0 ? 0 : (double)bytes_of(at[a]);
        double time = from > 0 ? low * x / from : low;
        set_time(at[k], time, fmax(time - low, cpm_measurement_half(at[a], statistic)));
        return;
    }
    double high = cpm_measurement_value(at[b], statistic);
    if (a < 0) {
        set_time(at[k], high, cpm_measurement_half(at[b], statistic));
        return;
    }
    double from = (double)bytes_of(at[a]), share = (x - from) / ((double)bytes_of(at[b]) - from);
    double half =
        fmax(cpm_measurement_half(at[a], statistic), cpm_measurement_half(at[b], statistic));
    set_time(at[k], low + share * (high - low), fmax(half, fabs(high - low) / 2));
}

static int repair_sweep(cpm_measurement *const *at, int count, bool *interrupted,
                        cpm_uninterrupted *u, cpm_error *e)
{
    int marked = mark(u, at, count, interrupted);
    if (3 * marked > count)
        return cpm_fail(
            e, CPM_EDATA,
            "%d of %d %s experiments of processes %d and %d took more than %d times as long as "
            "other messages suggest. The processes were interrupted: measure again when nothing "
            "else runs on their hosts, with each rank on a processor of its own",
            marked, count, at[0]->what.kind->name, at[0]->what.i, at[0]->what.j, CPM_INTERRUPTION);
    for (int k = 0; k < count; k++)
        if (interrupted[k])
            repair(at, count, k, u->m.statistic, interrupted);
    u->count += marked;
    u->of += count;
    return CPM_OK;
}

static int repair_all(cpm_measurement **at, int count, bool *interrupted, cpm_uninterrupted *u,
                      cpm_error *e)
{
    int status = CPM_OK;
    qsort(at, (size_t)count, sizeof *at, compare);
    for (int first = 0, end; first < count && !status; first = end) {
        for (end = first + 1; end < count && same_sweep(at[first], at[end]); end++)
            ;
        status = repair_sweep(at + first, end - first, interrupted, u, e);
    }
    return status;
}

int cpm_uninterrupted_take(const cpm_measurements *m, cpm_uninterrupted *out, cpm_error *e)
{
    size_t room = (size_t)m->count + 1;
    cpm_uninterrupted u = {.m = *m};
    u.m.at = malloc(room * sizeof *u.m.at);
    cpm_measurement **at = malloc(room * sizeof *at);
    bool *interrupted = malloc(room * sizeof *interrupted);
    int count = 0, status = CPM_OK;
    if (!u.m.at || !at || !interrupted)
        status = cpm_no_memory(e);
    for (int q = 0; q < m->count && !status; q++) {
        u.m.at[q] = m->at[q];
        u.m.at[q].samples = NULL;
        if (belongs_to_sweep(&u.m.at[q]))
            at[count++] = &u.m.at[q];
    }
    if (!status)
        status = repair_all(at, count, interrupted, &u, e);
    free(at);
    free(interrupted);
    if (status)
        free(u.m.at);
    else
        *out = u;
    return status;
}

void cpm_uninterrupted_clear(cpm_uninterrupted *u)
{
    free(u->m.at);
    *u = (cpm_uninterrupted){0};
}
