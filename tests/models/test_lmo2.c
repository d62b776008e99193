/* Extended LMO: regimes, its file, and formulas against the walk. */
#include "models/lmo2.h"
#include "predicted.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "models/extrapolation.h"
#include "random_model.h"

static double at(const cpm_model *m, int p, int k, int i)
{
    return m->value[p][k * m->n + i];
}

static double link(const cpm_model *m, int p, int k, int i, int j)
{
    return m->value[p][(k * m->n + i) * m->n + j];
}

static void a_message_costs_what_its_regime_says(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(4, 1);
    const size_t bytes[] = {0, 4095, 4096, 65535, 65536, 1000000};
    const int regime[] = {0, 0, 1, 1, 2, 2};
    for (int q = 0; q < 6; q++) {
        int k = regime[q];
        double M = (double)bytes[q];
        double seconds = at(m, CPM_LMO2_CS, k, 1) + M * at(m, CPM_LMO2_TS, k, 1) +
                         link(m, CPM_LMO2_L, k, 1, 3) + M * link(m, CPM_LMO2_INVBETA, k, 1, 3) +
                         at(m, CPM_LMO2_CR, k, 3) + M * at(m, CPM_LMO2_TR, k, 3);
        assert_true(fabs(cpm_model_p2p(m, 1, 3, bytes[q]) - seconds) < 1e-12 * seconds);
    }
    cpm_model_free(m);
}

/* Sends of other messages do not block; where it is not known, they cost what blocking ones do. */
static void a_send_that_does_not_block_has_its_own_overhead(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(4, 3);
    cpm_flow small, large;
    m->type->flow(m, 1, 3, 100, &small);
    m->type->flow(m, 1, 3, 100000, &large);
    assert_true(small.start == small.send);
    double start = at(m, CPM_LMO2_CN, 2, 1) + 100000 * at(m, CPM_LMO2_TN, 2, 1);
    assert_true(fabs(large.start - start) < 1e-12 * start);
    assert_true(large.start != large.send);
    cpm_model_free(m);
}

static double seconds_of(const cpm_model *m, const char *name, cpm_combining what, size_t bytes)
{
    cpm_collective c;
    assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
    c.combining = what;
    return cpm_predict_bytes(m, &c, bytes, NULL, NULL, NULL);
}

/* Of two processes the root combines once; of three in a chain each but the last. */
static void a_reduction_takes_what_its_class_of_combining_does(void **state)
{
    (void)state;
    static const double constant[] = {4e-7, 3e-7, 2e-7, 4e-7},
                        slope[] = {5e-10, 2e-10, 8e-11, 5e-10};
    for (int n = 2; n <= 3; n++) {
        cpm_model *m = random_lmo2(n, 4);
        double without = seconds_of(m, "reduce:chain", CPM_COMBINING_BYTES, 3000);
        for (cpm_combining what = 0; what < CPM_COMBINING_OTHER; what++)
            for (int i = 0; i < n; i++) {
                m->value[cpm_lmo2_combining[what]][i] = constant[what];
                m->value[cpm_lmo2_combining[what] + 1][i] = slope[what];
            }
        for (cpm_combining what = 0; what < CPM_COMBININGS; what++) {
            double more = seconds_of(m, "reduce:chain", what, 3000) - without;
            double expected = (n - 1) * (constant[what] + 3000 * slope[what]);
            assert_true(fabs(more - expected) < 1e-9 * without);
            assert_true(cpm_model_lacks_combining(m, what) == (what == CPM_COMBINING_OTHER));
        }
        cpm_model_free(m);
    }
}

static void classes_that_are_not_known_are_combined_as_bytes(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(3, 4);
    for (cpm_combining what = 0; what < CPM_COMBININGS; what++)
        assert_true(cpm_model_lacks_combining(m, what));
    for (int i = 0; i < 3; i++)
        m->value[CPM_LMO2_OC][i] = m->value[CPM_LMO2_CB][i] = 1e-9;
    double bytes = seconds_of(m, "reduce:chain", CPM_COMBINING_BYTES, 3000);
    for (cpm_combining what = CPM_COMBINING_FLOATS; what < CPM_COMBININGS; what++) {
        assert_true(cpm_model_lacks_combining(m, what));
        assert_true(seconds_of(m, "reduce:chain", what, 3000) == bytes);
    }
    assert_true(!cpm_model_lacks_combining(m, CPM_COMBINING_BYTES));
    cpm_model_free(m);
}

static void its_file_keeps_every_regime(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(5, 2), *back = NULL;
    m->value[CPM_LMO2_GO][3] = 1e-8;
    m->ci[CPM_LMO2_L][2 * 25 + 7] = 1e-6;
    cpm_error e = {0};
    char *text = NULL;
    assert_int_equal(cpm_model_pack(m, &text, &e), CPM_OK);
    assert_int_equal(cpm_model_unpack(text, strlen(text), "x.mod", &back, &e), CPM_OK);
    assert_int_equal(back->sizes.count, 3);
    assert_memory_equal(back->sizes.at, m->sizes.at, 3 * sizeof(size_t));
    for (int p = 0; p < m->type->count; p++)
        for (size_t q = 0; q < cpm_parameter_values(m, p) * (size_t)cpm_parameter_slices(m, p);
             q++) {
            double a = m->value[p][q], b = back->value[p][q];
            double half = m->ci[p][q], rounding = isnan(half) ? 1e-14 * fabs(a) : half / 100;
            assert_true((isnan(a) && isnan(b)) || fabs(a - b) <= rounding);
            assert_int_equal(isnan(m->ci[p][q]), isnan(back->ci[p][q]));
        }
    free(text);
    cpm_model_free(m);
    cpm_model_free(back);
}

