#include "estimators/switches_exchange.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* An exchange of pass p has LEAST + p messages each way, by which it is known. */
enum { TOURNAMENTS = 4, PASSES = 8, SHIFTS = 4, LEAST = 8, BYTES = 64 * 1024 };

static bool is_exchange(const cpm_experiment *x)
{
    return x->kind == &cpm_experiment_kinds[CPM_CROWDED_EXCHANGE];
}

/* The next one. */
static int pass_after(const cpm_measurements *m)
{
    int pass = 0;
    for (int q = 0; q < m->count; q++)
        if (is_exchange(&m->at[q].what) && m->at[q].what.count - LEAST >= pass)
            pass = m->at[q].what.count - LEAST + 1;
    return pass;
}

bool cpm_switches_exchange_is_known(const cpm_measurements *m)
{
    return pass_after(m) >= PASSES;
}

/* ---- how much pairs were slowed */

/* A pair that was not slowed says little of a round in which nobody was: what pairs say counts as
 * much as their round was slowed on average. */
typedef struct {
    int n;
    double *fastest; /* [n] seconds for a message of the host each way, in the best company */
    double *slowed;  /* [n*n] sum of logarithms times their weights */
    double *weight;  /* [n*n] sum of these */
} exchanges;

static double seconds_of(const cpm_measurements *m, int q)
{
    return cpm_measurement_value(&m->at[q], m->statistic) / m->at[q].what.count;
}

/* Two hosts are as fast together as the slower one is at its best. */
static double slowness(const exchanges *x, const cpm_measurements *m, int q)
{
    const cpm_experiment *what = &m->at[q].what;
    double alone = fmax(x->fastest[what->i], x->fastest[what->j]);
    return log(fmax(1, seconds_of(m, q) / alone));
}

static void find_fastest(exchanges *x, const cpm_measurements *m)
{
    for (int i = 0; i < x->n; i++)
        x->fastest[i] = INFINITY;
    for (int q = 0; q < m->count; q++) {
        const cpm_experiment *what = &m->at[q].what;
        if (!is_exchange(what))
            continue;
        x->fastest[what->i] = fmin(x->fastest[what->i], seconds_of(m, q));
        x->fastest[what->j] = fmin(x->fastest[what->j], seconds_of(m, q));
    }
}

static void add_pair(exchanges *x, int i, int j, double slowed, double weight)
{
    x->slowed[i * x->n + j] += slowed * weight;
    x->slowed[j * x->n + i] = x->slowed[i * x->n + j];
    x->weight[i * x->n + j] += weight;
    x->weight[j * x->n + i] = x->weight[i * x->n + j];
}

/* Measurements from first on that are of one round. Returns the index behind them. */
static int add_round(exchanges *x, const cpm_measurements *m, int first)
{
    int end = first;
    double sum = 0;
    for (; end < m->count && m->at[end].round == m->at[first].round; end++)
        sum += slowness(x, m, end);
    for (int q = first; q < end; q++)
        add_pair(x, m->at[q].what.i, m->at[q].what.j, slowness(x, m, q), sum / (end - first));
    return end;
}

static void release(exchanges *x)
{
    free(x->fastest);
    free(x->slowed);
    free(x->weight);
}

static int take(int n, const cpm_measurements *m, exchanges *x, cpm_error *e)
{
    size_t hosts = (size_t)n;
    *x = (exchanges){n, calloc(hosts, sizeof *x->fastest), calloc(hosts * hosts, sizeof *x->slowed),
                     calloc(hosts * hosts, sizeof *x->weight)};
    if (!x->fastest || !x->slowed || !x->weight) {
        release(x);
        return cpm_no_memory(e);
    }
    find_fastest(x, m);
    for (int q = 0; q < m->count;)
        q = is_exchange(&m->at[q].what) ? add_round(x, m, q) : q + 1;
    return CPM_OK;
}

