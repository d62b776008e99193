/* The check at the end of a campaign: planned last, seen by no estimator, kept in the model. */
#include "estimators/self_check.h"

#include "estimators/lmo2_homogeneous.h"
#include "measured.h"
#include "measurements/held_out.h"
#include "models/checked.h"
#include "models/lmo2.h"

enum { N = 6, REPS = 5 };

/* The campaign of lmo2 where truth plays the cluster, with a check. */
static cpm_measurements checked_campaign(const cpm_model *truth, double noise, int reps)
{
    cpm_error e = {0};
    cpm_machine *machine;
    cpm_measurements m = {0};
    cpm_estimation options = without_thresholds();
    cpm_estimator_context context = {estimator_of("lmo2", "joint"), &options};
    cpm_campaign campaign = {.precision = {reps, reps, 0.95, 0.025, CPM_MEDIAN, 0}};
    assert_int_equal(cpm_self_check_describe("lmo2", truth->n, 1, &campaign.metadata, &e), CPM_OK);
    assert_int_equal(cpm_synthetic_create(truth, noise, 1, &machine, &e), CPM_OK);
    if (cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, &m, &e))
        fail_msg("%s", e.text);
    machine->free(machine);
    cpm_metadata_clear(&campaign.metadata);
    return m;
}

static cpm_model *fitted_lmo2(const cpm_measurements *m)
{
    cpm_estimation options = without_thresholds();
    return fitted(estimator_of("lmo2", "joint"), &options, m);
}

static int count_held_out(const cpm_measurements *m)
{
    int count = 0;
    for (int q = 0; q < m->count; q++)
        count += cpm_is_held_out(m, &m->at[q].what);
    return count;
}

static void assert_same_values(const cpm_model *a, const cpm_model *b)
{
    for (int p = 0; p < a->type->count; p++) {
        size_t bytes = cpm_parameter_all_values(a, p) * sizeof(double);
        assert_memory_equal(a->value[p], b->value[p], bytes);
        assert_memory_equal(a->ci[p], b->ci[p], bytes);
    }
    assert_string_equal(a->notes ? a->notes : "", b->notes ? b->notes : "");
}

