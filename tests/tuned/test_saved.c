/* What reports say was saved follows from calls in turns with MPI's own: it comes with an interval
 * that holds the truth, costs are not negative, and it never exceeds what MPI's own would have
 * taken. Calls are played. */
#include "tests/mpi_test.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "tests/adapt/played.h"
#include "tuned/adapt/saved.h"

enum { MOST = 4, CALLS = 4000, SEEDS = 40 };

typedef struct {
    gsl_rng *random;
    double mean[MOST], then[MOST]; /* seconds; then: from call number turn on */
    double spread, odd;            /* of a call; seconds that one in a thousand takes besides */
    long turn, calls;
    double spent, native; /* of all calls so far; what MPI's own takes on average for them */
} world;

static double call(void *any, int who)
{
    world *w = any;
    const double *mean = w->calls++ < w->turn ? w->mean : w->then;
    double odd = gsl_rng_uniform(w->random) < 1e-3 ? w->odd : 0;
    double seconds = mean[who] * exp(w->spread * gsl_ran_ugaussian(w->random)) + odd;
    w->spent += seconds;
    w->native += mean[0] * exp(w->spread * w->spread / 2) + 1e-3 * w->odd;
    return seconds;
}

/* Plays the world; what was saved. */
static tuned_saved_sum play(world *w, cpm_adapt_policy policy, unsigned long seed, int *chosen)
{
    const cpm_adapt_candidate as[MOST] = {{.predicted = NAN},
                                          {.predicted = NAN, .group = 1},
                                          {.predicted = NAN, .group = 2},
                                          {.predicted = NAN, .group = 3}};
    tuned_saved each[MOST] = {{.spent = 0}};
    tuned_saved_sum sum = {0};
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = NULL;
    played p;
    l.constant = 0.1;
    w->random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(w->random, seed);
    assert_int_equal(cpm_adapt_create(policy, as, MOST, &l, &a, NULL), CPM_OK);
    played_begin(&p, a, 1e-6);
    while (p.calls < CALLS) {
        const int incumbent = cpm_adapt_incumbent(a);
        const long meetings = p.meetings;
        int count = 0;
        played_step(&p, call, w);
        while (count < PLAYED_AT_ONCE && p.before[count].calls)
            count++;
        if (p.meetings > meetings)
            tuned_saved_feed(each, incumbent, p.before, count);
    }
    for (int k = 0; k < PLAYED_AT_ONCE; k++) {
        if (p.meanwhile && p.before[k].calls)
            tuned_saved_rest(&each[p.before[k].who], p.before[k].sum);
        if (p.now[k].calls)
            tuned_saved_rest(&each[p.now[k].who], p.now[k].sum);
    }
    for (int k = 0; k < MOST; k++)
        tuned_saved_add(&sum, &each[k], k == 0);
    *chosen = cpm_adapt_incumbent(a);
    cpm_adapt_free(a);
    gsl_rng_free(w->random);
    return sum;
}

/* What always holds. */
static void check(const tuned_saved_sum *s, const world *w)
{
    assert_true(fabs(s->spent - w->spent) < 1e-9 * w->spent);
    assert_true(s->gained >= 0 && s->lost >= 0 && s->error >= 0 && s->unknown >= 0);
    assert_true(s->spent + s->gained - s->lost > 0);
}

static void what_was_saved_is_within_its_interval(void **state)
{
    (void)state;
    int within = 0, known = 0;
    for (unsigned long seed = 1; seed <= SEEDS; seed++) {
        int chosen;
        world w = {.mean = {1e-4, 1.1e-4, 0.5e-4, 3e-4}, .spread = 0.2, .turn = CALLS};
        const tuned_saved_sum s = play(&w, CPM_ADAPT_BUDGET, seed, &chosen);
        double half = tuned_saved_interval(&s);
        check(&s, &w);
        assert_int_equal(chosen, 2);
        known += half >= 0;
        within += fabs(s.gained - s.lost - (w.native - w.spent)) <= half;
    }
    assert_int_equal(known, SEEDS);
    assert_true(within >= SEEDS * 9 / 10);
}

/* Slow calls from before do not make those look good that were tried later, while native was as
 * fast: nothing was saved where native stays. */
