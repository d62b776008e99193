/* A cluster of like hosts that only collectives were measured on is found again, or what of it
 * cannot be known is said. */
#include "measured.h"

#include <stdlib.h>

#include "collectives/temporaries.h"
#include "estimators/lmo2_homogeneous.h"
#include "models/lmo2.h"
#include "models/predict.h"

enum { N = 8, RENDEZVOUS = 16384 };

static void set(cpm_model *m, int p, double first, double second)
{
    size_t values = cpm_parameter_values(m, p);
    for (int slice = 0; slice < cpm_parameter_slices(m, p); slice++)
        for (size_t k = 0; k < values; k++)
            m->value[p][(size_t)slice * values + k] = slice ? second : first;
}

static cpm_model *like_hosts(void)
{
    int of[N] = {0};
    size_t first[] = {0, RENDEZVOUS};
    const char *name = "all";
    cpm_classes classes;
    cpm_model *m;
    assert_int_equal(cpm_classes_create(N, of, 1, &name, &classes, NULL), CPM_OK);
    assert_int_equal(
        cpm_model_create_classes(&cpm_lmo2, &classes, &(cpm_sizes){first, 2}, &m, NULL), CPM_OK);
    cpm_classes_clear(&classes);
    set(m, CPM_LMO2_CS, 4e-7, 8e-7);
    set(m, CPM_LMO2_CR, 4e-7, 8e-7);
    set(m, CPM_LMO2_TS, 5e-11, 0);
    set(m, CPM_LMO2_TR, 5e-11, 0);
    set(m, CPM_LMO2_L, 1.4e-6, 3.5e-6);
    set(m, CPM_LMO2_INVBETA, 8e-11, 8e-11);
    set(m, CPM_LMO2_GO, 8e-11, 0);
    set(m, CPM_LMO2_GI, 8e-11, 0);
    set(m, CPM_LMO2_OC, 1e-7, 0);
    set(m, CPM_LMO2_CB, 2e-10, 0);
    m->value[CPM_LMO2_RENDEZVOUS][0] = RENDEZVOUS;
    return m;
}

/* Collectives at six sizes, as truth plays them, each later by so many seconds; names ends with
 * NULL. */
static cpm_measurements played(const cpm_model *truth, const char *const *names, double later,
                               double noise, unsigned long seed)
{
    const cpm_precision five = {5, 5, 0.95, 0.025, CPM_MEDIAN, 0};
    cpm_measurements m = {.n = truth->n, .duration = 1, .statistic = CPM_MEDIAN};
    cpm_machine *machine;
    assert_int_equal(cpm_synthetic_create(truth, noise, seed, &machine, NULL), CPM_OK);
    for (; *names; names++)
        for (size_t bytes = 8; bytes <= 262144; bytes *= 8) {
            cpm_collective c;
            cpm_measurement r;
            assert_int_equal(cpm_collective_parse(*names, &c, NULL), CPM_OK);
            cpm_experiment x = cpm_experiment_of(&c, bytes);
            assert_int_equal(machine->measure(machine, &x, 1, &five, &r, NULL), CPM_OK);
            r.summary.median += later;
            r.summary.huber += later;
            r.summary.min += later;
            r.summary.ci_low += later;
            r.summary.ci_high += later;
            assert_int_equal(cpm_measurements_add(&m, &r, NULL), CPM_OK);
        }
    machine->free(machine);
    return m;
}

static double walk_of(const cpm_model *m, const char *name, size_t bytes)
{
    cpm_collective c;
    assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
    return cpm_predict_bytes(m, &c, bytes, NULL, NULL, NULL);
}

static cpm_model *fit_of(const cpm_measurements *m)
{
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    return fitted(estimator_of("lmo2", NULL), &options, m);
}

/* The last one's messages of 8 and 16 KB tell where sends begin to wait. */
static const char *const various[] = {"bcast:chain",
                                      "scatter:linear",
                                      "alltoall:spreading-simple",
                                      "reduce:binomial",
                                      "allgather:ring",
                                      "allgather:recursive-doubling",
                                      NULL};

