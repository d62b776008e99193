/* Closed formulas against the walk. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "random_model.h"

enum { MOST = 33 };
static const size_t sizes[] = {0, 1, 5000, 200000};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Sums of at most 33 messages in another order: some 1e-15 each. */
static const double rounding = 1e-12;

static double walk(const cpm_model *m, const char *operation, const char *algorithm, int root,
                   size_t bytes)
{
    const cpm_algorithm *a;
    cpm_error e = {0};
    assert_int_equal(cpm_algorithm_find(operation, algorithm, &a, &e), CPM_OK);
    double seconds = cpm_predict_walk(m, a, root, bytes, NULL, &e);
    if (seconds < 0)
        fail_msg("%s", e.text);
    return seconds;
}

static void assert_equal_times(const cpm_formula *f, const cpm_model *m, int root, size_t bytes,
                               double a, double b)
{
    if (fabs(a - b) > rounding * fmax(fabs(a), fabs(b)))
        fail_msg("%s:%s %s, n %d, root %d, %zu bytes: formula %.15g, walk %.15g", f->operation,
                 f->algorithm, f->name, m->n, root, bytes, a, b);
}

static void compare(const cpm_formula *f, const cpm_model *m, int root)
{
    for (int s = 0; s < SIZES; s++)
        assert_equal_times(f, m, root, sizes[s], f->predict(m, root, sizes[s]),
                           walk(m, f->operation, f->algorithm, root, sizes[s]));
}

static void exact_formulas_equal_the_walk(void **state)
{
    (void)state;
    int compared = 0;
    for (int t = 0; cpm_model_types[t]; t++)
        for (const cpm_formula *f = cpm_model_types[t]->formulas; f->operation; f++)
            for (int n = 3; f->exact && n <= MOST; n++, compared++) {
                cpm_model *m = random_model(cpm_model_types[t], n, (unsigned)n);
                for (int root = 0; root < n; root++)
                    compare(f, m, root);
                cpm_model_free(m);
            }
    /* Hockney, three of the LogP family, and LMO's binomial trees */
    assert_int_equal(compared, (7 + 3 * 6 + 3) * (MOST - 2));
}

/* A homogeneous formula takes the averages by itself, and then assumes what the walk does. */
static void homogeneous_formulas_of_the_logp_family_equal_the_walk_of_the_averages(void **state)
{
    (void)state;
    const cpm_model_type *const types[] = {&cpm_logp, &cpm_loggp, &cpm_plogp};
    for (int t = 0; t < 3; t++)
        for (int n = 2; n <= MOST; n++) {
            cpm_model *m = random_model(types[t], n, (unsigned)n), *average;
            assert_int_equal(cpm_model_average(m, &average, NULL), CPM_OK);
            int compared = 0;
            for (const cpm_formula *f = types[t]->formulas; f->operation; f++) {
                if (strcmp(f->name, "hom") != 0)
                    continue;
                compared++;
                for (int s = 0; s < SIZES; s++) {
                    double formula = f->predict(average, n / 2, sizes[s]);
                    double seconds = walk(average, f->operation, f->algorithm, n / 2, sizes[s]);
                    assert_equal_times(f, m, 0, sizes[s], f->predict(m, 0, sizes[s]), formula);
                    /* they know the levels of full binomial trees, and no receives that wait */
                    bool linear = strcmp(f->algorithm, "linear") == 0;
                    if (linear || ((n & (n - 1)) == 0 && strcmp(f->operation, "gather") != 0))
                        assert_equal_times(f, average, n / 2, sizes[s], formula, seconds);
                }
            }
            assert_int_equal(compared, 6);
            cpm_model_free(average);
            cpm_model_free(m);
        }
}

static void the_formulas_of_table_5_2_are_those_of_the_thesis(void **state)
{
    (void)state;
    const int n = 5;
    cpm_model *loggp = random_loggp(n, 3), *plogp = random_plogp(n, 3);
    double L = cpm_parameter_mean(loggp, CPM_LOGGP_L), o = cpm_parameter_mean(loggp, CPM_LOGGP_O);
    double g = cpm_parameter_mean(loggp, CPM_LOGGP_SMALL_G);
    double G = cpm_parameter_mean(loggp, CPM_LOGGP_G);
    double expected = L + 2 * o + (n - 1) * 999 * G + (n - 2) * g;
    assert_true(fabs(cpm_loggp_linear_hom(loggp, 0, 1000) - expected) <= rounding * expected);
    expected = cpm_parameter_mean(plogp, CPM_PLOGP_L) +
               (n - 1) * (cpm_parameter_mean_at(plogp, CPM_PLOGP_G, 0) / 4 +
                          cpm_parameter_mean_at(plogp, CPM_PLOGP_G, 1) * 3 / 4);
    assert_true(fabs(cpm_plogp_linear_hom(plogp, 0, 24576) - expected) <= rounding * expected);
    cpm_model_free(loggp);
    cpm_model_free(plogp);
}