/* Of hosts, or of groups named after their first ones. */
static double mean(const exchanges *x, int i, int j)
{
    double weight = x->weight[i * x->n + j];
    return weight > 0 ? x->slowed[i * x->n + j] / weight : 0;
}

/* ---- two halves that share most */

/* By how much more the pairs between the halves are slowed if i and j change sides. */
static double gain(const exchanges *x, const int *side, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < x->n; k++)
        if (k != i && k != j)
            sum += (side[k] == side[i] ? 1 : -1) * (mean(x, i, k) - mean(x, j, k));
    return sum;
}

static bool improve(const exchanges *x, int *side)
{
    bool better = false;
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < i; j++)
            if (side[i] != side[j] && gain(x, side, i, j) > 1e-9) {
                side[i] = 1 - side[i];
                side[j] = 1 - side[j];
                better = true;
            }
    return better;
}

static double between(const exchanges *x, const int *side)
{
    double sum = 0;
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < i; j++)
            sum += side[i] != side[j] ? mean(x, i, j) : 0;
    return sum;
}

/* The best of a few that cannot be improved by changing two hosts; side[n], work[n]. */
static void find_halves(const exchanges *x, gsl_rng *random, int *side, int *work)
{
    enum { STARTS = 8 };
    double best = -1;
    for (int start = 0; start < STARTS; start++) {
        for (int i = 0; i < x->n; i++)
            work[i] = i % 2;
        gsl_ran_shuffle(random, work, (size_t)x->n, sizeof *work);
        while (improve(x, work))
            ;
        if (between(x, work) > best) {
            best = between(x, work);
            memcpy(side, work, (size_t)x->n * sizeof *side);
        }
    }
}

/* ---- planning */

static int add_exchange(int i, int j, int pass, cpm_design *next, cpm_error *e)
{
    cpm_experiment x = cpm_experiment_pair(CPM_CROWDED_EXCHANGE, i, j, BYTES, BYTES);
    x.count = LEAST + pass;
    return cpm_design_add(next, &x, e);
}

