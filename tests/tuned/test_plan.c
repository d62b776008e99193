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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_off_is_asked_about_more_and_more_rarely),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
