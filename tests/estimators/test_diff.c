/* What changed between two models, and what did not. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../models/hosts_model.h"
#include "estimators/diff.h"
#include "estimators/estimator.h"
#include "models/synthetic.h"

#ifndef TRIALS
#define TRIALS 8
#endif

static cpm_diff_result diff(const cpm_model *a, const cpm_model *b)
{
    cpm_diff_options o = CPM_DIFF_DEFAULT;
    cpm_diff_result r;
    cpm_error e = {0};
    if (cpm_diff_models(a, b, &o, &r, &e))
        fail_msg("%s", e.text);
    return r;
}

static void models_without_intervals_are_exact(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(6, 1);
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.count, 0);
    cpm_diff_clear(&r);
    b->value[CPM_LMO_C][2] *= 1.001;
    b->value[CPM_LMO_S][0] = 65536;
    r = diff(a, b);
    assert_int_equal(r.count, 2);
    assert_int_equal(r.of[CPM_LMO_C].changed, 1);
    assert_int_equal(r.of[CPM_LMO_C].compared, 6);
    assert_int_equal(r.of[CPM_LMO_S].changed, 1);
    assert_int_equal(r.of[CPM_LMO_L].changed, 0);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

/* Link ends of one model are not known; a threshold of which nobody asked is not, either. */
static void what_was_not_measured_is_no_difference(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1, 2, 2};
    cpm_model *a = hosts_model(host, 6, 1), *b = hosts_model(host, 6, 1);
    b->value[CPM_LMO2_GO][1] = NAN;
    a->value[CPM_LMO2_M1][0] = NAN;
    b->value[CPM_LMO2_M1][0] = 4096;
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.of[CPM_LMO2_GO].unmeasured, 1);
    assert_int_equal(r.of[CPM_LMO2_GO].compared, 2);
    assert_int_equal(r.count, 1); /* the threshold was sought */
    cpm_diff_clear(&r);
    assert_int_equal(cpm_facts_set(&a->facts, NULL, "design", "lmo2, joint, no thresholds"),
                     CPM_OK);
    r = diff(a, b);
    assert_int_equal(r.count, 0);
    assert_int_equal(r.of[CPM_LMO2_M1].unmeasured, 1);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void all_regimes_are_compared(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1, 2, 2};
    cpm_model *a = hosts_model(host, 6, 1), *b = hosts_model(host, 6, 1);
    b->value[CPM_LMO2_INSIDE_INVBETA][3 + 2] *= 2;
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.at[0].parameter, CPM_LMO2_INSIDE_INVBETA);
    assert_int_equal(r.at[0].slice, 1);
    assert_int_equal(r.at[0].i, 2);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void a_pair_counts_once_if_both_ways_are_alike(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(5, 1), *b;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            a->value[CPM_LMO_L][i * 5 + j] = a->value[CPM_LMO_L][j * 5 + i];
    assert_int_equal(cpm_model_average(a, &b, NULL), CPM_OK);
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.of[CPM_LMO_L].compared, 10);
    assert_int_equal(r.of[CPM_LMO_INVBETA].compared, 20);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void a_change_within_the_intervals_is_none(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(6, 1);
    for (int i = 0; i < 6; i++)
        a->ci[CPM_LMO_C][i] = b->ci[CPM_LMO_C][i] = 0.02 * a->value[CPM_LMO_C][i];
    b->value[CPM_LMO_C][1] *= 1.03; /* two standard errors of the difference */
    b->value[CPM_LMO_C][4] *= 1.20;
    b->value[CPM_LMO_T][3] *= 2; /* has no interval */
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.at[0].parameter, CPM_LMO_C);
    assert_int_equal(r.at[0].i, 4);
    assert_true(r.at[0].p > 0 && r.at[0].p < 0.01);
    assert_int_equal(r.of[CPM_LMO_T].unjudged, 1);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void refused(const cpm_model *a, const cpm_model *b, const char *why)
{
    cpm_diff_options o = CPM_DIFF_DEFAULT;
    cpm_diff_result r;
    cpm_error e = {0};
    assert_int_equal(cpm_diff_models(a, b, &o, &r, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, why));
}

