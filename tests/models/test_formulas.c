/* Closed formulas against the walk. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/tree_times.h"
#include "predicted.h"
#include "random_model.h"
#include "tests/quick.h"

enum { MOST = CPM_TEST_CASES(33, 17) };
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
    double seconds = predict_plain_form(m, a, root, bytes, NULL, &e);
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
        assert_equal_times(f, m, root, sizes[s], formula_of(f->predict, m, root, sizes[s]),
                           walk(m, f->operation, f->algorithm, root, sizes[s]));
}

static void exact_formulas_equal_the_walk(void **state)
{
    (void)state;
    int compared = 0;
    for (int t = 0; cpm_model_types[t]; t++)
        for (const cpm_formula *f = cpm_model_types[t]->formulas; f && f->operation; f++)
            for (int n = 3; f->exact && n <= MOST; n++, compared++) {
                cpm_model *m = random_model(cpm_model_types[t], n, (unsigned)n);
                for (int root = 0; root < n; root++)
                    compare(f, m, root);
                cpm_model_free(m);
            }
    /* Hockney, three of the LogP family, and LMO's binomial trees */
    assert_true(compared >= (7 + 3 * 6 + 3) * (MOST - 2));
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
                    double formula = formula_of(f->predict, average, n / 2, sizes[s]);
                    double seconds = walk(average, f->operation, f->algorithm, n / 2, sizes[s]);
                    assert_equal_times(f, m, 0, sizes[s], formula_of(f->predict, m, 0, sizes[s]),
                                       formula);
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
    assert_true(fabs(formula_of(cpm_loggp_linear_hom, loggp, 0, 1000) - expected) <=
                rounding * expected);
    expected = cpm_parameter_mean(plogp, CPM_PLOGP_L) +
               (n - 1) * (cpm_parameter_mean_at(plogp, CPM_PLOGP_G, 0) / 4 +
                          cpm_parameter_mean_at(plogp, CPM_PLOGP_G, 1) * 3 / 4);
    assert_true(fabs(formula_of(cpm_plogp_linear_hom, plogp, 0, 24576) - expected) <=
                rounding * expected);
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
                assert_equal_times(f, m, 0, sizes[s], formula_of(f->predict, m, 0, sizes[s]),
                                   formula_of(f->predict, average, 0, sizes[s]));
        }
        assert_int_equal(compared, 6);
        cpm_model_free(average);
        cpm_model_free(m);
    }
}

/* ---- parameters and domains */

static cpm_collective collective(const char *name, int n)
{
    cpm_collective c;
    cpm_error e = {0};
    if (cpm_collective_parse(name, &c, &e))
        fail_msg("%s", e.text);
    c.at.n = n;
    return c;
}

static double walk_of(const cpm_model *m, const cpm_collective *c, size_t bytes)
{
    cpm_error e = {0};
    double seconds = cpm_predict_bytes(m, c, bytes, NULL, NULL, &e);
    if (seconds < 0)
        fail_msg("%s", e.text);
    return seconds;
}

/* How often a formula was in its domain, and how often outside and then not the walk. */
typedef struct {
    int inside, off;
} tally;

static void try_domain(const cpm_model *m, const cpm_formula *f, const cpm_collective *c,
                       size_t bytes, tally *t)
{
    double seconds, walked = walk_of(m, c, bytes);
    unsigned outside;
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print(c, name, sizeof name);
    assert_int_equal(cpm_formula_predict(m, c, bytes, f->name, &seconds, &outside, NULL), CPM_OK);
    assert_int_equal(outside & ~f->domain, 0);
    bool equal = fabs(seconds - walked) <= rounding * fmax(seconds, walked);
    if (!outside && !equal)
        fail_msg("%s, %s, n %d, root %d, %zu bytes: formula %.15g, walk %.15g", name, f->name, m->n,
                 c->at.root, bytes, seconds, walked);
    t->inside += !outside;
    t->off += outside && !equal;
}

static void try_parameters(const cpm_model *m, const cpm_formula *f, tally *t)
{
    static const size_t bytes[] = {0, 64, 1000, 57600};
    const cpm_algorithm *a = NULL;
    cpm_collective c;
    assert_int_equal(cpm_algorithm_find(f->operation, f->algorithm, &a, NULL), CPM_OK);
    assert_int_equal(cpm_collective_of(a, &c, NULL), CPM_OK);
    c.at = (cpm_placement){.n = m->n, .root = c.operation->rooted ? m->n / 2 : 0};
    if (cpm_collective_applies(&c, NULL))
        return;
    for (int s = 0; s < 4; s++) {
        c.with = (cpm_parameters){0};
        try_domain(m, f, &c, bytes[s], t);
        for (int k = 1; f->takes & CPM_TAKES_K && k <= m->n; k++) {
            c.with = (cpm_parameters){.k = k};
            try_domain(m, f, &c, bytes[s], t);
        }
        for (size_t size = 10; f->takes & CPM_TAKES_SEGMENT && size < 100000; size = 5 * size + 7) {
            c.with = (cpm_parameters){.segment = size};
            try_domain(m, f, &c, bytes[s], t);
        }
    }
}

