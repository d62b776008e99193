/* Switches of a model that plays them have several links up, of which a message takes the one of
 * its destination: which destinations have which is found again, in whatever order hosts are. */
#include "measured.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/lmo2.h"

enum { HOSTS = 16, SWITCHES = 4 };
static const double cable = 8e-9; /* seconds per byte */

/* Of each host its switch, and the links, of two or four, that lead to it. */
static const int at[HOSTS] = {2, 0, 3, 1, 1, 0, 2, 3, 3, 0, 2, 1, 0, 3, 1, 2};
static const int of_two[HOSTS] = {0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1};
static const int of_four[HOSTS] = {3, 1, 2, 0, 1, 3, 0, 1, 0, 2, 2, 3, 0, 3, 2, 1};

static void use(cpm_links_draft *d, int from, int to, const char *way, int number, int link)
{
    char name[32];
    snprintf(name, sizeof name, "%s%d.%d", way, number, link);
    assert_int_equal(cpm_links_draft_use(d, from, to, cpm_links_draft_name(d, name, NULL), NULL),
                     CPM_OK);
}

static void plant_links(cpm_model *m, const int *of)
{
    cpm_links_draft d = {.hosts = HOSTS};
    cpm_links l;
    for (int i = 0; i < HOSTS; i++)
        for (int j = 0; j < HOSTS; j++)
            if (at[i] != at[j]) {
                use(&d, i, j, "up", at[i], of[j]);
                use(&d, i, j, "down", at[j], of[j]);
            }
    assert_int_equal(cpm_links_draft_end(&d, &l, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &l, NULL), CPM_OK);
    for (int k = 0; k < l.count; k++)
        m->value[CPM_LMO2_LINK][k] = cable;
    cpm_links_clear(&l);
}

/* of NULL: each switch has one link, a trunk of so many seconds per byte, which may differ. */
static cpm_model *switches_with_links(const int *of, const double *trunk)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    cpm_classes on;
    cpm_model *m = random_lmo2(HOSTS, 3);
    assert_int_equal(cpm_classes_create(HOSTS, at, SWITCHES, names, &on, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_switches(m, &on, NULL), CPM_OK);
    cpm_classes_clear(&on);
    for (int u = 0; u < SWITCHES && trunk; u++)
        m->value[CPM_LMO2_UP][u] = m->value[CPM_LMO2_DOWN][u] = trunk[u];
    for (int p = CPM_LMO2_CS; p <= CPM_LMO2_TR; p++) /* links are busier than processors */
        for (size_t q = 0; q < cpm_parameter_all_values(m, p); q++)
            m->value[p][q] /= 10;
    for (int i = 0; i < HOSTS; i++) {
        m->value[CPM_LMO2_GO][i] = m->value[CPM_LMO2_GI][i] = cable;
        for (int j = 0; j < HOSTS; j++)
            for (int k = 0; k < m->sizes.count && i != j; k++) {
                m->value[CPM_LMO2_INVBETA][(k * HOSTS + i) * HOSTS + j] = cable;
                m->value[CPM_LMO2_L][(k * HOSTS + i) * HOSTS + j] = at[i] == at[j] ? 1e-5 : 2e-5;
            }
    }
    if (of)
        plant_links(m, of);
    return m;
}

static void expect_links(const cpm_model *fit, const int *of, int each)
{
    assert_int_equal(fit->links.count, 2 * SWITCHES * each);
    for (int i = 0; i < HOSTS; i++)
        for (int j = 0; j < HOSTS; j++)
            for (int k = 0; k < HOSTS; k++)
                if (at[i] != at[j] && at[i] != at[k] && j != k)
                    assert_int_equal(links_meet(&fit->links, i, j, k), of[j] == of[k]);
    for (int k = 0; k < fit->links.count; k++)
        assert_near(fit->value[CPM_LMO2_LINK][k], cable, 0.1);
    for (int u = 0; u < SWITCHES; u++)
        assert_true(isnan(fit->value[CPM_LMO2_UP][u]) && isnan(fit->value[CPM_LMO2_DOWN][u]));
}

static void links_of_destinations_are_found(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int *of = k % 2 ? of_four : of_two;
        cpm_model *truth = switches_with_links(of, NULL);
        cpm_model *fit = estimated("lmo2", NULL, truth, k < 2 ? 0 : 0.02, 10, (unsigned long)k);
        expect_links(fit, of, k % 2 ? 4 : 2);
        cpm_model_free(fit);
        cpm_model_free(truth);
    }
}

/* Also where bursts take longer with partners at one switch than at another. */
static void one_link_of_each_switch_is_its_trunk(void **state)
{
    (void)state;
    static const double alike[] = {5e-9, 5e-9, 5e-9, 5e-9}, unlike[] = {7e-9, 4e-9, 5e-9, 3e-9};
    for (int k = 0; k < 4; k++) {
        const double *trunk = k % 2 ? unlike : alike;
        cpm_model *truth = switches_with_links(NULL, trunk);
        cpm_model *fit = estimated("lmo2", NULL, truth, k < 2 ? 0 : 0.02, 10, (unsigned long)k);
        assert_int_equal(fit->switches.count, SWITCHES);
        for (int i = 0; i < HOSTS; i++)
            assert_near(fit->value[CPM_LMO2_UP][fit->switches.of[i]], trunk[at[i]], 0.15);
        cpm_model_free(fit);
        cpm_model_free(truth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_of_destinations_are_found),
        cmocka_unit_test(one_link_of_each_switch_is_its_trunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
