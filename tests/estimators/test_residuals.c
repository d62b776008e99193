/* Residuals by kind, and when they contradict a model. */
#include "estimators/residuals.h"

#include "measured.h"
#include "models/lmo.h"

enum { N = 6 };

static const cpm_residual *row_of(const cpm_residual *rows, int count, int kind, bool empty)
{
    for (int q = 0; q < count; q++)
        if (rows[q].example.kind == &cpm_experiment_kinds[kind] &&
            (rows[q].example.send_bytes == 0) == empty)
            return &rows[q];
    fail_msg("no row of %s", cpm_experiment_kinds[kind].name);
    return NULL;
}

static void a_model_explains_what_was_measured_on_itself(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(N, 1);
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured(estimator_of("lmo", "joint"), &options, truth, 0, 5, 1);
    cpm_residual *rows;
    int count, all = 0;
    assert_int_equal(cpm_residuals(truth, &m, true, &rows, &count, NULL), CPM_OK);
    assert_int_equal(count, 4); /* round trips and trains, empty and not */
    for (int q = 0; q < count; q++) {
        all += rows[q].count;
        assert_true(rows[q].largest < 1e-9);
        assert_false(cpm_residual_contradicts(&rows[q]));
    }
    assert_int_equal(all, m.count);
    free(rows);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void a_process_that_does_not_fit_is_the_worst(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(N, 2);
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured(estimator_of("lmo", "joint"), &options, truth, 0, 5, 1);
    cpm_residual *rows;
    int count;
    truth->value[CPM_LMO_C][4] *= 3;
    assert_int_equal(cpm_residuals(truth, &m, true, &rows, &count, NULL), CPM_OK);
    const cpm_residual *trips = row_of(rows, count, CPM_ROUNDTRIP, true);
    assert_int_equal(trips->worst[0], 4);
    assert_true(trips->largest > 0.1 && trips->offset <= 0);
    assert_true(trips->median <= trips->p95 && trips->p95 <= trips->largest);
    free(rows);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void published_equations_are_contradicted_by_their_own_experiments(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(N, 3);
    cpm_model *thesis = estimated("lmo", "thesis", truth, 0.02, 20, 1);
    assert_non_null(strstr(thesis->notes, "empty one-to-two experiments disagree with round trips "
                                          "by"));
    assert_non_null(strstr(thesis->notes, "replies overlap; use --estimator joint"));
    cpm_model_free(thesis);
    cpm_model_free(truth);
}

static void a_model_that_fits_is_not_contradicted_whatever_the_noise(void **state)
{
    (void)state;
    for (unsigned long seed = 1; seed <= 10; seed++) {
        cpm_model *truth = random_lmo(N, (unsigned)seed);
        cpm_model *joint = estimated("lmo", "joint", truth, 0.05, 20, seed);
        assert_null(joint->notes ? strstr(joint->notes, "disagree") : NULL);
        cpm_model_free(joint);
        cpm_model_free(truth);
    }
}

static void measurements_of_other_processes_are_refused(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(N, 1);
    cpm_measurements m = {.n = N + 1};
    cpm_residual *rows;
    cpm_error e = {0};
    int count;
    assert_int_equal(cpm_residuals(truth, &m, true, &rows, &count, &e), CPM_EINVAL);
    assert_non_null(strstr(e.text, "a model of 6 processes, but measurements of 7"));
    cpm_model_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_explains_what_was_measured_on_itself),
        cmocka_unit_test(a_process_that_does_not_fit_is_the_worst),
        cmocka_unit_test(published_equations_are_contradicted_by_their_own_experiments),
        cmocka_unit_test(a_model_that_fits_is_not_contradicted_whatever_the_noise),
        cmocka_unit_test(measurements_of_other_processes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
