/* What a random extended model measures is fitted back: regimes, overheads, links and link ends. */
#include "measured.h"

#include <stdlib.h>

#include "../models/predicted.h"
#include "estimators/line.h"
#include "estimators/lmo2.h"
#include "estimators/regimes.h"
#include "models/lmo2.h"

static size_t pair(const cpm_model *m, int k, int i, int j)
{
    return ((size_t)k * (size_t)m->n + (size_t)i) * (size_t)m->n + (size_t)j;
}

/* Regimes that differ enough to be seen; overheads of long messages are small, as where processors
 * only start a transfer. */
static cpm_model *truth_of(int n, unsigned seed, bool shared)
{
    cpm_model *m = random_lmo2(n, seed);
    for (int i = 0; i < n; i++) {
        for (int p = CPM_LMO2_CS; p <= CPM_LMO2_TN; p++)
            m->value[p][2 * n + i] *= 0.1;
        for (int j = 0; j < n; j++)
            if (i != j)
                m->value[CPM_LMO2_L][pair(m, 1, i, j)] += 60e-6;
        for (int k = 0; k < 3; k++) /* of empty messages only the mean of both ways can be known */
            for (int j = 0; j < i; j++)
                m->value[CPM_LMO2_L][pair(m, k, i, j)] = m->value[CPM_LMO2_L][pair(m, k, j, i)];
    }
    for (int i = 0; i < n && shared; i++) {
        m->value[CPM_LMO2_GO][i] = 7e-9;
        m->value[CPM_LMO2_GI][i] = i % 2 ? 7.5e-9 : NAN;
    }
    m->value[CPM_LMO2_LATE][0] = 0;
    return m;
}

static void expect_close(const cpm_model *a, const cpm_model *b, int p, double tolerance)
{
    size_t count = cpm_parameter_values(a, p) * (size_t)cpm_parameter_slices(a, p);
    for (size_t q = 0; q < count; q++) {
        double x = a->value[p][q], y = b->value[p][q];
        if (isnan(x) != isnan(y) || fabs(x - y) > tolerance * fabs(x) + 1e-18)
            fail_msg("%s [%zu]: %g instead of %g", a->type->parameters[p].name, q, y, x);
    }
}

static double walk_of(const cpm_model *m, const char *operation, size_t bytes)
{
    const cpm_algorithm *a = NULL;
    cpm_algorithm_find(operation, "linear", &a, NULL);
    return predict_plain_form(m, a, 0, bytes, NULL, NULL);
}

static void a_model_that_measures_itself_is_found_again(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 3; seed++) {
        cpm_model *truth = truth_of(4 + 3 * (int)seed, seed, seed > 1);
        cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
        assert_int_equal(fit->sizes.count, 3);
        assert_memory_equal(fit->sizes.at, truth->sizes.at, 3 * sizeof(size_t));
        for (int p = CPM_LMO2_CS; p <= CPM_LMO2_INVBETA; p++)
            expect_close(truth, fit, p, 1e-6);
        for (int i = 0; i < truth->n && seed == 1; i++)
            assert_true(isnan(fit->value[CPM_LMO2_GO][i]) && isnan(fit->value[CPM_LMO2_GI][i]));
        /* a host whose processor is slower than its link end does not show the latter */
        for (size_t bytes = 1; bytes < 200000; bytes *= 3)
            for (int gather = 0; gather < 2; gather++) {
                const char *operation = gather ? "gather" : "scatter";
                double real = walk_of(truth, operation, bytes);
                assert_true(fabs(walk_of(fit, operation, bytes) / real - 1) < 0.02);
            }
        expect_close(truth, fit, CPM_LMO2_RENDEZVOUS, 0);
        expect_close(truth, fit, CPM_LMO2_LATE, 0);
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
}

/* Receives cost what sends do, but for bytes, and links are as fast both ways. */
static cpm_model *late_truth(int n)
{
    cpm_model *m = truth_of(n, 3, false);
    unsigned state = 5;
    m->value[CPM_LMO2_LATE][0] = 1;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)k * (size_t)n + (size_t)i;
            m->value[CPM_LMO2_CR][at] = m->value[CPM_LMO2_CS][at];
            m->value[CPM_LMO2_TR][at] =
                m->value[CPM_LMO2_TS][at] + (k < 2 ? random_between(&state, 0, 4e-9) : 0);
            for (int j = 0; j < i; j++)
                m->value[CPM_LMO2_INVBETA][pair(m, k, i, j)] =
                    m->value[CPM_LMO2_INVBETA][pair(m, k, j, i)];
        }
    return m;
}

