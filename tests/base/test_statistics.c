/* Summaries by hand, and coverage of the confidence intervals by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/statistics.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

static cpm_precision precision(cpm_statistic s)
{
    cpm_precision p = CPM_PRECISION_DEFAULT;
    p.statistic = s;
    return p;
}

static cpm_summary summary(const double *x, int count, cpm_statistic statistic)
{
    cpm_error e = {0};
    cpm_summary s = {0};
    cpm_precision p = precision(statistic);
    assert_int_equal(cpm_summarize(x, count, &p, &s, &e), CPM_OK);
    return s;
}

static void a_summary_equals_one_by_hand(void **state)
{
    (void)state;
    const double x[] = {4, 1, 3, 2, 10};
    cpm_summary s = summary(x, 5, CPM_MEAN);
    assert_near(s.mean, 4, 1e-12);
    assert_near(s.median, 3, 1e-12);
    assert_near(s.sd, sqrt(12.5), 1e-12);
    assert_near(s.min, 1, 0);
    assert_near(s.max, 10, 0);
    assert_int_equal(s.reps, 5);
    /* Student's t of a table: 2.7764 at 0.975 and 4 degrees of freedom */
    assert_near(s.ci_high, 4 + 2.7764 * sqrt(12.5 / 5), 1e-3);
    assert_near(x[0], 4, 0); /* untouched */
}

static void the_median_of_six_has_the_whole_range_as_interval(void **state)
{
    (void)state; /* 1 - 2/2^6 = 0.969 is the first above 0.95; with 9: 2nd to 8th, 0.961 */
    const double x[] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
    cpm_summary s = summary(x, 6, CPM_MEDIAN);
    assert_near(s.ci_low, 4, 0);
    assert_near(s.ci_high, 9, 0);
    s = summary(x, 9, CPM_MEDIAN);
    assert_near(s.ci_low, 2, 0);
    assert_near(s.ci_high, 8, 0);
}

static void one_sample_is_a_point(void **state)
{
    (void)state;
    const double x[] = {3};
    for (int k = CPM_MEDIAN; k <= CPM_MINIMUM; k++) {
        cpm_summary s = summary(x, 1, (cpm_statistic)k);
        assert_near(s.ci_low, 3, 0);
        assert_near(s.ci_high, 3, 0);
        assert_near(s.sd, 0, 0);
        assert_near(cpm_summary_value(&s, (cpm_statistic)k), 3, 0);
    }
}

static void no_interval_of_times_goes_below_zero(void **state)
{
    (void)state;
    const double x[] = {1, 1, 1, 1, 20};
    for (int k = CPM_MEDIAN; k <= CPM_MINIMUM; k++) {
        cpm_summary s = summary(x, 5, (cpm_statistic)k);
        assert_true(s.ci_low >= 0);
        assert_true(s.ci_low <= cpm_summary_value(&s, (cpm_statistic)k));
        assert_true(s.ci_high >= cpm_summary_value(&s, (cpm_statistic)k));
    }
}

typedef double draw_function(unsigned short seed[3]);

static double exponential(unsigned short seed[3]) /* median 10 + log 2, end point 10 */
{
    return 10 - log(1 - erand48(seed));
}

static double normal(unsigned short seed[3]) /* Box and Muller */
{
    return 10 + sqrt(2 * (exponential(seed) - 10)) * cos(2 * acos(-1) * erand48(seed));
}

/* Share of 2000 intervals of count samples that contain the truth. */
static double coverage_of(draw_function *draw, int count, cpm_statistic statistic, double truth)
{
    unsigned short seed[3] = {20, 0, 9};
    int inside = 0;
    for (int k = 0; k < 2000; k++) {
        double x[100];
        for (int i = 0; i < count; i++)
            x[i] = draw(seed);
        cpm_summary s = summary(x, count, statistic);
        inside += s.ci_low <= truth && truth <= s.ci_high;
    }
    return inside / 2000.0;
}

static double coverage(draw_function *draw, cpm_statistic statistic, double truth)
{
    return coverage_of(draw, 20, statistic, truth);
}

