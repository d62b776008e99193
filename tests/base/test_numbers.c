/* What is taken for a number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/numbers.h"

static void numbers_are_decimal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},       {"-0", 0},      {"1.5", 1.5}, {".5", 0.5},
                {"1e-6", 1e-6}, {"-2E3", -2e3}, {"007", 7},   {"1e+30", 1e30}};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        double value = -1;
        assert_true(cpm_number_parse(good[k].text, &value));
        assert_true(value == good[k].value);
    }
}

static void nothing_else_is_a_number(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    " 1", "1 ", "+1", "0x10",  "0x1p3", "inf", "nan", "1,5",      "1e",  "1e-",
        "--1", "-",  ".",  "e5", "1.2.3", "1-2",   "1\t", "1\n", "infinity", "NaN", "1e5e5"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        double value = 17;
        if (cpm_number_parse(bad[k], &value))
            fail_msg("'%s' was taken for %g", bad[k], value);
        assert_true(value == 17);
    }
}

static void whole_numbers_have_one_way_to_be_written(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    " 4", "+4",  "04", "4.0", "0x4", "4 ",
        "-0",  "00", "4e0", "-",  "--4", "٤",   "99999999999999999999",
        "101", "-6"};
    long value = 17;
    assert_true(cpm_integer_parse("4", 0, 4, &value) && value == 4);
    assert_true(cpm_integer_parse("0", 0, 4, &value) && value == 0);
    assert_true(cpm_integer_parse("-5", -5, 4, &value) && value == -5);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (cpm_integer_parse(bad[k], -5, 100, &value))
            fail_msg("'%s' was taken for %ld", bad[k], value);
    assert_int_equal(value, -5);
}

static void values_near_the_limits_of_a_double_are_flaws(void **state)
{
    (void)state;
    static const double good[] = {0, -0.0, 1, -1, 1e30, -1e30, 1e-100, -1e-100};
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e31, 1e-308, 4.9e-324, -1e-101};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        assert_null(cpm_number_flaw(good[k]));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_non_null(cpm_number_flaw(bad[k]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_decimal),
        cmocka_unit_test(nothing_else_is_a_number),
        cmocka_unit_test(whole_numbers_have_one_way_to_be_written),
        cmocka_unit_test(values_near_the_limits_of_a_double_are_flaws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
