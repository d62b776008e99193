/* Hosts at the same switch follow each other, and the tour begins where it is to begin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "at_switches.h"
#include "mapping/host_order.h"

static void switches_are_visited_one_after_the_other(void **state)
{
    (void)state;
    cpm_model *m = at_switches();
    cpm_hosts hosts;
    assert_int_equal(cpm_hosts_regular(N, 1, false, &hosts, NULL), CPM_OK);
    for (int first = 0; first < N; first++) {
        int order[N], changes = 0, seen[N] = {0};
        assert_int_equal(host_order(m, &hosts, first, 100000, order, NULL), CPM_OK);
        assert_int_equal(order[0], first);
        for (int k = 0; k < N; k++) {
            assert_int_equal(seen[order[k]]++, 0);
            changes += order[k] % SWITCHES != order[(k + 1) % N] % SWITCHES;
        }
        assert_int_equal(changes, SWITCHES);
    }
    cpm_hosts_clear(&hosts);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_are_visited_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