/* On an averaged model; and the marks are no idle ones: outside its domain a formula is off. */
static void alpha_beta_estimates_equal_the_walk_in_their_domains(void **state)
{
    (void)state;
    tally tallies[200] = {{0}};
    for (int n = 2; n <= 64; n += n < 36 ? 1 : 14) {
        cpm_model *m = random_hockney(n, (unsigned)n), *average;
        assert_int_equal(cpm_model_average(m, &average, NULL), CPM_OK);
        for (const cpm_formula *f = cpm_hockney.formulas; f->operation; f++)
            if (strcmp(f->name, "alpha-beta") == 0)
                try_parameters(average, f, &tallies[f - cpm_hockney.formulas]);
        cpm_model_free(average);
        cpm_model_free(m);
    }
    int found = 0;
    for (const cpm_formula *f = cpm_hockney.formulas; f->operation; f++) {
        const tally *t = &tallies[f - cpm_hockney.formulas];
        bool estimate = strcmp(f->name, "alpha-beta") == 0;
        if (estimate && (t->inside == 0 || (f->domain != 0) != (t->off > 0)))
            fail_msg("%s:%s: %d times in its domain, %d times off", f->operation, f->algorithm,
                     t->inside, t->off);
        found += estimate;
    }
    assert_int_equal(found, 26);
}

static void exact_formulas_equal_the_walk_for_all_their_parameters(void **state)
{
    (void)state;
    int tried = 0;
    for (int t = 0; cpm_model_types[t]; t++)
        for (const cpm_formula *f = cpm_model_types[t]->formulas; f && f->operation; f++)
            for (int n = 3; f->exact && f->takes && n <= MOST; n += 6, tried++) {
                cpm_model *m = random_model(cpm_model_types[t], n, (unsigned)n);
                tally of = {0};
                try_parameters(m, f, &of);
                assert_true(of.inside > 0 && (of.off > 0) == (f->domain != 0));
                cpm_model_free(m);
            }
    assert_int_equal(tried, (MOST - 3) / 6 + 1); /* one formula */
}

static void the_barriers_that_are_asked_for_count(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(8, 3);
    double one, six, alpha = cpm_parameter_mean(m, CPM_HOCKNEY_ALPHA);
    unsigned outside;
    cpm_collective c = collective("alltoall:ring-barriers", 8);
    assert_int_equal(cpm_formula_predict(m, &c, 1000, NULL, &one, &outside, NULL), CPM_OK);
    c = collective("alltoall:ring-barriers:k=6", 8);
    assert_int_equal(cpm_formula_predict(m, &c, 1000, NULL, &six, &outside, NULL), CPM_OK);
    assert_true(fabs(six - one - 5 * 3 * alpha) <= rounding * six);
    cpm_model_free(m);
}

static void no_formula(const cpm_collective *c, const char *says)
{
    cpm_model *m = random_hockney(8, 3);
    double seconds = -1;
    unsigned outside;
    cpm_error e = {0};
    assert_int_equal(cpm_formula_predict(m, c, 1000, NULL, &seconds, &outside, &e), CPM_EUNKNOWN);
    assert_string_equal(e.text, says);
    assert_true(seconds == -1);
    cpm_model_free(m);
}

static void what_no_formula_knows_is_refused_with_the_reason(void **state)
{
    (void)state;
    const int mapping[] = {0, 2, 4, 6, 1, 3, 5, 7};
    cpm_collective c = collective("bcast:binomial:segment=1K", 8);
    no_formula(&c, "model hockney has no formula for bcast:binomial with segment");
    c = collective("alltoall:2d:mesh=2x4", 8);
    no_formula(&c, "model hockney has no formula for alltoall:2d with mesh");
    c = collective("bcast:chain:segment=1K", 8);
    c.at.mapping = mapping;
    no_formula(&c, "model hockney has no formula for bcast:chain with map");
    c = collective("scatterv:linear", 8);
    no_formula(&c, "model hockney has no formula for scatterv:linear");
}