static void other_clusters_are_refused(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(5, 1), *h = random_hockney(6, 1);
    cpm_model *c = random_lmo(6, 1);
    assert_int_equal(cpm_model_set_host(c, 3, "n3", NULL), CPM_OK);
    refused(a, b, "6 and of 5 processes");
    refused(a, h, "lmo and hockney");
    refused(a, c, "process 3");
    cpm_model_free(a);
    cpm_model_free(b);
    cpm_model_free(c);
    cpm_model_free(h);
}

static void messages_show_what_a_change_does(void **state)
{
    (void)state;
    cpm_model *a = random_hockney(6, 1), *b = random_hockney(6, 1);
    cpm_diff_effect effect;
    b->value[CPM_HOCKNEY_BETA][2 * 6 + 5] *= 3;
    assert_int_equal(cpm_diff_message(a, b, 1 << 30, CPM_BETWEEN, &effect, NULL), CPM_OK);
    assert_int_equal(effect.i, 2);
    assert_int_equal(effect.j, 5);
    assert_true(fabs(effect.most - 3) < 1e-4);
    assert_true(effect.median == 1);
    assert_int_equal(cpm_diff_message(a, b, 0, CPM_BETWEEN, &effect, NULL), CPM_OK);
    assert_int_equal(effect.i, -1);
    cpm_model_free(a);
    cpm_model_free(b);
}

/* ---- through campaigns with the laboratory's noise */

static cpm_model *measured(const cpm_model *truth, unsigned long seed)
{
    cpm_machine *machine;
    const cpm_estimator *estimator;
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    cpm_measurements results = {0};
    cpm_campaign campaign = {.precision = CPM_PRECISION_DEFAULT};
    cpm_model *fitted;
    cpm_error e = {0};
    options.thresholds = false;
    campaign.precision.min_reps = campaign.precision.max_reps = 20;
    assert_int_equal(cpm_estimator_find("lmo", "joint", &estimator, &e), CPM_OK);
    assert_int_equal(cpm_synthetic_create(truth, 0.05, seed, &machine, &e), CPM_OK);
    cpm_estimator_context context = {estimator, &options};
    if (cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, &results, &e) ||
        cpm_estimate(estimator, &options, &results, NULL, NULL, &fitted, &e))
        fail_msg("%s", e.text);
    machine->free(machine);
    cpm_measurements_clear(&results);
    return fitted;
}

static cpm_model *symmetric_lmo(int n, unsigned seed)
{
    cpm_model *m = random_lmo(n, seed);
    for (int p = CPM_LMO_L; p <= CPM_LMO_INVBETA; p++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                m->value[p][i * n + j] = m->value[p][j * n + i];
    return m;
}

static bool has_change(const cpm_diff_result *r, int p, int i)
{
    for (int q = 0; q < r->count; q++)
        if (r->at[q].parameter == p && r->at[q].i == i)
            return true;
    return false;
}

static void a_slower_processor_is_found_and_an_unchanged_cluster_is_the_same(void **state)
{
    (void)state;
    int same = 0, found = 0, others = 0;
    for (unsigned seed = 1; seed <= TRIALS; seed++) {
        cpm_model *truth = symmetric_lmo(8, seed), *before = measured(truth, 2 * seed);
        cpm_model *after = measured(truth, 2 * seed + 1);
        truth->value[CPM_LMO_C][3] *= 1.3;
        cpm_model *worse = measured(truth, 2 * seed + 1);
        cpm_diff_result none = diff(before, after), some = diff(before, worse);
        same += none.count == 0;
        found += has_change(&some, CPM_LMO_C, 3);
        others += some.count > 1;
        cpm_diff_clear(&none);
        cpm_diff_clear(&some);
        cpm_model_free(truth);
        cpm_model_free(before);
        cpm_model_free(after);
        cpm_model_free(worse);
    }
    print_message("%d trials: the same %d, 30 %% slower found %d, with others beside it %d\n",
                  TRIALS, same, found, others);
    assert_true(same >= TRIALS * 85 / 100);
    assert_true(found >= TRIALS * 95 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_without_intervals_are_exact),
        cmocka_unit_test(what_was_not_measured_is_no_difference),
        cmocka_unit_test(all_regimes_are_compared),
        cmocka_unit_test(a_pair_counts_once_if_both_ways_are_alike),
        cmocka_unit_test(a_change_within_the_intervals_is_none),
        cmocka_unit_test(other_clusters_are_refused),
        cmocka_unit_test(messages_show_what_a_change_does),
        cmocka_unit_test(a_slower_processor_is_found_and_an_unchanged_cluster_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