/* What receives take of all hosts alike cannot be told from the transfer: messages take as long. */
static void receive_overheads_of_late_messages_are_found_but_for_what_all_have(void **state)
{
    (void)state;
    enum { N = 7 };
    cpm_model *truth = late_truth(N), *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
    assert_true(fit->value[CPM_LMO2_LATE][0] == 1);
    for (size_t bytes = 0; bytes < 60000; bytes = 3 * bytes + 1)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (i != j)
                    assert_true(
                        fabs(cpm_model_p2p(fit, i, j, bytes) / cpm_model_p2p(truth, i, j, bytes) -
                             1) < 1e-6);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < N; i++) {
            const double *got = fit->value[CPM_LMO2_TR] + k * N,
                         *real = truth->value[CPM_LMO2_TR] + k * N;
            assert_true(fabs((got[i] - real[i]) - (got[0] - real[0])) < 1e-15);
        }
    cpm_model_free(truth);
    cpm_model_free(fit);
}

static void with_noise_predictions_are_off_by_a_few_percent(void **state)
{
    (void)state;
    double sum = 0;
    int count = 0;
    cpm_model *truth = truth_of(8, 5, true), *fit = estimated("lmo2", NULL, truth, 0.05, 30, 3);
    for (size_t bytes = 1; bytes < 200000; bytes *= 5)
        for (int gather = 0; gather < 2; gather++) {
            double real = walk_of(truth, gather ? "gather" : "scatter", bytes);
            sum += fabs(walk_of(fit, gather ? "gather" : "scatter", bytes) / real - 1);
            count++;
        }
    assert_true(sum / count < 0.04);
    cpm_model_free(truth);
    cpm_model_free(fit);
}

static void intervals_cover_the_truth_of_most_parameters(void **state)
{
    (void)state;
    int inside = 0, count = 0;
    for (unsigned seed = 1; seed <= 4; seed++) {
        cpm_model *truth = truth_of(6, seed, false);
        cpm_model *fit = estimated("lmo2", NULL, truth, 0.05, 20, seed);
        for (int p = CPM_LMO2_CS; p <= CPM_LMO2_CR && fit->sizes.count == 3; p += 2)
            for (int i = 0; i < 6; i++, count++)
                inside += fabs(fit->value[p][i] - truth->value[p][i]) <= fit->ci[p][i];
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
    assert_true(count >= 24);
    assert_true(inside >= 0.8 * count);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    cpm_model *truth = truth_of(4, 1, false), *fit = NULL;
    cpm_estimation options = without_thresholds();
    const cpm_estimator *lmo2 = estimator_of("lmo2", NULL);
    cpm_measurements m = measured(lmo2, &options, truth, 0, 2, 1), none = {.n = 4}, some = {.n = 4};
    cpm_error e = {0};
    assert_int_equal(cpm_estimate(lmo2, &options, &none, NULL, NULL, &fit, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "round trips of processes 0 and 1"));
    e = (cpm_error){0};
    for (int q = 0; q < m.count; q++) {
        free(m.at[q].samples);
        m.at[q].samples = NULL;
        if (m.at[q].what.kind != &cpm_experiment_kinds[CPM_LATE_RECEIVE])
            cpm_measurements_add(&some, &m.at[q], NULL);
    }
    assert_int_equal(cpm_estimate(lmo2, &options, &some, NULL, NULL, &fit, &e), CPM_EDATA);
    if (!strstr(e.text, "late-receive experiments of processes 0 and 1 with 0 bytes are missing"))
        fail_msg("%s", e.text);
    assert_null(fit);
    cpm_measurements_clear(&m);
    cpm_measurements_clear(&some);
    cpm_model_free(truth);
}

static void a_line_keeps_its_parameters_from_being_negative(void **state)
{
    (void)state;
    double x[] = {0, 1000, 4000}, up[] = {1, 2, 5}, down[] = {2, 1.5, 0}, steep[] = {-1, 1, 7};
    double scale[] = {1, 1, 1}, half[] = {0.1, 0.1, 0.1};
    cpm_line l = cpm_line_through(&(cpm_points){x, up, scale, half, 3});
    assert_true(fabs(l.constant - 1) < 1e-12 && fabs(l.slope - 1e-3) < 1e-15 && !l.bounded);
    assert_true(l.constant_ci > 0.05 && l.constant_ci < 0.1);
    l = cpm_line_through(&(cpm_points){x, down, scale, half, 3});
    assert_true(l.slope == 0 && fabs(l.constant - 3.5 / 3) < 1e-12 && l.bounded);
    l = cpm_line_through(&(cpm_points){x, steep, scale, half, 3});
    assert_true(l.constant == 0 && fabs(l.slope - 29e3 / 17e6) < 1e-12 && l.bounded);
    assert_true(l.negative == 0);
}

static int count_of(const cpm_measurements *m, const char *name, size_t least, size_t most)
{
    int count = 0;
    for (int q = 0; q < m->count; q++) {
        char found[64];
        const cpm_experiment *x = &m->at[q].what;
        cpm_experiment_name(x, found, sizeof found);
        count += strcmp(found, name) == 0 && x->send_bytes >= least && x->send_bytes <= most;
    }
    return count;
}

/* Again, so many times as long. */
static void measure_again(cpm_measurements *m, int i, int j, size_t bytes, int count, double times)
{
    cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, 0);
    cpm_measurement again = *cpm_measurements_best(m, x);
    again.what.count = count;
    again.samples = NULL;
    double *seconds[] = {&again.summary.mean,   &again.summary.median, &again.summary.huber,
                         &again.summary.min,    &again.summary.max,    &again.summary.ci_low,
                         &again.summary.ci_high};
    for (size_t k = 0; k < sizeof seconds / sizeof *seconds; k++)
        *seconds[k] *= times;
    assert_int_equal(cpm_measurements_add(m, &again, NULL), CPM_OK);
}

