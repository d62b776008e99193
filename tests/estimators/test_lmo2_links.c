/* Links of a model that plays a torus or a fat tree are fitted back, if the shape is declared. */
#include "measured.h"

#include <stdio.h>
#include <stdlib.h>

#include "collectives/network_shapes.h"
#include "collectives/topology_tree.h"
#include "estimators/lmo2_links.h"
#include "models/experiments.h"
#include "models/lmo2.h"

enum { HOSTS = 16 };

static bool is_wire(const char *name)
{
    return strpbrk(name, "+-:") != NULL;
}

/* Wires take so long per byte, but the first one of two hosts that are not next to each other takes
 * twice as long; switches are never full. */
static void plant_links(cpm_model *m, const char *shape, double wire)
{
    cpm_links l;
    assert_int_equal(cpm_links_of_shape(shape, HOSTS, &l, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &l, NULL), CPM_OK);
    for (int k = 0; k < l.count; k++)
        m->value[CPM_LMO2_LINK][k] = is_wire(l.name[k]) ? wire : NAN;
    int count, k = 0;
    const int *way = cpm_links_way(&l, 0, 5, &count);
    while (!is_wire(l.name[way[k]]))
        k++;
    m->value[CPM_LMO2_LINK][way[k]] = 2 * wire;
    cpm_links_clear(&l);
}

/* A message alone is as fast as the narrowest on its way. */
static void set_speeds(cpm_model *m)
{
    for (int i = 0; i < HOSTS; i++)
        for (int j = 0; j < HOSTS; j++) {
            int count;
            const int *way = cpm_links_way(&m->links, i, j, &count);
            double narrowest = fmax(m->value[CPM_LMO2_GO][i], m->value[CPM_LMO2_GI][j]);
            for (int u = 0; u < count; u++)
                narrowest = fmax(narrowest, m->value[CPM_LMO2_LINK][way[u]]);
            for (int k = 0; k < m->sizes.count && i != j; k++)
                m->value[CPM_LMO2_INVBETA][(k * HOSTS + i) * HOSTS + j] = narrowest;
        }
}

static cpm_model *network(const char *shape, double wire)
{
    cpm_model *m = random_lmo2(HOSTS, 3);
    for (int i = 0; i < HOSTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "h%d", i);
        assert_int_equal(cpm_model_set_host(m, i, name, NULL), CPM_OK);
        m->value[CPM_LMO2_GO][i] = m->value[CPM_LMO2_GI][i] = 8e-9;
    }
    plant_links(m, shape, wire);
    set_speeds(m);
    return m;
}

/* The topology's file is given a name. */
static cpm_model *estimated_on(const cpm_model *truth, const cpm_topology *t, const char *file,
                               double noise, int reps)
{
    cpm_estimation options = without_thresholds();
    cpm_estimator_context context = {estimator_of("lmo2", NULL), &options};
    cpm_machine *machine;
    cpm_measurements m = {0};
    cpm_error e = {0};
    cpm_campaign campaign = {.precision = {reps, reps, 0.95, 0.025, CPM_MEDIAN, 0},
                             .topology = t,
                             .topology_file = file};
    assert_int_equal(cpm_synthetic_create(truth, noise, 1, &machine, &e), CPM_OK);
    if (cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, &m, &e))
        fail_msg("%s", e.text);
    machine->free(machine);
    cpm_model *fit = fitted(context.estimator, &options, &m);
    cpm_measurements_clear(&m);
    return fit;
}

static cpm_model *estimated_network(const cpm_model *truth, const char *shape, double noise,
                                    int reps)
{
    cpm_topology *t;
    assert_int_equal(cpm_topology_of_shape(shape, &t, NULL), CPM_OK);
    cpm_model *fit = estimated_on(truth, t, shape, noise, reps);
    cpm_topology_free(t);
    return fit;
}

/* Whether two pairs that have no host in common use it: only these show what it carries. */
static bool can_meet(const cpm_links *l, int link)
{
    bool from[HOSTS] = {0}, to[HOSTS] = {0};
    int senders = 0, receivers = 0;
    for (int i = 0; i < HOSTS; i++)
        for (int j = 0; j < HOSTS; j++) {
            int count;
            const int *way = cpm_links_way(l, i, j, &count);
            for (int u = 0; u < count; u++)
                if (way[u] == link)
                    from[i] = to[j] = true;
        }
    for (int i = 0; i < HOSTS; i++) {
        senders += from[i];
        receivers += to[i];
    }
    return senders > 1 && receivers > 1;
}

