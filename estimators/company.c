#include "estimators/company.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

/* Fewer processes have one pair at once. */
enum { LEAST = 4, SUSPECTS = 6, PROBES = 2 };

/* Times that differ by less than this share of what their bytes take, and by what noise explains,
 * are the same. */
static const double same = 0.02;
/* Of two intervals, in half widths: those that differ most of all pairs are looked at. */
static const double noise = 3;

/* ---- planning round trips */

/* In the rounds of a tournament of order[n]; turned: from the higher of a pair to the lower. */
static int add_tournament(const int *order, int n, bool turned, size_t bytes, cpm_design *next,
                          cpm_error *e)
{
    cpm_design pairs = {0};
    int status = cpm_design_tournament(&pairs, n, 0, e);
    for (int r = 0, q = 0; r < pairs.rounds && !status; r++) {
        for (; q < pairs.end[r] && !status; q++) {
            int a = order[pairs.at[q].i], b = order[pairs.at[q].j];
            int low = a < b ? a : b, high = a < b ? b : a;
            cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, turned ? high : low,
                                                   turned ? low : high, bytes, 0);
            status = cpm_design_add(next, &x, e);
        }
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    cpm_design_clear(&pairs);
    return status;
}

int cpm_company_roundtrips(int n, size_t bytes, cpm_design *next, cpm_error *e)
{
    int *order = malloc((size_t)n * sizeof *order), status = CPM_OK;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937); /* the same in every run */
    for (int i = 0; order && i < n; i++)
        order[i] = i;
    if (!order || !random)
        status = cpm_no_memory(e);
    if (!status)
        status = add_tournament(order, n, false, bytes, next, e);
    if (!status && n >= LEAST)
        gsl_ran_shuffle(random, order, (size_t)n, sizeof *order);
    if (!status)
        status = add_tournament(order, n, true, bytes, next, e);
    if (random)
        gsl_rng_free(random);
    free(order);
    return status;
}

/* ---- who was slowed */

typedef struct {
    cpm_experiment slow; /* the slower way of the pair */
    double by;           /* more than the other one takes, as a share of what is tolerated */
} suspect;

static const cpm_measurement *find(const cpm_measurements *m, const cpm_experiment *x)
{
    int at = cpm_measurements_find(m, x);
    return at < 0 ? NULL : &m->at[at];
}

/* What a message takes besides its bytes: far away nearly all of its time. 0: not known. */
static double without_bytes(const cpm_measurements *m, const cpm_measurement *of)
{
    double least = INFINITY;
    for (int turned = 0; turned < 2; turned++) {
        const cpm_experiment *x = &of->what;
        const cpm_experiment empty =
            cpm_experiment_pair(CPM_ROUNDTRIP, turned ? x->j : x->i, turned ? x->i : x->j, 0, 0);
        const cpm_measurement *found = find(m, &empty);
        if (found)
            least = fmin(least, cpm_measurement_value(found, m->statistic));
    }
    return isinf(least) ? 0 : least;
}

/* By how much a takes longer than b, as a share of what is tolerated. */
static double longer(const cpm_measurements *m, const cpm_measurement *a, const cpm_measurement *b)
{
    double of_a = cpm_measurement_value(a, m->statistic);
    double of_b = cpm_measurement_value(b, m->statistic);
    double bytes = fmax(of_b - without_bytes(m, b), 0);
    double half =
        hypot(cpm_measurement_half(a, m->statistic), cpm_measurement_half(b, m->statistic));
    return (of_a - of_b) / (same * bytes + noise * half);
}

static int by_slowness(const void *a, const void *b)
{
    const suspect *x = a, *y = b;
    return (x->by < y->by) - (x->by > y->by);
}

/* pairs[n*(n-1)/2]: those whose ways differ, most first. Returns how many. */
static int find_suspects(int n, size_t bytes, int again, const cpm_measurements *m, suspect *pairs)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            cpm_experiment there = cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, 0);
            cpm_experiment back = cpm_experiment_pair(CPM_ROUNDTRIP, j, i, bytes, 0);
            there.count = back.count = again;
            const cpm_measurement *a = find(m, &there), *b = find(m, &back);
            double by = a && b ? longer(m, a, b) : 0, other = a && b ? longer(m, b, a) : 0;
            if (fmax(by, other) > 1)
                pairs[count++] = (suspect){by > other ? there : back, fmax(by, other)};
        }
    qsort(pairs, (size_t)count, sizeof *pairs, by_slowness);
    return count < SUSPECTS ? count : SUSPECTS;
}

/* What slows all alike shows in any two pairs. */
static int add_probes(int n, size_t bytes, int again, int count, suspect *pairs)
{
    for (int i = 0; count < PROBES; i++) {
        cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, i, n - 1 - i, bytes, 0);
        x.count = again;
        pairs[count++] = (suspect){x, 0};
    }
    return count;
}

/* The caller frees *out. */
static int suspects_of(int n, size_t bytes, int again, const cpm_measurements *m, suspect **out,
                       int *count, cpm_error *e)
{
    *count = 0;
    *out = malloc((size_t)n * (size_t)n * sizeof **out);
    if (!*out)
        return cpm_no_memory(e);
    if (n >= LEAST)
        *count = add_probes(n, bytes, again, find_suspects(n, bytes, again, m, *out), *out);
    return CPM_OK;
}

int cpm_company_plan(int n, size_t bytes, int again, const cpm_measurements *so_far,
                     cpm_design *next, cpm_error *e)
{
    suspect *who;
    int count, status = suspects_of(n, bytes, again, so_far, &who, &count, e);
    for (int q = 0; q < count && !status; q++) {
        who[q].slow.count = CPM_ALONE;
        status = cpm_design_add(next, &who[q].slow, e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    free(who);
    return status;
}

/* Of the first that was measured alone, as whatever else is comes later; 0: nothing was. */
static size_t size_of(const cpm_measurements *m)
{
    for (int q = 0; q < m->count; q++) {
        const cpm_experiment *x = &m->at[q].what;
        if (x->kind == &cpm_experiment_kinds[CPM_ROUNDTRIP] && x->count == CPM_ALONE)
            return x->send_bytes;
    }
    return 0;
}

int cpm_company_asked(int n, const cpm_measurements *m, bool *asked, cpm_error *e)
{
    suspect *who;
    size_t bytes = size_of(m);
    int count, status = suspects_of(n, bytes, 1, m, &who, &count, e);
    *asked = !status && bytes > 0;
    for (int q = 0; q < count; q++) {
        who[q].slow.count = CPM_ALONE;
        *asked = *asked && find(m, &who[q].slow);
    }
    free(who);
    return status;
}

/* One of several may have met a disturbance that was over soon. */
int cpm_company_shares(int n, int again, const cpm_measurements *m, bool *shares, cpm_error *e)
{
    suspect *who;
    size_t bytes = size_of(m);
    int count, slowed = 0, status = suspects_of(n, bytes, again, m, &who, &count, e);
    if (!bytes)
        count = 0;
    for (int q = 0; q < count; q++) {
        cpm_experiment apart = who[q].slow;
        apart.count = CPM_ALONE;
        const cpm_measurement *alone = find(m, &apart), *met = find(m, &who[q].slow);
        slowed += alone && met && longer(m, met, alone) > 1;
    }
    *shares = slowed >= 2;
    free(who);
    return status;
}
