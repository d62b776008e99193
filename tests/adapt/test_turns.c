/* Verdicts of what was measured in turns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapt/turns.h"

static const double steady[] = {100, 101, 101, 100, 99, 100, 100, 99};

static cpm_turns_outcome judged(const double *first, const double *second, int count)
{
    cpm_turns_outcome out;
    assert_int_equal(cpm_turns_judge(first, second, count, &out, NULL), CPM_OK);
    return out;
}

static void a_gain_beyond_the_noise_is_one(void **state)
{
    (void)state;
    const double faster[] = {80, 82, 79, 80, 81, 80, 79, 80};
    cpm_turns_outcome out = judged(steady, faster, 8);
    assert_int_equal(out.verdict, CPM_GAINS);
    assert_true(fabs(out.gain.value - 0.199) < 0.005);
    assert_true(out.gain.low > 0.18 && out.gain.low < out.gain.value);
    assert_true(out.gain.high > out.gain.value && out.gain.high < 0.22);
    out = judged(faster, steady, 8);
    assert_int_equal(out.verdict, CPM_LOSES);
    assert_true(out.gain.low < out.gain.value && out.gain.high < 0);
}

static void within_the_noise_nobody_can_tell(void **state)
{
    (void)state;
    const double other[] = {99, 103, 97, 101, 98, 102, 98, 101};
    cpm_turns_outcome out = judged(steady, other, 8);
    assert_int_equal(out.verdict, CPM_CANNOT_TELL);
    assert_true(out.gain.low < 0 && out.gain.high > 0);
}

/* Twice as fast in each second turn: what is gained may be the machine's. */
static void a_machine_that_changes_tells_nothing(void **state)
{
    (void)state;
    const double first[] = {100, 50, 101, 50, 99, 50, 100, 51};
    const double second[] = {80, 40, 80, 40, 80, 40, 80, 40};
    cpm_turns_outcome out = judged(first, second, 8);
    assert_true(out.gain.low > 0 && out.itself.low > 0);
    assert_int_equal(out.verdict, CPM_CANNOT_TELL);
}

static void few_turns_tell_nothing(void **state)
{
    (void)state;
    const double half[] = {50, 50, 50};
    for (int count = 0; count < CPM_LEAST_TURNS; count++) {
        cpm_turns_outcome out = judged(steady, half, count);
        assert_int_equal(out.verdict, CPM_CANNOT_TELL);
        assert_true(isnan(out.gain.value) && isnan(out.itself.low));
    }
    assert_string_equal(cpm_verdict_name(CPM_LOSES), "loses");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gain_beyond_the_noise_is_one),
        cmocka_unit_test(within_the_noise_nobody_can_tell),
        cmocka_unit_test(a_machine_that_changes_tells_nothing),
        cmocka_unit_test(few_turns_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
