/* When one is better: looks, and what they may spend. */
#include "adapt/evidence.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void add(adapt_pairs *p, double own, double other, int times)
{
    for (int k = 0; k < times; k++)
        adapt_pairs_add(p, &own, &other, 1, 1);
}

static adapt_question question(double level)
{
    return (adapt_question){.level = level, .own = {100, 0}, .other = {100, 0}};
}

static void all_trials_together_spend_the_level(void **state)
{
    (void)state;
    double sum = 0;
    for (int j = 1; j < 100000; j++)
        sum += adapt_level_of_trial(j);
    assert_true(sum < adapt_level && sum > 0.999 * adapt_level);
}

static void the_first_look_comes_when_pairs_that_all_agree_suffice(void **state)
{
    (void)state;
    for (int j = 1; j < 10; j++) {
        const adapt_question q = question(adapt_level_of_trial(j));
        adapt_pairs p = {.count = 0};
        int first = adapt_next_look(&p, &q);
        add(&p, 0.5e-3, 1e-3, first - 1);
        assert_false(adapt_look_at(&p, &q));
        assert_int_equal(p.looks, 0);
        add(&p, 0.5e-3, 1e-3, 1);
        assert_true(adapt_look_at(&p, &q));
        assert_int_equal(p.looks, 1);
        assert_true(adapt_next_look(&p, &q) > first);
    }
}

static void what_takes_as_long_is_not_faster(void **state)
{
    (void)state;
    const adapt_question q = question(adapt_level);
    adapt_pairs p = {.count = 0};
    for (int k = 0; k < ADAPT_PAIRS; k++) {
        add(&p, 1e-3, 1e-3, 1);
        assert_false(adapt_look_at(&p, &q));
    }
    assert_true(p.looks > 3 && p.count == ADAPT_PAIRS);
    add(&p, 1e-3, 1e-3, 1);
    assert_int_equal(p.count, ADAPT_PAIRS);
}

/* Its median is less, its mean is not. */
static void what_varies_more_is_not_faster(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    const double spread = 0.5;
    const adapt_question q = question(adapt_level);
    int faster = 0, programs = 200;
    for (int i = 0; i < programs; i++) {
        adapt_pairs p = {.count = 0};
        bool is_faster = false;
        for (int k = 0; k < 128; k++) {
            add(&p, 1e-3 * gsl_ran_lognormal(random, -spread * spread / 2, spread), 1e-3, 1);
            is_faster = adapt_look_at(&p, &q) || is_faster;
        }
        faster += is_faster;
    }
    assert_true(faster <= programs / 20);
    gsl_rng_free(random);
}

static void time_outs_are_no_pairs(void **state)
{
    (void)state;
    adapt_pairs p = {.count = 0};
    const double own[] = {1e-3, 2, 1e-3, 0}, other[] = {1e-3, 1e-3, 2, 1e-3};
    adapt_pairs_add(&p, own, other, 4, 1);
    assert_int_equal(p.count, 1);
}

static void who_times_out_less_is_better_once_enough_calls_say_so(void **state)
{
    (void)state;
    adapt_question q = question(adapt_level);
    adapt_pairs p = {.count = 0};
    add(&p, 1.3e-3, 1e-3, 20);
    q.other = (adapt_rate){100, 10};
    q.own = (adapt_rate){20, 0};
    assert_false(adapt_look_at(&p, &q));
    assert_int_equal(p.looks_at_rates, 0);
    q.own = (adapt_rate){200, 0};
    assert_true(adapt_look_at(&p, &q));
    q.own = (adapt_rate){200, 20};
    assert_false(adapt_look_at(&p, &q));
}

static void few_calls_suffice_for_one_that_cannot_time_out(void **state)
{
    (void)state;
    adapt_question q = question(adapt_level);
    adapt_pairs p = {.count = 0};
    q.calm = true;
    q.worth = 0.005;
    q.own = (adapt_rate){4, 0};
    q.other = (adapt_rate){30, 3};
    assert_true(adapt_rates_can_decide(&q));
    assert_true(adapt_look_at(&p, &q));
    q.worth = 0.1;
    assert_false(adapt_look_at(&p, &q));
}

static void few_pairs_are_as_uncertain_as_others_are(void **state)
{
    (void)state;
    adapt_pairs p = {.count = 0};
    assert_true(isinf(adapt_pairs_error(&p, 0.1)));
    add(&p, 2e-3, 1e-3, 1);
    double one = adapt_pairs_bound(&p, 0.1);
    assert_true(adapt_pairs_bound(&p, 0.2) > 1.9 * one);
    add(&p, 2e-3, 1e-3, 15);
    assert_true(adapt_pairs_bound(&p, 0.1) < one / 4);
    assert_true(fabs(p.ratio - 2) < 1e-6 && fabs(p.raw - 2) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_trials_together_spend_the_level),
        cmocka_unit_test(the_first_look_comes_when_pairs_that_all_agree_suffice),
        cmocka_unit_test(what_takes_as_long_is_not_faster),
        cmocka_unit_test(what_varies_more_is_not_faster),
        cmocka_unit_test(time_outs_are_no_pairs),
        cmocka_unit_test(who_times_out_less_is_better_once_enough_calls_say_so),
        cmocka_unit_test(few_calls_suffice_for_one_that_cannot_time_out),
        cmocka_unit_test(few_pairs_are_as_uncertain_as_others_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
