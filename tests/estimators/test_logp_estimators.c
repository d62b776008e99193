/* What a random model of LogP's family measures is fitted back; sizes of PLogP are chosen by
 * consistency. */
#include "measured.h"

#include <stdlib.h>

#include "models/curve.h"

static void logp_that_measures_itself_is_found_again(void **state)
{
    (void)state;
    for (int n = 2; n <= 7; n++) {
        cpm_model *truth = random_logp(n, (unsigned)n);
        for (int i = 0; i < n; i++) /* of one size only the mean of both ways can be known */
            for (int j = 0; j < i; j++)
                truth->value[CPM_LOGP_L][i * n + j] = truth->value[CPM_LOGP_L][j * n + i];
        cpm_model *fit = estimated("logp", NULL, truth, 0, 2, 1);
        assert_same_parameters(fit, truth, 1e-9);
        assert_true(fit->value[CPM_LOGP_W][0] == 1024);
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
}

static cpm_model *symmetric_loggp(int n)
{
    cpm_model *m = random_loggp(n, (unsigned)n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            m->value[CPM_LOGGP_L][i * n + j] = m->value[CPM_LOGGP_L][j * n + i];
            m->value[CPM_LOGGP_SMALL_G][i * n + j] = m->value[CPM_LOGGP_SMALL_G][j * n + i];
        }
    return m;
}

static void loggp_that_measures_itself_is_found_again(void **state)
{
    (void)state;
    for (int n = 2; n <= 7; n++) {
        cpm_model *truth = symmetric_loggp(n), *fit = estimated("loggp", "own", truth, 0, 2, 1);
        assert_same_parameters(fit, truth, 1e-9);
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
}

/* g(M)/M has g/M more than G. */
static void loggp_derived_from_plogp_is_near(void **state)
{
    (void)state;
    cpm_model *truth = symmetric_loggp(4), *fit = estimated("loggp", "plogp", truth, 0, 2, 1);
    assert_true(error_quantile(fit, truth, CPM_LOGGP_O, 1) < 1e-9);
    assert_true(error_quantile(fit, truth, CPM_LOGGP_SMALL_G, 1) < 1e-3);
    assert_true(error_quantile(fit, truth, CPM_LOGGP_G, 1) < 0.04);
    for (int j = 1; j < 4; j++)
        assert_near(cpm_model_p2p(fit, 0, j, 1), cpm_model_p2p(truth, 0, j, 1), 1e-3);
    cpm_model_free(truth);
    cpm_model_free(fit);
}

static void expect_same_curves(const cpm_model *fit, const cpm_model *truth, size_t bytes)
{
    for (int i = 0; i < truth->n; i++) {
        size_t at = cpm_place(truth, 0, i);
        assert_near(cpm_curve_at(fit, CPM_PLOGP_OS, at, bytes),
                    cpm_curve_at(truth, CPM_PLOGP_OS, at, bytes), 1e-9);
        assert_near(cpm_curve_at(fit, CPM_PLOGP_OR, at, bytes),
                    cpm_curve_at(truth, CPM_PLOGP_OR, at, bytes), 1e-9);
        for (int j = 0; j < truth->n; j++)
            if (i != j)
                assert_near(cpm_curve_at(fit, CPM_PLOGP_G, cpm_pair_place(truth, 0, i, j), bytes),
                            cpm_curve_at(truth, CPM_PLOGP_G, cpm_pair_place(truth, 0, i, j), bytes),
                            1e-9);
    }
}

static void plogp_that_measures_itself_is_found_again(void **state)
{
    (void)state;
    for (int saturation = 0; saturation < 2; saturation++) {
        cpm_model *truth = random_plogp(4, 3);
        cpm_estimation options = without_thresholds();
        options.gap_saturation = saturation;
        const cpm_estimator *plogp = estimator_of("plogp", NULL);
        cpm_measurements m = measured(plogp, &options, truth, 0, 2, 1);
        cpm_model *fit = fitted(plogp, &options, &m);
        assert_true(error_quantile(fit, truth, CPM_PLOGP_L, 1) < 1e-9);
        for (int k = 0; k < fit->sizes.count; k++)
            expect_same_curves(fit, truth, fit->sizes.at[k]);
        cpm_measurements_clear(&m);
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
}

static bool has_size_between(const cpm_sizes *s, size_t low, size_t high)
{
    for (int k = 0; k < s->count; k++)
        if (s->at[k] > low && s->at[k] < high)
            return true;
    return false;
}

static void sizes_are_added_where_the_gap_leaps_and_only_there(void **state)
{
    (void)state;
    cpm_model *truth = random_plogp(3, 4), *fit = estimated("plogp", NULL, truth, 0, 2, 1);
    assert_true(has_size_between(&fit->sizes, 32768, 34000));
    assert_true(has_size_between(&fit->sizes, 47000, 50000));
    assert_false(has_size_between(&fit->sizes, 2048, 4096));
    assert_false(has_size_between(&fit->sizes, 8192, 16384));
    cpm_model *line = random_plogp(3, 4);
    for (int p = CPM_PLOGP_OS; p <= CPM_PLOGP_G; p++) {
        size_t count = cpm_parameter_values(line, p);
        for (size_t q = 0; q < count; q++)
            for (size_t k = 2; k < 4; k++) /* without the leap */
                line->value[p][k * count + q] -= 4 * line->value[p][q];
    }
    cpm_model *plain = estimated("plogp", NULL, line, 0, 2, 1);
    assert_int_equal(plain->sizes.count, 20); /* 0, 1, 2, 4 ... 256 KiB */
    cpm_model_free(truth);
    cpm_model_free(fit);
    cpm_model_free(line);
    cpm_model_free(plain);
}

static void with_noise_a_message_of_plogp_takes_what_it_should(void **state)
{
    (void)state;
    cpm_model *truth = random_plogp(4, 5), *fit = estimated("plogp", NULL, truth, 0.05, 30, 2);
    for (size_t bytes = 1; bytes <= 32768; bytes *= 4)
        for (int j = 1; j < 4; j++)
            assert_near(cpm_model_p2p(fit, 0, j, bytes), cpm_model_p2p(truth, 0, j, bytes), 0.15);
    cpm_model_free(truth);
    cpm_model_free(fit);
}

static void saturation_doubles_until_the_time_per_message_settles(void **state)
{
    (void)state;
    cpm_model *truth = random_plogp(2, 5);
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured(estimator_of("plogp", NULL), &options, truth, 0, 2, 1);
    double each[16] = {0};
    int count = 0;
    for (int q = 0; q < m.count; q++)
        if (m.at[q].what.kind == &cpm_experiment_kinds[CPM_SATURATION] && m.at[q].what.i == 0) {
            assert_int_equal(m.at[q].what.count, 100 << count);
            each[count++] = m.at[q].summary.median / m.at[q].what.count;
        }
    assert_true(count >= 2);
    for (int k = 1; k < count; k++)
        assert_true((fabs(each[k] - each[k - 1]) <= 0.01 * each[k]) == (k == count - 1));
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void what_noise_explains_is_settled(void **state)
{
    (void)state;
    cpm_model *truth = symmetric_loggp(4);
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured(estimator_of("loggp", "own"), &options, truth, 0.2, 6, 1);
    int counts = 0, longest = 0;
    for (int q = 0; q < m.count; q++)
        if (m.at[q].what.kind == &cpm_experiment_kinds[CPM_SATURATION]) {
            counts++;
            longest += m.at[q].what.count > 800;
        }
    assert_true(counts >= 2 * 2 * 12); /* two sizes, twice, all pairs both ways */
    assert_int_equal(longest, 0);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    const char *const models[] = {"logp", "loggp", "plogp"};
    for (int t = 0; t < 3; t++)
        for (int kind = CPM_ROUNDTRIP; kind <= CPM_SATURATION; kind++) {
            cpm_model *truth = random_plogp(3, 1), *fit = NULL;
            cpm_estimation options = without_thresholds();
            const cpm_estimator *estimator = estimator_of(models[t], NULL);
            cpm_measurements m = measured(estimator, &options, truth, 0, 2, 1), some = {.n = 3};
            int left_out = 0;
            cpm_error e = {0};
            for (int q = 0; q < m.count; q++) {
                free(m.at[q].samples);
                m.at[q].samples = NULL;
                if (m.at[q].what.kind == &cpm_experiment_kinds[kind])
                    left_out++;
                else
                    cpm_measurements_add(&some, &m.at[q], NULL);
            }
            if (left_out) {
                assert_int_equal(cpm_estimate(estimator, &options, &some, NULL, NULL, &fit, &e),
                                 CPM_EDATA);
                assert_non_null(strstr(e.text, cpm_experiment_kinds[kind].name));
                assert_null(fit);
            }
            cpm_measurements_clear(&m);
            cpm_measurements_clear(&some);
            cpm_model_free(truth);
        }
}

/* As if another program had a processor for some milliseconds during every repetition. */
static void interrupt(cpm_measurement *r)
{
    cpm_summary *s = &r->summary;
    double *const times[] = {&s->mean, &s->median, &s->huber,  &s->min,
                             &s->max,  &s->ci_low, &s->ci_high};
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
        *times[k] += 0.015;
}

static void set_time(cpm_measurement *r, double seconds)
{
    cpm_summary *s = &r->summary;
    s->mean = s->median = s->huber = s->min = s->max = s->ci_low = s->ci_high = seconds;
}

static bool is_roundtrip(const cpm_measurement *r)
{
    return r->what.kind == &cpm_experiment_kinds[CPM_ROUNDTRIP];
}

/* The empty round trip, one in the middle, the longest and some sends: predictions would be off by
 * a hundred times. */
static void interrupted_series_do_not_reach_a_model_of_plogp(void **state)
{
    (void)state;
    cpm_model *truth = random_plogp(2, 5);
    cpm_estimation options = without_thresholds();
    const cpm_estimator *estimator = estimator_of("plogp", NULL);
    cpm_measurements m = measured(estimator, &options, truth, 0.02, 10, 1);
    for (int q = 0; q < m.count; q++) {
        size_t bytes = m.at[q].what.send_bytes;
        if (is_roundtrip(&m.at[q]) && (bytes == 0 || bytes == 256))
            interrupt(&m.at[q]);
        if (m.at[q].what.kind == &cpm_experiment_kinds[CPM_SEND_TIME] && bytes == 16)
            interrupt(&m.at[q]);
    }
    cpm_model *fit = fitted(estimator, &options, &m);
    for (size_t bytes = 1; bytes <= 262144; bytes *= 2)
        assert_near(cpm_model_p2p(fit, 0, 1, bytes), cpm_model_p2p(truth, 0, 1, bytes), 0.15);
    assert_near(cpm_curve_at(fit, CPM_PLOGP_OS, 0, 16), cpm_curve_at(truth, CPM_PLOGP_OS, 0, 16),
                0.1);
    assert_non_null(fit->notes);
    assert_non_null(strstr(fit->notes, "6 of "));
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
    cpm_model_free(fit);
}

/* From 1 KiB on a send takes as long as the message is under way, before a thousandth of it. */
static void sends_that_wait_for_their_receivers_are_not_interrupted(void **state)
{
    (void)state;
    cpm_model *truth = random_plogp(2, 5);
    cpm_estimation options = without_thresholds();
    const cpm_estimator *estimator = estimator_of("plogp", NULL);
    cpm_measurements m = measured(estimator, &options, truth, 0, 5, 1);
    for (int q = 0; q < m.count; q++) {
        const cpm_experiment *x = &m.at[q].what;
        size_t bytes = x->send_bytes;
        if (x->kind == &cpm_experiment_kinds[CPM_SEND_TIME])
            set_time(&m.at[q], cpm_model_p2p(truth, x->i, x->j, bytes) / (bytes < 1024 ? 1000 : 1));
    }
    cpm_model *fit = fitted(estimator, &options, &m);
    assert_true(!fit->notes || !strstr(fit->notes, "let expect"));
    for (size_t bytes = 1024; bytes <= 262144; bytes *= 2)
        assert_near(cpm_curve_at(fit, CPM_PLOGP_OS, 0, bytes), cpm_model_p2p(truth, 0, 1, bytes),
                    1e-9);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
    cpm_model_free(fit);
}

static void plogp_of_processes_that_are_interrupted_too_often_is_refused(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_model *truth = random_plogp(2, 5), *fit = NULL;
    cpm_estimation options = without_thresholds();
    const cpm_estimator *estimator = estimator_of("plogp", NULL);
    cpm_measurements m = measured(estimator, &options, truth, 0, 5, 1);
    for (int q = 0; q < m.count; q++)
        if (is_roundtrip(&m.at[q]) && m.at[q].what.send_bytes < 4096)
            interrupt(&m.at[q]);
    assert_int_equal(cpm_estimate(estimator, &options, &m, NULL, NULL, &fit, &e), CPM_EDATA);
    assert_null(fit);
    assert_non_null(strstr(e.text, "roundtrip experiments of processes 0 and 1"));
    assert_non_null(strstr(e.text, "measure again"));
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logp_that_measures_itself_is_found_again),
        cmocka_unit_test(loggp_that_measures_itself_is_found_again),
        cmocka_unit_test(loggp_derived_from_plogp_is_near),
        cmocka_unit_test(plogp_that_measures_itself_is_found_again),
        cmocka_unit_test(sizes_are_added_where_the_gap_leaps_and_only_there),
        cmocka_unit_test(with_noise_a_message_of_plogp_takes_what_it_should),
        cmocka_unit_test(saturation_doubles_until_the_time_per_message_settles),
        cmocka_unit_test(what_noise_explains_is_settled),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(interrupted_series_do_not_reach_a_model_of_plogp),
        cmocka_unit_test(sends_that_wait_for_their_receivers_are_not_interrupted),
        cmocka_unit_test(plogp_of_processes_that_are_interrupted_too_often_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
