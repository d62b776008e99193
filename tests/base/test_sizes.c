/* Sizes as people write them, and where a curve bends. */
#include "mpib/base/sizes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

static void a_size_may_have_a_unit_of_1024(void **state)
{
    (void)state;
    parses_to("0", 0);
    parses_to("64", 64);
    parses_to("064", 64);
    parses_to("1K", 1024);
    parses_to("1k", 1024);
    parses_to("3M", 3 * 1024 * 1024);
    parses_to("2g", (size_t)2 << 30);
    parses_to("64B", 64);
    parses_to("64KB", 65536);
    parses_to("1mb", 1 << 20);
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

static void what_is_not_a_size_is_refused_by_name(void **state)
{
    (void)state;
    does_not_parse("", "expected a number");
    does_not_parse("-1", "not negative");
    does_not_parse("+1", "expected a number");
    does_not_parse(" 1", "expected a number");
    does_not_parse("K", "expected a number");
    does_not_parse("1T", "not a unit");
    does_not_parse("1K2", "not a unit");
    does_not_parse("1KK", "not a unit");
    does_not_parse("1.5K", "not a unit");
    does_not_parse("1e3", "not a unit");
    does_not_parse("0x10", "not a unit");
    does_not_parse("64 ", "not a unit");
}

/* Twice a size must still be a size: ranges double, and a reply is as long as the message. */
static void a_size_that_overflows_is_refused(void **state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "%zu", SIZE_MAX >> 1);
    parses_to(text, SIZE_MAX >> 1);
    snprintf(text, sizeof text, "%zu", (SIZE_MAX >> 1) + 1);
    does_not_parse(text, "too large");
    does_not_parse("99999999999999999999", "too large");
    does_not_parse("18446744073709551617K", "too large");
    snprintf(text, sizeof text, "%zuG", SIZE_MAX >> 31);
    parses_to(text, SIZE_MAX >> 31 << 30);
    snprintf(text, sizeof text, "%zuG", (SIZE_MAX >> 31) + 1);
    does_not_parse(text, "too large");
}

