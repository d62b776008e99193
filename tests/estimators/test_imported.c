/* Models of what other benchmarks measured: latencies, streams, some pairs only. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "estimators/estimator.h"
#include "estimators/lmo2_imported.h"
#include "models/hockney.h"
#include "models/lmo2.h"

static void is_about(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected)))
        fail_msg("%g is not %g", value, expected);
}

static cpm_measurements begin(int n)
{
    cpm_measurements m = {.n = n, .duration = -1, .statistic = CPM_MEDIAN};
    cpm_error e = {0};
    assert_int_equal(cpm_metadata_set(&m.metadata, &e, "imported_from", "test"), CPM_OK);
    return m;
}

static void add(cpm_measurements *m, cpm_experiment what, int count, double seconds)
{
    cpm_error e = {0};
    what.count = count;
    const cpm_summary s = {.mean = seconds,
                           .median = seconds,
                           .huber = seconds,
                           .min = seconds,
                           .max = seconds,
                           .ci_low = seconds,
                           .ci_high = seconds,
                           .reps = 1};
    assert_int_equal(cpm_measurements_add(m, &(cpm_measurement){.what = what, .summary = s}, &e),
                     CPM_OK);
}

static void add_latency(cpm_measurements *m, int i, int j, size_t bytes, double seconds)
{
    add(m, cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, bytes), 1, 2 * seconds);
}

static void add_stream(cpm_measurements *m, int i, int j, size_t bytes, double each)
{
    add(m, cpm_experiment_pair(CPM_SATURATION, i, j, bytes, 0), 64, 64 * each);
}

static cpm_model *fitted(const char *type, cpm_measurements *m)
{
    const cpm_estimator *estimator;
    cpm_model *model = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_estimator_find(type, NULL, &estimator, &e), CPM_OK);
    if (cpm_estimate(estimator, &CPM_ESTIMATION_DEFAULT, m, "test", NULL, &model, &e))
        fail_msg("%s", e.text);
    cpm_measurements_clear(m);
    return model;
}

static void a_curve_is_cut_where_it_bends(void **state)
{
    (void)state;
    double x[24], y[24];
    int first[4];
    for (int k = 0; k < 24; k++) {
        x[k] = k ? pow(2, k - 1) : 0;
        y[k] = x[k] < 1000    ? 1e-6 + 1e-9 * x[k]
               : x[k] < 60000 ? 5e-6 + 2e-10 * x[k]
                              : 2e-5 + 1e-10 * x[k];
    }
    assert_int_equal(cpm_curve_pieces(x, y, 24, 4, first), 3);
    assert_int_equal(first[0], 0);
    assert_int_equal((int)x[first[1]], 1024);
    assert_int_equal((int)x[first[2]], 65536);
    for (int k = 0; k < 24; k++)
        y[k] = 1e-6 + 1e-9 * x[k];
    assert_int_equal(cpm_curve_pieces(x, y, 24, 4, first), 1);
}

/* What a message takes is what was measured, with overheads and link ends as streams show them. */
static void latencies_and_streams_make_lmo2(void **state)
{
    (void)state;
    cpm_measurements m = begin(2);
    for (int k = 0; k < 24; k++) {
        size_t bytes = k ? (size_t)1 << (k - 1) : 0;
        double x = (double)bytes;
        add_latency(&m, 0, 1, bytes, bytes < 8192 ? 2e-6 + 4e-10 * x : 6e-6 + 2e-10 * x);
        if (bytes)
            add_stream(&m, 0, 1, bytes, fmax(3e-7, 1.5e-10 * x));
    }
    cpm_model *model = fitted("lmo2", &m);
    assert_int_equal(model->sizes.count, 2);
    assert_int_equal(model->sizes.at[1], 8192);
    for (int k = 0; k < 2; k++) {
        size_t way = (size_t)k * 4 + 1;
        is_about(model->value[CPM_LMO2_CS][2 * k], 3e-7, 1e-9);
        is_about(model->value[CPM_LMO2_CR][2 * k + 1], 3e-7, 1e-9);
        is_about(model->value[CPM_LMO2_L][way], (k ? 6e-6 : 2e-6) - 6e-7, 1e-6);
        is_about(model->value[CPM_LMO2_INVBETA][way], k ? 2e-10 : 4e-10, 1e-6);
    }
    is_about(model->value[CPM_LMO2_GO][0], 1.5e-10, 1e-9);
    is_about(model->value[CPM_LMO2_GI][1], 1.5e-10, 1e-9);
    assert_true(isnan(model->value[CPM_LMO2_RENDEZVOUS][0]));
    assert_non_null(strstr(model->notes, "not known from such tests"));
    cpm_model_free(model);
}