static void slow_calls_from_before_save_nothing(void **state)
{
    (void)state;
    int within = 0;
    for (unsigned long seed = 1; seed <= SEEDS; seed++) {
        int chosen;
        world w = {.mean = {4e-2, 4e-2, 4e-2, 4e-2},
                   .then = {1e-4, 1e-4, 1e-4, 1e-4},
                   .spread = 0.1,
                   .turn = 40};
        const tuned_saved_sum s = play(&w, CPM_ADAPT_BUDGET, seed, &chosen);
        double half = tuned_saved_interval(&s), saved = s.gained - s.lost;
        check(&s, &w);
        within += isnan(half) || fabs(saved) <= half;
        assert_true(isnan(half) || half < w.spent + saved);
    }
    assert_true(within >= SEEDS * 9 / 10);
}

/* A call that takes 80,000 times as long meets native in one of its turns: that is no gain. */
static void an_odd_call_is_no_gain(void **state)
{
    (void)state;
    int odd = 0, within = 0;
    for (unsigned long seed = 1; seed <= 5 * SEEDS; seed++) {
        int chosen;
        world w = {.mean = {1e-4, 1e-4, 1e-4, 1e-4}, .spread = 0.1, .odd = 8, .turn = CALLS};
        const tuned_saved_sum s = play(&w, CPM_ADAPT_BUDGET, seed, &chosen);
        double half = tuned_saved_interval(&s);
        check(&s, &w);
        odd += fabs(s.gained - s.lost) > 1;
        within += isnan(half) || fabs(s.gained - s.lost) <= half;
    }
    assert_true(odd > 0 && within >= 5 * SEEDS * 9 / 10);
}

static void nothing_is_known_where_native_never_ran_in_turns(void **state)
{
    (void)state;
    int chosen;
    world w = {.mean = {1e-4, 1.1e-4, 0.5e-4, 3e-4}, .spread = 0.2, .turn = CALLS};
    const tuned_saved_sum s = play(&w, CPM_ADAPT_STAR_BASIC, 1, &chosen);
    assert_int_equal(chosen, 2);
    assert_true(isnan(tuned_saved_interval(&s)));
}

/* Where a root judges its calls are the measure, and what others spend is saved by the same share.
 */
static void a_share_of_the_root_is_that_of_all(void **state)
{
    (void)state;
    const double slow[4] = {8, 8, 8, 8}, fast[4] = {2, 2, 2, 2};
    const cpm_adapt_figures f[] = {
        {.who = 0, .calls = 4, .sum = 32, .spent = 12, .kept = 4, .seconds = slow},
        {.who = 1, .calls = 4, .sum = 8, .spent = 4, .kept = 4, .seconds = fast}};
    tuned_saved each[2] = {{.spent = 0}};
    tuned_saved_feed(each, 0, f, 2);
    assert_float_equal(each[0].alone, 12, 1e-12);
    assert_float_equal(each[1].spent, 4, 1e-12);
    assert_float_equal(each[1].saved, 12, 1e-12); /* native: four times as long */
}

static void sums_add_up(void **state)
{
    (void)state;
    tuned_saved_sum a = {.spent = 10, .gained = 3, .error = 0.3, .met = 0.1};
    const tuned_saved_sum b = {.spent = 5, .lost = 1, .error = 0.4, .met = 0.2};
    tuned_saved_join(&a, &b);
    assert_float_equal(a.spent, 15, 1e-12);
    assert_float_equal(a.gained - a.lost, 2, 1e-12);
    assert_float_equal(a.met, 0.3, 1e-12);
    assert_float_equal(tuned_saved_interval(&a), 1.96 * 0.5, 1e-9);
    a.unknown = 1; /* of 15 */
    assert_true(isnan(tuned_saved_interval(&a)));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_saved_is_within_its_interval),
        cmocka_unit_test(slow_calls_from_before_save_nothing),
        cmocka_unit_test(an_odd_call_is_no_gain),
        cmocka_unit_test(nothing_is_known_where_native_never_ran_in_turns),
        cmocka_unit_test(a_share_of_the_root_is_that_of_all),
        cmocka_unit_test(sums_add_up),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
