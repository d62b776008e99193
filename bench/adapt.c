/* What the policies of trying cost and gain in played programs:
 * bench_adapt [CALLS [PROGRAMS [POLICIES]]] (2000, 100, 3; 1: only the budget)
 *
 * A program calls a collective again and again; made-up algorithms are faster or slower than the
 * library's own, rightly or wrongly predicted, time out now and then, or change in the middle.
 * Prints, for each kind of program, the time of the whole program over native's (median and 99th
 * percentile), how many keep the promise, and the share of the gain of the best fixed
 * choice in hindsight. All that is spent counts: trying, and the meetings of the ranks. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/adapt/played.h"

enum { MOST = 24, CONTEXTS = 64 };
static const double meeting = 20e-6, timeout = 0.2, spread = 0.1, outliers = 0.01, drift_of = 0.3;

typedef enum { RIGHT, SHUFFLED, HALF, LOOKS, NONE } prediction;

/* A kind of program. */
typedef struct {
    const char *name;
    double native; /* seconds of a call */
    int count;     /* of algorithms beside native, slower ones but for: */
    double some[3];
    prediction model;
    double native_rate, others_rate; /* of time-outs of 200 ms */
    int changed;    /* index of what is so many times as slow in the second half; 0: native */
    double by;      /* 0: nothing is */
    bool drifts;    /* everything together */
    double noise;   /* instead of spread; 0: that */
    int contexts;   /* 0: one; called in turns */
    double meeting; /* seconds; 0: the usual */
} kind;

static const kind kinds[] = {
    {"all slower, model right, 200 us", 200e-6, 12, .model = RIGHT},
    {"all slower, model says half the time, 200 us", 200e-6, 12, .model = HALF},
    {"all slower, model says half the time, 20 us", 20e-6, 12, .model = HALF},
    {"all slower, no model, 200 us", 200e-6, 12, .model = NONE},
    {"all slower, no model, 5 ms", 5e-3, 12, .model = NONE},
    {"two faster (0.70, 0.85), model right, 200 us", 200e-6, 12, {0.7, 0.85}, .model = RIGHT},
    {"two faster, model right, 5 ms", 5e-3, 12, {0.7, 0.85}, .model = RIGHT},
    {"two faster, model right, 200 us, a meeting 200 us",
     200e-6,
     12,
     {0.7, 0.85},
     .model = RIGHT,
     .meeting = 200e-6},
    {"two faster, no model, 200 us, a meeting 200 us",
     200e-6,
     12,
     {0.7, 0.85},
     .model = NONE,
     .meeting = 200e-6},
    {"two faster, model right, 20 us", 20e-6, 12, {0.7, 0.85}, .model = RIGHT},
    {"two faster, model shuffled, 200 us", 200e-6, 12, {0.7, 0.85}, .model = SHUFFLED},
    {"two faster, model shuffled, 5 ms", 5e-3, 12, {0.7, 0.85}, .model = SHUFFLED},
    {"two faster, model says 0.95, 5 ms", 5e-3, 12, {0.7, 0.85}, .model = LOOKS},
    {"two faster, no model, 200 us", 200e-6, 12, {0.7, 0.85}, .model = NONE},
    {"two faster, no model, 5 ms", 5e-3, 12, {0.7, 0.85}, .model = NONE},
    {"two faster, all drifts, model right, 200 us",
     200e-6,
     12,
     {0.7, 0.85},
     .model = RIGHT,
     .drifts = true},
    {"two faster, much noise, model right, 200 us",
     200e-6,
     12,
     {0.7, 0.85},
     .model = RIGHT,
     .noise = 0.5},
    {"all slower, much noise, no model, 200 us", 200e-6, 12, .model = NONE, .noise = 0.5},
    {"two faster, 8 contexts, no model, 1 ms", 1e-3, 12, {0.7, 0.85}, .model = NONE, .contexts = 8},
    {"all slower, 8 contexts, no model, 1 ms", 1e-3, 12, .model = NONE, .contexts = 8},
    {"two faster, 8 contexts, model right, 1 ms",
     1e-3,
     12,
     {0.7, 0.85},
     .model = RIGHT,
     .contexts = 8},
    {"two faster, 64 contexts, model right, 50 us, a meeting 100 us",
     50e-6,
     12,
     {0.7, 0.85},
     .model = RIGHT,
     .contexts = 64,
     .meeting = 100e-6},
    {"all slower, 64 contexts, no model, 50 us, a meeting 100 us", 50e-6, 12, .model = NONE,
     .contexts = 64, .meeting = 100e-6},
    {"two faster, model right, 20 us, a meeting 200 us",
     20e-6,
     12,
     {0.7, 0.85},
     .model = RIGHT,
     .meeting = 200e-6},
    {"all slower, no model, 20 us, a meeting 200 us", 20e-6, 12, .model = NONE, .meeting = 200e-6},
    {"native times out (5 %), one calm at 1.3, model right, 5 ms",
     5e-3,
     12,
     {1.3},
     .model = RIGHT,
     .native_rate = 0.05},
    {"native times out (5 %), one calm at 1.3, no model, 5 ms",
     5e-3,
     12,
     {1.3},
     .model = NONE,
     .native_rate = 0.05},
    {"native times out (30 %), all others but one too, no model, 5 ms",
     5e-3,
     12,
     {1.3},
     .model = NONE,
     .native_rate = 0.3,
     .others_rate = 0.3},
    {"candidates time out (5 %), look 0.8, 5 ms", 5e-3, 6, .model = LOOKS, .others_rate = 0.05},
    {"best (0.70) 3 times slower in the middle, 200 us",
     200e-6,
     12,
     {0.7, 0.85},
     .model = RIGHT,
     .changed = 4,
     .by = 3},
    {"native 3 times faster in the middle, 200 us",
     200e-6,
     12,
     {0.7, 0.85},
     .model = RIGHT,
     .changed = 0,
     .by = 1.0 / 3},
    {"native 3 times slower in the middle, no model, 200 us", 200e-6, 12, .model = NONE,
     .changed = 0, .by = 3},
};

