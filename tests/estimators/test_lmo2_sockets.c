/* What a random model whose hosts have several sockets measures is fitted back. */
#include "fitted_levels.h"

static void sockets_are_found_again_whatever_the_layout(void **state)
{
    (void)state;
    static const struct {
        int n, host[16], socket[16];
    } layouts[] = {
        {8, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 1, 1, 1}},
        {12, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
        {13, {0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1}, {3, 0, 1, 3, 1, 2, 1, 3, 3, 1, 0, 0, 2}},
    };
    for (size_t q = 0; q < sizeof layouts / sizeof *layouts; q++) {
        const int *host = layouts[q].host, *socket = layouts[q].socket;
        cpm_model *truth = sockets_model(host, socket, layouts[q].n, 1 + (unsigned)q);
        cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
        assert_int_equal(fit->across.count, 2);
        assert_memory_equal(fit->across.at, truth->across.at, 2 * sizeof(size_t));
        assert_memory_equal(fit->on.socket, socket, (size_t)layouts[q].n * sizeof *socket);
        expect_close(truth, fit, CPM_LMO2_INSIDE_CS, CPM_LMO2_INSIDE_INVBETA);
        expect_close(truth, fit, CPM_LMO2_ACROSS_CS, CPM_LMO2_ACROSS_INVBETA);
        expect_close(truth, fit, CPM_LMO2_ACROSS_RENDEZVOUS, CPM_LMO2_ACROSS_RENDEZVOUS);
        expect_same_predictions(truth, fit, 0.02);
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
}

static void the_capacity_of_the_link_between_sockets_is_found(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0, 0, 0}, socket[] = {0, 0, 0, 1, 1, 1};
    cpm_model *truth = sockets_model(host, socket, 6, 6);
    expect_capacity_found(truth, CPM_LMO2_SOCKETS, CPM_LMO2_ACROSS_INVBETA);
    cpm_model_free(truth);
}

static void a_host_on_one_socket_has_the_mean_of_the_others(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 1, 1, 1, 2, 2}, socket[] = {0, 0, 1, 0, 1, 1, 0, 0};
    cpm_model *truth = sockets_model(host, socket, 8, 5);
    cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
    const double *value = fit->value[CPM_LMO2_ACROSS_INVBETA];
    assert_true(fabs(value[2] / (value[0] + value[1]) - 0.5) < 1e-12);
    assert_true(isnan(fit->ci[CPM_LMO2_ACROSS_INVBETA][2]));
    assert_non_null(strstr(fit->notes, "measured on 2 of 3 hosts"));
    assert_non_null(strstr(fit->notes, "1 of 3 hosts have processes on one socket only"));
    cpm_model_free(truth);
    cpm_model_free(fit);
}

/* Two levels need messages of both kinds. */
static void sockets_with_one_process_each_are_one_level(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1}, socket[] = {0, 1, 0, 1};
    cpm_model *truth = sockets_model(host, socket, 4, 7);
    cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
    assert_int_equal(fit->across.count, 0);
    assert_null(fit->on.socket);
    for (int i = 1; i < 4; i++)
        assert_true(fabs(cpm_model_p2p(fit, 0, i, 100) / cpm_model_p2p(truth, 0, i, 100) - 1) <
                    1e-6);
    cpm_model_free(truth);
    cpm_model_free(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sockets_are_found_again_whatever_the_layout),
        cmocka_unit_test(the_capacity_of_the_link_between_sockets_is_found),
        cmocka_unit_test(a_host_on_one_socket_has_the_mean_of_the_others),
        cmocka_unit_test(sockets_with_one_process_each_are_one_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