static void refused(const char *text, const char *says)
{
    cpm_model *m = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_model_unpack(text, strlen(text), "x.mod", &m, &e), CPM_EPARSE);
    if (!strstr(e.text, says))
        fail_msg("expected \"%s\", found \"%s\"", says, e.text);
}

static void sizes_that_do_not_ascend_are_refused_with_their_line(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(3, 3);
    char *text = NULL;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    char *sizes = strstr(text, "[0, 4096, 65536]");
    assert_non_null(sizes);
    memcpy(sizes, "[0, 4096,  4096]", 16);
    refused(text, "x.mod:7: message size 2: expected bytes above those before it");
    memcpy(sizes, "[0, 4096       ]", 16);
    refused(text, "parameter 'Cs', for each of \"sizes\": expected 2 values, found 3");
    free(text);
    cpm_model_free(m);
}

static double walk_of(const cpm_model *m, const char *operation, const char *algorithm, int root,
                      size_t bytes)
{
    const cpm_algorithm *a = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_algorithm_find(operation, algorithm, &a, &e), CPM_OK);
    double seconds = predict_plain_form(m, a, root, bytes, NULL, &e);
    assert_string_equal(e.text, "");
    return seconds;
}

/* Where neither link ends nor receivers make a message wait the formulas are the walk. */
static void formulas_equal_the_walk_where_messages_do_not_disturb_each_other(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        int n = 3 + (int)seed % 14, root = (int)seed % n;
        cpm_model *m = random_lmo2(n, seed);
        for (const cpm_formula *f = m->type->formulas; f->operation; f++)
            for (size_t bytes = 1; bytes < 60000 / (size_t)n; bytes = 3 * bytes + 100) {
                double walk = walk_of(m, f->operation, f->algorithm, root, bytes);
                double formula = formula_of(f->predict, m, root, bytes);
                if (fabs(walk - formula) > 1e-9 * walk)
                    fail_msg("%s:%s n %d root %d %zu B: walk %g, formula %g", f->operation,
                             f->algorithm, n, root, bytes, walk, formula);
            }
        cpm_model_free(m);
    }
}

static void a_shared_link_end_slows_what_meets_there(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(9, 5);
    double alone = walk_of(m, "gather", "linear", 2, 30000);
    m->value[CPM_LMO2_GI][2] = 20e-9;
    double shared = walk_of(m, "gather", "linear", 2, 30000);
    assert_true(shared >= 8 * 30000 * 20e-9);
    assert_true(shared > 1.2 * alone);
    assert_true(fabs(formula_of(cpm_lmo2_linear_gather, m, 2, 30000) - shared) < 0.25 * shared);
    cpm_model_free(m);
}

static void synchronous_linear_trees_are_sums_of_messages(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(7, 6);
    double sum = 0;
    for (int i = 0; i < 7; i++)
        sum += i == 4 ? 0 : cpm_model_p2p(m, 4, i, 70000);
    assert_true(fabs(formula_of(cpm_lmo2_linear_scatter, m, 4, 70000) - sum) < 1e-12 * sum);
    /* the receivers' processors are the only part that overlaps with the next message */
    double walk = walk_of(m, "scatter", "linear", 4, 70000), receivers = 0;
    for (int i = 0; i < 7; i++)
        receivers +=
            i == 4 || i == 6 ? 0 : at(m, CPM_LMO2_CR, 2, i) + 70000 * at(m, CPM_LMO2_TR, 2, i);
    assert_true(walk >= sum - receivers - 1e-12 && walk <= sum);
    cpm_model_free(m);
}

static void escalations_add_their_mean_between_their_thresholds(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(5, 7);
    m->value[CPM_LMO2_M1][0] = 5000;
    m->value[CPM_LMO2_M2][0] = 9000;
    m->value[CPM_LMO2_PE][0] = 0.25;
    m->value[CPM_LMO2_TE][0] = 0.2;
    for (size_t bytes = 4000; bytes <= 10000; bytes += 1000) {
        double added = formula_of(cpm_lmo2_linear_gather_expected, m, 1, bytes) -
                       formula_of(cpm_lmo2_linear_gather, m, 1, bytes);
        double expected = bytes >= 5000 && bytes < 9000 ? 0.05 : 0;
        assert_true(fabs(added - expected) < 1e-12);
    }
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_costs_what_its_regime_says),
        cmocka_unit_test(a_send_that_does_not_block_has_its_own_overhead),
        cmocka_unit_test(a_reduction_takes_what_its_class_of_combining_does),
        cmocka_unit_test(classes_that_are_not_known_are_combined_as_bytes),
        cmocka_unit_test(its_file_keeps_every_regime),
        cmocka_unit_test(sizes_that_do_not_ascend_are_refused_with_their_line),
        cmocka_unit_test(formulas_equal_the_walk_where_messages_do_not_disturb_each_other),
        cmocka_unit_test(a_shared_link_end_slows_what_meets_there),
        cmocka_unit_test(synchronous_linear_trees_are_sums_of_messages),
        cmocka_unit_test(escalations_add_their_mean_between_their_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