/* Every two meet once, hosts in the order given. */
static int plan_tournament(const int *order, int n, int pass, cpm_design *next, cpm_error *e)
{
    cpm_design pairs = {0};
    int status = cpm_design_tournament(&pairs, n, 0, e);
    for (int r = 0, q = 0; r < pairs.rounds && !status; r++) {
        for (; q < pairs.end[r] && !status; q++)
            status = add_exchange(order[pairs.at[q].i], order[pairs.at[q].j], pass, next, e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    cpm_design_clear(&pairs);
    return status;
}

/* Hosts of both sides in turn, in the order given, then in turns that begin elsewhere. */
static int plan_sides(const int *one, const int *other, int half, int pass, cpm_design *next,
                      cpm_error *e)
{
    int status = CPM_OK;
    for (int shift = 0; shift < SHIFTS && shift < half && !status; shift++) {
        for (int q = 0; q < half && !status; q++)
            status = add_exchange(one[q], other[(q + shift) % half], pass, next, e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}

/* order: of all hosts; sorted[n]. */
static int plan_halves(int n, const cpm_measurements *so_far, gsl_rng *random, const int *order,
                       int *side, int *sorted, int pass, cpm_design *next, cpm_error *e)
{
    exchanges x;
    int status = take(n, so_far, &x, e), half = n / 2, ones = 0, others = 0;
    if (status)
        return status;
    find_halves(&x, random, side, sorted);
    release(&x);
    for (int q = 0; q < n; q++) {
        int *to = side[order[q]] ? &ones : &others;
        if (*to < half)
            sorted[side[order[q]] * half + (*to)++] = order[q];
    }
    return plan_sides(sorted, sorted + half, half, pass, next, e);
}

int cpm_switches_exchange_plan(int n, const cpm_measurements *so_far, cpm_design *next,
                               cpm_error *e)
{
    int pass = pass_after(so_far), status = CPM_OK;
    if (pass >= PASSES)
        return CPM_OK;
    int *order = malloc(3 * (size_t)n * sizeof *order);
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    if (order && random) {
        gsl_rng_set(random, (unsigned long)pass + 1);
        for (int i = 0; i < n; i++)
            order[i] = i;
        gsl_ran_shuffle(random, order, (size_t)n, sizeof *order);
        status = pass < TOURNAMENTS ? plan_tournament(order, n, pass, next, e)
                                    : plan_halves(n, so_far, random, order, order + n,
                                                  order + 2 * (size_t)n, pass, next, e);
    } else {
        status = cpm_no_memory(e);
    }
    if (random)
        gsl_rng_free(random);
    free(order);
    return status;
}

/* ---- agglomeration */

typedef struct {
    int one, other; /* groups by their first hosts, one the lower */
    double slowed;
} merger;

static merger find_closest(const exchanges *x, const bool *gone)
{
    merger best = {-1, -1, INFINITY};
    for (int a = 0; a < x->n; a++)
        for (int b = a + 1; b < x->n && !gone[a]; b++)
            if (!gone[b] && mean(x, a, b) < best.slowed)
                best = (merger){a, b, mean(x, a, b)};
    return best;
}

static void merge(exchanges *x, const merger *m)
{
    for (int k = 0; k < x->n; k++)
        if (k != m->one && k != m->other) {
            int from = m->other * x->n + k, to = m->one * x->n + k, turned = k * x->n + m->one;
            x->slowed[turned] = x->slowed[to] += x->slowed[from];
            x->weight[turned] = x->weight[to] += x->weight[from];
        }
}

/* tree[n - 1], in the order in which groups are joined until there is one. */
static void join_all(exchanges *x, bool *gone, merger *tree)
{
    for (int step = 0; step < x->n - 1; step++) {
        tree[step] = find_closest(x, gone);
        gone[tree[step].other] = true;
        merge(x, &tree[step]);
    }
}

/* As logarithms: where pairs are slowed less it is noise, or too little to matter; less than the
 * other is all the same; and what is of two switches is slowed so many times as much at least. */
static const double least_slowed = 0.1, least_noise = 0.05, least_apart = 1.5;

/* The groups after so many steps. */
static void cut(const merger *tree, int n, int steps, int *of)
{
    for (int i = 0; i < n; i++)
        of[i] = i;
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < n; i++)
            of[i] = of[i] == tree[step].other ? tree[step].one : of[i];
}

/* Groups are joined until the next two are far more apart than any two before: where that is so
 * most clearly, or else all. */
static void find_switches(const merger *tree, int n, int *of, cpm_switches_signs *out)
{
    int steps = n - 1;
    double within = least_noise, clearest = least_apart, most = 0;
    *out = (cpm_switches_signs){0};
    for (int step = 0; step < n - 1; step++) {
        double next = tree[step].slowed;
        if (next > least_slowed && next >= clearest * within) {
            clearest = next / within;
            steps = step;
            *out = (cpm_switches_signs){exp(most), exp(next)};
        }
        most = fmax(most, next);
        within = fmax(within, next);
    }
    cut(tree, n, steps, of);
    if (steps == n - 1)
        *out = (cpm_switches_signs){exp(most), exp(most)};
}

int cpm_switches_exchange_group(int n, const cpm_measurements *m, int *of, cpm_switches_signs *out,
                                cpm_error *e)
{
    exchanges x;
    int status = take(n, m, &x, e);
    if (status)
        return status;
    merger *tree = malloc((size_t)n * sizeof *tree);
    bool *gone = calloc((size_t)n, sizeof *gone);
    if (tree && gone) {
        join_all(&x, gone, tree);
        find_switches(tree, n, of, out);
    } else {
        status = cpm_no_memory(e);
    }
    free(tree);
    free(gone);
    release(&x);
    return status;
}