/* Share of the values whose intervals hold the truth. */
static double share_inside(const cpm_model *truth, const cpm_model *fit)
{
    static const int known[] = {CPM_LMO2_CS,      CPM_LMO2_TS, CPM_LMO2_CR, CPM_LMO2_TR, CPM_LMO2_L,
                                CPM_LMO2_INVBETA, CPM_LMO2_GO, CPM_LMO2_OC, CPM_LMO2_CB};
    int inside = 0, count = 0;
    for (size_t q = 0; q < sizeof known / sizeof *known; q++)
        for (size_t k = 0; k < cpm_parameter_all_values(truth, known[q]); k++) {
            double off = fabs(fit->value[known[q]][k] - truth->value[known[q]][k]);
            inside += off <= 1e-6 * truth->value[known[q]][k] || off <= fit->ci[known[q]][k];
            count++;
        }
    return (double)inside / count;
}

static void expect_predicted(const cpm_model *truth, const cpm_model *fit, double tolerance)
{
    static const char *const others[] = {
        "bcast:binomial", "bcast:scatter-ring", "scatter:star",
        "alltoall:ring",  "gather:binomial",    "allreduce:recursive-doubling",
        "reduce:chain",   "allgather:bruck",    "reduce_scatter:ring"};
    for (size_t q = 0; q < sizeof others / sizeof *others; q++)
        for (size_t bytes = 8; bytes <= 262144; bytes *= 8) {
            double real = walk_of(truth, others[q], bytes), seen = walk_of(fit, others[q], bytes);
            if (!(fabs(seen / real - 1) < tolerance))
                fail_msg("%s of %zu bytes: %g instead of %g", others[q], bytes, seen, real);
        }
}