static void it_is_measured_last_and_once(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo2(N, 1);
    cpm_measurements m = checked_campaign(truth, 0, REPS);
    int held = count_held_out(&m);
    assert_true(held >= 3);
    for (int q = 0; q < m.count; q++) {
        assert_int_equal(cpm_is_held_out(&m, &m.at[q].what), q >= m.count - held);
        if (q >= m.count - held)
            assert_int_equal(m.at[q].summary.reps, REPS);
    }
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

/* Ten times as long, or not there: parameters, intervals and notes are the same. Reductions are
 * what would be fitted to, if combining were not measured. */
static void it_does_not_change_the_fit(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo2(N, 2);
    cpm_measurements m = checked_campaign(truth, 0.05, REPS), own;
    cpm_model *with = fitted_lmo2(&m);
    const cpm_measurements *fitted_to = cpm_without_held_out(&m, &own, NULL);
    assert_int_equal(fitted_to->count, m.count - count_held_out(&m));
    cpm_model *without = fitted_lmo2(fitted_to);
    assert_same_values(with, without);
    for (int q = 0; q < m.count; q++) {
        cpm_summary *s = &m.at[q].summary;
        if (cpm_is_held_out(&m, &m.at[q].what))
            s->mean *= 10, s->median *= 10, s->huber *= 10, s->min *= 10;
    }
    cpm_model *longer = fitted_lmo2(&m);
    assert_same_values(with, longer);
    assert_false(cpm_check_contradicts(&with->metadata));
    assert_null(cpm_metadata_get(&without->metadata, CPM_METADATA_CHECKED));
    assert_true(cpm_check_contradicts(&longer->metadata));
    cpm_model_free(with);
    cpm_model_free(without);
    cpm_model_free(longer);
    cpm_without_held_out_clear(&own);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

/* Without the line of the header the same collectives are fitted to, as any others. */
static void a_file_of_a_check_alone_is_not_one_of_collectives(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo2(N, 3), *model = NULL;
    cpm_measurements m = checked_campaign(truth, 0, REPS), own;
    cpm_estimation options = without_thresholds();
    int kept = 0;
    for (int q = 0; q < m.count; q++)
        if (cpm_is_held_out(&m, &m.at[q].what))
            m.at[kept++] = m.at[q];
        else
            free(m.at[q].samples);
    m.count = kept;
    assert_true(cpm_lmo2_only_collectives(&m));
    assert_false(cpm_lmo2_only_collectives(cpm_without_held_out(&m, &own, NULL)));
    assert_int_equal(
        cpm_estimate(estimator_of("lmo2", "joint"), &options, &m, NULL, NULL, &model, NULL),
        CPM_EDATA);
    cpm_without_held_out_clear(&own);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

/* So many repetitions that the fit itself is right in spite of the noise. */
static void right_models_are_not_called_wrong_for_noise(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 10; seed++) {
        cpm_model *truth = random_lmo2(N, seed);
        cpm_measurements m = checked_campaign(truth, 0.05, 20);
        cpm_model *model = fitted_lmo2(&m);
        assert_non_null(cpm_metadata_get(&model->metadata, CPM_METADATA_CHECKED));
        if (cpm_check_contradicts(&model->metadata))
            fail_msg("seed %u: %s", seed, cpm_metadata_get(&model->metadata, CPM_METADATA_CHECKED));
        cpm_model_free(model);
        cpm_measurements_clear(&m);
        cpm_model_free(truth);
    }
}

static void one_process_and_models_that_know_no_sharing_are_not_checked(void **state)
{
    (void)state;
    cpm_metadata header = {0};
    assert_int_equal(cpm_self_check_describe("lmo2", 1, 1, &header, NULL), CPM_OK);
    assert_int_equal(cpm_self_check_describe("lmo", 8, 1, &header, NULL), CPM_OK);
    assert_int_equal(cpm_self_check_describe("hockney", 8, 1, &header, NULL), CPM_OK);
    assert_null(cpm_metadata_get(&header, CPM_METADATA_CHECK));
    assert_int_equal(cpm_self_check_describe("lmo2", 2, 1, &header, NULL), CPM_OK);
    assert_non_null(cpm_metadata_get(&header, CPM_METADATA_CHECK));
    cpm_metadata_clear(&header);
}

/* Messages of all pairs grow as n * n, what all get as n, and what a host gets as the processes on
 * it. */
static void many_processes_are_checked_by_less(void **state)
{
    (void)state;
    const struct {
        int n, each;
        const char *list;
    } expected[] = {
        {128, 1,
         "allgather:bruck@32768 alltoall:simple@16384 gather:star@32768 reduce:binomial@65536"},
        {129, 1, "allgather:bruck@16384 gather:star@16384 reduce:binomial@65536"},
        {4096, 1, "allgather:bruck@1024 gather:star@1024 reduce:binomial@65536"},
        {100000, 1, "allgather:bruck@1024 gather:star@1024 reduce:binomial@65536"},
        {16, 16,
         "allgather:bruck@16384 alltoall:simple@16384 gather:star@65536 reduce:binomial@65536"},
        {128, 8,
         "allgather:bruck@4096 alltoall:simple@4096 gather:star@32768 reduce:binomial@65536"},
        {256, 16, "allgather:bruck@1024 gather:star@16384 reduce:binomial@65536"}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        cpm_metadata header = {0};
        cpm_experiment x;
        assert_int_equal(
            cpm_self_check_describe("lmo2", expected[k].n, expected[k].each, &header, NULL),
            CPM_OK);
        assert_string_equal(cpm_metadata_get(&header, CPM_METADATA_CHECK), expected[k].list);
        for (int i = 0; cpm_held_out_at(&header, i, &x); i++)
            assert_true(cpm_self_check_measures("lmo2", &x));
        cpm_metadata_clear(&header);
    }
}

static void only_what_the_header_names_is_held_out(void **state)
{
    (void)state;
    cpm_measurements m = {0};
    cpm_experiment x;
    assert_int_equal(cpm_metadata_set(&m.metadata, NULL, CPM_METADATA_CHECK, "%s",
                                      "bcast:chain:segment=8192@65536 gather:star@1 what@ @"),
                     CPM_OK);
    assert_true(cpm_held_out_at(&m.metadata, 0, &x) && cpm_is_held_out(&m, &x));
    x.send_bytes--;
    assert_false(cpm_is_held_out(&m, &x));
    assert_true(cpm_held_out_at(&m.metadata, 1, &x) && cpm_is_held_out(&m, &x));
    x.i = 1;
    assert_false(cpm_is_held_out(&m, &x));
    x = cpm_experiment_pair(CPM_ROUNDTRIP, 0, 1, 1, 0);
    assert_false(cpm_is_held_out(&m, &x));
    for (int k = 2; k < 6; k++)
        assert_false(cpm_held_out_at(&m.metadata, k, &x));
    cpm_metadata_clear(&m.metadata);
}

static void words_that_name_no_collective_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "x",
                                      "allgather:bruck",
                                      "allgather:bruck@",
                                      "nosuch:algorithm@1",
                                      "allgather:bruck@-1",
                                      "gather:star@1 x@1",
                                      "roundtrip@1"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cpm_metadata header = {0};
        cpm_error e = {0};
        assert_int_equal(cpm_held_out_check(&header, &e), CPM_OK);
        assert_int_equal(cpm_metadata_set(&header, NULL, CPM_METADATA_CHECK, "gather:star@8 "),
                         CPM_OK);
        assert_int_equal(cpm_held_out_check(&header, &e), CPM_OK);
        assert_int_equal(cpm_metadata_append(&header, NULL, CPM_METADATA_CHECK, bad[k]), CPM_OK);
        assert_int_equal(cpm_held_out_check(&header, &e), CPM_EDATA);
        assert_non_null(strstr(e.text, "the header's check is wrong: expected 'ALGORITHM@BYTES"));
        cpm_metadata_clear(&header);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_measured_last_and_once),
        cmocka_unit_test(it_does_not_change_the_fit),
        cmocka_unit_test(a_file_of_a_check_alone_is_not_one_of_collectives),
        cmocka_unit_test(right_models_are_not_called_wrong_for_noise),
        cmocka_unit_test(one_process_and_models_that_know_no_sharing_are_not_checked),
        cmocka_unit_test(many_processes_are_checked_by_less),
        cmocka_unit_test(only_what_the_header_names_is_held_out),
        cmocka_unit_test(words_that_name_no_collective_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