/* One program: what its algorithms take. */
typedef struct {
    const kind *kind;
    gsl_rng *random;
    double mean[MOST], predicted[MOST], rate[MOST];
    long calls, all;
} program;

static double log_uniform(gsl_rng *r, double low, double high)
{
    return exp(gsl_ran_flat(r, log(low), log(high)));
}

static void predict(program *p)
{
    const kind *k = p->kind;
    memcpy(p->predicted, p->mean, sizeof p->mean);
    if (k->model == SHUFFLED)
        gsl_ran_shuffle(p->random, p->predicted + 1, (size_t)k->count, sizeof *p->predicted);
    for (int c = 1; c <= k->count; c++)
        p->predicted[c] = k->model == HALF    ? 0.5 * k->native
                          : k->model == LOOKS ? (k->others_rate > 0 ? 0.8 : 0.95) * k->native
                          : k->model == NONE  ? NAN
                                              : p->predicted[c];
}

/* The faster ones are the 4th, 8th and 12th. */
static double ratio_of(const program *p, int c)
{
    const kind *k = p->kind;
    if (c % 4 == 0 && k->some[c / 4 - 1] > 0)
        return k->some[c / 4 - 1];
    return k->model == LOOKS && k->others_rate > 0 ? 0.8 : log_uniform(p->random, 1.1, 8);
}

static program begin(const kind *k, long calls, unsigned long seed)
{
    program p = {.kind = k, .random = gsl_rng_alloc(gsl_rng_mt19937), .all = calls};
    gsl_rng_set(p.random, seed);
    p.mean[0] = k->native;
    p.rate[0] = k->native_rate;
    for (int c = 1; c <= k->count; c++) {
        p.mean[c] = k->native * ratio_of(&p, c);
        p.rate[c] = c % 4 == 0 && k->some[c / 4 - 1] > 0 ? 0 : k->others_rate;
    }
    predict(&p);
    return p;
}

/* ---- calls */

static double noise_of(const kind *k)
{
    return k->noise > 0 ? k->noise : spread;
}

static bool has_changed(const program *p, int who)
{
    return p->kind->by > 0 && who == p->kind->changed && p->calls >= p->all / 2;
}

/* The same draws for each call, whoever runs it: a program with another policy is the same one. */
static double call(void *world, int who)
{
    program *p = world;
    double s = noise_of(p->kind), t = p->mean[who] * (has_changed(p, who) ? p->kind->by : 1);
    double noise = gsl_cdf_ugaussian_Pinv(gsl_rng_uniform_pos(p->random));
    double outlier = gsl_rng_uniform(p->random), size = 1 + 4 * gsl_rng_uniform(p->random);
    if (p->kind->drifts)
        t *= 1 + drift_of * sin(2 * M_PI * 3 * (double)p->calls / (double)p->all);
    p->calls++;
    return t * exp(s * noise - s * s / 2) + (outlier < outliers ? t * size : 0) +
           (gsl_rng_uniform(p->random) < p->rate[who] ? timeout : 0);
}

