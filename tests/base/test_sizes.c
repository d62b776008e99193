/* Sizes, lists and ranges, and where a curve is refined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "mpib/base/sizes.h"

static void sizes_are(const char *text, const size_t *expected, int count)
{
    cpm_error e = {0};
    cpm_sizes s = {0};
    assert_int_equal(cpm_sizes_parse(text, &s, &e), CPM_OK);
    assert_int_equal(s.count, count);
    assert_memory_equal(s.at, expected, (size_t)count * sizeof *expected);
    cpm_sizes_free(&s);
}

static void units_are_powers_of_1024(void **state)
{
    (void)state;
    sizes_are("0,64,3B,1K,2k,1KB,1M,1G", (size_t[]){0, 64, 3, 1024, 2048, 1048576, 1073741824}, 7);
}

static void ranges_double_or_stride_and_include_a_reached_end(void **state)
{
    (void)state;
    sizes_are("1K:4K", (size_t[]){1024, 2048, 4096}, 3);
    sizes_are("0:5", (size_t[]){0, 1, 2, 4}, 4);
    sizes_are("0:8:4", (size_t[]){0, 4, 8}, 3);
    sizes_are("0:9:4", (size_t[]){0, 4, 8}, 3);
    sizes_are("7:7", (size_t[]){7}, 1);
}

static void repeats_are_left_out_in_the_order_written(void **state)
{
    (void)state;
    sizes_are("4,1:8,4,2", (size_t[]){4, 1, 2, 8}, 4);
}

static void fails_and_leaves_output(const char *text)
{
    cpm_error e = {0};
    cpm_sizes s = {0};
    assert_int_equal(cpm_sizes_parse(text, &s, &e), CPM_EPARSE);
    assert_null(s.at);
    assert_int_equal(s.count, 0);
    assert_true(strlen(e.text) > 0);
}

static void what_is_not_a_size_is_refused(void **state)
{
    (void)state;
    const char *bad[] = {"",
                         "-1",
                         "K",
                         "1X",
                         "1KK",
                         "1.5K",
                         " 1",
                         "1 ",
                         "1,",
                         ",1",
                         "8:4",
                         "0:8:0",
                         "1::",
                         "1:",
                         "0x10",
                         "+3",
                         "nan",
                         "1:2:3:4",
                         "99999999999999999999",
                         "17179869184G",
                         "9223372036854775808",
                         "0:200000:1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fails_and_leaves_output(bad[i]);
}

static void a_message_quotes_what_was_written(void **state)
{
    (void)state;
    cpm_error e = {0};
    size_t bytes = 42;
    assert_int_equal(cpm_size_parse("12Q", &bytes, &e), CPM_EPARSE);
    assert_int_equal(bytes, 42);
    assert_non_null(strstr(e.text, "'12Q'"));
}

static void a_straight_line_needs_no_more_sizes(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_sizes next = {0};
    const size_t x[] = {0, 100, 1000};
    const double y[] = {1, 2, 11};
    assert_int_equal(cpm_sizes_bisect(x, y, 3, 0.01, 1, 10, &next, &e), CPM_OK);
    assert_int_equal(next.count, 0);
    cpm_sizes_free(&next);
}

static void a_corner_is_bisected_on_both_sides_down_to_the_least_step(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_sizes next = {0};
    const size_t x[] = {0, 100, 200, 300, 400};
    const double y[] = {1, 1, 1, 10, 19}; /* corner at 200 */
    assert_int_equal(cpm_sizes_bisect(x, y, 5, 0.5, 50, 10, &next, &e), CPM_OK);
    assert_int_equal(next.count, 2);
    assert_int_equal(next.at[0], 150);
    assert_int_equal(next.at[1], 250);
    cpm_sizes_free(&next);
    assert_int_equal(cpm_sizes_bisect(x, y, 5, 0.5, 51, 10, &next, &e), CPM_OK);
    assert_int_equal(next.count, 0);
    cpm_sizes_free(&next);
}

static void the_largest_departure_comes_first(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_sizes next = {0};
    const size_t x[] = {0, 100, 200, 300, 400};
    const double y[] = {10, 14, 10, 90, 10}; /* relative: 0.29, 4.2, 0.89 */
    assert_int_equal(cpm_sizes_bisect(x, y, 5, 0.1, 1, 2, &next, &e), CPM_OK);
    assert_int_equal(next.count, 2);
    assert_int_equal(next.at[0], 150);
    assert_int_equal(next.at[1], 250);
    cpm_sizes_free(&next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_powers_of_1024),
        cmocka_unit_test(ranges_double_or_stride_and_include_a_reached_end),
        cmocka_unit_test(repeats_are_left_out_in_the_order_written),
        cmocka_unit_test(what_is_not_a_size_is_refused),
        cmocka_unit_test(a_message_quotes_what_was_written),
        cmocka_unit_test(a_straight_line_needs_no_more_sizes),
        cmocka_unit_test(a_corner_is_bisected_on_both_sides_down_to_the_least_step),
        cmocka_unit_test(the_largest_departure_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