/* 2000 draws at 0.95 have a standard deviation of 0.005; the median's level is 0.959 at 20. */
static void intervals_of_mean_and_median_cover_at_their_level(void **state)
{
    (void)state;
    assert_in_range((int)(1000 * coverage(normal, CPM_MEAN, 10)), 935, 965);
    assert_in_range((int)(1000 * coverage(normal, CPM_MEDIAN, 10)), 939, 979);
    assert_in_range((int)(1000 * coverage(exponential, CPM_MEDIAN, 10 + log(2))), 939, 979);
}

/* Exact for a density that is level at its end point; the exponential nearly is at 20 samples. */
static void the_interval_of_the_minimum_covers_the_end_point(void **state)
{
    (void)state;
    assert_in_range((int)(1000 * coverage(exponential, CPM_MINIMUM, 10)), 930, 970);
}

static void repeating_stops_by_precision_between_least_and_most(void **state)
{
    (void)state;
    cpm_precision p = precision(CPM_MEAN);
    cpm_summary s = {.mean = 1, .ci_low = 0.98, .ci_high = 1.02, .reps = 4};
    assert_false(cpm_precise(&s, &p)); /* below the least */
    s.reps = 5;
    assert_true(cpm_precise(&s, &p));
    s.ci_high = 1.05;
    assert_false(cpm_precise(&s, &p));
    s.reps = 100;
    assert_true(cpm_precise(&s, &p));
}

static void what_is_not_precise_ends_after_its_time_with_the_least_repetitions(void **state)
{
    (void)state;
    cpm_precision p = precision(CPM_MEAN);
    cpm_summary s = {.mean = 1, .ci_low = 0.5, .ci_high = 1.5, .reps = 5};
    assert_false(cpm_enough(&s, 1000, &p)); /* no limit */
    p.max_seconds = 2;
    assert_false(cpm_enough(&s, 1.9, &p));
    assert_true(cpm_enough(&s, 2, &p));
    s.reps = 4;
    assert_false(cpm_enough(&s, 2, &p));
    s = (cpm_summary){.mean = 1, .ci_low = 0.98, .ci_high = 1.02, .reps = 5};
    assert_true(cpm_enough(&s, 0, &p));
}

static void refused(cpm_precision p)
{
    cpm_error e = {0};
    assert_int_equal(cpm_precision_check(&p, &e), CPM_EINVAL);
    assert_true(strlen(e.text) > 0);
}

static void a_precision_out_of_range_is_refused(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_precision good = CPM_PRECISION_DEFAULT;
    assert_int_equal(cpm_precision_check(&good, &e), CPM_OK);
    refused((cpm_precision){0, 100, 0.95, 0.025, CPM_MEAN, 0});
    refused((cpm_precision){5, 4, 0.95, 0.025, CPM_MEAN, 0});
    refused((cpm_precision){5, 100, 0, 0.025, CPM_MEAN, 0});
    refused((cpm_precision){5, 100, 1, 0.025, CPM_MEAN, 0});
    refused((cpm_precision){5, 100, NAN, 0.025, CPM_MEAN, 0});
    refused((cpm_precision){5, 100, 0.95, -1, CPM_MEAN, 0});
    refused((cpm_precision){5, 100, 0.95, NAN, CPM_MEAN, 0});
    refused((cpm_precision){5, 100, 0.95, 0.025, CPM_MEAN, -1});
    refused((cpm_precision){5, 100, 0.95, 0.025, CPM_MEAN, NAN});
}

static void names_of_statistics_parse_back(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_statistic s;
    for (int k = CPM_MEDIAN; k <= CPM_MINIMUM; k++) {
        assert_int_equal(cpm_statistic_parse(cpm_statistic_named(k), &s, &e), CPM_OK);
        assert_int_equal(s, k);
    }
    assert_int_equal(cpm_statistic_parse("mode", &s, &e), CPM_EUNKNOWN);
    assert_non_null(strstr(e.text, "median, mean, minimum"));
}

