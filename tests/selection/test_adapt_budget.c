/* Trying within a budget, on played calls. Every kind of program is played with many seeds: what is
 * asserted holds for each of them. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "played.h"

enum { MOST = 8, SEEDS = 20 };
static const double meeting = 20e-6;

/* Seconds of a call: about the mean, and time-outs. From changed on, those of then. */
typedef struct {
    int count;
    double mean[MOST], then[MOST], rate[MOST], predicted[MOST];
    long changed, calls, of[MOST];
    gsl_rng *random;

} world;

static double call(void *any, int who)
{
    world *w = any;
    const double *mean = w->changed && w->calls >= w->changed ? w->then : w->mean;
    double seconds = mean[who] * gsl_ran_lognormal(w->random, -0.005, 0.1);
    if (gsl_rng_uniform(w->random) < w->rate[who])
        seconds += 0.2;
    w->calls++;
    w->of[who]++;
    return seconds;
}

static world world_of(int count, const double *mean, unsigned long seed)
{
    world w = {.count = count, .random = gsl_rng_alloc(gsl_rng_mt19937)};
    gsl_rng_set(w.random, seed);
    for (int k = 0; k < count; k++)
        w.mean[k] = w.then[k] = w.predicted[k] = mean[k];
    return w;
}

static cpm_adapt *engine_of(const world *w, cpm_ledger *l)
{
    cpm_adapt_candidate c[MOST];
    cpm_adapt *a = NULL;
    for (int k = 0; k < w->count; k++)
        c[k] = (cpm_adapt_candidate){.predicted = w->predicted[k], .group = k};
    assert_int_equal(cpm_adapt_create(CPM_ADAPT_BUDGET, c, w->count, l, &a, NULL), CPM_OK);
    return a;
}

static void play(played *p, world *w, long calls)
{
    for (long end = w->calls + calls; w->calls < end;)
        played_step(p, call, w);
}

/* Plays all of it; the ledger at the end. Frees the random numbers. */
static cpm_ledger play_alone(world *w, long calls, int *chosen)
{
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = engine_of(w, &l);
    played p;
    played_begin(&p, a, meeting);
    play(&p, w, calls);
    *chosen = cpm_adapt_incumbent(a);
    cpm_adapt_free(a);
    assert_null(l.trying);
    gsl_rng_free(w->random);
    return l;
}

static void the_fastest_is_chosen_soon_if_the_model_is_right(void **state)
{
    (void)state;
    static const double mean[] = {200e-6, 300e-6, 140e-6, 800e-6, 170e-6};
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
        world w = world_of(5, mean, seed);
        int chosen;
        play_alone(&w, 200, &chosen);
        assert_int_equal(chosen, 2);
        assert_int_equal(w.of[3], 0);
    }
}

static void nothing_is_lost_where_nothing_is_gained(void **state)
{
    (void)state;
    static const double mean[] = {200e-6, 300e-6, 240e-6, 1600e-6, 220e-6, 400e-6};
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
        world w = world_of(6, mean, seed);
        int chosen;
        for (int k = 1; k < 6; k++)
            w.predicted[k] = NAN;
        cpm_ledger l = play_alone(&w, 5000, &chosen);
        assert_int_equal(chosen, 0);
        double lost = 0;
        for (int k = 1; k < 6; k++)
            lost += (double)w.of[k] * (mean[k] - mean[0]);
        assert_true(lost < 0.02 * 5000 * mean[0] + 1e-3);
        assert_true(cpm_ledger_room(&l) > -1e-3);
    }
}

static void without_a_model_the_fastest_is_found_in_the_end(void **state)
{
    (void)state;
    static const double mean[] = {1e-3, 3e-3, 1.5e-3, 0.7e-3, 6e-3, 0.9e-3};
    int found = 0;
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
        world w = world_of(6, mean, seed);
        int chosen;
        for (int k = 1; k < 6; k++)
            w.predicted[k] = NAN;
        play_alone(&w, 5000, &chosen);
        found += chosen == 3;
    }
    assert_true(found >= SEEDS - 1);
}

static void who_times_out_while_native_does_not_is_dropped_at_once(void **state)
{
    (void)state;
    static const double mean[] = {5e-3, 4e-3};
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
        world w = world_of(2, mean, seed);
        int chosen;
        w.rate[1] = 1;
        play_alone(&w, 500, &chosen);
        assert_int_equal(chosen, 0);
        assert_in_range(w.of[1], 1, 2);
    }
}

static void a_calm_one_is_found_where_native_times_out(void **state)
{
    (void)state;
    static const double mean[] = {5e-3, 7e-3, 6.5e-3};
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
        world w = world_of(3, mean, seed);
        int chosen;
        w.rate[0] = w.rate[1] = 0.5;
        w.predicted[1] = w.predicted[2] = NAN;
        play_alone(&w, 300, &chosen);
        assert_int_equal(chosen, 2);
    }
}

static void what_becomes_slow_is_left(void **state)
{
    (void)state;
    static const double mean[] = {200e-6, 140e-6, 170e-6};
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
        world w = world_of(3, mean, seed);
        int chosen;
        w.changed = 2000;
        w.then[1] *= 3;
        play_alone(&w, 4000, &chosen);
        assert_int_not_equal(chosen, 1);
        assert_in_range(w.of[1], 1500, 2400);
    }
}

static void native_that_becomes_fast_is_taken_again(void **state)
{
    (void)state;
    static const double mean[] = {200e-6, 140e-6, 170e-6};
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
        world w = world_of(3, mean, seed);
        int chosen;
        w.changed = 2000;
        w.then[0] /= 2;
        play_alone(&w, 6000, &chosen);
        assert_int_equal(chosen, 0);
    }
}

