/* When ranks look whether an epoch may begin. */
#include "tests/mpi_test.h"

#include "tuned/adapt/plan.h"

/* A program may have ceased to make calls that bring all together: what is asked about is timed. */
static void what_is_put_off_is_asked_about_more_and_more_rarely(void **state)
{
    (void)state;
    long call = 0, asked = 0;
    for (; call < 20000; asked++) {
        long next = tuned_plan_later(asked);
        assert_true(next >= 1 && next >= tuned_plan_later(asked > 0 ? asked - 1 : 0));
        assert_true(next == 1 || asked >= 8); /* of eight calls one brings all together */
        call += next;
    }
    assert_true(asked < 20000 / 20);
}

/* Calls until the next exchange of a communicator whose first ones took 40 us each, later ones so
 * long; opening takes 0.3 ms, which 6 ms of calls are worth. */
static long until_next(long calls, double each)
{
    tuned_adapt a = {.ledger = cpm_ledger_new(), .told = calls, .alike = {.together = true}};
    const tuned_state t = {.comm = MPI_COMM_WORLD, .call = calls, .adapt = &a};
    a.ledger.native = a.ledger.taken = 64 * 40e-6 + (double)(calls - 64) * each;
    a.heard.sync = 20e-6;
    a.heard.needed = 300e-6;
    a.epoch.all.opening = 300000000; /* ps: so it took before */
    a.heard.each = a.heard.worth_each = each;
    a.heard.worth = a.ledger.native;
    tuned_plan_next(&t, false);
    return a.next_epoch - calls;
}

/* Though the budget would have room for it at once. */
static void no_exchange_comes_before_opening_pays(void **state)
{
    (void)state;
    assert_in_range(until_next(64, 40e-6), 86, 87);    /* (6 ms - 64 * 40 us) / 40 us */
    assert_int_equal(until_next(128, 2e-6), 4 * 128);  /* 256 us of late, so far: later than that */
    assert_in_range(until_next(2800, 2e-6), 700, 701); /* about now, but not each time one more */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_off_is_asked_about_more_and_more_rarely),
        cmocka_unit_test(no_exchange_comes_before_opening_pays),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
