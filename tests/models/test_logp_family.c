/* What a message costs in LogP, LogGP and PLogP, and the curves of the last. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/curve.h"
#include "random_model.h"

static void assert_near(double value, double truth)
{
    if (!(fabs(value - truth) <= 1e-12 * fabs(truth)))
        fail_msg("%.15g is not %.15g", value, truth);
}

static void a_large_message_of_logp_is_a_series_of_small_ones(void **state)
{
    (void)state;
    cpm_model *m = random_logp(3, 1);
    double L = m->value[CPM_LOGP_L][3 * 1 + 2], g = m->value[CPM_LOGP_G][3 * 1 + 2];
    double o = m->value[CPM_LOGP_O][1] + m->value[CPM_LOGP_O][2];
    assert_near(cpm_model_p2p(m, 1, 2, 0), L + o);
    assert_near(cpm_model_p2p(m, 1, 2, 1024), L + o);
    assert_near(cpm_model_p2p(m, 1, 2, 1025), L + o + g);
    assert_near(cpm_model_p2p(m, 1, 2, 10 * 1024), L + o + 9 * g);
    m->value[CPM_LOGP_G][3 * 1 + 2] = 0; /* then the sender's processor sets the pace */
    assert_near(cpm_model_p2p(m, 1, 2, 2048), L + o + m->value[CPM_LOGP_O][1]);
    cpm_model_free(m);
}

static void logp_without_the_size_of_its_messages_is_refused(void **state)
{
    (void)state;
    cpm_model *m = random_logp(3, 1);
    cpm_flaw flaw = {0};
    assert_true(cpm_model_check(m, &flaw));
    m->value[CPM_LOGP_W][0] = 0;
    assert_false(cpm_model_check(m, &flaw));
    assert_int_equal(flaw.parameter, CPM_LOGP_W);
    assert_non_null(strstr(flaw.text, "'w'"));
    cpm_model_free(m);
}

static void bytes_of_loggp_behind_the_first_take_their_gap(void **state)
{
    (void)state;
    cpm_model *m = random_loggp(3, 1);
    double L = m->value[CPM_LOGGP_L][3 * 2 + 0], G = m->value[CPM_LOGGP_G][3 * 2 + 0];
    double o = m->value[CPM_LOGGP_O][2] + m->value[CPM_LOGGP_O][0];
    assert_near(cpm_model_p2p(m, 2, 0, 0), L + o);
    assert_near(cpm_model_p2p(m, 2, 0, 1), L + o);
    assert_near(cpm_model_p2p(m, 2, 0, 10001), L + o + 1e4 * G);
    cpm_model_free(m);
}

static void a_message_of_plogp_takes_latency_and_gap(void **state)
{
    (void)state;
    cpm_model *m = random_plogp(3, 1);
    size_t pair = 3 * 0 + 2;
    const size_t sizes[] = {0, 1, 32768, 40000, 49152, 262144, 1000000};
    for (int s = 0; s < 7; s++)
        assert_near(cpm_model_p2p(m, 0, 2, sizes[s]),
                    m->value[CPM_PLOGP_L][pair] + cpm_curve_at(m, CPM_PLOGP_G, pair, sizes[s]));
    cpm_model_free(m);
}

static void curves_are_linear_between_their_sizes_and_beyond(void **state)
{
    (void)state;
    size_t size[] = {10, 20, 1000, 1001};
    cpm_model *m;
    assert_int_equal(cpm_model_create_sized(&cpm_plogp, 2, &(cpm_sizes){size, 4}, &m, NULL),
                     CPM_OK);
    double value[] = {5, 7, 105, 9};
    for (int k = 0; k < 4; k++)
        m->value[CPM_PLOGP_OS][2 * k + 1] = value[k];
    const struct {
        size_t bytes;
        double value;
    } expected[] = {{0, 5},    {10, 5},     {15, 6},   {20, 7},
                    {510, 56}, {1000, 105}, {1001, 9}, {2963, 9 + 2.0 / 981 * 1962}};
    for (size_t q = 0; q < sizeof expected / sizeof *expected; q++)
        assert_near(cpm_curve_at(m, CPM_PLOGP_OS, 1, expected[q].bytes), expected[q].value);
    m->value[CPM_PLOGP_OS][2 * 3 + 1] = 6; /* the last slope is negative, time never is */
    assert_true(cpm_curve_at(m, CPM_PLOGP_OS, 1, 1000000) == 0);
    cpm_model_free(m);
}

static void files_keep_models_of_the_family(void **state)
{
    (void)state;
    const cpm_model_type *const types[] = {&cpm_logp, &cpm_loggp, &cpm_plogp};
    for (int t = 0; t < 3; t++) {
        cpm_model *m = random_model(types[t], 4, 7), *back = NULL;
        char *text = NULL;
        assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
        assert_int_equal(cpm_model_unpack(text, strlen(text), "x.mod", &back, NULL), CPM_OK);
        for (size_t bytes = 0; bytes < 1000000; bytes = 3 * bytes + 1)
            assert_near(cpm_model_p2p(back, 1, 3, bytes), cpm_model_p2p(m, 1, 3, bytes));
        free(text);
        cpm_model_free(m);
        cpm_model_free(back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_message_of_logp_is_a_series_of_small_ones),
        cmocka_unit_test(logp_without_the_size_of_its_messages_is_refused),
        cmocka_unit_test(bytes_of_loggp_behind_the_first_take_their_gap),
        cmocka_unit_test(a_message_of_plogp_takes_latency_and_gap),
        cmocka_unit_test(curves_are_linear_between_their_sizes_and_beyond),
        cmocka_unit_test(files_keep_models_of_the_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
