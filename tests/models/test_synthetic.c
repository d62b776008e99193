/* A model that plays the cluster. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/fingerprint.h"
#include "models/synthetic.h"
#include "predicted.h"
#include "random_model.h"

static cpm_machine *machine_of(const cpm_model *m, double noise, unsigned long seed)
{
    cpm_machine *machine;
    cpm_error e = {0};
    assert_int_equal(cpm_synthetic_create(m, noise, seed, &machine, &e), CPM_OK);
    return machine;
}

static cpm_experiment experiment(const char *name, int i, int j, int k, int count, size_t send,
                                 size_t reply)
{
    cpm_experiment x = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_experiment_parse(name, &x, &e), CPM_OK);
    x.i = i, x.j = j, x.k = k, x.count = count, x.send_bytes = send, x.reply_bytes = reply;
    return x;
}

static void measure(cpm_machine *machine, const cpm_experiment *x, int count, cpm_measurement *r)
{
    cpm_error e = {0};
    cpm_precision p = CPM_PRECISION_DEFAULT;
    int status = machine->measure(machine, x, count, &p, r, &e);
    if (status)
        fail_msg("%s", e.text);
}

static void assert_time(double a, double b)
{
    if (fabs(a - b) > 1e-12 * fabs(b))
        fail_msg("%.15g is not %.15g", a, b);
}

static void round_trips_and_trains_take_what_lmo_says(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(6, 4);
    cpm_machine *machine = machine_of(m, 0, 1);
    cpm_experiment x[] = {experiment("roundtrip", 4, 1, -1, 1, 3000, 70),
                          experiment("train", 0, 2, 3, 8, 5000, 5000)};
    cpm_measurement r[2];
    measure(machine, x, 2, r);
    assert_time(r[0].summary.median, cpm_model_p2p(m, 4, 1, 3000) + cpm_model_p2p(m, 1, 4, 70));
    double overhead = m->value[CPM_LMO_C][0] + 5000 * m->value[CPM_LMO_T][0];
    assert_time(r[1].summary.median,
                cpm_model_p2p(m, 0, 3, 5000) + cpm_model_p2p(m, 3, 0, 5000) + 8 * overhead);
    for (int q = 0; q < 2; q++) {
        assert_true(r[q].summary.min == r[q].summary.max);
        assert_int_equal(r[q].summary.reps, 5); /* the least number: nothing varies */
        assert_true(cpm_experiment_equal(&r[q].what, &x[q]));
        free(r[q].samples);
    }
    machine->free(machine);
    cpm_model_free(m);
}

static int repetitions_in(double seconds, size_t bytes)
{
    cpm_model *m = random_lmo(3, 4);
    cpm_machine *machine = machine_of(m, 0.3, 1);
    cpm_experiment x = experiment("roundtrip", 0, 1, -1, 1, bytes, 0);
    cpm_precision p = CPM_PRECISION_DEFAULT;
    cpm_measurement r;
    p.max_seconds = seconds;
    assert_int_equal(machine->measure(machine, &x, 1, &p, &r, NULL), CPM_OK);
    free(r.samples);
    machine->free(machine);
    cpm_model_free(m);
    return r.summary.reps;
}

static void long_messages_get_fewer_repetitions_than_short_ones(void **state)
{
    (void)state;
    int of_short = repetitions_in(0.01, 0), of_long = repetitions_in(0.01, 1000000);
    assert_int_equal(repetitions_in(0, 1000000), 100);
    assert_int_equal(of_long, 5);
    assert_in_range(of_short, 20, 100);
}

static void collectives_take_what_the_walk_says(void **state)
{
    (void)state;
    static const struct {
        const char *measured, *operation, *algorithm;
    } row[] = {{"scatter:binomial", "scatter", "binomial"},
               {"gather:linear", "gather", "linear"},
               {"bcast:native", "bcast", "binomial"},
               {"scatter:native", "scatter", "linear"},
               {"gather:native", "gather", "linear"}};
    cpm_model *m = random_lmo(7, 4);
    cpm_machine *machine = machine_of(m, 0, 1);
    for (size_t q = 0; q < sizeof row / sizeof row[0]; q++) {
        cpm_experiment x = experiment(row[q].measured, 3, -1, -1, 1, 4000, 0);
        const cpm_algorithm *a;
        cpm_measurement r;
        assert_int_equal(cpm_algorithm_find(row[q].operation, row[q].algorithm, &a, NULL), 0);
        measure(machine, &x, 1, &r);
        assert_time(r.summary.median, predict_plain_form(m, a, 3, 4000, NULL, NULL));
        free(r.samples);
    }
    machine->free(machine);
    cpm_model_free(m);
}

static void the_clock_is_the_sum_of_what_was_measured(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(4, 4);
    cpm_machine *machine = machine_of(m, 0, 1);
    cpm_experiment x[] = {experiment("roundtrip", 0, 1, -1, 1, 0, 0),
                          experiment("roundtrip", 2, 3, -1, 1, 90000, 90000)};
    cpm_measurement r[2];
    double start = machine->now(machine);
    measure(machine, x, 2, r);
    assert_true(r[0].summary.max < r[1].summary.max);
    assert_time(machine->now(machine) - start, 5 * r[1].summary.max);
    free(r[0].samples);
    free(r[1].samples);
    machine->free(machine);
    cpm_model_free(m);
}

