/* Hosts of a model that plays them have two ports: who uses which is found again. */
#include "measured.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/lmo2.h"

enum { HOSTS = 12 };
static const double port = 8e-9; /* seconds per byte */

/* Port of a host that it uses for a partner. */
typedef int port_of(int host, int partner);

static int by_parity(int host, int partner)
{
    return (host + partner) % 2;
}

static int by_halves(int host, int partner)
{
    (void)host;
    return partner >= HOSTS / 2;
}

static void plant_ports(cpm_model *m, port_of *of)
{
    cpm_links_draft d = {.hosts = HOSTS};
    cpm_links l;
    for (int i = 0; i < HOSTS; i++)
        for (int j = 0; j < HOSTS; j++) {
            char name[32];
            if (i == j)
                continue;
            snprintf(name, sizeof name, "out%d.%d", i, of(i, j));
            assert_int_equal(
                cpm_links_draft_use(&d, i, j, cpm_links_draft_name(&d, name, NULL), NULL), CPM_OK);
            snprintf(name, sizeof name, "in%d.%d", i, of(i, j));
            assert_int_equal(
                cpm_links_draft_use(&d, j, i, cpm_links_draft_name(&d, name, NULL), NULL), CPM_OK);
        }
    assert_int_equal(cpm_links_draft_end(&d, &l, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &l, NULL), CPM_OK);
    for (int k = 0; k < l.count; k++)
        m->value[CPM_LMO2_LINK][k] = port;
    cpm_links_clear(&l);
}

/* of NULL: each host has one. */
static cpm_model *hosts_with_ports(port_of *of)
{
    cpm_model *m = random_lmo2(HOSTS, 3);
    for (int p = CPM_LMO2_CS; p <= CPM_LMO2_TR; p++) /* ports are busier than processors */
        for (size_t at = 0; at < cpm_parameter_all_values(m, p); at++)
            m->value[p][at] /= 10;
    for (int i = 0; i < HOSTS; i++) {
        m->value[CPM_LMO2_GO][i] = m->value[CPM_LMO2_GI][i] = of ? NAN : port;
        for (int j = 0; j < HOSTS; j++)
            for (int k = 0; k < m->sizes.count && i != j; k++)
                m->value[CPM_LMO2_INVBETA][(k * HOSTS + i) * HOSTS + j] = port;
    }
    if (of)
        plant_ports(m, of);
    return m;
}

static void expect_ports(const cpm_model *fit, port_of *of)
{
    assert_true(fit->links.count > 0);
    for (int i = 0; i < HOSTS; i++) {
        assert_false(fit->value[CPM_LMO2_GO][i] > 0.7 * port); /* both ports together: half */
        for (int j = 0; j < HOSTS; j++)
            for (int k = 0; k < HOSTS; k++)
                if (i != j && i != k && j != k)
                    assert_int_equal(links_meet(&fit->links, i, j, k), of(i, j) == of(i, k));
    }
    for (int k = 0; k < fit->links.count; k++)
        assert_near(fit->value[CPM_LMO2_LINK][k], port, 0.1);
}

static void partners_on_a_port_are_found(void **state)
{
    (void)state;
    port_of *const of[] = {by_parity, by_halves};
    for (int k = 0; k < 4; k++) {
        cpm_model *truth = hosts_with_ports(of[k % 2]);
        cpm_model *fit = estimated("lmo2", NULL, truth, k < 2 ? 0 : 0.02, 10, (unsigned long)k);
        expect_ports(fit, of[k % 2]);
        cpm_model_free(fit);
        cpm_model_free(truth);
    }
}

static void one_port_is_a_link_end(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        cpm_model *truth = hosts_with_ports(NULL);
        cpm_model *fit = estimated("lmo2", NULL, truth, k < 2 ? 0 : 0.02, 10, (unsigned long)k);
        assert_int_equal(fit->links.count, 0);
        cpm_model_free(fit);
        cpm_model_free(truth);
    }
}

/* Trains of the usual design are three of each host. Of 150 seeds 4 or 5 started a search. */
static void noise_seldom_starts_a_search(void **state)
{
    (void)state;
    enum { SEEDS = 30, FEW = 4 };
    int searches = 0;
    cpm_estimation options = without_thresholds();
    cpm_model *truth = hosts_with_ports(NULL);
    for (int p = CPM_LMO2_CS; p <= CPM_LMO2_TR; p++) /* ports are little busier */
        for (size_t at = 0; at < cpm_parameter_all_values(truth, p); at++)
            truth->value[p][at] *= 6;
    for (unsigned long seed = 1; seed <= SEEDS; seed++) {
        cpm_measurements m = measured(estimator_of("lmo2", NULL), &options, truth, 0.1, 5, seed);
        int trains = 0;
        for (int q = 0; q < m.count; q++)
            trains += m.at[q].what.kind == &cpm_experiment_kinds[CPM_TRAIN];
        assert_true(trains >= 3 * HOSTS);
        searches += trains > 3 * HOSTS;
        cpm_measurements_clear(&m);
    }
    cpm_model_free(truth);
    assert_in_range(searches, 0, FEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partners_on_a_port_are_found),
        cmocka_unit_test(one_port_is_a_link_end),
        cmocka_unit_test(noise_seldom_starts_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