/* Apart from what switches explained a message was slow, and then these did not explain it all: the
 * sizes that were measured alone count. */
static void a_third_size_in_worse_company_does_not_count(void **state)
{
    (void)state;
    cpm_model *truth = truth_of(18, 2, false);
    cpm_estimation options = without_thresholds();
    const cpm_estimator *estimator = estimator_of("lmo2", NULL);
    cpm_measurements m = measured(estimator, &options, truth, 0, 2, 1);
    int j = 0; /* some pairs have the third size */
    while (!cpm_measurements_best(&m, cpm_experiment_pair(CPM_ROUNDTRIP, 4, j, 65535, 0)))
        assert_true(++j < 18);
    measure_again(&m, 4, j, 65535, CPM_APART, 1.5);
    measure_again(&m, 4, j, 16383, CPM_ALONE, 1);
    cpm_model *fit = fitted(estimator, &options, &m);
    assert_int_equal(fit->sizes.at[1], truth->sizes.at[1]);
    for (int p = CPM_LMO2_L; p <= CPM_LMO2_INVBETA; p++)
        assert_near(fit->value[p][pair(fit, 1, 4, j)], truth->value[p][pair(fit, 1, 4, j)], 1e-6);
    cpm_model_free(fit);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void a_rendezvous_at_a_power_of_two_is_found_at_once(void **state)
{
    (void)state;
    const size_t rendezvous = 65536;
    cpm_model *truth = truth_of(4, 1, false);
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured(estimator_of("lmo2", NULL), &options, truth, 0, 1, 1);
    assert_int_equal(count_of(&m, "send-time", rendezvous / 2 + 1, rendezvous - 2), 0);
    cpm_measurements_clear(&m);
    truth->value[CPM_LMO2_RENDEZVOUS][0] = 50001;
    m = measured(estimator_of("lmo2", NULL), &options, truth, 0, 1, 1);
    cpm_model *fit = fitted(estimator_of("lmo2", NULL), &options, &m);
    assert_true(fit->value[CPM_LMO2_RENDEZVOUS][0] == 50001);
    cpm_model_free(fit);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

/* Where sends wait scatter leaps, and the messages of a gather come one after the other. */
static void only_what_a_rendezvous_does_not_explain_is_swept(void **state)
{
    (void)state;
    cpm_model *truth = truth_of(3, 1, false);
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    cpm_measurements m = measured(estimator_of("lmo2", NULL), &options, truth, 0, 1, 1);
    assert_int_equal(count_of(&m, "scatter:linear", 0, SIZE_MAX), 0);
    assert_in_range(count_of(&m, "gather:linear", 1, 65535), 10, 24);
    assert_in_range(count_of(&m, "gather:linear", 65536, SIZE_MAX), 2, 3);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

enum { MANY = CPM_LMO2_FEW + 2 };

/* Of n processes, of which most pairs are measured at the second size only. */
static void among_many_the_longest_messages_are_for_some_pairs(void **state)
{
    (void)state;
    cpm_model *truth = truth_of(MANY, 4, false);
    cpm_estimation options = without_thresholds();
    const cpm_estimator *lmo2 = estimator_of("lmo2", NULL);
    cpm_measurements m = measured(lmo2, &options, truth, 0, 1, 1);
    int some = (CPM_LMO2_FEW - 1) * MANY, probes = MANY / 2;
    assert_int_equal(count_of(&m, "roundtrip", 16383, 16383), MANY * (MANY - 1));
    assert_in_range(count_of(&m, "roundtrip", 65535, 65535), some, some + probes);
    cpm_model *fit = fitted(lmo2, &options, &m);
    for (int p = CPM_LMO2_CS; p <= CPM_LMO2_INVBETA; p++)
        expect_close(truth, fit, p, 1e-3);
    cpm_model_free(fit);
    cpm_model_free(truth);
    cpm_measurements_clear(&m);
}

/* Round trips of all pairs that are known to 1 %, but for those from 3 to 7: 1.5 %. */
static cpm_measurements trips_of(int n, size_t bytes)
{
    cpm_measurements m = {.n = n, .statistic = CPM_MEAN};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double half = i == 3 && j == 7 ? 1.5e-5 : 1e-5;
            cpm_measurement one = {.what = cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, 0)};
            one.summary = (cpm_summary){.mean = 1e-3,
                                        .min = 1e-3,
                                        .ci_low = 1e-3 - half,
                                        .ci_high = 1e-3 + half,
                                        .reps = 5};
            if (i != j)
                assert_int_equal(cpm_measurements_add(&m, &one, NULL), CPM_OK);
        }
    return m;
}

static void pairs_that_are_known_less_well_are_not_spared(void **state)
{
    (void)state;
    const cpm_regime r = {0, 65535};
    for (int n = CPM_LMO2_FEW; n <= MANY; n += 2) {
        cpm_measurements m = trips_of(n, r.last / 4);
        cpm_design next = {0};
        assert_int_equal(cpm_lmo2_spare_plan(&r, n, &m, &next, NULL), CPM_OK);
        assert_int_equal(next.count, n > CPM_LMO2_FEW);
        if (next.count)
            assert_true(next.at[0].i == 3 && next.at[0].j == 7 && next.at[0].send_bytes == r.last);
        cpm_design_clear(&next);
        cpm_measurements_clear(&m);
    }
}

/* Two sites 10 ms from each other: 2 per cent of that are more than all else that a message takes.
 */
static void of_hosts_far_apart_near_ones_show_what_a_host_does(void **state)
{
    (void)state;
    enum { N = 10 };
    cpm_model *truth = truth_of(N, 4, false);
    for (int i = 0; i < N; i++) {
        truth->value[CPM_LMO2_GO][i] = truth->value[CPM_LMO2_GI][i] = 8e-9;
        for (int k = 0; k < truth->sizes.count; k++) {
            double shorter = k < 2 ? 1 : 0.1;
            truth->value[CPM_LMO2_CS][k * N + i] = shorter * (20 + i) * 1e-6;
            truth->value[CPM_LMO2_CR][k * N + i] = shorter * (40 - i) * 1e-6;
            truth->value[CPM_LMO2_TS][k * N + i] = shorter * 2e-9;
            truth->value[CPM_LMO2_TR][k * N + i] = shorter * 3e-9;
            for (int j = 0; j < N; j++) {
                truth->value[CPM_LMO2_L][pair(truth, k, i, j)] = i % 2 == j % 2 ? 20e-6 : 10e-3;
                truth->value[CPM_LMO2_INVBETA][pair(truth, k, i, j)] = 8e-9;
            }
        }
    }
    cpm_model *fit = estimated("lmo2", NULL, truth, 0.02, 10, 1);
    for (int i = 0; i < N; i++) {
        assert_near(fit->value[CPM_LMO2_GO][i], 8e-9, 0.05);
        assert_near(fit->value[CPM_LMO2_GI][i], 8e-9, 0.05);
        assert_near(fit->value[CPM_LMO2_CS][i], truth->value[CPM_LMO2_CS][i], 0.05);
        assert_near(fit->value[CPM_LMO2_CR][i], truth->value[CPM_LMO2_CR][i], 0.05);
    }
    cpm_model_free(fit);
    cpm_model_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_that_measures_itself_is_found_again),
        cmocka_unit_test(receive_overheads_of_late_messages_are_found_but_for_what_all_have),
        cmocka_unit_test(with_noise_predictions_are_off_by_a_few_percent),
        cmocka_unit_test(intervals_cover_the_truth_of_most_parameters),
        cmocka_unit_test(of_hosts_far_apart_near_ones_show_what_a_host_does),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(among_many_the_longest_messages_are_for_some_pairs),
        cmocka_unit_test(pairs_that_are_known_less_well_are_not_spared),
        cmocka_unit_test(a_third_size_in_worse_company_does_not_count),
        cmocka_unit_test(a_rendezvous_at_a_power_of_two_is_found_at_once),
        cmocka_unit_test(only_what_a_rendezvous_does_not_explain_is_swept),
        cmocka_unit_test(a_line_keeps_its_parameters_from_being_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
