/* Intervals of predictions hold what the true model predicts about as often as they say. */
#include "models/draws.h"

#include <stdlib.h>

#include "measured.h"

enum { DRAWS = 40 };

static const cpm_algorithm *algorithm(const char *operation, const char *name)
{
    const cpm_algorithm *a = NULL;
    assert_int_equal(cpm_algorithm_find(operation, name, &a, NULL), CPM_OK);
    return a;
}

static double half_from(const cpm_draws *d, const cpm_algorithm *a, int root, size_t bytes)
{
    cpm_collective c;
    assert_int_equal(cpm_collective_of(a, &c, NULL), CPM_OK);
    c.at.root = root;
    return cpm_draws_half(d, &c, bytes, CPM_ISOLATED, NULL);
}

/* Round trips know links only as the mean of both ways. */
static cpm_model *truth_of(int n, unsigned seed)
{
    cpm_model *m = random_lmo(n, seed);
    for (int p = CPM_LMO_L; p <= CPM_LMO_INVBETA; p++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                m->value[p][i * n + j] = m->value[p][j * n + i];
    return m;
}

typedef struct {
    int inside, all;
    double width; /* sum of relative half widths */
} tally;

static void count(const cpm_model *truth, const cpm_model *fit, tally *t)
{
    const char *const names[][2] = {{"scatter", "linear"},
                                    {"gather", "linear"},
                                    {"scatter", "binomial"},
                                    {"bcast", "binomial"},
                                    {"bcast", "chain"}};
    cpm_error e = {0};
    cpm_draws *d = NULL;
    assert_int_equal(cpm_draws_create(fit, DRAWS, 1, &d, &e), CPM_OK);
    assert_non_null(d);
    for (int k = 0; k < 5; k++)
        for (size_t bytes = 0; bytes <= 40000; bytes += 20000) {
            const cpm_algorithm *a = algorithm(names[k][0], names[k][1]);
            double real = cpm_predict_walk(truth, a, 1, bytes, NULL, &e);
            double predicted = cpm_predict_walk(fit, a, 1, bytes, NULL, &e);
            double half = half_from(d, a, 1, bytes);
            assert_true(half > 0);
            t->inside += fabs(predicted - real) <= half;
            t->width += half / predicted;
            t->all++;
        }
    cpm_draws_free(d);
}

static void intervals_of_lmo_hold_the_truth_and_are_narrow(void **state)
{
    (void)state;
    tally t = {0};
    for (unsigned seed = 1; seed <= 20; seed++) {
        cpm_model *truth = truth_of(8, seed);
        cpm_model *fit = estimated("lmo", NULL, truth, 0.05, 20, seed);
        count(truth, fit, &t);
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
    print_message("lmo: %d of %d inside, half width %.2f %% on average\n", t.inside, t.all,
                  100 * t.width / t.all);
    assert_true(t.inside >= 0.85 * t.all);
    assert_true(t.width / t.all < 0.05);
}

static void intervals_of_lmo2_hold_the_truth_and_are_narrow(void **state)
{
    (void)state;
    tally t = {0};
    for (unsigned seed = 1; seed <= 10; seed++) {
        cpm_model *truth = truth_of(6, seed);
        cpm_model *fit = estimated("lmo2", NULL, truth, 0.05, 20, seed);
        count(truth, fit, &t);
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
    print_message("lmo2: %d of %d inside, half width %.2f %% on average\n", t.inside, t.all,
                  100 * t.width / t.all);
    assert_true(t.inside >= 0.8 * t.all);
    assert_true(t.width / t.all < 0.06);
}

static void a_model_without_intervals_has_no_draws(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(4, 1);
    cpm_draws *d = (cpm_draws *)m;
    assert_int_equal(cpm_draws_create(m, DRAWS, 1, &d, NULL), CPM_OK);
    assert_null(d);
    m->ci[CPM_LMO_C][2] = 1e-6;
    assert_int_equal(cpm_draws_create(m, DRAWS, 1, &d, NULL), CPM_OK);
    double half = half_from(d, algorithm("scatter", "linear"), 2, 100);
    assert_true(fabs(half / 3e-6 - 1) < 0.5); /* three sends of process 2 */
    cpm_draws_free(d);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_lmo_hold_the_truth_and_are_narrow),
        cmocka_unit_test(intervals_of_lmo2_hold_the_truth_and_are_narrow),
        cmocka_unit_test(a_model_without_intervals_has_no_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
