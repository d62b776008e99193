/* Tests of ranks against R's; the call that gave a value stands beside it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rank_distributions.h"
#include "base/rank_tests.h"

/* The test refuses memory where no sanitizer serves it. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define REFUSES
static bool refusing;
static int allowed; /* then all are refused */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);

void *malloc(size_t bytes)
{
    return refusing && allowed-- < 1 ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return refusing && allowed-- < 1 ? NULL : __libc_calloc(count, bytes);
}
#endif

/* x <- c(6.1, 5.2, 7.3, 8.4, 6.5, 9.9, 5.8); y <- c(7.05, 8.15, 9.2, 10.3, 8.8, 11.7) */
static const double x[] = {6.1, 5.2, 7.3, 8.4, 6.5, 9.9, 5.8},
                    y[] = {7.05, 8.15, 9.2, 10.3, 8.8, 11.7};
/* x2 <- c(1, 2, 2, 3, 5, 5, 8); y2 <- c(2, 4, 5, 6, 9, 9) */
static const double x2[] = {1, 2, 2, 3, 5, 5, 8}, y2[] = {2, 4, 5, 6, 9, 9};

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* What R says to 15 digits. */
static void assert_is(double value, double expected)
{
    assert_near(value, expected, 1e-12 * fabs(expected));
}

static cpm_rank_test rank_sum(const double *a, int m, const double *b, int n)
{
    cpm_error e = {0};
    cpm_rank_test t;
    if (cpm_rank_sum_test(a, m, b, n, 0.95, &t, &e))
        fail_msg("%s", e.text);
    return t;
}

static void two_samples_are_judged_exactly_as_by_r(void **state)
{
    (void)state; /* w <- wilcox.test(x, y, conf.int = TRUE) */
    cpm_rank_test t = rank_sum(x, 7, y, 6);
    assert_true(t.exact);
    assert_is(t.statistic, 7);          /* w$statistic */
    assert_is(t.p, 0.0512820512820513); /* w$p.value */
    assert_is(t.low, -4.4);             /* w$conf.int */
    assert_is(t.high, 0.25);
    assert_is(t.shift, -2.175); /* w$estimate */
}

static void samples_without_overlap_have_the_least_p(void **state)
{
    (void)state;
    cpm_error e = {0};
    double p;
    assert_int_equal(cpm_rank_sum_least(5, 5, &p, &e), CPM_OK);
    assert_is(p, 0.00793650793650794); /* wilcox.test(1:5, 6:10)$p.value */
    assert_int_equal(cpm_rank_sum_least(1, 1, &p, &e), CPM_OK);
    assert_is(p, 1);
    assert_int_equal(cpm_rank_sum_least(60, 70, &p, &e), CPM_OK);
    assert_is(p, 1.071802910454e-22); /* wilcox.test(1:60, 61:130)$p.value */
}

/* Intervals: R looks for their ends between the differences, to 1e-4, which is its tolerance. */
static void ties_are_corrected_as_by_r(void **state)
{
    (void)state; /* w <- wilcox.test(x2, y2, conf.int = TRUE) */
    cpm_rank_test t = rank_sum(x2, 7, y2, 6);
    assert_false(t.exact);
    assert_is(t.statistic, 11);
    assert_is(t.p, 0.169367682235014);           /* w$p.value */
    assert_near(t.low, -6.00009047309935, 2e-4); /* w$conf.int */
    assert_near(t.high, 1.00006926167374, 2e-4);
    assert_near(t.shift, -2.00001067526053, 2e-4); /* w$estimate */
}

