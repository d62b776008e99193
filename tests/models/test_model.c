/* Models in memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "predicted.h"
#include "random_model.h"

static void a_model_needs_its_least_number_of_processes(void **state)
{
    (void)state;
    for (int t = 0; cpm_model_types[t]; t++) {
        const cpm_model_type *type = cpm_model_types[t];
        cpm_model *m = NULL;
        cpm_error e = {0};
        assert_int_equal(cpm_model_create(type, type->min_processes - 1, &m, &e), CPM_EPROCESS);
        assert_non_null(strstr(e.text, type->name));
        assert_null(m);
        assert_int_equal(cpm_model_create(type, type->min_processes, &m, NULL), CPM_OK);
        cpm_model_free(m);
    }
    cpm_model_free(NULL);
}

static void a_new_model_is_sound_and_knows_nothing(void **state)
{
    (void)state;
    cpm_model *m;
    cpm_flaw flaw;
    assert_int_equal(cpm_model_create(&cpm_lmo, 3, &m, NULL), CPM_OK);
    assert_true(cpm_model_check(m, &flaw));
    assert_true(isnan(m->value[CPM_LMO_S][0]) && m->value[CPM_LMO_L][1] == 0);
    assert_true(isnan(m->ci[CPM_LMO_C][0]));
    assert_string_equal(m->hosts[2], "");
    cpm_model_free(m);
}

static void unknown_models_are_answered_with_the_known_ones(void **state)
{
    (void)state;
    const cpm_model_type *type = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_model_type_find("omo", &type, &e), CPM_EUNKNOWN);
    assert_non_null(strstr(e.text, "unknown model 'omo' (known: hockney, "));
    assert_non_null(strstr(e.text, ", lmo"));
    assert_null(type);
    assert_int_equal(cpm_model_type_find("lmo", &type, NULL), CPM_OK);
    assert_ptr_equal(type, &cpm_lmo);
}

static void parameters_have_as_many_values_as_their_shape_says(void **state)
{
    (void)state;
    assert_int_equal(cpm_parameter_index(&cpm_lmo, "invbeta"), CPM_LMO_INVBETA);
    assert_int_equal(cpm_parameter_index(&cpm_lmo, "beta"), -1);
    cpm_model *m;
    assert_int_equal(cpm_model_create(&cpm_lmo, 5, &m, NULL), CPM_OK);
    assert_int_equal(cpm_parameter_values(m, CPM_LMO_C), 5);
    assert_int_equal(cpm_parameter_values(m, CPM_LMO_L), 25);
    assert_int_equal(cpm_parameter_values(m, CPM_LMO_M1), 1);
    cpm_model_free(m);
}

static void a_message_costs_what_the_models_say(void **state)
{
    (void)state;
    cpm_model *lmo = random_lmo(3, 1), *hockney = random_hockney(3, 1);
    double **v = lmo->value, **h = hockney->value;
    double expected = v[CPM_LMO_C][2] + v[CPM_LMO_L][7] + v[CPM_LMO_C][1] +
                      1000 * (v[CPM_LMO_T][2] + v[CPM_LMO_INVBETA][7] + v[CPM_LMO_T][1]);
    assert_true(fabs(cpm_model_p2p(lmo, 2, 1, 1000) - expected) <= 1e-14 * expected);
    expected = h[CPM_HOCKNEY_ALPHA][7] + 1000 * h[CPM_HOCKNEY_BETA][7];
    assert_true(fabs(cpm_model_p2p(hockney, 2, 1, 1000) - expected) <= 1e-14 * expected);
    cpm_model_free(lmo);
    cpm_model_free(hockney);
}

static void the_average_keeps_the_mean_message(void **state)
{
    (void)state;
    const int n = 6;
    cpm_model *m = random_lmo(n, 3), *average;
    cpm_flaw flaw;
    m->value[CPM_LMO_M1][0] = 4096;
    m->notes = strdup("kept");
    assert_int_equal(cpm_model_set_host(m, 5, "last", NULL), CPM_OK);
    assert_int_equal(cpm_model_average(m, &average, NULL), CPM_OK);
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += i == j ? 0 : cpm_model_p2p(m, i, j, 10000);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j)
                assert_true(fabs(cpm_model_p2p(average, i, j, 10000) * n * (n - 1) - sum) <=
                            1e-12 * sum);
    assert_true(cpm_model_check(average, &flaw)); /* the diagonal is still 0 */
    assert_true(average->value[CPM_LMO_M1][0] == 4096 && isnan(average->value[CPM_LMO_M2][0]));
    assert_string_equal(average->hosts[5], "last");
    assert_string_equal(average->notes, "kept");
    cpm_model_free(average);
    cpm_model_free(m);
}

static void a_host_out_of_range_is_refused(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(2, 1);
    assert_int_equal(cpm_model_set_host(m, 2, "x", NULL), CPM_EINVAL);
    assert_int_equal(cpm_model_set_host(m, -1, "x", NULL), CPM_EINVAL);
    cpm_model_free(m);
}

static void a_root_out_of_range_is_refused(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(2, 1);
    const cpm_algorithm *a;
    assert_int_equal(cpm_algorithm_find("bcast", "linear", &a, NULL), CPM_OK);
    for (int root = -1; root <= 2; root += 3) {
        cpm_error e = {0};
        assert_true(predict_plain_form(m, a, root, 1, NULL, &e) < 0);
        assert_int_equal(e.code, CPM_EINVAL);
        assert_non_null(strstr(e.text, root < 0 ? "root -1" : "root 2"));
    }
    cpm_model_free(m);
}

static void the_walk_gives_the_time_of_every_rank(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(5, 2);
    const cpm_algorithm *a;
    double finish[5], last = 0;
    assert_int_equal(cpm_algorithm_find("scatter", "linear", &a, NULL), CPM_OK);
    double seconds = predict_plain_form(m, a, 1, 2000, finish, NULL);
    for (int i = 0; i < 5; i++)
        last = fmax(last, finish[i]);
    assert_true(seconds == last);
    assert_true(finish[2] > cpm_model_p2p(m, 1, 2, 2000) * (1 - 1e-12));
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_needs_its_least_number_of_processes),
        cmocka_unit_test(a_new_model_is_sound_and_knows_nothing),
        cmocka_unit_test(unknown_models_are_answered_with_the_known_ones),
        cmocka_unit_test(parameters_have_as_many_values_as_their_shape_says),
        cmocka_unit_test(a_message_costs_what_the_models_say),
        cmocka_unit_test(the_average_keeps_the_mean_message),
        cmocka_unit_test(a_host_out_of_range_is_refused),
        cmocka_unit_test(a_root_out_of_range_is_refused),
        cmocka_unit_test(the_walk_gives_the_time_of_every_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
