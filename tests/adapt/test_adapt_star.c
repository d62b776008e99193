/* STAR-MPI's procedure: how many calls it takes until it has chosen, and what. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "played.h"

/* Times in turn: mean seconds of each, and a few percent that come and go. */
typedef struct {
    const double *mean;
    long calls;
} world;

static double call(void *w, int who)
{
    world *own = w;
    static const double wave[] = {1.02, 0.98, 1.01, 0.99, 1.00};
    return own->mean[who] * wave[own->calls++ % 5];
}

enum { MOST = 21 };

/* Native is 0 and takes part in nothing. Returns the calls until the first algorithm runs for
 * longer than it is measured, and which. */
static long calls_until_chosen(cpm_adapt_policy p, const int *groups, const double *mean, int count,
                               int *chosen)
{
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt_candidate c[MOST] = {{.predicted = NAN}};
    cpm_adapt *a = NULL;
    played run;
    world w = {.mean = mean};
    for (int k = 1; k <= count; k++)
        c[k] = (cpm_adapt_candidate){.predicted = NAN, .group = groups[k - 1]};
    assert_int_equal(cpm_adapt_create(p, c, count + 1, &l, &a, NULL), CPM_OK);
    played_begin(&run, a, 1e-5);
    while (run.period.calls == 10 - CPM_ADAPT_MEANWHILE)
        played_step(&run, call, &w);
    *chosen = cpm_adapt_incumbent(a);
    assert_int_equal(cpm_adapt_chosen_after(a), w.calls);
    assert_int_equal(run.period.first, *chosen);
    assert_int_equal(run.period.calls, 20 - CPM_ADAPT_MEANWHILE);
    cpm_adapt_free(a);
    return w.calls;
}

/* Section 3.3: those for messages above 256 bytes. */
static const int alltoall[] = {1, 3, 3, 4, 4, 5, 5, 6, 6};
static const int allgather[] = {1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6};
static const int allreduce[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3};

/* Table 1, and the algorithms that won there. */
static void calls_until_chosen_are_those_of_the_paper(void **state)
{
    (void)state;
    static const struct {
        const int *groups;
        int count, best, basic, grouped;
    } rows[] = {{alltoall, 9, 1, 90, 50},
                {alltoall, 9, 5, 90, 60},
                {allgather, 12, 1, 120, 60},
                {allgather, 12, 12, 120, 60},
                {allreduce, 20, 7, 200, 110}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double mean[MOST] = {0};
        int chosen;
        for (int i = 1; i <= rows[k].count; i++)
            mean[i] = rows[k].groups[i - 1] == rows[k].groups[rows[k].best - 1] ? 1.5 : 2;
        mean[rows[k].best] = 1;
        assert_int_equal(
            calls_until_chosen(CPM_ADAPT_STAR_BASIC, rows[k].groups, mean, rows[k].count, &chosen),
            rows[k].basic);
        assert_int_equal(chosen, rows[k].best);
        assert_int_equal(
            calls_until_chosen(CPM_ADAPT_STAR, rows[k].groups, mean, rows[k].count, &chosen),
            rows[k].grouped);
        assert_int_equal(chosen, rows[k].best);
    }
}

/* Two of group 1, two of group 2, one of group 3; native. */
static cpm_adapt *five(cpm_ledger *l)
{
    static const cpm_adapt_candidate c[] = {{.predicted = NAN},
                                            {.predicted = NAN, .group = 1},
                                            {.predicted = NAN, .group = 1},
                                            {.predicted = NAN, .group = 2},
                                            {.predicted = NAN, .group = 2},
                                            {.predicted = NAN, .group = 3}};
    cpm_adapt *a = NULL;
    assert_int_equal(cpm_adapt_create(CPM_ADAPT_STAR, c, 6, l, &a, NULL), CPM_OK);
    return a;
}

static void play(played *run, world *w, long calls)
{
    for (long end = w->calls + calls; w->calls < end;)
        played_step(run, call, w);
}

static void periods_double_while_the_chosen_one_is_fast(void **state)
{
    (void)state;
    static const double mean[] = {3, 2, 1, 2.5, 1.5, 3};
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = five(&l);
    played run;
    world w = {.mean = mean};
    played_begin(&run, a, 1e-5);
    play(&run, &w, 40 + 20 + 40 + 80);
    assert_int_equal(cpm_adapt_incumbent(a), 2);
    assert_int_equal(run.period.calls, 160 - CPM_ADAPT_MEANWHILE);
    assert_int_equal(run.meetings, 4 + 3);
    assert_int_equal(cpm_adapt_look(a, 0).calls, 0);
    assert_int_equal(cpm_adapt_look(a, 4).calls, 0);
    cpm_adapt_free(a);
}

/* The second best is of another group: its others are examined first (section 3.3). */
static void one_that_becomes_slow_is_replaced_and_a_new_group_is_examined(void **state)
{
    (void)state;
    static const double before[] = {3, 2, 1, 2.5, 1.5, 3}, after[] = {3, 5, 5, 2.5, 1.5, 3};
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = five(&l);
    played run;
    world w = {.mean = before};
    played_begin(&run, a, 1e-5);
    play(&run, &w, 60);
    w.mean = after;
    play(&run, &w, 40); /* 1, whose best time was 2, takes the place of 2 */
    assert_int_equal(cpm_adapt_incumbent(a), 1);
    play(&run, &w, 60);
    assert_true(cpm_adapt_look(a, 4).calls >= 10);
    assert_int_equal(cpm_adapt_incumbent(a), 4);
    cpm_adapt_free(a);
}

static void without_algorithms_native_runs(void **state)
{
    (void)state;
    static const double mean[] = {3};
    static const cpm_adapt_candidate native = {.predicted = NAN};
    cpm_ledger l = cpm_ledger_new();
    cpm_adapt *a = NULL;
    played run;
    world w = {.mean = mean};
    assert_int_equal(cpm_adapt_create(CPM_ADAPT_STAR, &native, 1, &l, &a, NULL), CPM_OK);
    played_begin(&run, a, 1e-5);
    play(&run, &w, 1000);
    assert_true(cpm_adapt_look(a, 0).calls >= 600);
    cpm_adapt_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_until_chosen_are_those_of_the_paper),
        cmocka_unit_test(periods_double_while_the_chosen_one_is_fast),
        cmocka_unit_test(one_that_becomes_slow_is_replaced_and_a_new_group_is_examined),
        cmocka_unit_test(without_algorithms_native_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
