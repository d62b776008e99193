/* Campaigns with a budget, where a model plays the cluster and time is simulated. */
#include "measured.h"
#include "measurements/budget.h"
#include "models/lmo.h"

enum { N = 8, SMALLEST = 3, LARGEST = 60 };

/* A campaign of the joint design with that budget; *seconds that it took. */
static int campaign_of(const cpm_model *truth, double budget, cpm_measurements *m, double *seconds,
                       cpm_error *e)
{
    cpm_machine *machine;
    cpm_estimation options = without_thresholds();
    cpm_estimator_context context = {estimator_of("lmo", "joint"), &options};
    cpm_campaign campaign = {.precision = {SMALLEST, LARGEST, 0.95, 0.025, CPM_MEDIAN, 0},
                             .budget = budget,
                             .enough = cpm_estimator_enough};
    options.parameter_error = 1e-9;
    assert_int_equal(cpm_synthetic_create(truth, 0.05, 1, &machine, NULL), CPM_OK);
    int status = cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, m, e);
    *seconds = machine->now(machine);
    machine->free(machine);
    return status;
}

static void a_budget_is_used_and_kept(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(N, 1);
    for (double budget = 0.5; budget < 5; budget *= 2) {
        cpm_measurements m = {0};
        double seconds;
        assert_int_equal(campaign_of(truth, budget, &m, &seconds, NULL), CPM_OK);
        assert_true(seconds <= 1.1 * budget);
        assert_true(seconds >= 0.8 * budget);
        cpm_measurements_clear(&m);
    }
    cpm_model_free(truth);
}

static double mean_ci(const cpm_model *m, int p)
{
    double sum = 0;
    for (int i = 0; i < m->n; i++)
        sum += m->ci[p][i] / m->value[p][i];
    return sum / m->n;
}

static void more_time_gives_narrower_intervals(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(N, 2);
    double before[2] = {INFINITY, INFINITY};
    for (double budget = 0.3; budget < 10; budget *= 5) {
        cpm_measurements m = {0};
        cpm_estimation options = without_thresholds();
        double seconds;
        assert_int_equal(campaign_of(truth, budget, &m, &seconds, NULL), CPM_OK);
        cpm_model *model = fitted(estimator_of("lmo", "joint"), &options, &m);
        assert_true(mean_ci(model, CPM_LMO_C) < before[0]);
        assert_true(mean_ci(model, CPM_LMO_T) < before[1]);
        before[0] = mean_ci(model, CPM_LMO_C);
        before[1] = mean_ci(model, CPM_LMO_T);
        cpm_model_free(model);
        cpm_measurements_clear(&m);
    }
    cpm_model_free(truth);
}

static void what_is_too_little_says_what_it_takes(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(N, 3);
    cpm_measurements m = {0};
    cpm_error e = {0};
    double seconds;
    assert_int_equal(campaign_of(truth, 0.02, &m, &seconds, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "a budget of 0.02 s is too small for an estimate"));
    assert_true(m.count > 0);
    cpm_measurements_clear(&m);
    double needed = strtod(strstr(e.text, "take about ") + strlen("take about "), NULL);
    assert_true(needed > 0.02);
    m = (cpm_measurements){0};
    assert_int_equal(campaign_of(truth, 1.5 * needed, &m, &seconds, NULL), CPM_OK);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void rounds_share_the_time_that_is_left(void **state)
{
    (void)state;
    cpm_design d = {0};
    cpm_costs costs = {0};
    const cpm_precision p = {2, 50, 0.95, 0.025, CPM_MEDIAN, 0};
    assert_int_equal(cpm_design_tournament(&d, 4, 0, NULL), CPM_OK);
    assert_int_equal(cpm_budget_reps(&costs, &d, 0, 100, &p), 2); /* what does it take? */
    assert_int_equal(cpm_costs_learn(&costs, &d.at[0], 2, 1, NULL), CPM_OK);
    assert_true(fabs(cpm_costs_of(&costs, &d, 0) - 1.5) < 1e-12);
    assert_int_equal(cpm_budget_reps(&costs, &d, 0, 15, &p), 10);
    assert_int_equal(cpm_budget_reps(&costs, &d, 1, 15, &p), 15);
    assert_int_equal(cpm_budget_reps(&costs, &d, 0, 1, &p), 2);
    assert_int_equal(cpm_budget_reps(&costs, &d, 2, 1e6, &p), 50);
    cpm_costs_clear(&costs);
    cpm_design_clear(&d);
}

static void order_keeps_every_experiment(void **state)
{
    (void)state;
    cpm_design d = {0};
    assert_int_equal(cpm_design_tournament(&d, 6, 0, NULL), CPM_OK);
    assert_int_equal(cpm_design_tournament(&d, 6, 1000, NULL), CPM_OK);
    int count = d.count, rounds = d.rounds;
    assert_int_equal(cpm_budget_order(&d, NULL), CPM_OK);
    assert_int_equal(d.count, count);
    assert_int_equal(d.rounds, rounds + 2);
    assert_int_equal(d.end[0], 1);
    assert_int_equal(d.at[0].send_bytes, 0);
    assert_int_equal(d.at[1].send_bytes, 1000);
    for (int q = 0; q < d.count; q++)
        for (int r = 0; r < q; r++)
            assert_false(cpm_experiment_equal(&d.at[q], &d.at[r]));
    cpm_design_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_is_used_and_kept),
        cmocka_unit_test(more_time_gives_narrower_intervals),
        cmocka_unit_test(what_is_too_little_says_what_it_takes),
        cmocka_unit_test(rounds_share_the_time_that_is_left),
        cmocka_unit_test(order_keeps_every_experiment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