/* All wires that can be known are as slow as planted. */
static void expect_wires(const cpm_model *fit, const cpm_model *truth, double tolerance)
{
    int wires = 0;
    assert_int_equal(fit->links.count, truth->links.count);
    for (int k = 0; k < fit->links.count; k++) {
        assert_string_equal(fit->links.name[k], truth->links.name[k]);
        double planted = truth->value[CPM_LMO2_LINK][k], found = fit->value[CPM_LMO2_LINK][k];
        if (isnan(planted) || !can_meet(&fit->links, k))
            continue;
        wires++;
        if (!(fabs(found / planted - 1) < tolerance))
            fail_msg("%s: %g instead of %g", fit->links.name[k], found, planted);
    }
    assert_true(wires >= 8);
}

/* Every other group of so many hosts sends several messages to the next one: seconds on average. */
static double shifted(const cpm_model *m, int by)
{
    cpm_experiment x[HOSTS];
    double seconds[HOSTS], sum = 0;
    int pairs = 0;
    for (int i = 0; i + by < HOSTS; i++)
        if (i / by % 2 == 0) {
            x[pairs] = cpm_experiment_pair(CPM_CROWDED_BURST, i, i + by, 60000, 0);
            x[pairs++].count = 4;
        }
    assert_int_equal(cpm_model_experiments(m, x, pairs, seconds, NULL), CPM_OK);
    for (int q = 0; q < pairs; q++)
        sum += seconds[q];
    return sum / pairs;
}

static void expect_shifts(const cpm_model *fit, const cpm_model *truth, double tolerance)
{
    for (int by = 1; by < HOSTS; by++) {
        double found = shifted(fit, by), planted = shifted(truth, by);
        if (!(fabs(found / planted - 1) < tolerance))
            fail_msg("over %d hosts: %g instead of %g", by, found, planted);
    }
}

static void expect_found(const char *shape, double noise, int reps, double wires, double shifts)
{
    cpm_model *truth = network(shape, 9e-9), *fit = estimated_network(truth, shape, noise, reps);
    expect_wires(fit, truth, wires);
    expect_shifts(fit, truth, shifts);
    cpm_model_free(fit);
    cpm_model_free(truth);
}

static void the_wires_of_a_torus_are_found(void **state)
{
    (void)state;
    expect_found("torus 4x4", 0, 2, 0.08, 0.08);
}

static void the_wires_of_a_fat_tree_are_found(void **state)
{
    (void)state;
    expect_found("fat-tree 4,4 1,2 1,1", 0, 2, 0.08, 0.08);
}

static void noise_hides_no_wires(void **state)
{
    (void)state;
    expect_found("fat-tree 4,4 1,2 1,1", 0.02, 20, 0.12, 0.1);
}

/* Wires that carry more than the hosts that use them send are not shared. */
static void wide_wires_are_not_shared(void **state)
{
    (void)state;
    const char *shape = "fat-tree 4,4 1,2 1,1";
    cpm_model *truth = network(shape, 0.5e-9), *fit = estimated_network(truth, shape, 0, 2);
    for (int k = 0; k < fit->links.count; k++)
        if (can_meet(&fit->links, k))
            assert_true(isnan(fit->value[CPM_LMO2_LINK][k]));
    assert_non_null(strstr(fit->notes, "links inside it"));
    cpm_model_free(fit);
    cpm_model_free(truth);
}

/* Four switches of four hosts, of which only the tree is known. */
static cpm_topology *tree_of_switches(void)
{
    cpm_topology *t;
    char text[1024];
    int used = snprintf(text, sizeof text, "switch core\n");
    for (int u = 0; u < 4; u++)
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "switch s%d\nlink s%d core\n", u, u);
    for (int i = 0; i < HOSTS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "host h%d s%d\n", i, i / 4);
    assert_int_equal(cpm_topology_parse(text, "tree", &t, NULL), CPM_OK);
    return t;
}

/* A switch has as many cables up as hosts, each as fast as a host: if partners are dealt well no
 * two messages meet on one, and its trunk is never full. */