static void long_samples_are_judged_by_the_normal_approximation_as_by_r(void **state)
{
    double a[60], b[70];
    (void)state;
    for (int i = 0; i < 60; i++)
        a[i] = 10 + (double)(i * 37 % 61) / 10; /* a <- 10 + ((0:59) * 37) %% 61 / 10 */
    for (int i = 0; i < 70; i++)
        b[i] = 10.5 + (double)(i * 29 % 71) / 10; /* b <- 10.5 + ((0:69) * 29) %% 71 / 10 */
    cpm_rank_test t = rank_sum(a, 60, b, 70);     /* w <- wilcox.test(a, b, conf.int = TRUE) */
    assert_false(t.exact);
    assert_is(t.statistic, 1535);
    assert_is(t.p, 8.37684059803118e-03);
    assert_near(t.low, -1.6999707202618, 2e-4);
    assert_near(t.high, -0.29999107315176, 2e-4);
    assert_is(t.shift, -1); /* median(outer(a, b, "-")) */
}

static void equal_values_differ_in_nothing(void **state)
{
    (void)state;
    const double same[] = {3, 3, 3, 3};
    cpm_error e = {0};
    cpm_pair_test pair;
    cpm_rank_test t = rank_sum(same, 4, same, 3);
    assert_true(t.p == 1 && t.shift == 0 && t.low == 0 && t.high == 0);
    assert_false(signbit(t.shift));
    assert_int_equal(cpm_steel_dwass_test(same, 4, same, 4, 3, &pair, &e), CPM_OK);
    assert_true(pair.p == 1 && pair.above == 0.5);
}

static void one_value_is_judged_and_says_nothing(void **state)
{
    (void)state;
    const double one = 1, two = 2.5;
    cpm_rank_test t = rank_sum(&one, 1, &two, 1);
    assert_true(t.p == 1 && t.shift == -1.5 && t.low == -1.5 && t.high == -1.5);
    t = rank_sum(x, 7, &one, 1); /* wilcox.test(x, 1)$p.value */
    assert_is(t.p, 0.25);
}

/* Products of their numbers are more than an int holds. */
static void so_many_values_that_their_pairs_are_not_an_int(void **state)
{
    enum { MANY = 50000 };
    (void)state;
    double *a = malloc(MANY * sizeof *a), *b = malloc(MANY * sizeof *b);
    assert_true(a && b);
    for (int i = 0; i < MANY; i++) {
        a[i] = i;
        b[i] = i + 0.5;
    }
    /* Of the differences i - j - 1/2 as many are above as below -1/2. */
    cpm_rank_test t = rank_sum(a, MANY, b, MANY);
    assert_is(t.statistic, (double)MANY * (MANY - 1) / 2);
    assert_is(t.shift, -0.5);
    assert_is(t.p, 0.995629937381105);
    free(a);
    free(b);
}

static void many_samples_are_compared_by_the_range(void **state)
{
    (void)state;
    /* sd <- function(x, y, k) {
     *     r <- rank(c(x, y)); n <- length(x); m <- length(y); t <- table(r)
     *     v <- n * m / 12 * (n + m + 1 - sum(t^3 - t) / ((n + m) * (n + m - 1)))
     *     w <- sum(r[1:n]) - n * (n + 1) / 2
     *     ptukey(sqrt(2) * abs(w - n * m / 2) / sqrt(v), k, Inf, lower.tail = FALSE) } */
    cpm_error e = {0};
    cpm_pair_test t;
    assert_int_equal(cpm_steel_dwass_test(x, 7, y, 6, 2, &t, &e), CPM_OK);
    assert_is(t.p, 0.0455002638963585); /* sd(x, y, 2) */
    assert_is(t.above, 7.0 / 42);
    assert_int_equal(cpm_steel_dwass_test(x, 7, y, 6, 4, &t, &e), CPM_OK);
    assert_is(t.p, 0.187912110390854); /* sd(x, y, 4) */
    assert_int_equal(cpm_steel_dwass_test(x2, 7, y2, 6, 3, &t, &e), CPM_OK);
    assert_is(t.p, 0.317042750816783);                  /* sd(x2, y2, 3) */
    assert_true(cpm_steel_dwass_least(5, 5, 4) < 0.05); /* sd(1:5, 6:10, 4) */
    assert_true(cpm_steel_dwass_least(5, 5, 5) > 0.05);
    assert_true(cpm_steel_dwass_least(1, 1, 2) > 0.05);
}