static void huber_hardly_moves_with_an_outlier(void **state)
{
    (void)state;
    cpm_error e = {0};
    double clean[] = {9, 10, 11, 10.5, 9.5, 10}, a, b;
    assert_int_equal(cpm_huber(clean, 6, &a, &e), CPM_OK);
    assert_near(a, 10, 1e-6);
    clean[5] = 1000;
    assert_int_equal(cpm_huber(clean, 6, &b, &e), CPM_OK);
    assert_true(b > a && b < 11);
    const double same[] = {2, 2, 2, 2, 50}; /* scale 0: the median */
    assert_int_equal(cpm_huber(same, 5, &a, &e), CPM_OK);
    assert_near(a, 2, 0);
}

static double location(const double *x, int count)
{
    double location = -1;
    assert_int_equal(cpm_huber(x, count, &location, NULL), CPM_OK);
    return location;
}

static void one_repetition_is_precise_only_if_no_more_are_allowed(void **state)
{
    (void)state;
    cpm_summary one = {.mean = 1, .ci_low = 1, .ci_high = 1, .reps = 1};
    assert_false(cpm_precise(&one, &(cpm_precision){1, 2, 0.95, 0.5, CPM_MEAN, 0}));
    assert_true(cpm_precise(&one, &(cpm_precision){1, 1, 0.95, 0.5, CPM_MEAN, 0}));
}

/* The width counts against the statistic that was chosen. */
static void the_width_is_relative_to_the_chosen_statistic(void **state)
{
    (void)state;
    cpm_summary s = {.mean = 4, .median = 2, .min = 1, .ci_low = 1, .ci_high = 1.3, .reps = 5};
    assert_true(cpm_precise(&s, &(cpm_precision){5, 9, 0.95, 0.05, CPM_MEAN, 0}));
    assert_false(cpm_precise(&s, &(cpm_precision){5, 9, 0.95, 0.05, CPM_MEDIAN, 0}));
    assert_true(cpm_precise(&s, &(cpm_precision){5, 9, 0.95, 0.1, CPM_MEDIAN, 0}));
    assert_false(cpm_precise(&s, &(cpm_precision){5, 9, 0.95, 0.1, CPM_MINIMUM, 0}));
}

/* Spread 100 times the mean: cut at 0, the interval must not look narrow. */
static void a_wild_series_is_never_precise_before_the_end(void **state)
{
    (void)state;
    const double x[] = {1e-6, 1e-6, 1e-6, 1e-6, 1};
    cpm_precision p = {5, 100, 0.95, 0.99, CPM_MEAN, 0};
    cpm_summary s = summary(x, 5, CPM_MEAN);
    assert_false(cpm_precise(&s, &p));
}

static void no_sample_has_no_summary_and_no_location(void **state)
{
    (void)state;
    cpm_precision p = CPM_PRECISION_DEFAULT;
    cpm_summary s = {.reps = 77};
    double location = 77;
    assert_int_equal(cpm_summarize(NULL, 0, &p, &s, NULL), CPM_EINVAL);
    assert_int_equal(cpm_huber(NULL, 0, &location, NULL), CPM_EINVAL);
    assert_int_equal(s.reps, 77);
    assert_true(location == 77);
}

/* What defines it: the deviations, cut at k times the scale, sum to zero. */
static void huber_balances_the_cut_deviations(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3, 4, 5, 6, 90, 100}; /* median 4, deviations' median 2 */
    double at = location(x, 9), bound = 1.345 * 1.4826 * 2, sum = 0;
    for (int i = 0; i < 9; i++)
        sum += fmax(-bound, fmin(bound, x[i] - at));
    assert_true(fabs(sum) < 1e-6);
    assert_near(at, (21 + bound) / 6, 1e-6); /* 0 is cut, too, and 90 and 100 */
}

static void huber_follows_unit_and_origin(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 50};
    double moved[5];
    for (int i = 0; i < 5; i++)
        moved[i] = 1e-6 * (x[i] + 7);
    assert_true(fabs(location(moved, 5) - 1e-6 * (location(x, 5) + 7)) < 1e-13);
}

/* Times with a relative spread of 5 %, some of them 2 to 20 times as long. */
static double with_outliers(unsigned short seed[3], double share)
{
    double time = exp(0.05 * (normal(seed) - 10));
    return erand48(seed) < share ? time * (2 + 18 * erand48(seed)) : time;
}

