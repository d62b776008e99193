/* What the long messages of a host share is fitted back, whoever moves them. */
#include "fitted_levels.h"

static const int one_host[] = {0, 0, 0, 0};

/* Receivers fetch long messages, each as fast as alone. */
static cpm_model *fetching_host(void)
{
    cpm_model *m = hosts_model(one_host, 4, 6);
    m->value[CPM_LMO2_MEMORY][0] = NAN;
    m->value[CPM_LMO2_FETCHED][0] = m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    return m;
}

static double alone_in(const cpm_model *m)
{
    return m->value[CPM_LMO2_INSIDE_INVBETA][m->inside.count - 1];
}

static bool is_crowd(const cpm_experiment *x)
{
    return x->kind == &cpm_experiment_kinds[CPM_CROWDED_TRIP];
}

static bool is_long(const cpm_experiment *x)
{
    return x->send_bytes >= 16384; /* where hosts_model's are synchronous */
}

/* Adds seconds to what was seen of an experiment. */
static void add_seconds(cpm_measurement *r, double seconds)
{
    r->summary.mean += seconds;
    r->summary.median += seconds;
    r->summary.huber += seconds;
    r->summary.ci_low += seconds;
    r->summary.ci_high += seconds;
}

static cpm_measurements campaign_of(const cpm_model *truth)
{
    cpm_estimation options = without_thresholds();
    return measured(estimator_of("lmo2", NULL), &options, truth, 0, 2, 1);
}

static cpm_model *fitted_to(cpm_measurements *m)
{
    cpm_estimation options = without_thresholds();
    cpm_model *fit = fitted(estimator_of("lmo2", NULL), &options, m);
    cpm_measurements_clear(m);
    return fit;
}

/* Slower than one message, or not shared. One that is as fast as a message alone explains without
 * fetching what receivers see. */
static void what_fetched_messages_share_is_found(void **state)
{
    (void)state;
    cpm_model *truth = fetching_host();
    double alone = alone_in(truth), *share = &truth->value[CPM_LMO2_FETCHING][0];
    assert_true(isnan(fitted_value(truth, CPM_LMO2_FETCHING, 0.02)));
    *share = 0.6 * alone;
    assert_true(fabs(fitted_value(truth, CPM_LMO2_FETCHING, 0) / *share - 1) < 1e-3);
    assert_true(fabs(fitted_value(truth, CPM_LMO2_FETCHING, 0.02) / *share - 1) < 0.1);
    *share = truth->value[CPM_LMO2_INSIDE_INVBETA][0] = alone;
    assert_true(isnan(fitted_value(truth, CPM_LMO2_FETCHED, 0)));
    assert_true(fabs(fitted_value(truth, CPM_LMO2_MEMORY, 0) / alone - 1) < 1e-6);
    cpm_model_free(truth);
}

/* What the memory explains nothing else needs to. */
static void only_what_is_left_is_taken_for_anything_else(void **state)
{
    (void)state;
    cpm_model *truth = fetching_host();
    truth->value[CPM_LMO2_FETCHING][0] = 0.7 * alone_in(truth);
    cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
    assert_true(fit->value[CPM_LMO2_FETCHED][0] == truth->value[CPM_LMO2_FETCHED][0]);
    assert_true(isnan(fit->value[CPM_LMO2_MEMORY][0]));
    assert_true(isnan(fit->value[CPM_LMO2_SOURCE][0]));
    assert_true(isnan(fit->value[CPM_LMO2_COPYING][0]));
    assert_non_null(strstr(fit->notes, "long messages inside share that of 1 of 1 hosts"));
    expect_same_predictions(truth, fit, 1e-3);
    cpm_model_free(fit);
    cpm_model_free(truth);
}

/* Pairs that begin so far apart that buffered messages do not meet, and of long ones only half. */
static void memory_that_only_long_messages_fill_is_that_of_all(void **state)
{
    (void)state;
    cpm_model *truth = hosts_model(one_host, 4, 6);
    double alone = alone_in(truth);
    truth->value[CPM_LMO2_MEMORY][0] = truth->value[CPM_LMO2_INSIDE_INVBETA][0] = alone;
    cpm_measurements m = campaign_of(truth);
    for (int q = 0; q < m.count; q++)
        if (is_crowd(&m.at[q].what)) {
            double bytes = (double)m.at[q].what.send_bytes;
            add_seconds(&m.at[q], -alone * (is_long(&m.at[q].what) ? bytes / 2 : bytes));
        }
    cpm_model *fit = fitted_to(&m);
    assert_true(isnan(fit->value[CPM_LMO2_FETCHED][0]));
    assert_true(isnan(fit->value[CPM_LMO2_FETCHING][0]));
    assert_true(fabs(fit->value[CPM_LMO2_MEMORY][0] / alone - 1) < 1e-6);
    expect_same_predictions(truth, fit, 1e-3);
    cpm_model_free(fit);
    cpm_model_free(truth);
}