static void families_are_adjusted_as_by_r(void **state)
{
    (void)state; /* p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.8), "holm") */
    cpm_error e = {0};
    double p[] = {0.01, 0.04, 0.03, 0.005, 0.8}, expected[] = {0.04, 0.09, 0.09, 0.025, 0.8};
    assert_int_equal(cpm_holm(p, 5, &e), CPM_OK);
    for (int i = 0; i < 5; i++)
        assert_is(p[i], expected[i]);
    assert_int_equal(cpm_holm(NULL, 0, &e), CPM_OK);
}

static void what_is_no_sample_is_refused(void **state)
{
    (void)state;
    const double bad[] = {1, NAN, 2}, endless[] = {1, INFINITY};
    cpm_error e = {0};
    cpm_rank_test t = {.p = 77};
    cpm_pair_test pair = {.p = 77};
    assert_int_equal(cpm_rank_sum_test(x, 7, bad, 3, 0.95, &t, &e), CPM_EINVAL);
    assert_non_null(strstr(e.text, "value 2"));
    assert_int_equal(cpm_rank_sum_test(endless, 2, y, 6, 0.95, &t, NULL), CPM_EINVAL);
    assert_int_equal(cpm_rank_sum_test(x, 7, y, 0, 0.95, &t, NULL), CPM_EINVAL);
    assert_int_equal(cpm_rank_sum_test(x, 7, y, 6, 1, &t, NULL), CPM_EINVAL);
    assert_int_equal(cpm_rank_sum_test(x, 7, y, 6, NAN, &t, NULL), CPM_EINVAL);
    assert_int_equal(cpm_steel_dwass_test(bad, 3, x, 7, 3, &pair, NULL), CPM_EINVAL);
    assert_int_equal(cpm_steel_dwass_test(x, 7, y, 6, 1, &pair, NULL), CPM_EINVAL);
    assert_true(t.p == 77 && pair.p == 77);
}

/* Shifting x by anything outside the interval makes them differ, inside it does not. */
static void the_interval_holds_the_shifts_that_the_test_accepts(void **state)
{
    (void)state;
    double moved[7];
    cpm_rank_test t = rank_sum(x, 7, y, 6);
    const double shifts[] = {t.low - 1e-6, t.low + 1e-6, t.shift, t.high - 1e-6, t.high + 1e-6};
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 7; i++)
            moved[i] = x[i] - shifts[k];
        assert_int_equal(rank_sum(moved, 7, y, 6).p > 0.05, k > 0 && k < 4);
    }
}

#ifdef REFUSES
/* Each allocation in turn, those of R's mathlib too, which begins without its tables in the first.
 */
static void without_memory_tests_fail_and_later_ones_are_right(void **state)
{
    (void)state;
    int failed = 0;
    for (allowed = 0;; allowed++) {
        cpm_error e = {0};
        cpm_rank_test t;
        cpm_pair_test pair;
        double p[] = {0.5, 0.2};
        refusing = true;
        int left = allowed, status = cpm_rank_sum_test(x, 7, y, 6, 0.95, &t, &e);
        status = status ? status : cpm_steel_dwass_test(x, 7, y, 6, 3, &pair, &e);
        status = status ? status : cpm_holm(p, 2, &e);
        status = status ? status : cpm_signed_rank_less(x, 7, &p[0], &e);
        refusing = false;
        allowed = left;
        if (!status)
            break;
        assert_int_equal(status, CPM_ENOMEM);
        assert_non_null(strstr(e.text, "out of memory"));
        failed++;
    }
    assert_true(failed > 50); /* a row of mathlib's table is one each */
    two_samples_are_judged_exactly_as_by_r(state);
}
#endif

/* Share of all signs of n values of ranks 1 to n that put at most so large a sum of ranks above 0.
 */