/* Mean seconds of a call if who runs all. */
static double expected(const program *p, int who)
{
    double by = p->kind->by > 0 && who == p->kind->changed ? (1 + p->kind->by) / 2 : 1;
    return p->mean[who] * by * (1 + 3 * outliers) + p->rate[who] * timeout;
}

static double native_alone(program *p)
{
    double sum = 0;
    while (p->calls < p->all)
        sum += call(p, 0);
    return sum;
}

/* ---- programs */

static void fail(const cpm_error *e)
{
    fprintf(stderr, "bench_adapt: %s\n", e->text);
    exit(1);
}

static void open_context(const program *p, cpm_adapt_policy policy, cpm_ledger *l, played *c)
{
    cpm_error e = {0};
    cpm_adapt_candidate all[MOST];
    for (int k = 0; k <= p->kind->count; k++)
        all[k] = (cpm_adapt_candidate){.predicted = p->predicted[k], .group = k / 2};
    cpm_adapt *engine = NULL;
    if (cpm_adapt_create(policy, all, p->kind->count + 1, l, &engine, &e))
        fail(&e);
    played_begin(c, engine, p->kind->meeting > 0 ? p->kind->meeting : meeting);
}

static double adapted(program *p, cpm_adapt_policy policy)
{
    int count = p->kind->contexts ? p->kind->contexts : 1;
    played *contexts = calloc(CONTEXTS, sizeof *contexts);
    cpm_ledger l = cpm_ledger_new();
    double sum = 0;
    if (!contexts)
        exit(1);
    for (int k = 0; k < count; k++)
        open_context(p, policy, &l, &contexts[k]);
    while (p->calls < p->all)
        sum += played_step(&contexts[p->calls % count], call, p);
    for (int k = 0; k < count; k++)
        cpm_adapt_free(contexts[k].engine);
    free(contexts);
    return sum;
}

/* ---- the table */

typedef struct {
    double *ratio; /* of the program's time over native's */
    double gain;   /* sum over programs: in hindsight, and of what was reached */
    double reached;
    int kept;
} column;

static void play(const kind *k, long calls, cpm_adapt_policy policy, int at, column *c)
{
    unsigned long seed = (unsigned long)at + 1;
    program reference = begin(k, calls, seed), p = begin(k, calls, seed);
    double native = native_alone(&reference), best = 1, own = adapted(&p, policy);
    for (int x = 1; x <= k->count; x++)
        best = fmin(best, expected(&p, x) / expected(&p, 0));
    c->ratio[at] = own / native;
    c->gain += 1 - best;
    c->reached += 1 - own / native;
    c->kept += own <= 1.02 * native + 1e-3;
    gsl_rng_free(p.random);
    gsl_rng_free(reference.random);
}

static void print_column(const kind *k, long calls, int programs, cpm_adapt_policy policy)
{
    column c = {.ratio = calloc((size_t)programs, sizeof *c.ratio)};
    if (!c.ratio)
        exit(1);
    for (int at = 0; at < programs; at++)
        play(k, calls, policy, at, &c);
    gsl_sort(c.ratio, 1, (size_t)programs);
    printf("  %5.3f / %5.3f %4d %%",
           gsl_stats_median_from_sorted_data(c.ratio, 1, (size_t)programs),
           gsl_stats_quantile_from_sorted_data(c.ratio, 1, (size_t)programs, 0.99),
           100 * c.kept / programs);
    if (c.gain / programs > 0.01)
        printf(" %4.0f %%", 100 * c.reached / c.gain);
    else
        printf("      -");
    free(c.ratio);
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 2000;
    int programs = argc > 2 ? atoi(argv[2]) : 100;
    int policies = argc > 3 ? atoi(argv[3]) : 3;
    if (calls < 1 || programs < 1 || policies < 1 || policies > 3) {
        fprintf(stderr, "usage: bench_adapt [CALLS [PROGRAMS [POLICIES]]]\n");
        return 2;
    }
    printf(
        "# %ld calls, %d programs; for each policy: time over native's, median / 99th percentile; "
        "programs within 1.02 + 1 ms; share of the gain in hindsight\n",
        calls, programs);
    printf("# %-62s  %-27s  %-27s  %-27s\n", "kind of program", "budget", "star", "star-basic");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        printf("%-64s", kinds[k].name);
        for (int policy = 0; policy < policies; policy++)
            print_column(&kinds[k], calls, programs, (cpm_adapt_policy)policy);
        printf("\n");
    }
    return 0;
}
