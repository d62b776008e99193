/* The tuner of alltoallv's threshold: what it keeps, after how many trials, and what that costs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "played.h"

enum { COUNT = 36, TRIAL = 2 + CPM_ADAPT_MEANWHILE /* calls */ };

/* A valley: the best of thresholds takes a second, native twice as long. */
typedef struct {
    int best;
    double steep, noise;
    unsigned seed;
    long calls, alone; /* all, and those of the best */
    uint64_t seen;     /* a bit for each that was called */
} world;

static double seconds_of(const world *w, int who)
{
    return who ? 1 + w->steep * abs(who - w->best) : 2;
}

static double call(void *of, int who)
{
    world *w = of;
    double drawn = (double)rand_r(&w->seed) / RAND_MAX - 0.5;
    w->calls++;
    w->alone += who == w->best;
    return seconds_of(w, who) * (1 + w->noise * drawn);
}

static cpm_adapt *tuner(cpm_ledger *l, int count)
{
    cpm_adapt_candidate c[COUNT];
    cpm_adapt *a = NULL;
    for (int k = 0; k < count; k++)
        c[k] = (cpm_adapt_candidate){.predicted = NAN};
    assert_int_equal(cpm_adapt_create(CPM_ADAPT_THRESHOLD, c, count, l, &a, NULL), CPM_OK);
    return a;
}

static void play(played *run, world *w, long calls)
{
    for (long end = w->calls + calls; w->calls < end;)
        played_step(run, call, w);
}

static void begins_with_native_in_turns_with_the_middle(void **state)
{
    (void)state;
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = tuner(&l, COUNT);
    cpm_adapt_period first = cpm_adapt_next(a);
    assert_int_equal(cpm_adapt_incumbent(a), 0);
    assert_int_equal(first.first, 0);
    assert_int_equal(first.second, COUNT / 2);
    assert_int_equal(first.calls, 2);
    cpm_adapt_free(a);
}

/* Wherever it is: 50 trials, and 18 on average, as it looks beside what is the best. */
static void the_best_is_kept_within_50_trials(void **state)
{
    (void)state;
    long after = 0;
    for (int best = 1; best < COUNT; best++) {
        cpm_ledger l = cpm_ledger_new();
        cpm_adapt *a = tuner(&l, COUNT);
        world w = {.best = best, .steep = 0.03};
        played run;
        played_begin(&run, a, 1e-5);
        play(&run, &w, 50L * TRIAL);
        assert_int_equal(cpm_adapt_incumbent(a), best);
        assert_in_range(cpm_adapt_chosen_after(a), 1, 50L * TRIAL);
        after += cpm_adapt_chosen_after(a);
        cpm_adapt_free(a);
    }
    assert_in_range(after, 1, (COUNT - 1) * 18L * TRIAL);
}

/* Calls that vary by a fifth, and one step is 1 %: within 5 %, nearly always. */
static void noise_leads_astray_seldom(void **state)
{
    (void)state;
    int good = 0;
    for (unsigned seed = 1; seed <= 40; seed++) {
        cpm_ledger l = cpm_ledger_new();
        cpm_adapt *a = tuner(&l, COUNT);
        world w = {.best = 9, .steep = 0.03, .noise = 0.2, .seed = seed};
        played run;
        played_begin(&run, a, 1e-5);
        play(&run, &w, 400L * TRIAL);
        good += seconds_of(&w, cpm_adapt_incumbent(a)) < 1.07;
        cpm_adapt_free(a);
    }
    assert_in_range(good, 36, 40);
}

static void what_gains_nothing_is_not_kept(void **state)
{
    (void)state;
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = tuner(&l, COUNT);
    world w = {.best = 1, .steep = 2e-4}; /* the middle comes first */
    played run;
    played_begin(&run, a, 1e-5);
    play(&run, &w, 4000);
    assert_int_equal(cpm_adapt_incumbent(a), COUNT / 2);
    cpm_adapt_free(a);
}

/* Of each the first call. */
static double lucky_call(void *of, int who)
{
    world *w = of;
    bool first = who && !(w->seen >> who & 1);
    w->seen |= 1ull << who;
    w->calls++;
    return first ? 0.5 : who ? 3 : 2;
}

static void one_lucky_call_is_not_enough(void **state)
{
    (void)state;
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = tuner(&l, COUNT);
    world w = {.calls = 0};
    played run;
    played_begin(&run, a, 1e-5);
    while (w.calls < 1000)
        played_step(&run, lucky_call, &w);
    assert_int_equal(cpm_adapt_chosen_after(a), 0);
    cpm_adapt_free(a);
}

static void native_stays_where_nothing_is_faster(void **state)
{
    (void)state;
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = tuner(&l, COUNT);
    world w = {.best = -20, .steep = 0.5}; /* thresholds take eleven seconds and more */
    played run;
    played_begin(&run, a, 1e-5);
    play(&run, &w, 2000);
    assert_int_equal(cpm_adapt_incumbent(a), 0);
    assert_int_equal(cpm_adapt_chosen_after(a), 0);
    cpm_adapt_free(a);
}

/* Trials become rare when all were made: the last of these calls nearly all run the best. */
static void trials_become_rare(void **state)
{
    (void)state;
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = tuner(&l, COUNT);
    world w = {.best = 12, .steep = 0.03};
    played run;
    played_begin(&run, a, 1e-5);
    play(&run, &w, 10000);
    w.alone = 0;
    play(&run, &w, 4000);
    assert_in_range(w.alone, 3990, 3999);
    cpm_adapt_free(a);
}

static void another_best_is_found_later(void **state)
{
    (void)state;
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = tuner(&l, COUNT);
    world w = {.best = 12, .steep = 0.03};
    played run;
    played_begin(&run, a, 1e-5);
    play(&run, &w, 300);
    w.best = 20;
    play(&run, &w, 40000);
    assert_in_range(cpm_adapt_incumbent(a), 19, 21);
    cpm_adapt_free(a);
}

static void the_best_is_never_left_alone_for_longer_than_allowed(void **state)
{
    (void)state;
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = tuner(&l, COUNT);
    world w = {.best = 12, .steep = 0.03};
    played run;
    int longest = 0;
    played_begin(&run, a, 1e-5);
    while (w.calls < 40000) {
        played_step(&run, call, &w);
        int calls = cpm_adapt_next(a).calls;
        longest = calls > longest ? calls : longest;
    }
    assert_int_equal(longest, 1024);
    cpm_adapt_free(a);
}

static void nothing_is_tried_where_there_is_only_native(void **state)
{
    (void)state;
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = tuner(&l, 1);
    world w = {0};
    played run;
    played_begin(&run, a, 1e-5);
    play(&run, &w, 100000);
    assert_in_range(run.meetings, 1, 100);
    cpm_adapt_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_with_native_in_turns_with_the_middle),
        cmocka_unit_test(the_best_is_kept_within_50_trials),
        cmocka_unit_test(noise_leads_astray_seldom),
        cmocka_unit_test(what_gains_nothing_is_not_kept),
        cmocka_unit_test(one_lucky_call_is_not_enough),
        cmocka_unit_test(native_stays_where_nothing_is_faster),
        cmocka_unit_test(trials_become_rare),
        cmocka_unit_test(another_best_is_found_later),
        cmocka_unit_test(the_best_is_never_left_alone_for_longer_than_allowed),
        cmocka_unit_test(nothing_is_tried_where_there_is_only_native),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