static void timed_sends_and_receives_are_overheads(void **state)
{
    (void)state;
    cpm_measurements m = begin(2);
    for (size_t bytes = 64; bytes <= 65536; bytes *= 2) {
        double x = (double)bytes;
        add_latency(&m, 0, 1, bytes, 1e-5 + 1e-9 * x);
        add(&m, cpm_experiment_pair(CPM_SEND_TIME, 0, 1, bytes, 0), 1, 2e-6 + 1e-10 * x);
        add(&m, cpm_experiment_pair(CPM_LATE_RECEIVE, 0, 1, 0, bytes), 1, 3e-6 + 3e-10 * x);
    }
    cpm_model *model = fitted("lmo2", &m);
    is_about(model->value[CPM_LMO2_CS][0], 2e-6, 1e-6);
    is_about(model->value[CPM_LMO2_TS][0], 1e-10, 1e-6);
    is_about(model->value[CPM_LMO2_CR][0], 3e-6, 1e-6);
    is_about(model->value[CPM_LMO2_TR][0], 3e-10, 1e-6);
    is_about(model->value[CPM_LMO2_L][1], 5e-6, 1e-6);
    is_about(model->value[CPM_LMO2_INVBETA][1], 6e-10, 1e-6);
    assert_true(isnan(model->value[CPM_LMO2_GO][0]));
    cpm_model_free(model);
}

/* Of five pairs that were not measured nothing is known: their values are the median ones, without
 * an interval, and a note says so. */
static void missing_pairs_are_unknown(void **state)
{
    (void)state;
    static const char *const types[] = {"hockney", "lmo2"};
    for (int t = 0; t < 2; t++) {
        cpm_measurements m = begin(4);
        for (size_t bytes = 1; bytes <= 65536; bytes *= 2) {
            add_latency(&m, 0, 3, bytes, 2e-6 + 1e-9 * (double)bytes);
            add_stream(&m, 0, 3, bytes, 1e-7 + 1e-9 * (double)bytes);
        }
        cpm_model *model = fitted(types[t], &m);
        assert_non_null(
            strstr(model->notes, "5 of 6 pairs were not measured (0,1 0,2 1,2 1,3 ...)"));
        int latency = t ? CPM_LMO2_L : CPM_HOCKNEY_ALPHA;
        is_about(model->value[latency][4 * 1 + 2], model->value[latency][3], 1e-6);
        assert_true(isnan(model->ci[latency][4 * 1 + 2]));
        cpm_model_free(model);
    }
}

/* nxnlatbw: an empty latency, and ten long messages. */
static void a_long_stream_tells_what_a_byte_takes(void **state)
{
    (void)state;
    cpm_measurements m = begin(2);
    add_latency(&m, 0, 1, 0, 2e-6);
    add(&m, cpm_experiment_pair(CPM_SATURATION, 0, 1, 1 << 20, 0), 10,
        2 * 2e-6 + 10 * 1048576 * 1e-10);
    cpm_model *model = fitted("hockney", &m);
    is_about(model->value[CPM_HOCKNEY_ALPHA][1], 2e-6, 1e-9);
    is_about(model->value[CPM_HOCKNEY_BETA][1], 1e-10, 1e-9);
    cpm_model_free(model);
}

static void bandwidths_alone_come_with_a_note(void **state)
{
    (void)state;
    cpm_measurements m = begin(2);
    for (size_t bytes = 1; bytes <= 65536; bytes *= 4)
        add_stream(&m, 0, 1, bytes, 3e-7 + 1e-10 * (double)bytes);
    cpm_model *model = fitted("hockney", &m);
    is_about(model->value[CPM_HOCKNEY_ALPHA][1], 3e-7, 1e-6);
    is_about(model->value[CPM_HOCKNEY_BETA][1], 1e-10, 1e-6);
    assert_non_null(strstr(model->notes, "only bandwidths of 1 pairs are known"));
    cpm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_is_cut_where_it_bends),
        cmocka_unit_test(latencies_and_streams_make_lmo2),
        cmocka_unit_test(timed_sends_and_receives_are_overheads),
        cmocka_unit_test(missing_pairs_are_unknown),
        cmocka_unit_test(a_long_stream_tells_what_a_byte_takes),
        cmocka_unit_test(bandwidths_alone_come_with_a_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