static void are(const char *text, const size_t *expected, int count)
{
    cpm_error e = {0};
    cpm_sizes s = {0};
    assert_int_equal(cpm_sizes_parse(text, &s, &e), CPM_OK);
    assert_int_equal(s.count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(s.at[i], expected[i]);
    cpm_sizes_free(&s);
    assert_int_equal(s.count, 0);
    assert_null(s.at);
}

static void a_list_keeps_its_order_without_repeats(void **state)
{
    (void)state;
    are("64", (size_t[]){64}, 1);
    are("2K,1K,2048,0", (size_t[]){2048, 1024, 0}, 3);
}

static void a_range_doubles_and_includes_an_end_it_reaches(void **state)
{
    (void)state;
    are("1K:4K", (size_t[]){1024, 2048, 4096}, 3);
    are("3:13", (size_t[]){3, 6, 12}, 3);
    are("0:8", (size_t[]){0, 1, 2, 4, 8}, 5);
    are("5:5", (size_t[]){5}, 1);
    are("0:0", (size_t[]){0}, 1);
}

static void a_range_with_a_stride_includes_an_end_it_reaches(void **state)
{
    (void)state;
    are("0:12:4", (size_t[]){0, 4, 8, 12}, 4);
    are("1:12:4", (size_t[]){1, 5, 9}, 3);
    are("7:8:4K", (size_t[]){7}, 1);
}

static void lists_and_ranges_can_be_joined(void **state)
{
    (void)state;
    are("1:4,100,0:4:2,3,8:8", (size_t[]){1, 2, 4, 100, 0, 3, 8}, 7);
}

static void a_range_up_to_the_largest_size_ends(void **state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "1:%zu", SIZE_MAX >> 1);
    cpm_sizes s = {0};
    assert_int_equal(cpm_sizes_parse(text, &s, NULL), CPM_OK);
    assert_int_equal(s.count, 63);
    assert_int_equal(s.at[62], (size_t)1 << 62);
    cpm_sizes_free(&s);
    snprintf(text, sizeof text, "0:%zu:%zu", SIZE_MAX >> 1, SIZE_MAX >> 1);
    are(text, (size_t[]){0, SIZE_MAX >> 1}, 2);
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

static void a_straight_line_needs_no_more_points(void **state)
{
    (void)state;
    const size_t x[] = {0, 10, 1000, 1024, 5000};
    double y[5];
    for (int i = 0; i < 5; i++)
        y[i] = 1e-5 + 1e-9 * (double)x[i];
    cpm_sizes next = {0};
    assert_int_equal(cpm_sizes_bisect(x, y, 5, 1e-9, 1, 100, &next, NULL), CPM_OK);
    assert_int_equal(next.count, 0);
    cpm_sizes_free(&next);
}

static void both_sides_of_a_bend_are_halved_the_sharpest_first(void **state)
{
    (void)state;
    const size_t x[] = {0, 100, 200, 300, 400, 500, 600};
    const double y[] = {1, 1, 1, 2, 1, 1, 1}; /* 300 is off by half its time, 200 and 400 too */
    cpm_sizes next = {0};
    assert_int_equal(cpm_sizes_bisect(x, y, 7, 0.1, 1, 100, &next, NULL), CPM_OK);
    const size_t all[] = {150, 250, 350, 450};
    assert_int_equal(next.count, 4);
    for (int k = 0; k < 4; k++)
        assert_int_equal(next.at[k], all[k]);
    cpm_sizes_free(&next);

    const double sharp[] = {1, 1, 1, 1, 1, 5, 1}; /* 500 by 0.8, 400 by 2 */
    assert_int_equal(cpm_sizes_bisect(x, sharp, 7, 0.1, 1, 2, &next, NULL), CPM_OK);
    assert_int_equal(next.count, 2);
    assert_int_equal(next.at[0], 350);
    assert_int_equal(next.at[1], 450);
    cpm_sizes_free(&next);
}

static void no_new_size_is_nearer_than_the_step(void **state)
{
    (void)state;
    const size_t x[] = {0, 9, 40};
    const double y[] = {1, 3, 1};
    cpm_sizes next = {0};
    assert_int_equal(cpm_sizes_bisect(x, y, 3, 0.1, 5, 100, &next, NULL), CPM_OK);
    assert_int_equal(next.count, 1);
    assert_int_equal(next.at[0], 24);
    cpm_sizes_free(&next);
    const size_t close[] = {1, 2, 3};
    assert_int_equal(cpm_sizes_bisect(close, y, 3, 0.1, 0, 100, &next, NULL), CPM_OK);
    assert_int_equal(next.count, 0);
    cpm_sizes_free(&next);
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
        cmocka_unit_test(a_size_may_have_a_unit_of_1024),
        cmocka_unit_test(what_is_not_a_size_is_refused_by_name),
        cmocka_unit_test(a_size_that_overflows_is_refused),
        cmocka_unit_test(a_list_keeps_its_order_without_repeats),
        cmocka_unit_test(a_range_doubles_and_includes_an_end_it_reaches),
        cmocka_unit_test(a_range_with_a_stride_includes_an_end_it_reaches),
        cmocka_unit_test(lists_and_ranges_can_be_joined),
        cmocka_unit_test(a_range_up_to_the_largest_size_ends),
        cmocka_unit_test(a_bad_list_is_refused_as_a_whole),
        cmocka_unit_test(more_than_100000_sizes_are_refused),
        cmocka_unit_test(an_added_size_is_kept_once),
        cmocka_unit_test(a_straight_line_needs_no_more_points),
        cmocka_unit_test(both_sides_of_a_bend_are_halved_the_sharpest_first),
        cmocka_unit_test(no_new_size_is_nearer_than_the_step),
        cmocka_unit_test(too_few_points_have_no_bend),
        cmocka_unit_test(bisection_closes_in_on_a_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