static void cables_of_static_routes_are_no_slow_trunk(void **state)
{
    (void)state;
    cpm_model *truth = network("fat-tree 4,4 1,4 1,1", 8e-9);
    for (int k = 0; k < truth->links.count; k++)
        if (is_wire(truth->links.name[k]))
            truth->value[CPM_LMO2_LINK][k] = 8e-9;
    set_speeds(truth);
    cpm_topology *t = tree_of_switches();
    cpm_model *fit = estimated_on(truth, t, "tree", 0, 2);
    assert_int_equal(fit->switches.count, 4);
    for (int u = 0; u < 4; u++)
        assert_true(isnan(fit->value[CPM_LMO2_UP][u]) && isnan(fit->value[CPM_LMO2_DOWN][u]));
    cpm_topology_free(t);
    cpm_model_free(fit);
    cpm_model_free(truth);
}

/* A slow line between two sites of eight hosts. */
static cpm_model *sites(void)
{
    cpm_model *m = network("torus 4x4", 9e-9);
    cpm_links l;
    assert_int_equal(cpm_links_of_line("there 0-7 > 8-15 | back 8-15 > 0-7", HOSTS, &l, NULL),
                     CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &l, NULL), CPM_OK);
    m->value[CPM_LMO2_LINK][0] = m->value[CPM_LMO2_LINK][1] = 20e-9;
    set_speeds(m);
    cpm_links_clear(&l);
    return m;
}

static cpm_topology *line_between_sites(void)
{
    cpm_topology *t;
    char text[1024];
    int used = snprintf(text, sizeof text, "switch s\n");
    for (int i = 0; i < HOSTS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "host h%d s\n", i);
    snprintf(text + used, sizeof text - (size_t)used,
             "shared there h[0-7] > h[89] h1?\nshared back h[89] h1? > h[0-7]\n");
    assert_int_equal(cpm_topology_parse(text, "sites", &t, NULL), CPM_OK);
    return t;
}

/* Messages of a few hundred bytes meet on it, too, if all pairs are measured at once. */
static void short_messages_are_measured_apart(void **state)
{
    (void)state;
    static const size_t bytes[] = {200, 1000, 3000, 60000};
    cpm_model *truth = sites();
    cpm_topology *t = line_between_sites();
    cpm_model *fit = estimated_on(truth, t, "sites", 0, 2);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < HOSTS; i++) {
            cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, i, (i + 8) % HOSTS, bytes[k], 0);
            double found, planted;
            assert_int_equal(cpm_model_experiments(fit, &x, 1, &found, NULL), CPM_OK);
            assert_int_equal(cpm_model_experiments(truth, &x, 1, &planted, NULL), CPM_OK);
            if (!(fabs(found / planted - 1) < 0.01))
                fail_msg("%zu bytes from host %d: %g instead of %g s", bytes[k], i, found, planted);
        }
    cpm_topology_free(t);
    cpm_model_free(fit);
    cpm_model_free(truth);
}

/* Bursts of a round have no process in common, and meet on one link only where they are one. */
static void bursts_of_a_round_do_not_meet(void **state)
{
    (void)state;
    cpm_links l;
    cpm_design next = {0};
    assert_int_equal(cpm_links_of_shape("torus 4x4", HOSTS, &l, NULL), CPM_OK);
    assert_int_equal(cpm_lmo2_links_plan(&l, 65536, &next, NULL), CPM_OK);
    assert_true(next.rounds > 0);
    for (int r = 0, q = 0; r < next.rounds; r++) {
        bool busy[HOSTS] = {0};
        size_t burst[1024] = {0}; /* by which each link is used */
        for (; q < next.end[r]; q++) {
            const cpm_experiment *x = &next.at[q];
            int count;
            const int *way = cpm_links_way(&l, x->i, x->j, &count);
            assert_false(busy[x->i] || busy[x->j]);
            busy[x->i] = busy[x->j] = true;
            for (int u = 0; u < count; u++) {
                assert_true(burst[way[u]] == 0 || burst[way[u]] == x->reply_bytes);
                burst[way[u]] = x->reply_bytes;
            }
        }
    }
    cpm_design_clear(&next);
    cpm_links_clear(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wires_of_a_torus_are_found),
        cmocka_unit_test(the_wires_of_a_fat_tree_are_found),
        cmocka_unit_test(noise_hides_no_wires),
        cmocka_unit_test(wide_wires_are_not_shared),
        cmocka_unit_test(cables_of_static_routes_are_no_slow_trunk),
        cmocka_unit_test(short_messages_are_measured_apart),
        cmocka_unit_test(bursts_of_a_round_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