/* On an averaged model the homogeneous formulas have the same assumptions as the walk. */
static void homogeneous_hockney_formulas_equal_the_walk_of_the_averages(void **state)
{
    (void)state;
    for (int n = 2; n <= MOST; n++) {
        cpm_model *m = random_hockney(n, (unsigned)n), *average;
        assert_int_equal(cpm_model_average(m, &average, NULL), CPM_OK);
        int compared = 0;
        for (const cpm_formula *f = cpm_hockney.formulas; f->operation; f++) {
            bool homogeneous = strstr(f->name, "hom"), parallel = strstr(f->name, "parallel");
            if (!homogeneous || parallel)
                continue;
            compared++;
            compare(f, average, n / 2);
            for (int s = 0; s < SIZES; s++) /* it takes the averages by itself */
                assert_equal_times(f, m, 0, sizes[s], f->predict(m, 0, sizes[s]),
                                   f->predict(average, 0, sizes[s]));
        }
        assert_int_equal(compared, 6);
        cpm_model_free(average);
        cpm_model_free(m);
    }
}

/* Powers of two; meshes need squares and cubes. Blocks divide by the number of processes. In simple
 * everybody sends to process 0 first: the source's term for contention is not zero there. */
static void alpha_beta_estimates_equal_the_walk_where_their_assumptions_hold(void **state)
{
    (void)state;
    const int processes[] = {4, 16, 64};
    const size_t bytes[] = {0, 64, 64000};
    for (int k = 0; k < 3; k++) {
        cpm_model *m = random_hockney(processes[k], (unsigned)k), *average;
        assert_int_equal(cpm_model_average(m, &average, NULL), CPM_OK);
        int compared = 0;
        for (const cpm_formula *f = cpm_hockney.formulas; f->operation; f++) {
            if (strcmp(f->name, "alpha-beta") != 0 ||
                strcmp(f->algorithm, "simple") == 0 ||
                (strcmp(f->algorithm, "3d") == 0 && processes[k] != 64))
                continue;
            compared++;
            for (int s = 0; s < 3; s++) {
                double walked = walk(average, f->operation, f->algorithm, 0, bytes[s]);
                assert_equal_times(f, m, 0, bytes[s], f->predict(m, 0, bytes[s]), walked);
            }
        }
        assert_int_equal(compared, processes[k] == 64 ? 25 : 24);
        cpm_model_free(average);
        cpm_model_free(m);
    }
}

static void the_binomial_formula_for_eight_is_the_one_of_the_thesis(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(8, 5);
    const double bytes = 3000;
#define MESSAGE(i, j, blocks)                     \
    (m->value[CPM_HOCKNEY_ALPHA][8 * (i) + (j)] + \
     (blocks)*bytes * m->value[CPM_HOCKNEY_BETA][8 * (i) + (j)])
    double lower = MESSAGE(0, 2, 2) + fmax(MESSAGE(0, 1, 1), MESSAGE(2, 3, 1));
    double upper = MESSAGE(4, 6, 2) + fmax(MESSAGE(4, 5, 1), MESSAGE(6, 7, 1));
    double expected = MESSAGE(0, 4, 4) + fmax(lower, upper);
#undef MESSAGE
    assert_true(fabs(cpm_hockney_binomial(m, 0, 3000) - expected) <= rounding * expected);
    cpm_model_free(m);
}

static void flat_parallel_is_the_longest_message(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(5, 5);
    double longest = 0;
    for (int i = 0; i < 5; i++)
        if (i != 2)
            longest = fmax(longest, cpm_model_p2p(m, 2, i, 1000));
    assert_true(fabs(cpm_hockney_flat_parallel(m, 2, 1000) - longest) <= rounding * longest);
    assert_true(longest < walk(m, "scatter", "linear", 2, 1000));
    cpm_model_free(m);
}

