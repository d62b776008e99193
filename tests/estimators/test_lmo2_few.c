/* Hosts with two or three processes: what these show of what their messages share is found, and the
 * rest makes no difference to them. */
#include "fitted_levels.h"

enum { FEW = 3, HOSTS = 3 };

/* What messages share takes so many times as long per byte as one of them alone; 0: they do not
 * share it. */
typedef struct {
    bool fetched;
    double memory, fetching, source, copying, overwriting;
} sharing;

/* Receivers copy long messages, or not; what is shared is shared by all, or by less. */
static const sharing ways[] = {
    {false, .memory = 0},
    {false, .memory = 1},
    {false, .memory = 0.7},
    {true, .memory = 0},
    {true, .memory = 1},
    {true, .memory = 0.7, .fetching = 0.8},
    {true, .memory = 1, .fetching = 0.7},
    {true, .memory = 0.7, .copying = 0.8},
    {true, .memory = 1, .fetching = 0.6, .copying = 0.8},
    {true, .memory = 0.7, .source = 0.8},
    {true, .memory = 0, .source = 0.9, .copying = 0.7, .overwriting = 0.1},
    {true, .memory = 0, .overwriting = 0.2},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void set_shared(cpm_model *m, int p, double times)
{
    size_t hosts = (size_t)m->classes.count, last = (size_t)(m->inside.count - 1) * hosts;
    for (size_t h = 0; h < hosts; h++)
        m->value[p][h] = times > 0 ? times * m->value[CPM_LMO2_INSIDE_INVBETA][last + h] : NAN;
}

/* Hosts with so many processes each. */
static cpm_model *hosts_that_share(const sharing *s, int hosts, int each, unsigned seed)
{
    int host[HOSTS * FEW], n = hosts * each;
    for (int i = 0; i < n; i++)
        host[i] = i / each;
    cpm_model *m = hosts_model(host, n, seed);
    for (int h = 0; h < hosts; h++) /* buffered messages are as fast */
        m->value[CPM_LMO2_INSIDE_INVBETA][h] = m->value[CPM_LMO2_INSIDE_INVBETA][hosts + h];
    set_shared(m, CPM_LMO2_MEMORY, s->memory);
    set_shared(m, CPM_LMO2_FETCHING, s->fetching);
    set_shared(m, CPM_LMO2_SOURCE, s->source);
    set_shared(m, CPM_LMO2_COPYING, s->copying);
    set_shared(m, CPM_LMO2_OVERWRITING, s->overwriting);
    m->value[CPM_LMO2_FETCHED][0] =
        s->fetched ? m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0] : (double)NAN;
    return m;
}

static double predicted(const cpm_model *m, const cpm_collective *c, size_t bytes)
{
    return cpm_predict_bytes(m, c, bytes, NULL, NULL, NULL);
}

/* Fails if fit is farther off than that for any size from 1 byte to 1 MB. */
static void expect_same_times(const cpm_collective *c, const cpm_model *truth, const cpm_model *fit,
                              double tolerance, int way)
{
    for (size_t bytes = 1; bytes <= 1 << 20; bytes *= 16) {
        double real = predicted(truth, c, bytes), seen = predicted(fit, c, bytes);
        if (!(fabs(seen / real - 1) < tolerance)) {
            char name[CPM_COLLECTIVE_NAME];
            cpm_collective_print(c, name, sizeof name);
            fail_msg("way %d, %d processes: %s of %zu bytes: %g instead of %g", way, truth->n, name,
                     bytes, seen, real);
        }
    }
}

/* Of all algorithms that apply. */
static void expect_same_of_all(const cpm_model *truth, const cpm_model *fit, double tolerance,
                               int way)
{
    int applied = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        cpm_collective c;
        assert_int_equal(cpm_collective_of(a, &c, NULL), CPM_OK);
        c.at.n = truth->n;
        if (cpm_collective_applies(&c, NULL) || predicted(truth, &c, 1) <= 0)
            continue;
        applied++;
        expect_same_times(&c, truth, fit, tolerance, way);
    }
    assert_true(applied > 80);
}

/* Among the processes of each host. */
static void expect_found(int hosts, int each, double noise, double tolerance)
{
    for (int way = 0; way < WAYS; way++) {
        cpm_model *truth = hosts_that_share(&ways[way], hosts, each, 7 + (unsigned)way);
        cpm_model *fit = estimated("lmo2", NULL, truth, noise, 20, 1);
        for (int h = 0; h < hosts; h++) {
            const int rank[FEW] = {h * each, h * each + 1, h * each + 2};
            cpm_model *real, *seen;
            assert_int_equal(cpm_model_subset(truth, rank, each, &real, NULL), CPM_OK);
            assert_int_equal(cpm_model_subset(fit, rank, each, &seen, NULL), CPM_OK);
            expect_same_of_all(real, seen, tolerance, way);
            cpm_model_free(real);
            cpm_model_free(seen);
        }
        cpm_model_free(fit);
        cpm_model_free(truth);
    }
}

