/* What is packed loads no trunk and no slow link end more than it must. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "at_switches.h"
#include "mapping/packing.h"

enum { WAYS = 3, SLOW = 5 };

static void pack(const cpm_model *m, bool trees, bool reversed, int packed[WAYS * N])
{
    int order[N];
    cpm_hosts hosts;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    assert_int_equal(cpm_hosts_regular(N, 1, false, &hosts, NULL), CPM_OK);
    for (int k = 0; k < N; k++)
        order[k] = k;
    const packing p = {m, &hosts, order, 1 << 20, WAYS, reversed, random, 60};
    assert_int_equal(trees ? packing_trees(&p, packed, NULL) : packing_rings(&p, packed, NULL),
                     CPM_OK);
    gsl_rng_free(random);
    cpm_hosts_clear(&hosts);
}

static void rings_enter_each_switch_once(void **state)
{
    (void)state;
    cpm_model *m = at_switches();
    int rings[WAYS * N];
    pack(m, false, false, rings);
    for (int w = 0; w < WAYS; w++) {
        const int *ring = rings + w * N;
        int changes = 0, seen[N] = {0};
        for (int k = 0; k < N; k++) {
            assert_int_equal(seen[ring[k]]++, 0);
            changes += ring[k] % SWITCHES != ring[(k + 1) % N] % SWITCHES;
        }
        assert_int_equal(changes, SWITCHES);
    }
    cpm_model_free(m);
}

/* All end at the root. */
static void are_trees(const int *parent, int root)
{
    for (int w = 0; w < WAYS; w++)
        for (int v = 0; v < N; v++) {
            int steps = 0, at = v;
            for (; parent[w * N + at] >= 0; at = parent[w * N + at])
                assert_true(++steps < N);
            assert_int_equal(at, root);
        }
}

static int children(const int *parent, int host)
{
    int count = 0;
    for (int k = 0; k < WAYS * N; k++)
        count += parent[k] == host;
    return count;
}

/* Of a spreading tree the outgoing one, of a collecting tree the incoming one. */
static void a_host_with_a_slow_end_is_a_leaf(void **state)
{
    (void)state;
    for (int reversed = 0; reversed < 2; reversed++) {
        cpm_model *m = random_lmo2(N, 7);
        int parent[WAYS * N];
        for (int h = 0; h < N; h++)
            m->value[CPM_LMO2_GO][h] = m->value[CPM_LMO2_GI][h] = 8e-9;
        pack(m, true, reversed, parent);
        are_trees(parent, 0);
        assert_true(children(parent, 0) >= WAYS);
        m->value[reversed ? CPM_LMO2_GI : CPM_LMO2_GO][SLOW] = 200e-9;
        pack(m, true, reversed, parent);
        are_trees(parent, 0);
        assert_int_equal(children(parent, SLOW), 0);
        cpm_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_enter_each_switch_once),
        cmocka_unit_test(a_host_with_a_slow_end_is_a_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