/* Formulas and walk differ only in who is served last: not at all if all are alike. */
static void lmo_formulas_equal_the_walk_where_destinations_are_alike(void **state)
{
    (void)state;
    for (int n = 3; n <= MOST; n++) {
        cpm_model *m = random_lmo(n, (unsigned)n), *alike;
        assert_int_equal(cpm_model_average(m, &alike, NULL), CPM_OK);
        for (int root = 0; root < n; root++) {
            compare(cpm_formula_find(&cpm_lmo, "scatter", "linear", NULL), alike, root);
            compare(cpm_formula_find(&cpm_lmo, "bcast", "linear", NULL), alike, root);
            compare(cpm_formula_find(&cpm_lmo, "gather", "linear", NULL), alike, root);
        }
        cpm_model_free(alike);
        cpm_model_free(m);
    }
}

static void lmo_formulas_are_upper_bounds_of_the_walk(void **state)
{
    (void)state;
    for (int n = 3; n <= MOST; n++) {
        cpm_model *m = random_lmo(n, (unsigned)n);
        for (int root = 0; root < n; root++)
            for (int s = 0; s < SIZES; s++) {
                double scatter = walk(m, "scatter", "linear", root, sizes[s]);
                double gather = walk(m, "gather", "linear", root, sizes[s]);
                double small = cpm_lmo_linear_gather_small(m, root, sizes[s]);
                double large = cpm_lmo_linear_gather_large(m, root, sizes[s]);
                assert_true(scatter <= (1 + rounding) * cpm_lmo_linear_scatter(m, root, sizes[s]));
                assert_true(gather <= (1 + rounding) * small);
                assert_true(small < large);
            }
        cpm_model_free(m);
    }
}

static void gather_changes_its_formula_at_m2(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(4, 9);
    assert_true(isnan(m->value[CPM_LMO_M2][0]));
    assert_true(cpm_lmo_linear_gather(m, 0, 70000) == cpm_lmo_linear_gather_small(m, 0, 70000));
    m->value[CPM_LMO_M2][0] = 65536;
    assert_true(cpm_lmo_linear_gather(m, 0, 65535) == cpm_lmo_linear_gather_small(m, 0, 65535));
    assert_true(cpm_lmo_linear_gather(m, 0, 65536) == cpm_lmo_linear_gather_large(m, 0, 65536));
    cpm_model_free(m);
}

static void gather_uses_the_direction_towards_the_root(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(3, 9);
    double before = cpm_lmo_linear_gather_large(m, 0, 100);
    m->value[CPM_LMO_L][1] += 1; /* from 0 to 1 */
    assert_true(cpm_lmo_linear_gather_large(m, 0, 100) == before);
    m->value[CPM_LMO_L][3] += 1; /* from 1 to 0 */
    assert_true(cpm_lmo_linear_gather_large(m, 0, 100) > before + 0.5);
    cpm_model_free(m);
}

static void a_formula_is_found_by_its_name(void **state)
{
    (void)state;
    const cpm_formula *f = cpm_formula_find(&cpm_hockney, "scatter", "linear", "parallel");
    assert_non_null(f);
    assert_ptr_equal(f->predict, cpm_hockney_flat_parallel);
    assert_null(cpm_formula_find(&cpm_hockney, "scatter", "linear", "magic"));
    assert_null(cpm_formula_find(&cpm_lmo, "scatter", "chain", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_formulas_equal_the_walk),
        cmocka_unit_test(homogeneous_formulas_of_the_logp_family_equal_the_walk_of_the_averages),
        cmocka_unit_test(the_formulas_of_table_5_2_are_those_of_the_thesis),
        cmocka_unit_test(homogeneous_hockney_formulas_equal_the_walk_of_the_averages),
        cmocka_unit_test(alpha_beta_estimates_equal_the_walk_where_their_assumptions_hold),
        cmocka_unit_test(the_binomial_formula_for_eight_is_the_one_of_the_thesis),
        cmocka_unit_test(flat_parallel_is_the_longest_message),
        cmocka_unit_test(lmo_formulas_equal_the_walk_where_destinations_are_alike),
        cmocka_unit_test(lmo_formulas_are_upper_bounds_of_the_walk),
        cmocka_unit_test(gather_changes_its_formula_at_m2),
        cmocka_unit_test(gather_uses_the_direction_towards_the_root),
        cmocka_unit_test(a_formula_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
