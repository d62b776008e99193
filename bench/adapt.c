/* What the policies of trying cost and gain in played programs, and how often they are wrong:
 * bench_adapt [PROGRAMS [SEED [POLICY [PART]]]]
 *   PROGRAMS  of each kind, a tenth of those with 20,000 calls (1000)
 *   SEED      of the first (1; figures of reports begin at 1000001)
 *   POLICY    budget, star or star-basic
 *   PART      only kinds whose name contains that
 *
 * A program calls a collective again and again; made-up algorithms are faster or slower than the
 * library's own, rightly or wrongly predicted, time out now and then, or change in the middle. All
 * that is spent counts: trying, and the meetings of the ranks. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/policy.h"
#include "tests/adapt/played.h"

enum { MOST = 24, CONTEXTS = 64, MANY = 20000 };
static const double meeting = 20e-6, timeout = 0.2, spread = 0.1, outliers = 0.01, drift_of = 0.3;
static const double near = 1.05; /* what takes so many times as long as the best is as good */

typedef enum { NONE, RIGHT, SHUFFLED, HALF, LOOKS } prediction;

/* What algorithms but those that are named take, in shares of native's time. */
typedef enum { SLOWER, CLOSE } others;

/* A kind of program. */
typedef struct {
    const char *name;
    int count; /* of algorithms beside native */
    others as;
    double some[3]; /* shares of the 4th, 8th and 12th; 0: as others */
    double native;  /* seconds of a call; 0: 200 us */
    prediction model;
    double native_rate, others_rate; /* of time-outs of 200 ms; named ones have none */
    int changed;      /* index of what is so many times as slow in the second half; 0: native */
    double by;        /* 0: nothing is */
    bool all_change;  /* in the second half all take 4 to 6.5 times as long, the last 3 times */
    double disturbed; /* then calls that follow one of another kind take so large a part more */
    bool drifts;      /* everything together */
    double noise;     /* instead of spread; 0: that */
    double noise_of_others; /* instead of that; 0: that */
    double tail;            /* a part of calls takes more, by Pareto's distribution of 1.5 */
    double slow;    /* every few hundred calls the machine changes its state; so many times */
    double follows; /* correlation of the noise from call to call */
    int contexts;   /* 0: one; called in turns */
    double meeting; /* seconds; 0: the usual */
    long calls;     /* 0: 2,000 */
} kind;