typedef struct {
    double coverage, width; /* shares of 2000 intervals, and of the time */
} tried;

static tried try_locations(int count, double share)
{
    unsigned short seed[3] = {20, 0, 9};
    tried t = {0, 0};
    for (int k = 0; k < 2000; k++) {
        double x[30];
        for (int i = 0; i < count; i++)
            x[i] = with_outliers(seed, share);
        cpm_summary s = summary(x, count, CPM_MEDIAN);
        t.coverage += (fabs(s.huber - 1) <= s.huber_half) / 2000.0;
        t.width += s.huber_half / 2000;
    }
    return t;
}

/* Student's t at 5 is short by what Qn scatters more than a standard deviation. Widths: normal
 * samples would have 0.062, 0.036 and 0.019. */
static void intervals_of_the_location_hold_in_spite_of_outliers(void **state)
{
    (void)state;
    const int counts[] = {5, 10, 30};
    const double widest[] = {0.09, 0.05, 0.025};
    const double shares[] = {0, 0.01, 0.05};
    for (int c = 0; c < 3; c++)
        for (int s = 0; s < 3; s++) {
            tried t = try_locations(counts[c], shares[s]);
            if (t.coverage < (counts[c] > 5 ? 0.92 : 0.88) || t.coverage > 0.97 ||
                t.width > widest[c])
                fail_msg("%d repetitions, %g outliers: coverage %g, half width %g", counts[c],
                         shares[s], t.coverage, t.width);
        }
}

static void the_interval_of_the_location_is_unknown_of_few_or_equal_samples(void **state)
{
    (void)state;
    const double few[] = {1, 2, 3, 4}, equal[] = {2, 2, 2, 2, 50};
    assert_near(summary(few, 4, CPM_MEDIAN).huber_half, 0, 0);
    assert_near(summary(equal, 5, CPM_MEDIAN).huber_half, 0, 0);
}

/* At 5 samples the interval of the median is the whole range, at a level of 0.9375. */
static void a_campaigns_fewest_and_most_repetitions_cover_too(void **state)
{
    (void)state;
    const int counts[] = {5, 6, 100};
    for (int c = 0; c < 3; c++) {
        int n = counts[c];
        assert_in_range((int)(1000 * coverage_of(normal, n, CPM_MEAN, 10)), 920, 980);
        assert_in_range((int)(1000 * coverage_of(normal, n, CPM_MEDIAN, 10)), 920, 980);
        assert_in_range((int)(1000 * coverage_of(exponential, n, CPM_MEDIAN, 10 + log(2))), 920,
                        980);
    }
    assert_in_range((int)(1000 * coverage_of(exponential, 100, CPM_MINIMUM, 10)), 920, 980);
}

/* By hand: t = 2.306 of 8 degrees of freedom, g = t^2 * 0.2 / 100, the bounds the roots of
 * (12 - 10 r)^2 = t^2 (0.2 + 0.2 r^2). */
static void a_ratio_of_means_equals_one_by_hand(void **state)
{
    (void)state;
    const cpm_mean above = {12, 1, 5}, below = {10, 1, 5};
    cpm_ratio r = cpm_ratio_of_means(&above, &below, 0.95);
    double t2 = 2.306004 * 2.306004, a = 100 - 0.2 * t2, b = -240, c = 144 - 0.2 * t2;
    assert_near(r.value, 1.2, 1e-12);
    assert_near(r.low, (-b - sqrt(b * b - 4 * a * c)) / (2 * a), 1e-6);
    assert_near(r.high, (-b + sqrt(b * b - 4 * a * c)) / (2 * a), 1e-6);
}

static void a_ratio_to_what_may_be_nothing_has_no_bounds(void **state)
{
    (void)state;
    const cpm_mean above = {12, 1, 5}, below = {1, 100, 5};
    cpm_ratio r = cpm_ratio_of_means(&above, &below, 0.95);
    assert_near(r.value, 12, 1e-12);
    assert_true(isinf(r.low) && r.low < 0 && isinf(r.high) && r.high > 0);
}

