/* Intervals of predictions hold what the true model predicts about as often as they say. */
#include "../models/predicted.h"
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

static void make_symmetric(cpm_model *m, int p)
{
    size_t n = (size_t)m->n, slices = cpm_parameter_all_values(m, p) / (n * n);
    for (size_t k = 0; k < slices; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                m->value[p][(k * n + i) * n + j] = m->value[p][(k * n + j) * n + i];
}

/* Most models know links only as the mean of both ways. */
static cpm_model *truth_of(const char *name, int n, unsigned seed)
{
    const cpm_model_type *type = NULL;
    assert_int_equal(cpm_model_type_find(name, &type, NULL), CPM_OK);
    cpm_model *m = random_model(type, n, seed);
    for (int p = 0; p < type->count; p++)
        if (type->parameters[p].shape == CPM_PAIR)
            make_symmetric(m, p);
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
            double real = predict_plain_form(truth, a, 1, bytes, NULL, &e);
            double predicted = predict_plain_form(fit, a, 1, bytes, NULL, &e);
            double half = half_from(d, a, 1, bytes);
            assert_true(half > 0);
            t->inside += fabs(predicted - real) <= half;
            t->width += half / predicted;
            t->all++;
        }
    cpm_draws_free(d);
}

/* A campaign of a model, played by another (or the same) that it can describe. */
typedef struct {
    const char *model, *method, *truth;
    int n;
    unsigned trials;
    double least; /* of the predictions, with the truth inside */
} trial;

static tally try_often(const trial *of, int reps)
{
    tally t = {0};
    for (unsigned seed = 1; seed <= of->trials; seed++) {
        cpm_model *truth = truth_of(of->truth, of->n, seed);
        cpm_model *fit = estimated(of->model, of->method, truth, 0.05, reps, seed);
        count(truth, fit, &t);
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
    print_message("%s, %d repetitions: %.1f %% of %d inside, half width %.2f %% on average\n",
                  of->model, reps, 100.0 * t.inside / t.all, t.all, 100 * t.width / t.all);
    return t;
}

/* With the laboratory's noise: one time in a hundred is 2 to 20 times as long, so that of 5
 * repetitions one in twenty series holds such a time. Where regimes have to be found, sizes next to
 * their ends may count to the wrong one. */
static void intervals_hold_the_truth_and_are_narrow_with_few_repetitions(void **state)
{
    (void)state;
    static const trial all[] = {
        {"hockney", NULL, "hockney", 6, 20, 0.92}, {"logp", NULL, "logp", 4, 10, 0.92},
        {"loggp", "own", "loggp", 4, 10, 0.92},    {"plogp", NULL, "plogp", 3, 6, 0.92},
        {"lmo", NULL, "lmo", 6, 20, 0.92},         {"lmo2", NULL, "lmo", 6, 10, 0.92},
        {"lmo2", NULL, "lmo2", 4, 10, 0.8},
    };
    static const struct {
        int reps;
        double narrow; /* half width, as a share of the prediction */
    } precisions[] = {{5, 0.06}, {10, 0.03}, {30, 0.015}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (size_t p = 0; p < sizeof precisions / sizeof *precisions; p++) {
            tally t = try_often(&all[k], precisions[p].reps);
            assert_true(t.inside >= all[k].least * t.all);
            assert_true(t.width / t.all <= precisions[p].narrow);
        }
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
        cmocka_unit_test(intervals_hold_the_truth_and_are_narrow_with_few_repetitions),
        cmocka_unit_test(a_model_without_intervals_has_no_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