/* As of the first process of many, which begins later than its whole experiment takes. */
static void a_host_whose_pairs_do_not_meet_is_like_the_others(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0, 1, 1, 1, 1};
    cpm_model *truth = hosts_model(host, 8, 6);
    double *invbeta = truth->value[CPM_LMO2_INSIDE_INVBETA];
    for (int h = 0; h < 2; h++)
        truth->value[CPM_LMO2_MEMORY][h] = invbeta[h] = invbeta[2 + h];
    cpm_measurements m = campaign_of(truth);
    for (int q = 0; q < m.count; q++) {
        const cpm_experiment *x = &m.at[q].what;
        double bytes = (double)(x->send_bytes + x->reply_bytes);
        if (is_crowd(x) && !(x->i >= 4 && is_long(x)))
            add_seconds(&m.at[q], -bytes * invbeta[x->i / 4]);
    }
    cpm_model *fit = fitted_to(&m);
    assert_non_null(strstr(fit->notes, "long messages inside share that of 1 of 2 hosts"));
    assert_true(isnan(fit->value[CPM_LMO2_FETCHED][0]));
    for (int h = 0; h < 2; h++)
        assert_true(fabs(fit->value[CPM_LMO2_MEMORY][h] / invbeta[2 + h] - 1) < 1e-6);
    cpm_model_free(fit);
    cpm_model_free(truth);
}

/* As where caches and clocks slow down a little, but nothing is full. */
static void a_memory_that_exchanges_would_fill_and_do_not_is_none(void **state)
{
    (void)state;
    for (int slower = 0; slower < 2; slower++) {
        cpm_model *truth = fetching_host();
        cpm_measurements m = campaign_of(truth);
        for (int q = 0; q < m.count; q++)
            if (is_crowd(&m.at[q].what) && is_long(&m.at[q].what) && m.at[q].what.reply_bytes > 0)
                add_seconds(&m.at[q],
                            0.2 * (double)m.at[q].what.send_bytes * alone_in(truth) * slower);
        cpm_model *fit = fitted_to(&m);
        assert_true(isnan(fit->value[CPM_LMO2_FETCHING][0]));
        assert_true((strstr(fit->notes, "both ways are faster") != NULL) == slower);
        assert_true(isnan(fit->value[CPM_LMO2_COPYING][0]));
        cpm_model_free(fit);
        cpm_model_free(truth);
    }
}

/* A campaign from before they were measured is fitted as it was. */
static void without_crowds_of_long_messages_nothing_is_known_of_them(void **state)
{
    (void)state;
    cpm_model *truth = fetching_host();
    truth->value[CPM_LMO2_COPYING][0] = 0.9 * alone_in(truth);
    cpm_measurements m = campaign_of(truth), older = {.n = 4, .duration = 1};
    cpm_metadata_copy(&older.metadata, &m.metadata, NULL);
    int left_out = 0;
    for (int q = 0; q < m.count; q++) {
        free(m.at[q].samples);
        m.at[q].samples = NULL;
        if (is_crowd(&m.at[q].what) && is_long(&m.at[q].what))
            left_out++;
        else
            assert_int_equal(cpm_measurements_add(&older, &m.at[q], NULL), CPM_OK);
    }
    assert_int_equal(left_out, 4); /* two pairs, with and without messages back */
    cpm_measurements_clear(&m);
    cpm_model *fit = fitted_to(&older);
    assert_true(isnan(fit->value[CPM_LMO2_FETCHING][0]));
    assert_null(strstr(fit->notes, "long messages inside share"));
    assert_true(fabs(fit->value[CPM_LMO2_COPYING][0] / (0.9 * alone_in(truth)) - 1) < 1e-3);
    cpm_model_free(fit);
    cpm_model_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fetched_messages_share_is_found),
        cmocka_unit_test(only_what_is_left_is_taken_for_anything_else),
        cmocka_unit_test(memory_that_only_long_messages_fill_is_that_of_all),
        cmocka_unit_test(a_host_whose_pairs_do_not_meet_is_like_the_others),
        cmocka_unit_test(a_memory_that_exchanges_would_fill_and_do_not_is_none),
        cmocka_unit_test(without_crowds_of_long_messages_nothing_is_known_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
