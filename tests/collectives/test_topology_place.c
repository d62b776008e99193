/* Processes on the hosts of a network: ways between them are those of their hosts. */
#include "collectives/topology_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collectives/collective.h"
#include "random_topology.h"

enum { MOST = 64 };

/* Links from one node to another: as many as there are nodes below their nearest common one. */
static int distance(const cpm_topology *t, int from, int to)
{
    int *parent = malloc((size_t)t->nodes * sizeof *parent), links = 0;
    assert_int_equal(cpm_topology_orient(t, from, parent, NULL, NULL), CPM_OK);
    for (int v = to; v != from; v = parent[v])
        links++;
    free(parent);
    return links;
}

static void assert_ways(const cpm_topology *network, const cpm_topology *placed, const int *host,
                        const int *on_host)
{
    for (int i = 0; i < placed->hosts; i++)
        for (int j = 0; j < placed->hosts; j++) {
            int more = (on_host[host[i]] > 1) + (on_host[host[j]] > 1);
            if (i == j)
                continue;
            if (host[i] == host[j])
                assert_int_equal(distance(placed, i, j), 2);
            else
                assert_int_equal(distance(placed, i, j),
                                 distance(network, host[i], host[j]) + more);
        }
}

static void ways_between_processes_are_those_of_their_hosts(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 60; seed++) {
        unsigned chance = seed;
        cpm_topology *network = random_topology(seed), *placed;
        int n = 2 + (int)draw(&chance, 20), host[MOST], on_host[MOST] = {0};
        const char *name[MOST];
        cpm_error e = {0};
        for (int i = 0; i < n; i++) {
            host[i] = (int)draw(&chance, (unsigned)network->hosts);
            name[i] = network->name[host[i]];
            on_host[host[i]]++;
        }
        if (cpm_topology_of_processes(network, "net", name, n, &placed, &e))
            fail_msg("%s", e.text);
        assert_int_equal(placed->hosts, n);
        assert_ways(network, placed, host, on_host);
        cpm_topology_free(placed);
        cpm_topology_free(network);
    }
}

/* Two processes on each of the hosts a, b, c and d in turn; a and b are at one switch. */
static void algorithms_follow_the_processes(void **state)
{
    (void)state;
    cpm_topology *network = topology_of("switch s\nswitch t\nlink s t\n"
                                        "host d t\nhost a s\nhost c t\nhost b s\n",
                                        NULL),
                 *placed;
    const char *name[] = {"a", "c", "b", "d", "a", "c", "b", "d"};
    int order[8];
    assert_int_equal(cpm_topology_of_processes(network, "net", name, 8, &placed, NULL), CPM_OK);
    assert_int_equal(cpm_topology_ring(placed, 8, order, NULL), CPM_OK);
    int crossings = 0;
    for (int k = 0; k < 8; k += 2) {
        assert_string_equal(name[order[k]], name[order[k + 1]]);
        crossings += order[k] % 2 != order[(k + 2) % 8] % 2; /* c and d have odd ranks */
    }
    assert_int_equal(crossings, 2);
    char first[CPM_FINGERPRINT], other[CPM_FINGERPRINT];
    cpm_placement_fingerprint(&(cpm_placement){.topology = placed}, first);
    cpm_topology_free(placed);
    name[0] = "b";
    assert_int_equal(cpm_topology_of_processes(network, "net", name, 8, &placed, NULL), CPM_OK);
    cpm_placement_fingerprint(&(cpm_placement){.topology = placed}, other);
    assert_string_not_equal(first, other);
    cpm_topology_free(placed);
    cpm_topology_free(network);
}

static void hosts_that_are_not_there_are_named(void **state)
{
    (void)state;
    cpm_topology *network = topology_of("switch s\nhost a s\nhost b s\n", NULL);
    static const struct {
        const char *name, *says;
    } wrong[] = {
        {"c", "net: process 1 is on host 'c', which is none of the 2 there"},
        {"s", "net:1: 's' is a switch, but process 1 is on a host 's'"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const char *name[] = {"a", wrong[k].name};
        cpm_topology *placed = NULL;
        cpm_error e = {0};
        assert_int_equal(cpm_topology_of_processes(network, "net", name, 2, &placed, &e),
                         CPM_EINVAL);
        assert_null(placed);
        if (!strstr(e.text, wrong[k].says))
            fail_msg("expected \"%s\" in \"%s\"", wrong[k].says, e.text);
    }
    cpm_topology_free(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_between_processes_are_those_of_their_hosts),
        cmocka_unit_test(algorithms_follow_the_processes),
        cmocka_unit_test(hosts_that_are_not_there_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