/* All times are known to a thousandth at best, which makes the intervals. */
static void like_hosts_are_found_in_collectives(void **state)
{
    (void)state;
    cpm_model *truth = like_hosts();
    cpm_measurements m = played(truth, various, 0, 0, 1);
    cpm_model *fit = fit_of(&m);
    assert_true(share_inside(truth, fit) == 1);
    assert_null(cpm_metadata_get(&fit->metadata, CPM_METADATA_START));
    assert_non_null(strstr(fit->notes, "36 times of 6 collective algorithms"));
    expect_predicted(truth, fit, 0.01);
    cpm_model_free(fit);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void all_by_library(cpm_measurements *m)
{
    for (int q = 0; q < m->count; q++)
        m->at[q].what.collective.by_library = true;
}

/* Adds to long blocks what libraries' own routines take. */
static void memory_taken_anew_is_found(void **state)
{
    (void)state;
    static const char *const with_exchange[] = {"bcast:chain",
                                                "scatter:linear",
                                                "reduce:binomial",
                                                "reduce:rabenseifner-near",
                                                "allgather:ring",
                                                "alltoall:spreading-simple",
                                                NULL};
    const double per_byte = 5e-10;
    cpm_model *truth = like_hosts();
    cpm_measurements m = played(truth, with_exchange, 0, 0, 1);
    cpm_model *without = fit_of(&m);
    assert_true(isnan(without->value[CPM_LMO2_CF][0]));
    all_by_library(&m);
    for (int q = 0; q < m.count; q++) {
        const cpm_experiment *x = &m.at[q].what;
        const cpm_collective c = cpm_experiment_collective(x, N);
        const double more = per_byte * cpm_temporaries(&c, (double)x->send_bytes);
        assert_true(more == 0 || (x->send_bytes > 131072 && c.operation->combines));
        m.at[q].summary.median += more;
        m.at[q].summary.huber += more;
    }
    cpm_model *fit = fit_of(&m);
    assert_true(fabs(fit->value[CPM_LMO2_CF][0] / per_byte - 1) < 0.02);
    assert_true(fabs(fit->value[CPM_LMO2_CF][0] - per_byte) <= fit->ci[CPM_LMO2_CF][0]);
    expect_predicted(truth, fit, 0.02); /* CPM's own algorithms take none */
    cpm_model_free(fit);
    cpm_model_free(without);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void noise_is_in_the_intervals(void **state)
{
    (void)state;
    enum { SEEDS = 3 };
    double inside = 0;
    cpm_model *truth = like_hosts();
    for (unsigned long seed = 1; seed <= SEEDS; seed++) {
        cpm_measurements m = played(truth, various, 0, 0.02, seed);
        cpm_model *fit = fit_of(&m);
        expect_predicted(truth, fit, 0.05);
        inside += share_inside(truth, fit) / SEEDS;
        cpm_model_free(fit);
        cpm_measurements_clear(&m);
    }
    assert_true(inside > 0.85); /* of 95 % */
    cpm_model_free(truth);
}

/* In chains and rings a hop costs both overheads and the latency, whichever is how large. */
static void what_rings_do_not_tell_apart_is_said(void **state)
{
    (void)state;
    static const char *const rings[] = {"bcast:chain", "allgather:ring", "allgather:logical-ring",
                                        NULL};
    cpm_model *truth = like_hosts();
    set(truth, CPM_LMO2_GO, NAN, NAN);
    set(truth, CPM_LMO2_GI, NAN, NAN);
    cpm_measurements m = played(truth, rings, 0, 0, 1);
    cpm_model *fit = fit_of(&m);
    double hop = 2 * fit->value[CPM_LMO2_CS][0] + fit->value[CPM_LMO2_L][0];
    assert_true(fabs(hop / 2.2e-6 - 1) < 0.02);
    assert_non_null(strstr(fit->notes, "cannot be told apart: C + 0.5 L is 1.1 us"));
    assert_true(isnan(fit->value[CPM_LMO2_OC][0]));
    assert_non_null(strstr(fit->notes, "no reduction was measured"));
    cpm_model_free(fit);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void processes_that_start_apart_are_seen(void **state)
{
    (void)state;
    cpm_model *truth = like_hosts();
    cpm_measurements m = played(truth, various, 5e-6, 0.01, 1);
    cpm_model *fit = fit_of(&m);
    const char *start = cpm_metadata_get(&fit->metadata, CPM_METADATA_START);
    assert_non_null(start);
    assert_true(fabs(strtod(start, NULL) / 5e-6 - 1) < 0.05);
    cpm_model_free(fit);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void one_host_is_found_in_collectives(void **state)
{
    (void)state;
    cpm_model *truth = like_hosts();
    cpm_measurements m = played(truth, various, 0, 0, 1);
    cpm_metadata_set(&m.metadata, NULL, "hosts", "a a a a a a a a");
    cpm_metadata_set(&m.metadata, NULL, "layout", "8 processes on 1 host");
    cpm_model *fit = fit_of(&m);
    assert_true(fit->inside.count > 0);
    assert_true(
        fabs(walk_of(fit, "bcast:binomial", 64) / walk_of(truth, "bcast:binomial", 64) - 1) < 0.1);
    cpm_model_free(fit);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void expect_refused(const cpm_measurements *m, const char *why)
{
    cpm_error e = {0};
    cpm_model *model = NULL;
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    assert_int_equal(cpm_estimate(estimator_of("lmo2", NULL), &options, m, NULL, NULL, &model, &e),
                     CPM_EDATA);
    if (!strstr(e.text, why))
        fail_msg("no '%s': %s", why, e.text);
}

static void too_little_is_refused(void **state)
{
    (void)state;
    static const char *const two[] = {"bcast:chain", "reduce:binomial", NULL};
    cpm_model *truth = like_hosts();
    cpm_measurements few = played(truth, two, 0, 0, 1), m = played(truth, various, 0, 0, 1);
    expect_refused(&few, "algorithms measured: 2");
    cpm_metadata_set(&m.metadata, NULL, "hosts", "a a a a b b b b");
    cpm_metadata_set(&m.metadata, NULL, "layout", "8 processes on 2 hosts");
    expect_refused(&m, "8 processes on 2 hosts do not tell");
    cpm_measurements_clear(&few);
    few = (cpm_measurements){.n = N, .duration = 1};
    for (int q = 0; q < m.count; q++)
        if (m.at[q].what.send_bytes <= 512) {
            cpm_measurement r = m.at[q];
            r.samples = NULL;
            cpm_measurements_add(&few, &r, NULL);
        }
    expect_refused(&few, "measured: 3, 8 to 512 bytes");
    cpm_measurements_clear(&few);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_hosts_are_found_in_collectives),
        cmocka_unit_test(memory_taken_anew_is_found),
        cmocka_unit_test(noise_is_in_the_intervals),
        cmocka_unit_test(what_rings_do_not_tell_apart_is_said),
        cmocka_unit_test(processes_that_start_apart_are_seen),
        cmocka_unit_test(one_host_is_found_in_collectives),
        cmocka_unit_test(too_little_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
