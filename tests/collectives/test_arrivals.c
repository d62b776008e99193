/* Sorting by arrival equals a sort by comparisons, and keeps the order of what arrives together. */
#include "collectives/schedule/arrivals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "costs.h"

static int by_time_then_message(const void *a, const void *b)
{
    const cpm_arrival *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : x->message - y->message;
}

/* Times of one magnitude or of many, below and above 0, some of them equal. */
static double draw_time(uint64_t *seed, int kind)
{
    double u = uniform(seed);
    if (kind == 0)
        return 1e-3 + 1e-6 * u;
    if (kind == 1)
        return floor(10 * u) - 5;
    return (u < 0.3 ? -1 : 1) * exp(60 * uniform(seed) - 40);
}

static void arrivals_are_sorted_by_time_then_order(void **state)
{
    (void)state;
    cpm_arrivals a = {0};
    uint64_t seed = 7;
    for (int trial = 0; trial < 300; trial++) {
        int count = trial;
        assert_true(cpm_arrivals_reserve(&a, count));
        cpm_arrival *expected = malloc(((size_t)count + 1) * sizeof *expected);
        assert_non_null(expected);
        a.count = count;
        for (int k = 0; k < count; k++)
            expected[k] = a.at[k] =
                (cpm_arrival){.time = draw_time(&seed, trial % 3), .message = k};
        qsort(expected, (size_t)count, sizeof *expected, by_time_then_message);
        cpm_arrivals_sort(&a);
        for (int k = 0; k < count; k++)
            assert_int_equal(a.at[k].message, expected[k].message);
        free(expected);
    }
    cpm_arrivals_free(&a);
}

static void a_negative_zero_arrives_with_zero(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    cpm_arrivals a = {0};
    assert_true(cpm_arrivals_reserve(&a, COUNT));
    a.count = COUNT;
    for (int k = 0; k < COUNT; k++)
        a.at[k] = (cpm_arrival){.time = k == COUNT - 1 ? -1 : k % 2 ? -0.0 : 0.0, .message = k};
    cpm_arrivals_sort(&a);
    assert_int_equal(a.at[0].message, COUNT - 1);
    for (int k = 1; k < COUNT; k++)
        assert_int_equal(a.at[k].message, k - 1);
    cpm_arrivals_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrivals_are_sorted_by_time_then_order),
        cmocka_unit_test(a_negative_zero_arrives_with_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