static void a_ratio_of_values_that_do_not_vary_is_a_point(void **state)
{
    (void)state;
    const cpm_mean above = {12, 0, 5}, below = {10, 0, 2};
    cpm_ratio r = cpm_ratio_of_means(&above, &below, 0.95);
    assert_near(r.low, 1.2, 1e-12);
    assert_near(r.high, 1.2, 1e-12);
}

static cpm_mean mean_of_draws(draw_function *draw, double factor, int count, unsigned short seed[3])
{
    cpm_mean m = {.count = count};
    double squares = 0;
    for (int i = 0; i < count; i++) {
        double x = factor * (draw(seed) - 9);
        m.mean += x / count;
        squares += x * x;
    }
    m.variance = (squares - count * m.mean * m.mean) / (count - 1);
    return m;
}

static void intervals_of_ratios_cover_at_their_level(void **state)
{
    (void)state;
    unsigned short seed[3] = {20, 0, 9};
    int inside = 0;
    for (int k = 0; k < 2000; k++) {
        const cpm_mean above = mean_of_draws(exponential, 0.7, 60, seed),
                       below = mean_of_draws(exponential, 1, 20, seed);
        cpm_ratio r = cpm_ratio_of_means(&above, &below, 0.95);
        inside += r.low <= 0.7 && 0.7 <= r.high;
    }
    assert_in_range(inside, 1840, 1960);
}

static void a_saved_share_is_told_where_its_interval_tells_something(void **state)
{
    (void)state;
    const cpm_ratio known = cpm_saved_share(0.1, -0.2, 0.4),
                    slower = cpm_saved_share(-2, -3.2, -0.8),
                    wide = cpm_saved_share(0.12, -2.28, 2.52),
                    none = cpm_saved_share(0.1, -INFINITY, INFINITY);
    assert_near(known.value, 0.1, 1e-12);
    assert_near(known.high, 0.4, 1e-12);
    assert_near(slower.low, -3.2, 1e-12);
    assert_near(cpm_saved_share(0.9, 0.5, 1.3).high, 1, 1e-12);
    assert_true(isnan(wide.value) && isnan(wide.low) && isnan(wide.high) && isnan(none.value));
    assert_true(isnan(cpm_saved_share(0.1, NAN, NAN).value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_share_is_told_where_its_interval_tells_something),
        cmocka_unit_test(a_summary_equals_one_by_hand),
        cmocka_unit_test(the_median_of_six_has_the_whole_range_as_interval),
        cmocka_unit_test(one_sample_is_a_point),
        cmocka_unit_test(no_interval_of_times_goes_below_zero),
        cmocka_unit_test(intervals_of_mean_and_median_cover_at_their_level),
        cmocka_unit_test(the_interval_of_the_minimum_covers_the_end_point),
        cmocka_unit_test(repeating_stops_by_precision_between_least_and_most),
        cmocka_unit_test(what_is_not_precise_ends_after_its_time_with_the_least_repetitions),
        cmocka_unit_test(a_precision_out_of_range_is_refused),
        cmocka_unit_test(names_of_statistics_parse_back),
        cmocka_unit_test(huber_hardly_moves_with_an_outlier),
        cmocka_unit_test(one_repetition_is_precise_only_if_no_more_are_allowed),
        cmocka_unit_test(the_width_is_relative_to_the_chosen_statistic),
        cmocka_unit_test(a_wild_series_is_never_precise_before_the_end),
        cmocka_unit_test(no_sample_has_no_summary_and_no_location),
        cmocka_unit_test(huber_balances_the_cut_deviations),
        cmocka_unit_test(huber_follows_unit_and_origin),
        cmocka_unit_test(a_campaigns_fewest_and_most_repetitions_cover_too),
        cmocka_unit_test(intervals_of_the_location_hold_in_spite_of_outliers),
        cmocka_unit_test(the_interval_of_the_location_is_unknown_of_few_or_equal_samples),
        cmocka_unit_test(a_ratio_of_means_equals_one_by_hand),
        cmocka_unit_test(a_ratio_to_what_may_be_nothing_has_no_bounds),
        cmocka_unit_test(a_ratio_of_values_that_do_not_vary_is_a_point),
        cmocka_unit_test(intervals_of_ratios_cover_at_their_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
