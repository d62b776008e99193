/* Sizes, lists and ranges, and where a curve is refined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sizes.h"

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

static void says(const cpm_error *e, const char *what)
{
    if (!strstr(e->text, what))
        fail_msg("'%s' is not in '%s'", what, e->text);
}

static void parses_to(const char *text, size_t bytes)
{
    cpm_error e = {0};
    size_t got = 77;
    assert_int_equal(cpm_size_parse(text, &got, &e), CPM_OK);
    assert_int_equal(got, bytes);
    assert_int_equal(e.code, CPM_OK);
}

static void does_not_parse(const char *text, const char *what)
{
    cpm_error e = {0};
    size_t got = 77;
    assert_int_equal(cpm_size_parse(text, &got, &e), CPM_EPARSE);
    assert_int_equal(got, 77);
    char quoted[64];
    snprintf(quoted, sizeof quoted, "'%s'", text);
    says(&e, quoted);
    says(&e, what);
}

static void list_fails(const char *text, const char *what)
{
    cpm_error e = {0};
    cpm_sizes s = {0};
    assert_int_equal(cpm_sizes_parse(text, &s, &e), CPM_EPARSE);
    assert_null(s.at);
    assert_int_equal(s.count, 0);
    says(&e, what);
}

/* A million times a size must still be a size: each process may get a block from each. */
static const size_t most = (SIZE_MAX >> 1) >> 21;

static void a_size_whose_sums_overflow_is_refused(void **state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "%zu", most);
    parses_to(text, most);
    snprintf(text, sizeof text, "%zu", most + 1);
    does_not_parse(text, "too large (at most 4095G)");
    does_not_parse("99999999999999999999", "too large");
    does_not_parse("18446744073709551617K", "too large");
    snprintf(text, sizeof text, "%zuG", most >> 30);
    parses_to(text, most >> 30 << 30);
    snprintf(text, sizeof text, "%zuG", (most >> 30) + 1);
    does_not_parse(text, "too large");
}

static void a_range_up_to_the_largest_size_ends(void **state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "1:%zu", most);
    cpm_sizes s = {0};
    assert_int_equal(cpm_sizes_parse(text, &s, NULL), CPM_OK);
    assert_int_equal(s.count, 42);
    assert_int_equal(s.at[41], (size_t)1 << 41);
    cpm_sizes_free(&s);
    snprintf(text, sizeof text, "0:%zu:%zu", most, most);
    sizes_are(text, (size_t[]){0, most}, 2);
}

static void a_bad_list_is_refused_as_a_whole(void **state)
{
    (void)state;
    list_fails("", "size ''");
    list_fails("1K,,2K", "size ''");
    list_fails("1K,", "size ''");
    list_fails("1,2,-3", "size '-3'");
    list_fails(":", "size ''");
    list_fails("1:", "size ''");
    list_fails("1:2:", "size ''");
    list_fails("1:2:3:4", "3:4");
    list_fails("2K:1K", "size range 2K:1K ends before it begins");
    list_fails("0:10:0", "size range 0:10:0: the stride is 0");
}

static void more_than_100000_sizes_are_refused(void **state)
{
    (void)state;
    cpm_sizes s = {0};
    assert_int_equal(cpm_sizes_parse("1:100000:1", &s, NULL), CPM_OK);
    assert_int_equal(s.count, 100000);
    cpm_sizes_free(&s);
    list_fails("0:100000:1", "more than 100000 sizes");
    list_fails("0:1G:1", "more than 100000 sizes");
}

static void an_added_size_is_kept_once(void **state)
{
    (void)state;
    cpm_sizes s = {0};
    for (size_t twice = 0; twice < 2; twice++)
        for (size_t i = 0; i < 100; i++)
            assert_int_equal(cpm_sizes_add(&s, 7 * i, NULL), CPM_OK);
    assert_int_equal(s.count, 100);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(s.at[i], 7 * i);
    cpm_sizes_free(&s);
}

