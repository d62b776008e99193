/* Measured curves are what was measured on their grid, and straight between. */
#include "measured.h"

#include "../models/predicted.h"
#include "models/interp.h"

static double predicted(const cpm_model *m, const cpm_algorithm *a, int root, size_t bytes)
{
    cpm_error e = {0};
    double seconds = predict_plain_form(m, a, root, bytes, NULL, &e);
    assert_string_equal(e.text, "");
    return seconds;
}

static void every_algorithm_is_right_on_the_grid_and_straight_between(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(5, 3), *fit = estimated("interp", NULL, truth, 0, 2, 1);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        if (cpm_algorithm_applies(a, &(cpm_call){.n = 5}, NULL))
            continue;
        double low = predicted(truth, a, 0, 1024), high = predicted(truth, a, 0, 2048);
        assert_true(fabs(predicted(fit, a, 0, 1024) - low) < 1e-12 * low);
        assert_true(fabs(predicted(fit, a, 0, 1536) - (low + high) / 2) < 1e-12 * high);
    }
    double half = (cpm_model_p2p(truth, 1, 3, 4096) + cpm_model_p2p(truth, 3, 1, 4096)) / 2;
    assert_true(fabs(cpm_model_p2p(fit, 3, 1, 4096) - half) < 1e-12 * half);
    cpm_model_free(truth);
    cpm_model_free(fit);
}

static void what_was_not_measured_is_an_error(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(4, 5), *fit = estimated("interp", NULL, truth, 0, 2, 1);
    cpm_error e = {0};
    const cpm_algorithm *a = NULL;
    assert_int_equal(cpm_algorithm_find("scatter", "linear", &a, &e), CPM_OK);
    assert_int_equal((int)predict_plain_form(fit, a, 2, 1024, NULL, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "scatter:linear from root 2 was not measured"));
    cpm_model_free(truth);
    cpm_model_free(fit);
}

static void missing_round_trips_are_named(void **state)
{
    (void)state;
    cpm_estimation options = without_thresholds();
    cpm_measurements none = {.n = 3};
    cpm_model *fit = NULL;
    cpm_error e = {0};
    const cpm_estimator *interp = estimator_of("interp", NULL);
    assert_int_equal(cpm_estimate(interp, &options, &none, NULL, NULL, &fit, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "round trips of processes 0 and 1 are missing"));
    assert_null(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_is_right_on_the_grid_and_straight_between),
        cmocka_unit_test(what_was_not_measured_is_an_error),
        cmocka_unit_test(missing_round_trips_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