static void noise_is_reproduced_by_its_seed(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(4, 4);
    cpm_experiment x = experiment("roundtrip", 0, 1, -1, 1, 100, 100);
    cpm_measurement r[3];
    for (int q = 0; q < 3; q++) {
        cpm_machine *machine = machine_of(m, 0.05, q == 2 ? 8 : 7);
        measure(machine, &x, 1, &r[q]);
        machine->free(machine);
    }
    assert_int_equal(r[0].summary.reps, r[1].summary.reps);
    for (int s = 0; s < r[0].summary.reps; s++)
        assert_true(r[0].samples[s] == r[1].samples[s]);
    assert_true(r[0].samples[0] != r[2].samples[0]);
    assert_true(r[0].summary.min < r[0].summary.max);
    for (int q = 0; q < 3; q++)
        free(r[q].samples);
    cpm_model_free(m);
}

/* 10,000 repetitions: the spread of log time is known to some 1 %, the median to 0.1 %, and the
 * share of outliers, 1 % of which nearly all exceed twice the time, to 0.1 %. */
static void noise_is_lognormal_with_outliers(void **state)
{
    (void)state;
    enum { REPS = 10000 };
    cpm_model *m = random_lmo(4, 4);
    cpm_machine *machine = machine_of(m, 0.05, 3);
    cpm_experiment x = experiment("roundtrip", 0, 1, -1, 1, 100, 100);
    cpm_precision p = {REPS, REPS, 0.95, 0.025, CPM_MEDIAN, 0};
    cpm_measurement r;
    assert_int_equal(machine->measure(machine, &x, 1, &p, &r, NULL), CPM_OK);
    assert_int_equal(r.summary.reps, REPS);
    double truth = cpm_model_p2p(m, 0, 1, 100) + cpm_model_p2p(m, 1, 0, 100), squares = 0;
    int outliers = 0;
    for (int s = 0; s < REPS; s++) {
        double deviation = log(r.samples[s] / truth);
        outliers += deviation > log(1.5);
        squares += deviation > log(1.5) ? 0 : deviation * deviation;
    }
    assert_true(fabs(r.summary.median / truth - 1) < 0.005);
    assert_true(fabs(sqrt(squares / (REPS - outliers)) / 0.05 - 1) < 0.05);
    assert_in_range(outliers, 60, 140);
    assert_true(r.summary.max / truth < 20 * exp(5 * 0.05));
    free(r.samples);
    machine->free(machine);
    cpm_model_free(m);
}

static void the_machine_describes_itself(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(3, 4);
    cpm_machine *machine = machine_of(m, 0, 1);
    cpm_metadata metadata = {0};
    assert_int_equal(cpm_model_set_host(m, 1, "node 1", NULL), CPM_OK);
    assert_int_equal(machine->describe(machine, &metadata, NULL), CPM_OK);
    assert_string_equal(cpm_metadata_get(&metadata, "machine"), "synthetic");
    assert_string_equal(cpm_metadata_get(&metadata, "hosts"), "synthetic node_1 synthetic");
    assert_string_equal(cpm_metadata_get(&metadata, "timing"), "max");
    assert_int_equal(machine->n, 3);
    assert_int_equal(machine->rank, 0);
    cpm_metadata_clear(&metadata);
    machine->free(machine);
    cpm_model_free(m);
}

/* Each value, and what is together, changes it; what predictions do not depend on does not. */
static void the_fingerprint_is_that_of_all_values(void **state)
{
    (void)state;
    char one[CPM_MODEL_FINGERPRINT], other[CPM_MODEL_FINGERPRINT];
    for (int t = 0; cpm_model_types[t]; t++) {
        cpm_model *m = random_model(cpm_model_types[t], 5, 3);
        cpm_model_fingerprint(m, one);
        assert_int_equal(strlen(one), 16);
        for (int p = 0; p < m->type->count; p++)
            for (size_t v = 0; v < cpm_parameter_all_values(m, p); v++) {
                double before = m->value[p][v];
                m->value[p][v] = isnan(before) ? 1 : before * (1 + 1e-15) + 1e-300;
                cpm_model_fingerprint(m, other);
                assert_string_not_equal(one, other);
                m->value[p][v] = before;
                m->ci[p][v] = 17;
            }
        assert_int_equal(cpm_metadata_set(&m->metadata, NULL, "date", "today"), CPM_OK);
        cpm_model_fingerprint(m, other);
        assert_string_equal(one, other);
        cpm_model_free(m);
    }
}

static void wrong_experiments_are_refused(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(4, 4);
    cpm_machine *machine = machine_of(m, 0, 1);
    cpm_precision p = CPM_PRECISION_DEFAULT;
    cpm_measurement r[2];
    cpm_experiment outside = experiment("roundtrip", 0, 4, -1, 1, 0, 0);
    cpm_experiment crowded[] = {experiment("roundtrip", 0, 1, -1, 1, 0, 0),
                                experiment("roundtrip", 1, 2, -1, 1, 0, 0)};
    assert_int_equal(machine->measure(machine, &outside, 1, &p, r, NULL), CPM_EINVAL);
    assert_int_equal(machine->measure(machine, crowded, 2, &p, r, NULL), CPM_EINVAL);
    machine->free(machine);
    cpm_machine *none = NULL;
    assert_int_equal(cpm_synthetic_create(m, -1, 1, &none, NULL), CPM_EINVAL);
    assert_int_equal(cpm_synthetic_create(m, NAN, 1, &none, NULL), CPM_EINVAL);
    assert_null(none);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips_and_trains_take_what_lmo_says),
        cmocka_unit_test(long_messages_get_fewer_repetitions_than_short_ones),
        cmocka_unit_test(collectives_take_what_the_walk_says),
        cmocka_unit_test(the_clock_is_the_sum_of_what_was_measured),
        cmocka_unit_test(noise_is_reproduced_by_its_seed),
        cmocka_unit_test(noise_is_lognormal_with_outliers),
        cmocka_unit_test(the_machine_describes_itself),
        cmocka_unit_test(the_fingerprint_is_that_of_all_values),
        cmocka_unit_test(wrong_experiments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