static void noted_sizes_are_there_once_when_sorted(void **state)
{
    (void)state;
    enum { DIFFERENT = 100000, TIMES = 5 };
    cpm_sizes s = {0};
    for (size_t k = 0; k < TIMES; k++)
        for (size_t i = DIFFERENT; i > 0; i--)
            for (size_t twice = 0; twice < 2; twice++)
                assert_int_equal(cpm_sizes_note(&s, 3 * i, NULL), CPM_OK);
    cpm_sizes_sort(&s);
    assert_int_equal(s.count, DIFFERENT);
    for (size_t i = 0; i < DIFFERENT; i++)
        assert_int_equal(s.at[i], 3 * (i + 1));
    cpm_sizes_free(&s);
}

static void too_many_noted_sizes_are_refused(void **state)
{
    (void)state;
    cpm_sizes s = {0};
    cpm_error e = {0};
    int status = CPM_OK;
    for (size_t i = 0; i <= 200000 && !status; i++)
        status = cpm_sizes_note(&s, i, &e);
    assert_int_equal(status, CPM_EPARSE);
    assert_string_equal(e.text, "more than 100000 sizes");
    cpm_sizes_free(&s);
}

static void too_few_points_have_no_bend(void **state)
{
    (void)state;
    const size_t x[] = {1, 2000};
    const double y[] = {1, 3};
    for (int count = 0; count <= 2; count++) {
        cpm_sizes next = {0};
        assert_int_equal(cpm_sizes_bisect(x, y, count, 0.1, 1, 100, &next, NULL), CPM_OK);
        assert_int_equal(next.count, 0);
        cpm_sizes_free(&next);
    }
}

/* Points gather at the step of the curve, and the refinement ends by itself. */
static void bisection_closes_in_on_a_jump(void **state)
{
    (void)state;
    enum { JUMP = 30011, STEP = 16 };
    cpm_sizes all = {0};
    for (size_t b = 0; b <= 65536; b += 8192)
        assert_int_equal(cpm_sizes_add(&all, b, NULL), CPM_OK);
    int rounds = 0;
    for (int added = 1; added; rounds++) {
        assert_true(rounds < 100);
        size_t x[512];
        double y[512];
        assert_true(all.count <= 512);
        memcpy(x, all.at, (size_t)all.count * sizeof *x);
        for (int i = 1; i < all.count; i++) /* insertion: nearly sorted */
            for (int k = i; k > 0 && x[k] < x[k - 1]; k--) {
                size_t swap = x[k];
                x[k] = x[k - 1];
                x[k - 1] = swap;
            }
        for (int i = 0; i < all.count; i++)
            y[i] = 1e-4 + 1e-9 * (double)x[i] + (x[i] >= JUMP ? 1e-3 : 0);
        cpm_sizes next = {0};
        assert_int_equal(cpm_sizes_bisect(x, y, all.count, 0.05, STEP, 8, &next, NULL), CPM_OK);
        added = next.count;
        for (int i = 0; i < next.count; i++) {
            int before = all.count;
            assert_int_equal(cpm_sizes_add(&all, next.at[i], NULL), CPM_OK);
            assert_int_equal(all.count, before + 1);
        }
        cpm_sizes_free(&next);
    }
    size_t below = 0, above = SIZE_MAX;
    for (int i = 0; i < all.count; i++) {
        if (all.at[i] < JUMP && all.at[i] > below)
            below = all.at[i];
        if (all.at[i] >= JUMP && all.at[i] < above)
            above = all.at[i];
    }
    assert_true(above - below < 2 * STEP);
    cpm_sizes_free(&all);
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
        cmocka_unit_test(a_size_whose_sums_overflow_is_refused),
        cmocka_unit_test(a_range_up_to_the_largest_size_ends),
        cmocka_unit_test(a_bad_list_is_refused_as_a_whole),
        cmocka_unit_test(more_than_100000_sizes_are_refused),
        cmocka_unit_test(an_added_size_is_kept_once),
        cmocka_unit_test(noted_sizes_are_there_once_when_sorted),
        cmocka_unit_test(too_many_noted_sizes_are_refused),
        cmocka_unit_test(too_few_points_have_no_bend),
        cmocka_unit_test(bisection_closes_in_on_a_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