static double share_of_signs(int n, int above)
{
    long count = 0;
    for (unsigned signs = 0; signs < 1U << n; signs++) {
        int sum = 0;
        for (int k = 0; k < n; k++)
            sum += signs >> k & 1 ? k + 1 : 0;
        count += sum <= above;
    }
    return (double)count / (double)(1U << n);
}

static double signed_rank(const double *d, int n)
{
    double p = -1;
    assert_int_equal(cpm_signed_rank_less(d, n, &p, NULL), CPM_OK);
    return p;
}

static void signed_ranks_are_judged_exactly(void **state)
{
    (void)state;
    static const double d[] = {-0.3, 0.1, -1.2, -0.7, 0.4, -0.9, -2, -0.2, -1.5, -0.6};
    assert_is(signed_rank(d, 10), share_of_signs(10, 1 + 4));
    static const double all[] = {-1, -2, -3, -4, -5, -6, -7, -8};
    assert_is(signed_rank(all, 8), 1.0 / 256);
    static const double equal[] = {-1, -1, -1, -1, 1, 0};
    assert_is(signed_rank(equal, 6), share_of_signs(6, 6 + 1)); /* against an effect */
    double many[49], p;
    for (int k = 0; k < 49; k++)
        many[k] = (k % 3 ? -1 : 1) * (k + 1.0);
    assert_int_equal(cpm_signed_rank_p(425, 49, &p, NULL), CPM_OK); /* 1 + 4 + ... 49 */
    assert_is(signed_rank(many, 49), p);
}

static void many_signed_ranks_are_judged_by_the_normal_approximation(void **state)
{
    (void)state;
    double many[100], exact;
    int above = 0;
    for (int k = 0; k < 100; k++) {
        many[k] = (k % 3 ? -1 : 1) * (k + 1.0);
        above += k % 3 ? 0 : k + 1;
    }
    assert_int_equal(cpm_signed_rank_p(above, 100, &exact, NULL), CPM_OK);
    assert_near(signed_rank(many, 100), exact, 0.1 * exact);
    many[7] = NAN;
    double p;
    assert_int_equal(cpm_signed_rank_less(many, 100, &p, NULL), CPM_EINVAL);
}

static void quantiles_are_where_the_probability_is_reached(void **state)
{
    (void)state;
    cpm_error e = {0};
    double w, below, at;
    assert_int_equal(cpm_rank_sum_quantile(0.025, 49, 49, &w, &e), CPM_OK);
    assert_int_equal(cpm_rank_sum_p(w - 1, 49, 49, &below, &e), CPM_OK);
    assert_int_equal(cpm_rank_sum_p(w, 49, 49, &at, &e), CPM_OK);
    assert_true(below < 0.025 && at >= 0.025);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef REFUSES
        cmocka_unit_test(without_memory_tests_fail_and_later_ones_are_right),
#endif
        cmocka_unit_test(two_samples_are_judged_exactly_as_by_r),
        cmocka_unit_test(samples_without_overlap_have_the_least_p),
        cmocka_unit_test(ties_are_corrected_as_by_r),
        cmocka_unit_test(long_samples_are_judged_by_the_normal_approximation_as_by_r),
        cmocka_unit_test(equal_values_differ_in_nothing),
        cmocka_unit_test(one_value_is_judged_and_says_nothing),
        cmocka_unit_test(so_many_values_that_their_pairs_are_not_an_int),
        cmocka_unit_test(many_samples_are_compared_by_the_range),
        cmocka_unit_test(families_are_adjusted_as_by_r),
        cmocka_unit_test(what_is_no_sample_is_refused),
        cmocka_unit_test(the_interval_holds_the_shifts_that_the_test_accepts),
        cmocka_unit_test(signed_ranks_are_judged_exactly),
        cmocka_unit_test(many_signed_ranks_are_judged_by_the_normal_approximation),
        cmocka_unit_test(quantiles_are_where_the_probability_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