/* clang-format off */
#define KIND(what, algorithms, of, ...) {.name = what, .count = algorithms, .as = of, __VA_ARGS__}
#define NATIVE_IS_BEST(what, ...) KIND("native is best: " what, 12, CLOSE, __VA_ARGS__)
#define ALL_SLOWER(what, ...)     KIND("all slower: " what, 12, SLOWER, __VA_ARGS__)
#define FASTER(times, what, ...) \
    KIND("one faster: " #times " times" what, 12, SLOWER, .some = {0, 1 / (double)times}, __VA_ARGS__)
#define TWO_FASTER(what, ...) \
    KIND("two faster: " what, 12, SLOWER, .some = {0.7, 0.85}, __VA_ARGS__)
#define SLOW_SWITCH(what, count, of, ...) \
    KIND("a switch becomes slow: " what, count, of, .calls = MANY, __VA_ARGS__)

static const kind kinds[] = {
    NATIVE_IS_BEST("no model", .model = NONE),
    NATIVE_IS_BEST("20,000 calls", .calls = MANY),
    NATIVE_IS_BEST("model says 0.95", .model = LOOKS),
    NATIVE_IS_BEST("drift", .drifts = true),
    NATIVE_IS_BEST("noise of 50 %", .noise = 0.5),
    NATIVE_IS_BEST("others vary by 30 %", .noise_of_others = 0.3),
    NATIVE_IS_BEST("others vary by 50 %", .noise_of_others = 0.5),
    NATIVE_IS_BEST("heavy tails", .noise = 0.3, .tail = 0.2),
    NATIVE_IS_BEST("heavy tails, 20,000 calls", .noise = 0.3, .tail = 0.2, .calls = MANY),
    NATIVE_IS_BEST("bimodal, 2 times", .slow = 2),
    NATIVE_IS_BEST("bimodal, 5 times", .slow = 5),
    NATIVE_IS_BEST("bimodal, 2 times, 20,000 calls", .slow = 2, .calls = MANY),
    NATIVE_IS_BEST("noise that lasts", .noise = 0.3, .follows = 0.9),
    NATIVE_IS_BEST("all time out (1 %), 5 ms", .native = 5e-3, .native_rate = 0.01, .others_rate = 0.01),
    NATIVE_IS_BEST("all time out (5 %), 5 ms", .native = 5e-3, .native_rate = 0.05, .others_rate = 0.05),
    FASTER(1.1, "", .model = NONE),
    FASTER(1.5, "", .model = NONE),
    FASTER(3, "", .model = NONE),
    FASTER(50, "", .model = NONE),
    FASTER(1.1, ", model right", .model = RIGHT),
    FASTER(1.5, ", model right", .model = RIGHT),
    FASTER(3, ", model right", .model = RIGHT),
    FASTER(50, ", model right", .model = RIGHT),
    FASTER(1.1, ", 20,000 calls", .calls = MANY),
    FASTER(1.5, ", drift", .drifts = true),
    FASTER(1.5, ", heavy tails", .noise = 0.3, .tail = 0.2),
    FASTER(1.5, ", bimodal, 2 times", .slow = 2),
    FASTER(1.5, ", bimodal, 5 times", .slow = 5),
    FASTER(1.5, ", noise that lasts", .noise = 0.3, .follows = 0.9),
    FASTER(1.5, ", others time out (1 %), 5 ms", .native = 5e-3, .native_rate = 0.01, .others_rate = 0.01),
    SLOW_SWITCH("chosen 3 times", 4, SLOWER, .some = {0.7}, .changed = 4, .by = 3),
    SLOW_SWITCH("chosen 1.5 times", 8, SLOWER, .some = {0.7, 0.85}, .changed = 4, .by = 1.5),
    SLOW_SWITCH("all", 10, CLOSE, .some = {0.8, 0.9}, .native = 3e-3, .all_change = true, .meeting = 400e-6),
    SLOW_SWITCH("all, turns disturb", 10, CLOSE, .some = {0.8, 0.9}, .native = 3e-3, .all_change = true,
                .disturbed = 0.2, .meeting = 400e-6),
    ALL_SLOWER("model right", .model = RIGHT),
    ALL_SLOWER("model says half the time", .model = HALF),
    ALL_SLOWER("model says half the time, 20 us", .model = HALF, .native = 20e-6),
    ALL_SLOWER("no model", .model = NONE),
    ALL_SLOWER("no model, noise of 50 %", .noise = 0.5),
    ALL_SLOWER("no model, 20 us, a meeting 200 us", .native = 20e-6, .meeting = 200e-6),
    ALL_SLOWER("8 contexts, no model, 1 ms", .native = 1e-3, .contexts = 8),
    ALL_SLOWER("64 contexts, no model, 50 us, a meeting 100 us", .native = 50e-6, .contexts = 64,
               .meeting = 100e-6),
    TWO_FASTER("model right", .model = RIGHT),
    TWO_FASTER("model right, 20 us", .model = RIGHT, .native = 20e-6),
    TWO_FASTER("model right, noise of 50 %", .model = RIGHT, .noise = 0.5),
    TWO_FASTER("model right, a meeting 200 us", .model = RIGHT, .meeting = 200e-6),
    TWO_FASTER("model right, 8 contexts, 1 ms", .model = RIGHT, .native = 1e-3, .contexts = 8),
    TWO_FASTER("model right, drift", .model = RIGHT, .drifts = true),
    TWO_FASTER("model shuffled", .model = SHUFFLED),
    TWO_FASTER("model says 0.95, 5 ms", .model = LOOKS, .native = 5e-3),
    TWO_FASTER("no model", .model = NONE),
    TWO_FASTER("no model, 20,000 calls", .calls = MANY),
    TWO_FASTER("no model, 5 ms", .native = 5e-3),
    TWO_FASTER("no model, a meeting 200 us", .meeting = 200e-6),
    TWO_FASTER("no model, 8 contexts, 1 ms", .native = 1e-3, .contexts = 8),
    KIND("native times out (5 %), one calm at 1.3, model right, 5 ms", 12, SLOWER, .some = {1.3},
         .native = 5e-3, .model = RIGHT, .native_rate = 0.05),
    KIND("native times out (5 %), one calm at 1.3, no model, 5 ms", 12, SLOWER, .some = {1.3},
         .native = 5e-3, .native_rate = 0.05),
    KIND("all but one time out (30 %), no model, 5 ms", 12, SLOWER, .some = {1.3}, .native = 5e-3,
         .native_rate = 0.3, .others_rate = 0.3),
    KIND("candidates time out (5 %), look 0.8, 5 ms", 6, SLOWER, .native = 5e-3, .model = LOOKS,
         .others_rate = 0.05),
    TWO_FASTER("the first 3 times slower midway", .model = RIGHT, .changed = 4, .by = 3),
    TWO_FASTER("native 3 times faster midway", .model = RIGHT, .changed = 0, .by = 1.0 / 3),
    ALL_SLOWER("native 3 times slower midway, no model", .model = NONE, .changed = 0, .by = 3),
};
/* clang-format on */

/* One program: what its algorithms take, and what its next call does. */
typedef struct {
    const kind *kind;
    gsl_rng *random, *machine; /* the second: states of the machine */
    double mean[MOST], then[MOST], predicted[MOST], rate[MOST];
    double lasting; /* noise of the last call, normal */
    bool is_slow;
    long calls, all, changes; /* when the state changes next */
    int last;
} program;

static double log_uniform(gsl_rng *r, double low, double high)
{
    return exp(gsl_ran_flat(r, log(low), log(high)));
}

static double native_of(const kind *k)
{
    return k->native > 0 ? k->native : 200e-6;
}

static void predict(program *p)
{
    const kind *k = p->kind;
    memcpy(p->predicted, p->mean, sizeof p->mean);
    if (k->model == SHUFFLED)
        gsl_ran_shuffle(p->random, p->predicted + 1, (size_t)k->count, sizeof *p->predicted);
    for (int c = 1; c <= k->count; c++)
        p->predicted[c] = k->model == HALF    ? 0.5 * native_of(k)
                          : k->model == LOOKS ? (k->others_rate > 0 ? 0.8 : 0.95) * native_of(k)
                          : k->model == NONE  ? NAN
                                              : p->predicted[c];
}

static bool is_named(const kind *k, int c)
{
    return c % 4 == 0 && c / 4 <= 3 && c > 0 && k->some[c / 4 - 1] > 0;
}

/* Of those that are close every other one takes just as long as native. */
static double ratio_of(const program *p, int c)
{
    const kind *k = p->kind;
    if (is_named(k, c))
        return k->some[c / 4 - 1];
    if (k->as == CLOSE)
        return c % 2 ? 1 : gsl_ran_flat(p->random, 1, 1.2);
    return k->model == LOOKS && k->others_rate > 0 ? 0.8 : log_uniform(p->random, 1.1, 8);
}

static double changed_by(const program *p, int c)
{
    const kind *k = p->kind;
    if (k->all_change)
        return c == k->count ? 3 : gsl_ran_flat(p->random, 4, 6.5);
    return k->by > 0 && c == k->changed ? k->by : 1;
}

static program begin(const kind *k, unsigned long seed)
{
    program p = {.kind = k,
                 .random = gsl_rng_alloc(gsl_rng_mt19937),
                 .machine = gsl_rng_alloc(gsl_rng_mt19937),
                 .all = k->calls ? k->calls : 2000};
    gsl_rng_set(p.random, seed);
    gsl_rng_set(p.machine, seed);
    p.mean[0] = native_of(k);
    p.rate[0] = k->native_rate;
    for (int c = 1; c <= k->count; c++) {
        p.mean[c] = native_of(k) * ratio_of(&p, c);
        p.rate[c] = is_named(k, c) ? 0 : k->others_rate;
    }
    predict(&p);
    for (int c = 0; c <= k->count; c++)
        p.then[c] = p.mean[c] * changed_by(&p, c);
    return p;
}

static void end(program *p)
{
    gsl_rng_free(p->random);
    gsl_rng_free(p->machine);
}

/* ---- calls */

static bool is_half_over(const program *p)
{
    return 2 * p->calls >= p->all;
}

/* How many times as long as usual a call takes, whoever runs it. */
static double state_of(program *p)
{
    const kind *k = p->kind;
    double times = 1;
    if (k->drifts)
        times *= 1 + drift_of * sin(2 * M_PI * 3 * (double)p->calls / (double)p->all);
    if (!(k->slow > 0))
        return times;
    if (p->calls >= p->changes) {
        p->is_slow = !p->is_slow;
        p->changes = p->calls + (long)gsl_ran_flat(p->machine, 100, 500);
    }
    return times * (p->is_slow ? k->slow : 1);
}

/* A normal value; the same draws whoever runs the call: a program with another policy is the same
 * one. */
static double noise_of(program *p)
{
    double f = p->kind->follows, fresh = gsl_cdf_ugaussian_Pinv(gsl_rng_uniform_pos(p->random));
    return p->lasting = f > 0 ? f * p->lasting + sqrt(1 - f * f) * fresh : fresh;
}

/* In shares of the usual time. */
static double odd_part(program *p)
{
    double which = gsl_rng_uniform(p->random), size = gsl_rng_uniform_pos(p->random);
    if (p->kind->tail > 0)
        return which < p->kind->tail ? fmin(pow(size, -1 / 1.5), 15) - 1 : 0;
    return which < outliers ? 1 + 4 * size : 0;
}

static double call(void *world, int who)
{
    program *p = world;
    const kind *k = p->kind;
    double own = who ? k->noise_of_others : 0, usual = k->noise > 0 ? k->noise : spread;
    double s = own > 0 ? own : usual, noise = noise_of(p), odd = odd_part(p);
    double t = (is_half_over(p) ? p->then : p->mean)[who] * state_of(p);
    if (who != p->last && is_half_over(p))
        t *= 1 + k->disturbed;
    p->last = who;
    p->calls++;
    return t * exp(s * noise - s * s / 2) + t * odd +
           (gsl_rng_uniform(p->random) < p->rate[who] ? timeout : 0);
}

/* Mean seconds of a call if who runs all, but for what meets all alike. */
static double expected(const program *p, int who)
{
    return (p->mean[who] + p->then[who]) / 2 + p->rate[who] * timeout;
}

static double expected_then(const program *p, int who)
{
    return p->then[who] + p->rate[who] * timeout;
}

static int best_of(const program *p, double (*seconds)(const program *, int))
{
    int best = 0;
    for (int k = 1; k <= p->kind->count; k++)
        if (seconds(p, k) < seconds(p, best))
            best = k;
    return best;
}

static double native_alone(const kind *k, unsigned long seed)
{
    program p = begin(k, seed);
    double sum = 0;
    while (p.calls < p.all)
        sum += call(&p, 0);
    end(&p);
    return sum;
}

/* ---- programs */

/* What came of one. */
typedef struct {
    double native, own; /* seconds */
    double best;        /* share of the best fixed choice */
    bool leaves;        /* something else than native is kept at the end */
    bool finds;         /* what is kept is as good as the best of the end */
    long after;         /* calls until that, in the half in which it was found */
    double periods;     /* quiet periods from the middle until what is as good as the best then */
} outcome;

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

/* Follows the first context. */
typedef struct {
    int incumbent;
    bool good;
    int quiet; /* calls of its longest period without a trial in the quarter before the middle */
} watcher;

static void watch(watcher *w, const program *p, const played *c, outcome *out)
{
    int who = cpm_adapt_incumbent(c->engine);
    double best = expected_then(p, best_of(p, expected_then));
    int calls = c->period.calls + CPM_ADAPT_MEANWHILE;
    if (!is_half_over(p) && 4 * p->calls >= p->all && c->period.first == c->period.second)
        w->quiet = calls > w->quiet ? calls : w->quiet;
    if (who != w->incumbent) {
        w->incumbent = who;
        out->after = p->calls;
    }
    bool good = is_half_over(p) && expected_then(p, who) <= near * best;
    if (good && !w->good && !(out->periods > 0))
        out->periods = fmax(1, (double)p->calls - (double)p->all / 2) / w->quiet;
    w->good = good;
}

static void adapted(program *p, cpm_adapt_policy policy, outcome *out)
{
    static played contexts[CONTEXTS];
    const int count = p->kind->contexts ? p->kind->contexts : 1;
    cpm_ledger l = cpm_ledger_new();
    watcher w = {.quiet = 1};
    for (int k = 0; k < count; k++)
        open_context(p, policy, &l, &contexts[k]);
    while (p->calls < p->all) {
        played *c = &contexts[p->calls % count];
        long meetings = c->meetings;
        out->own += played_step(c, call, p);
        if (c == contexts && (c->meetings > meetings || 2 * p->calls == p->all))
            watch(&w, p, c, out);
    }
    out->leaves = cpm_adapt_incumbent(contexts[0].engine) != 0;
    out->finds = w.good;
    for (int k = 0; k < count; k++)
        cpm_adapt_free(contexts[k].engine);
}

static outcome play(const kind *k, cpm_adapt_policy policy, unsigned long seed)
{
    program p = begin(k, seed);
    outcome out = {.native = native_alone(k, seed),
                   .best = expected(&p, best_of(&p, expected)) / expected(&p, 0)};
    adapted(&p, policy, &out);
    end(&p);
    return out;
}

/* ---- the table */

typedef struct {
    double *ratio, *after; /* of the program's time over native's; calls, of those that found */
    double gain, reached;  /* sums over programs: in hindsight, and of what was reached */
    int programs, kept, left, found, soon;
} column;

static void count(column *c, const outcome *o)
{
    c->ratio[c->programs++] = o->own / o->native;
    if (o->finds)
        c->after[c->found++] = (double)o->after;
    c->gain += 1 - o->best;
    c->reached += 1 - o->own / o->native;
    c->kept += o->own <= 1.02 * o->native + 1e-3;
    c->left += o->leaves;
    c->soon += o->periods > 0 && o->periods <= 2;
}

static void print_share(bool is_known, int part, int all)
{
    if (is_known)
        printf("  %6.2f", 100.0 * part / all);
    else
        printf("       -");
}

static void print(const kind *k, column *c)
{
    size_t n = (size_t)c->programs;
    const bool gains = c->gain / c->programs > 0.01, changes = k->all_change || k->by > 0;
    gsl_sort(c->ratio, 1, n);
    gsl_sort(c->after, 1, (size_t)c->found);
    printf("%-62s  %5d", k->name, c->programs);
    print_share(!gains && !changes, c->left, c->programs);
    printf("  %6.3f  %6.3f  %6.1f", gsl_stats_mean(c->ratio, 1, n),
           gsl_stats_quantile_from_sorted_data(c->ratio, 1, n, 0.99), 100.0 * c->kept / (double)n);
    if (gains)
        printf("  %6.1f  %6.1f  %6.0f", 100 * c->reached / c->gain, 100.0 * c->found / (double)n,
               gsl_stats_median_from_sorted_data(c->after, 1, (size_t)c->found));
    else
        printf("       -       -       -");
    print_share(changes, c->soon, c->programs);
    printf("\n");
    fflush(stdout);
}

static void judge(const kind *k, int programs, unsigned long seed, cpm_adapt_policy policy)
{
    int n = k->calls >= MANY ? (programs + 9) / 10 : programs;
    column c = {.ratio = calloc((size_t)n, sizeof *c.ratio),
                .after = calloc((size_t)n, sizeof *c.after)};
    if (!c.ratio || !c.after)
        exit(1);
    for (int at = 0; at < n; at++) {
        const outcome o = play(k, policy, seed + (unsigned long)at);
        count(&c, &o);
    }
    print(k, &c);
    free(c.ratio);
    free(c.after);
}

int main(int argc, char **argv)
{
    cpm_error e = {0};
    cpm_adapt_policy policy = CPM_ADAPT_BUDGET;
    int programs = argc > 1 ? atoi(argv[1]) : 1000;
    unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    if (programs < 1 || seed < 1) {
        fprintf(stderr, "usage: bench_adapt [PROGRAMS [SEED [POLICY [PART]]]]\n");
        return 2;
    }
    if (argc > 3 && cpm_adapt_policy_parse(argv[3], &policy, &e))
        fail(&e);
    printf("# false: native was best, something else is kept at the end, %%. Time over native's: "
           "mean, 99th percentile.\n# kept: within 1.02 and 1 ms, %%. gain: of the best fixed "
           "choice's in hindsight, %%. found: as good as the best at the end, %%; after so many "
           "calls (median).\n# soon: what is as good as the best after a change is chosen within 2 "
           "quiet periods, %%.\n%-62s  %5s  %6s  %6s  %6s  %6s  %6s  %6s  %6s  %6s\n",
           "# kind of program", "", "false", "mean", "99 %", "kept", "gain", "found", "after",
           "soon");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (argc <= 4 || strstr(kinds[k].name, argv[4]))
            judge(&kinds[k], programs, seed, policy);
    return 0;
}