static void what_slows_all_down_changes_nothing(void **state)
{
    (void)state;
    static const double mean[] = {200e-6, 140e-6, 170e-6};
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
        world w = world_of(3, mean, seed);
        int chosen;
        w.changed = 1000;
        for (int k = 0; k < 3; k++)
            w.then[k] *= 4;
        play_alone(&w, 3000, &chosen);
        assert_int_equal(chosen, 1);
        assert_true(w.of[0] < 300);
    }
}

static void what_was_learnt_is_judged_by_few_calls(void **state)
{
    (void)state;
    static const double mean[] = {200e-6, 800e-6, 140e-6, 170e-6};
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
        world w = world_of(4, mean, seed);
        cpm_ledger l = cpm_ledger_new();
        for (int k = 1; k < 4; k++)
            w.predicted[k] = NAN;
        cpm_adapt *a = engine_of(&w, &l);
        played p;
        cpm_adapt_start_from(a, 2, 0.7, 1000);
        played_begin(&p, a, meeting);
        play(&p, &w, 100);
        assert_int_equal(cpm_adapt_incumbent(a), 2);
        assert_int_equal(w.of[1] + w.of[3], 0);
        cpm_adapt_free(a);
        gsl_rng_free(w.random);
    }
}

static void one_context_tries_at_a_time(void **state)
{
    (void)state;
    static const double mean[] = {1e-3, 1.2e-3, 0.7e-3, 0.9e-3};
    world w = world_of(4, mean, 1);
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = engine_of(&w, &l), *b = engine_of(&w, &l);
    played one, other;
    played_begin(&one, a, meeting);
    played_begin(&other, b, meeting);
    for (int k = 0; k < 1000; k++) {
        played_step(&one, call, &w);
        played_step(&other, call, &w);
        bool first = one.period.second != 0 && cpm_adapt_incumbent(a) == 0;
        bool second = other.period.second != 0 && cpm_adapt_incumbent(b) == 0;
        assert_false(first && second);
    }
    assert_int_equal(cpm_adapt_incumbent(a), 2);
    assert_int_equal(cpm_adapt_incumbent(b), 2);
    cpm_adapt_free(a);
    cpm_adapt_free(b);
    assert_null(l.trying);
    gsl_rng_free(w.random);
}

static void a_context_that_is_called_no_more_does_not_keep_others_from_trying(void **state)
{
    (void)state;
    static const double mean[] = {1e-3, 1.2e-3, 0.7e-3, 0.9e-3};
    world w = world_of(4, mean, 1);
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = engine_of(&w, &l), *b = engine_of(&w, &l);
    played one, other;
    played_begin(&one, a, meeting);
    while (l.trying != a)
        played_step(&one, call, &w);
    played_begin(&other, b, meeting);
    play(&other, &w, 20000);
    assert_int_equal(cpm_adapt_incumbent(b), 2);
    cpm_adapt_free(a);
    cpm_adapt_free(b);
    gsl_rng_free(w.random);
}

static void meetings_become_rare_when_nothing_is_left_to_try(void **state)
{
    (void)state;
    static const double mean[] = {200e-6, 300e-6, 400e-6};
    world w = world_of(3, mean, 1);
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = engine_of(&w, &l);
    played p;
    played_begin(&p, a, meeting);
    play(&p, &w, 20000);
    assert_true((double)p.meetings * meeting < 0.005 * 20000 * mean[0]);
    assert_int_equal(w.of[1] + w.of[2], 0);
    cpm_adapt_free(a);
    gsl_rng_free(w.random);
}

static void native_alone_is_run(void **state)
{
    (void)state;
    static const double mean[] = {200e-6};
    world w = world_of(1, mean, 1);
    int chosen;
    play_alone(&w, 3000, &chosen);
    assert_int_equal(chosen, 0);
}

static void same_figures_same_decisions(void **state)
{
    (void)state;
    static const double mean[] = {1e-3, 1.2e-3, 0.7e-3, 0.9e-3};
    world w[2];
    cpm_ledger l[2];
    played p[2];
    for (int k = 0; k < 2; k++) {
        w[k] = world_of(4, mean, 7);
        l[k] = cpm_ledger_new();
        played_begin(&p[k], engine_of(&w[k], &l[k]), meeting);
    }
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(played_who(&p[0]), played_who(&p[1]));
        played_step(&p[0], call, &w[0]);
        played_step(&p[1], call, &w[1]);
    }
    for (int k = 0; k < 2; k++) {
        cpm_adapt_free(p[k].engine);
        gsl_rng_free(w[k].random);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_is_chosen_soon_if_the_model_is_right),
        cmocka_unit_test(nothing_is_lost_where_nothing_is_gained),
        cmocka_unit_test(without_a_model_the_fastest_is_found_in_the_end),
        cmocka_unit_test(who_times_out_while_native_does_not_is_dropped_at_once),
        cmocka_unit_test(a_calm_one_is_found_where_native_times_out),
        cmocka_unit_test(what_becomes_slow_is_left),
        cmocka_unit_test(native_that_becomes_fast_is_taken_again),
        cmocka_unit_test(what_slows_all_down_changes_nothing),
        cmocka_unit_test(what_was_learnt_is_judged_by_few_calls),
        cmocka_unit_test(one_context_tries_at_a_time),
        cmocka_unit_test(a_context_that_is_called_no_more_does_not_keep_others_from_trying),
        cmocka_unit_test(meetings_become_rare_when_nothing_is_left_to_try),
        cmocka_unit_test(native_alone_is_run),
        cmocka_unit_test(same_figures_same_decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