static void two_processes_are_predicted_whatever_they_share(void **state)
{
    (void)state;
    expect_found(1, 2, 0, 0.01);
    expect_found(1, 2, 0.02, 0.1);
}

static void three_processes_are_predicted_whatever_they_share(void **state)
{
    (void)state;
    expect_found(1, FEW, 0, 0.01);
    expect_found(1, FEW, 0.02, 0.1);
}

/* Each host has its own. */
static void so_are_several_hosts_with_so_few(void **state)
{
    (void)state;
    expect_found(HOSTS, 2, 0, 0.01);
    expect_found(HOSTS, FEW, 0, 0.01);
}

static double of_alone(const cpm_model *m, int p)
{
    return m->value[p][0] / m->value[CPM_LMO2_INSIDE_INVBETA][m->inside.count - 1];
}

/* What six messages at once fill, two do not. */
static void three_processes_show_a_memory_that_two_do_not_fill(void **state)
{
    (void)state;
    for (int each = 2; each <= FEW; each++) {
        cpm_model *truth = hosts_that_share(&(sharing){false, .memory = 0.4}, 1, each, 3);
        cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
        bool said = strstr(fit->notes, CPM_LMO2_MEMORY_UNKNOWN) != NULL;
        if (each == 2)
            assert_true(said && isnan(fit->value[CPM_LMO2_MEMORY][0]));
        else
            assert_true(!said && fabs(of_alone(fit, CPM_LMO2_MEMORY) / 0.4 - 1) < 1e-3);
        expect_same_of_all(truth, fit, 0.01, -1);
        cpm_model_free(fit);
        cpm_model_free(truth);
    }
}

/* Two processes cannot tell these apart, three can: in a circle each copies one message and is
 * copied from once, but three are copied at once. */
static void three_processes_tell_the_memory_from_copying_both_ways(void **state)
{
    (void)state;
    const sharing apart[] = {{true, .memory = 0.7, .fetching = 0.8},
                             {true, .memory = 0.7, .copying = 0.8}};
    for (int k = 0; k < 2; k++) {
        cpm_model *truth = hosts_that_share(&apart[k], 1, FEW, 5);
        cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
        int is = k ? CPM_LMO2_COPYING : CPM_LMO2_FETCHING;
        int is_not = k ? CPM_LMO2_FETCHING : CPM_LMO2_COPYING;
        assert_true(fabs(of_alone(fit, is) / 0.8 - 1) < 1e-3);
        assert_true(isnan(fit->value[is_not][0]));
        cpm_model_free(fit);
        cpm_model_free(truth);
    }
}

/* Every experiment of few processes is there once, and none of more. */
static void hosts_with_four_processes_measure_nothing_of_few(void **state)
{
    (void)state;
    for (int n = 2; n <= 4; n++) {
        cpm_estimation options = without_thresholds();
        cpm_model *truth = hosts_model((const int[]){0, 0, 0, 0}, n, 2);
        cpm_measurements m = measured(estimator_of("lmo2", NULL), &options, truth, 0, 2, 1);
        int triples = 0, exchanges = 0, sent_back = 0, trips = 0;
        for (int q = 0; q < m.count; q++) {
            const cpm_experiment_kind *kind = m.at[q].what.kind;
            triples += kind == &cpm_experiment_kinds[CPM_CROWDED_TRIPLE];
            exchanges += kind == &cpm_experiment_kinds[CPM_CROWDED_EXCHANGE];
            sent_back += kind == &cpm_experiment_kinds[CPM_SENT_BACK];
            trips += kind == &cpm_experiment_kinds[CPM_CROWDED_TRIP];
        }
        assert_int_equal(triples, n == 3 ? 2 : 0);   /* buffered and synchronous messages */
        assert_int_equal(exchanges, n == 3 ? 1 : 2); /* of four processes two pairs */
        assert_int_equal(sent_back, n == 2 ? 1 : 0);
        assert_int_equal(trips, n == 4 ? 6 : 0);
        cpm_measurements_clear(&m);
        cpm_model_free(truth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_processes_are_predicted_whatever_they_share),
        cmocka_unit_test(three_processes_are_predicted_whatever_they_share),
        cmocka_unit_test(so_are_several_hosts_with_so_few),
        cmocka_unit_test(three_processes_show_a_memory_that_two_do_not_fill),
        cmocka_unit_test(three_processes_tell_the_memory_from_copying_both_ways),
        cmocka_unit_test(hosts_with_four_processes_measure_nothing_of_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