static unsigned outside_of(const cpm_model *m, const char *name, size_t bytes)
{
    cpm_collective c = collective("gather:linear", m->n);
    double seconds;
    unsigned outside;
    assert_int_equal(cpm_formula_predict(m, &c, bytes, name, &seconds, &outside, NULL), CPM_OK);
    return outside;
}

static void gather_is_marked_by_the_thresholds_of_the_model(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(4, 9);
    assert_int_equal(outside_of(m, "small", 5000), 0);
    assert_int_equal(outside_of(m, "large", 5000), CPM_FORMULA_FROM_M2);
    m->value[CPM_LMO_M1][0] = 4096;
    m->value[CPM_LMO_M2][0] = 65536;
    assert_int_equal(outside_of(m, "small", 4095), 0);
    assert_int_equal(outside_of(m, "small", 4096), CPM_FORMULA_BELOW_M1);
    assert_int_equal(outside_of(m, "large", 65535), CPM_FORMULA_FROM_M2);
    assert_int_equal(outside_of(m, "large", 65536), 0);
    assert_int_equal(outside_of(m, "thresholds", 4095), 0);
    assert_int_equal(outside_of(m, "thresholds", 4096), CPM_FORMULA_UNESCALATED);
    assert_int_equal(outside_of(m, "thresholds", 65536), 0);
    cpm_model_free(m);
}

static void conditions_are_words(void **state)
{
    (void)state;
    char text[300], cut[8];
    cpm_formula_conditions(CPM_FORMULA_POWER_OF_2 | CPM_FORMULA_EQUAL_PARTS, text, sizeof text);
    assert_string_equal(text, "n a power of two, blocks that n divides");
    cpm_formula_conditions(CPM_FORMULA_POWER_OF_2 | CPM_FORMULA_EQUAL_PARTS, cut, sizeof cut);
    assert_string_equal(cut, "n a pow");
    cpm_formula_conditions(0, text, sizeof text);
    assert_string_equal(text, "");
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
    assert_true(fabs(formula_of(cpm_binomial_scatter_time, m, 0, 3000) - expected) <=
                rounding * expected);
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
    const cpm_formula *f = cpm_formula_find(&cpm_hockney, "scatter", "linear", "parallel");
    assert_true(fabs(formula_of(f->predict, m, 2, 1000) - longest) <= rounding * longest);
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
                double small = formula_of(cpm_lmo_linear_gather_small, m, root, sizes[s]);
                double large = formula_of(cpm_lmo_linear_gather_large, m, root, sizes[s]);
                assert_true(scatter <=
                            (1 + rounding) * formula_of(cpm_lmo_linear_scatter, m, root, sizes[s]));
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
    assert_true(formula_of(cpm_lmo_linear_gather, m, 0, 70000) ==
                formula_of(cpm_lmo_linear_gather_small, m, 0, 70000));
    m->value[CPM_LMO_M2][0] = 65536;
    assert_true(formula_of(cpm_lmo_linear_gather, m, 0, 65535) ==
                formula_of(cpm_lmo_linear_gather_small, m, 0, 65535));
    assert_true(formula_of(cpm_lmo_linear_gather, m, 0, 65536) ==
                formula_of(cpm_lmo_linear_gather_large, m, 0, 65536));
    cpm_model_free(m);
}

static void gather_uses_the_direction_towards_the_root(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(3, 9);
    double before = formula_of(cpm_lmo_linear_gather_large, m, 0, 100);
    m->value[CPM_LMO_L][1] += 1; /* from 0 to 1 */
    assert_true(formula_of(cpm_lmo_linear_gather_large, m, 0, 100) == before);
    m->value[CPM_LMO_L][3] += 1; /* from 1 to 0 */
    assert_true(formula_of(cpm_lmo_linear_gather_large, m, 0, 100) > before + 0.5);
    cpm_model_free(m);
}

static void a_formula_is_found_by_its_name(void **state)
{
    (void)state;
    const cpm_formula *f = cpm_formula_find(&cpm_hockney, "scatter", "linear", "parallel");
    assert_non_null(f);
    assert_string_equal(f->name, "parallel");
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
        cmocka_unit_test(alpha_beta_estimates_equal_the_walk_in_their_domains),
        cmocka_unit_test(exact_formulas_equal_the_walk_for_all_their_parameters),
        cmocka_unit_test(the_barriers_that_are_asked_for_count),
        cmocka_unit_test(what_no_formula_knows_is_refused_with_the_reason),
        cmocka_unit_test(gather_is_marked_by_the_thresholds_of_the_model),
        cmocka_unit_test(conditions_are_words),
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
