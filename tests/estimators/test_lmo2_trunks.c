/* Trunks of a model that plays the cluster are fitted back; their campaign keeps messages apart. */
#include "measured.h"

#include <stdio.h>
#include <stdlib.h>

#include "collectives/topology_tree.h"
#include "estimators/lmo2.h"
#include "estimators/lmo2_trunks.h"
#include "estimators/switches_find.h"

enum { HOSTS = 12 };

static const char *const switch_names[] = {"a", "b", "c", "d"};

/* One process on each of 12 hosts, which are named h0, h1, ..., and host i at switch i modulo
 * count. Every host has a link of its own, whatever the size. */
static cpm_model *star(int count, unsigned seed)
{
    cpm_model *m = random_lmo2(HOSTS, seed);
    int on[HOSTS];
    for (int i = 0; i < HOSTS; i++) {
        char name[16];
        on[i] = i % count;
        snprintf(name, sizeof name, "h%d", i);
        assert_int_equal(cpm_model_set_host(m, i, name, NULL), CPM_OK);
        m->value[CPM_LMO2_GO][i] = m->value[CPM_LMO2_GI][i] = random_between(&seed, 8e-9, 14e-9);
    }
    cpm_classes switches;
    assert_int_equal(cpm_classes_create(HOSTS, on, count, switch_names, &switches, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_switches(m, &switches, NULL), CPM_OK);
    cpm_classes_clear(&switches);
    return m;
}

static double narrowest(const cpm_model *m, int i, int j)
{
    double ends = fmax(m->value[CPM_LMO2_GO][i], m->value[CPM_LMO2_GI][j]);
    if (!cpm_model_crosses(m, i, j))
        return ends;
    return fmax(ends, fmax(m->value[CPM_LMO2_UP][m->switches.of[i]],
                           m->value[CPM_LMO2_DOWN][m->switches.of[j]]));
}

/* When the trunks are set: a message alone is as fast as what is narrowest on its way. */
static void set_links(cpm_model *m)
{
    for (int k = 0; k < m->sizes.count; k++)
        for (int i = 0; i < HOSTS; i++)
            for (int j = 0; j < HOSTS; j++)
                if (i != j)
                    m->value[CPM_LMO2_INVBETA][(k * HOSTS + i) * HOSTS + j] = narrowest(m, i, j);
}

/* The topology of such a cluster. */
static cpm_topology *topology_of(const cpm_model *m)
{
    cpm_topology *t;
    char text[1024];
    int used = snprintf(text, sizeof text, "switch core\n");
    for (int u = 0; u < m->switches.count; u++)
        used += snprintf(text + used, sizeof text - (size_t)used, "switch %s\nlink %s core\n",
                         m->switches.name[u], m->switches.name[u]);
    for (int i = 0; i < m->n; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "host h%d %s\n", i,
                         m->switches.name[m->switches.of[i]]);
    assert_int_equal(cpm_topology_parse(text, "star", &t, NULL), CPM_OK);
    return t;
}

static cpm_measurements measured_with(const cpm_model *truth, cpm_planner *planner, void *context,
                                      const cpm_topology *t, double noise, int reps)
{
    cpm_machine *machine;
    cpm_measurements m = {0};
    cpm_error e = {0};
    cpm_campaign campaign = {.precision = {reps, reps, 0.95, 0.025, CPM_MEDIAN, 0},
                             .topology = t,
                             .topology_file = "star"};
    assert_int_equal(cpm_synthetic_create(truth, noise, 1, &machine, &e), CPM_OK);
    if (cpm_campaign_run(machine, planner, context, &campaign, &m, &e))
        fail_msg("%s", e.text);
    machine->free(machine);
    return m;
}

static cpm_measurements measured_star(const cpm_model *truth, double noise, int reps)
{
    cpm_estimation options = without_thresholds();
    cpm_estimator_context context = {estimator_of("lmo2", NULL), &options};
    cpm_topology *t = topology_of(truth);
    cpm_measurements m = measured_with(truth, cpm_estimator_planner, &context, t, noise, reps);
    cpm_topology_free(t);
    return m;
}

static cpm_model *estimated_star(const cpm_model *truth, double noise, int reps)
{
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured_star(truth, noise, reps);
    cpm_model *fit = fitted(estimator_of("lmo2", NULL), &options, &m);
    cpm_measurements_clear(&m);
    return fit;
}

static void expect_trunk(const cpm_model *fit, int trunk, int u, double truth, double tolerance)
{
    double value = fit->value[trunk][u];
    if (!(fabs(value / truth - 1) < tolerance))
        fail_msg("%s of switch %d: %g instead of %g", fit->type->parameters[trunk].name, u, value,
                 truth);
}

static void each_trunk_has_its_own_capacity(void **state)
{
    (void)state;
    static const double up[] = {6e-9, 9e-9, 14e-9, 7e-9}, down[] = {8e-9, 6e-9, 7e-9, 10e-9};
    cpm_model *truth = star(4, 3);
    for (int u = 0; u < 4; u++) {
        truth->value[CPM_LMO2_UP][u] = up[u];
        truth->value[CPM_LMO2_DOWN][u] = down[u];
    }
    set_links(truth);
    cpm_model *fit = estimated_star(truth, 0, 2), *noisy = estimated_star(truth, 0.02, 20);
    assert_true(cpm_classes_equal(&fit->switches, &truth->switches));
    for (int u = 0; u < 4; u++) {
        expect_trunk(fit, CPM_LMO2_UP, u, up[u], 0.08);
        expect_trunk(fit, CPM_LMO2_DOWN, u, down[u], 0.08);
        expect_trunk(noisy, CPM_LMO2_UP, u, up[u], 0.12);
        expect_trunk(noisy, CPM_LMO2_DOWN, u, down[u], 0.12);
    }
    cpm_model_free(noisy);
    cpm_model_free(fit);
    cpm_model_free(truth);
}

static void trunks_that_carry_all_are_not_shared(void **state)
{
    (void)state;
    cpm_model *truth = star(3, 5);
    set_links(truth);
    cpm_model *fit = estimated_star(truth, 0, 2);
    for (int u = 0; u < 3; u++)
        assert_true(isnan(fit->value[CPM_LMO2_UP][u]) && isnan(fit->value[CPM_LMO2_DOWN][u]));
    assert_non_null(strstr(fit->notes, "share the trunks up of 0 and down of 0 of 3"));
    cpm_model_free(fit);
    cpm_model_free(truth);
}

/* How many long messages of a round that is not crowded use a trunk in a direction. */
static int most_crossing(const cpm_measurements *m, const cpm_classes *on)
{
    enum { MOST_ROUNDS = 4096 };
    static int use[MOST_ROUNDS][8];
    int most = 0;
    memset(use, 0, sizeof use);
    for (int q = 0; q < m->count; q++) {
        const cpm_experiment *x = &m->at[q].what;
        assert_true(m->at[q].round < MOST_ROUNDS);
        if (x->kind->contended || x->j < 0 || on->of[x->i] == on->of[x->j] ||
            x->send_bytes < CPM_LMO2_LEAST_SHARED)
            continue;
        int up = ++use[m->at[q].round][on->of[x->i]];
        int down = ++use[m->at[q].round][4 + on->of[x->j]];
        most = up > most ? up : most;
        most = down > most ? down : most;
    }
    return most;
}

static void long_messages_use_a_trunk_one_at_a_time(void **state)
{
    (void)state;
    cpm_model *truth = star(3, 6);
    cpm_measurements m = measured_star(truth, 0, 2);
    assert_int_equal(most_crossing(&m, &truth->switches), 1);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

/* A plan that is asked again for a crowd of which some is there changes partners. */
static void a_crowd_that_was_torn_has_other_partners(void **state)
{
    (void)state;
    int of[] = {0, 0, 0, 1, 1, 1};
    cpm_hosts on = {.n = 6, .count = 2, .of = of};
    cpm_design first = {0}, again = {0};
    cpm_measurements torn = {.n = 6};
    assert_int_equal(cpm_lmo2_trunks_plan(&on, 65536, &torn, &first, NULL), CPM_OK);
    assert_int_equal(first.count, 6);
    assert_int_equal(first.rounds, 2);
    assert_int_equal(cpm_measurements_add(&torn, &(cpm_measurement){.what = first.at[0]}, NULL),
                     CPM_OK);
    assert_int_equal(cpm_lmo2_trunks_plan(&on, 65536, &torn, &again, NULL), CPM_OK);
    assert_int_equal(again.count, 6);
    for (int q = 0; q < 3; q++)
        assert_true(again.at[q].i == first.at[q].i && again.at[q].j != first.at[q].j);
    cpm_measurements_clear(&torn);
    cpm_design_clear(&first);
    cpm_design_clear(&again);
}

/* Latencies that are a part of each host, and of each of two switches. */
static cpm_model *latencies(int count, unsigned seed)
{
    cpm_model *m = star(count, seed);
    for (int i = 0; i < HOSTS; i++)
        for (int j = 0; j < HOSTS; j++)
            if (i != j)
                m->value[CPM_LMO2_L][i * HOSTS + j] =
                    (i + j) * 1e-6 + (cpm_model_crosses(m, i, j) ? 3e-6 : 0);
    return m;
}

static void switches_are_found_from_latencies(void **state)
{
    (void)state;
    for (int count = 1; count <= 4; count++)
        for (double noise = 0; noise < 0.1; noise += 0.05) {
            cpm_model *truth = latencies(count, 7);
            cpm_measurements m = measured_with(truth, cpm_switches_plan, NULL, NULL, noise, 400);
            cpm_measurements more =
                measured_with(truth, cpm_switches_plan_exchanges, &m, NULL, noise, 10);
            assert_true((count == 1) == (more.count > 0));
            cpm_hosts found;
            cpm_switches_signs exchanged;
            char *text, *hosts;
            assert_int_equal(m.count, HOSTS * (HOSTS - 1) / 2);
            assert_int_equal(cpm_switches_find(&m, &more, &found, &exchanged, NULL), CPM_OK);
            assert_true((count == 1) == (exchanged.across > 0));
            assert_int_equal(found.count, count);
            assert_memory_equal(found.of, truth->switches.of, sizeof(int[HOSTS]));
            assert_int_equal(cpm_switches_text(&m, &found, &exchanged, &text, NULL), CPM_OK);
            assert_int_equal(asprintf(&hosts, "host h11 switch%d\n", 11 % count), 17);
            assert_non_null(strstr(text, hosts));
            free(hosts);
            free(text);
            cpm_hosts_clear(&found);
            cpm_measurements_clear(&more);
            cpm_measurements_clear(&m);
            cpm_model_free(truth);
        }
}

/* Trunks that carry that share of their hosts' links together, and add no latency. */
static cpm_model *silent(int count, double share)
{
    cpm_model *m = latencies(1, 7), *on = star(count, 7);
    assert_int_equal(cpm_model_set_switches(m, &on->switches, NULL), CPM_OK);
    for (int u = 0; u < count; u++) {
        double together = 0;
        for (int i = u; i < HOSTS; i += count)
            together += 1 / m->value[CPM_LMO2_GO][i];
        m->value[CPM_LMO2_UP][u] = m->value[CPM_LMO2_DOWN][u] = 1 / (share * together);
    }
    set_links(m);
    cpm_model_free(on);
    return m;
}

static void silent_switches_are_found_from_exchanges(void **state)
{
    (void)state;
    for (int count = 2; count <= 4; count++) {
        cpm_model *truth = silent(count, 0.25);
        cpm_measurements m = measured_with(truth, cpm_switches_plan, NULL, NULL, 0.02, 10), more;
        more = measured_with(truth, cpm_switches_plan_exchanges, &m, NULL, 0.02, 10);
        cpm_hosts found;
        cpm_switches_signs exchanged;
        assert_int_equal(cpm_switches_find(&m, &more, &found, &exchanged, NULL), CPM_OK);
        assert_int_equal(found.count, count);
        assert_memory_equal(found.of, truth->switches.of, sizeof(int[HOSTS]));
        assert_true(exchanged.within < 1.2 && exchanged.across > 1.3);
        cpm_hosts_clear(&found);
        cpm_measurements_clear(&more);
        cpm_measurements_clear(&m);
        cpm_model_free(truth);
    }
}

static void silent_switches_that_are_never_full_are_one(void **state)
{
    (void)state;
    cpm_model *truth = silent(3, 1);
    cpm_measurements m = measured_with(truth, cpm_switches_plan, NULL, NULL, 0.02, 10), more;
    more = measured_with(truth, cpm_switches_plan_exchanges, &m, NULL, 0.02, 10);
    cpm_hosts found;
    cpm_switches_signs exchanged;
    assert_int_equal(cpm_switches_find(&m, &more, &found, &exchanged, NULL), CPM_OK);
    assert_int_equal(found.count, 1);
    assert_true(exchanged.within >= 1 && exchanged.across == exchanged.within);
    cpm_hosts_clear(&found);
    cpm_measurements_clear(&more);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void few_hosts_do_not_show_their_switches(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo2(3, 8);
    cpm_measurements m = measured_with(truth, cpm_switches_plan, NULL, NULL, 0, 2);
    cpm_hosts found;
    cpm_switches_signs exchanged;
    cpm_error e = {0};
    assert_int_equal(cpm_switches_find(&m, &m, &found, &exchanged, &e), CPM_EDATA);
    assert_string_equal(e.text, "switches cannot be found from 3 hosts, it takes 4");
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_trunk_has_its_own_capacity),
        cmocka_unit_test(trunks_that_carry_all_are_not_shared),
        cmocka_unit_test(long_messages_use_a_trunk_one_at_a_time),
        cmocka_unit_test(a_crowd_that_was_torn_has_other_partners),
        cmocka_unit_test(switches_are_found_from_latencies),
        cmocka_unit_test(silent_switches_are_found_from_exchanges),
        cmocka_unit_test(silent_switches_that_are_never_full_are_one),
        cmocka_unit_test(few_hosts_do_not_show_their_switches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
