/* What a model's own check says: its mean, its worst, and from where on it is bad. */
#include "models/checked.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static cpm_checked checked_of(const char *fact)
{
    cpm_metadata facts = {0};
    cpm_checked c;
    assert_int_equal(cpm_metadata_set(&facts, NULL, CPM_METADATA_CHECKED, "%s", fact), CPM_OK);
    assert_true(cpm_checked_of(&facts, &c));
    assert_int_equal(cpm_check_contradicts(&facts), cpm_checked_is_bad(&c));
    cpm_metadata_clear(&facts);
    return c;
}

static bool makes_sense(const char *fact)
{
    cpm_metadata facts = {0};
    cpm_checked c;
    assert_int_equal(cpm_metadata_set(&facts, NULL, CPM_METADATA_CHECKED, "%s", fact), CPM_OK);
    bool sense = cpm_checked_of(&facts, &c);
    assert_int_equal(cpm_checked_makes_sense(&facts), sense);
    cpm_metadata_clear(&facts);
    return sense;
}

static void errors_are_summed_up(void **state)
{
    (void)state;
    char text[CPM_CHECKED_TEXT];
    cpm_checked c = checked_of("allgather:bruck@32768 +0.03 0.01, gather:star@65536 -0.04 0.05");
    assert_int_equal(c.count, 2);
    assert_true(fabs(c.mean - 0.035) < 1e-12);
    assert_true(fabs(c.square - sqrt(0.00125)) < 1e-12);
    assert_true(fabs(c.worst + 0.04) < 1e-12);
    assert_true(fabs(c.beyond_mean - 0.01) < 1e-12 && fabs(c.beyond_worst - 0.02) < 1e-12);
    assert_string_equal(cpm_checked_text(&c, text),
                        "off by 3.5 % on average, at worst -4.0 % (gather:star, 65536 bytes)");
    assert_false(cpm_checked_is_bad(&c));
}

/* Just below and above both bounds. */
static void it_is_bad_by_its_mean_or_by_its_worst(void **state)
{
    (void)state;
    const double few = 1e-6;
    for (int above = 0; above < 2; above++) {
        double by = above ? few : -few;
        cpm_checked all = {0}, one = {0};
        for (int k = 0; k < 4; k++) {
            cpm_checked_add(&all, "a", 1, (k % 2 ? 1 : -1) * (CPM_CHECK_MEAN + by), 0);
            cpm_checked_add(&one, "a", 1, k ? 0 : CPM_CHECK_WORST + by, 0);
        }
        assert_int_equal(cpm_checked_is_bad(&all), above);
        assert_int_equal(cpm_checked_is_bad(&one), above);
    }
}

static void what_intervals_explain_is_not_bad(void **state)
{
    (void)state;
    cpm_checked c = checked_of("allgather:bruck@32768 +0.45 0.4, gather:star@65536 -0.45 0.4");
    assert_false(cpm_checked_is_bad(&c));
    c = checked_of("allgather:bruck@32768 +0.45 0.1, gather:star@65536 -0.45 0.1");
    assert_true(cpm_checked_is_bad(&c));
}

static void what_makes_no_sense_is_no_check(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "yes",
                                      "gather:star@65536",
                                      "gather:star@65536 +0.1",
                                      "gather:star +0.1 0.1",
                                      "gather:star@x +0.1 0.1",
                                      "gather:star@-1 +0.1 0.1",
                                      "gather:star@1 nan 0.1",
                                      "gather:star@1 1e999 0.1",
                                      "gather:star@1 -1.1 0.1",
                                      "gather:star@1 0.1 -0.1",
                                      "gather:star@1 0.1 0.1, gather"};
    cpm_metadata nothing = {0};
    cpm_checked c;
    assert_false(cpm_checked_of(&nothing, &c));
    assert_false(cpm_check_contradicts(&nothing));
    assert_true(cpm_checked_makes_sense(&nothing));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(makes_sense(bad[k]));
    assert_true(makes_sense("gather:star@1 -0.1 0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_summed_up),
        cmocka_unit_test(it_is_bad_by_its_mean_or_by_its_worst),
        cmocka_unit_test(what_intervals_explain_is_not_bad),
        cmocka_unit_test(what_makes_no_sense_is_no_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
