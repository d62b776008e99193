/* Predicting and selecting by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "cpm/cpm.h"

static void a_prediction_by_name_is_the_walk(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(7, 1);
    double seconds = cpm_predict(m, "scatter", "linear", 1000, 2, NULL);
    double sum = formula_of(cpm_hockney_flat_serial, m, 2, 1000);
    assert_true(seconds > sum * (1 - 1e-12) && seconds < sum * (1 + 1e-12));
    cpm_model_free(m);
}

static void unknown_names_are_answered_with_the_known_ones(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(3, 1);
    cpm_error e = {0};
    assert_true(cpm_predict(m, "scatter", "magic", 1, 0, &e) < 0);
    assert_int_equal(e.code, CPM_EUNKNOWN);
    assert_non_null(strstr(e.text, "binomial"));
    cpm_error_clear(&e);
    assert_true(cpm_predict(m, "smatter", "linear", 1, 0, &e) < 0);
    assert_int_equal(e.code, CPM_EUNKNOWN);
    cpm_error_clear(&e);
    assert_null(cpm_select(m, "smatter", 1, 0, NULL, &e));
    assert_int_equal(e.code, CPM_EUNKNOWN);
    assert_non_null(strstr(e.text, "scatter"));
    cpm_model_free(m);
}

static void no_algorithm_is_faster_than_the_selected_one(void **state)
{
    (void)state;
    const char *const operations[] = {"bcast", "scatter", "gather"};
    const size_t sizes[] = {0, 1024, 98304}; /* the last ones of classes: these are compared */
    for (int n = 3; n <= 20; n += 17)
        for (int o = 0; o < 3; o++)
            for (int s = 0; s < 3; s++) {
                cpm_model *m = random_lmo(n, 5);
                double seconds = -1;
                const cpm_algorithm *best =
                    cpm_select(m, operations[o], sizes[s], 1, &seconds, NULL);
                assert_non_null(best);
                for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
                    if (strcmp(a->operation, operations[o]) == 0 &&
                        !cpm_algorithm_applies(a, &(cpm_call){.n = n}, NULL))
                        assert_true(seconds <= cpm_predict_walk(m, a, 1, sizes[s], NULL, NULL));
                cpm_model_free(m);
            }
}

/* Empty messages cost a latency each: 5 rounds of a tree against 31 messages in a row. */
static void small_broadcasts_are_not_linear(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(32, 1);
    const cpm_algorithm *a = cpm_select(m, "bcast", 0, 0, NULL, NULL);
    assert_non_null(a);
    assert_string_not_equal(a->name, "linear");
    assert_string_not_equal(a->name, "chain");
    cpm_model_free(m);
}

static void a_root_out_of_range_is_refused(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(3, 1);
    cpm_error e = {0};
    assert_true(cpm_predict(m, "bcast", "linear", 1, 3, &e) < 0);
    assert_int_equal(e.code, CPM_EINVAL);
    cpm_error_clear(&e);
    assert_null(cpm_select(m, "bcast", 1, -1, NULL, &e));
    assert_int_equal(e.code, CPM_EINVAL);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prediction_by_name_is_the_walk),
        cmocka_unit_test(unknown_names_are_answered_with_the_known_ones),
        cmocka_unit_test(no_algorithm_is_faster_than_the_selected_one),
        cmocka_unit_test(small_broadcasts_are_not_linear),
        cmocka_unit_test(a_root_out_of_range_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
