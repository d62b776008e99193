/* Topologies: what a file may say, and the ring that follows the tree. */
#include "collectives/network_shapes.h"
#include "collectives/topology_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_topology.h"

static void a_file_is_read_in_its_order(void **state)
{
    (void)state;
    cpm_topology *t = topology_of("# two racks\n"
                                  "switch s0\nswitch  s1 # the other\n"
                                  "\thost b s1\n\nhost a s0\r\nlink s0 s1\nhost c s1",
                                  NULL);
    assert_non_null(t);
    const char *names[] = {"b", "a", "c", "s0", "s1"};
    const int first[] = {0, 1, 2, 3, 5, 8}, neighbour[] = {4, 3, 4, 1, 4, 0, 3, 2};
    assert_int_equal(t->hosts, 3);
    assert_int_equal(t->nodes, 5);
    for (int v = 0; v < 5; v++)
        assert_string_equal(t->name[v], names[v]);
    assert_memory_equal(t->first, first, sizeof first);
    assert_memory_equal(t->neighbour, neighbour, sizeof neighbour);
    cpm_topology_free(t);
}

static void bad_files_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "net:1: the file ends without a line 'host"},
        {"switch a\n\n", "net:2: the file ends without a line 'host"},
        {"switch a\nhost h b\n", "net:2: unknown switch 'b'"},
        {"switch a\nhost h a\nlink a b\n", "net:3: unknown switch 'b'"},
        {"switch a\nswitch a\n", "net:2: 'a' is already the name of the switch of line 1"},
        {"switch a\nhost a a\n", "net:2: 'a' is already the name of the switch of line 1"},
        {"switch a\nhost h a\nhost h a\n", "net:3: 'h' is already the name of the host of line 2"},
        {"switch a\nhost h a\nlink h a\n", "net:3: 'h' is the host of line 2, not a switch"},
        {"switch a\nhost h a\nhost i h\n", "net:3: 'h' is the host of line 2, not a switch"},
        {"switch a\nlink a a\n", "net:2: the link between 'a' and 'a' closes a cycle"},
        {"switch a\nswitch b\nlink a b\nlink b a\n",
         "net:4: a second link between 'b' and 'a' (the first is in line 3)"},
        {"switch a\nswitch b\nswitch c\nlink a b\nlink b c\nlink c a\n",
         "net:6: the link between 'c' and 'a' closes a cycle"},
        {"switch a\nhost h a\nswitch b\nhost i b\n", "net:3: 'b' is not connected with 'a'"},
        {"switch a\nhost h a\nhost i\n", "net:3: host 'i' has no switch: expected 'host NAME "
                                         "SWITCH', or a line 'shape ...' before"},
        {"switch a b\n", "net:1: expected 'switch NAME'"},
        {"switch a\nrouter b\n", "found 'router ...'"},
        {"switch a\nshape torus 2\n",
         "net:2: 'shape' must come before hosts, and without switches"},
        {"shape ring 2\n", "net:1: expected 'shape torus ...', 'fat-tree ...' or 'dragonfly ...'"},
        {"host a\nshape torus 2\nhost b\n", "net:1: host 'a' has no switch"},
        {"\nshape torus 2x2\nhost a\nhost b\n", "net:2: 'torus 2x2' has 4 hosts, but there are 2"},
        {"shape torus 2y1\nhost a\nhost b\n", "net:1: 'torus 2y1': expected 'torus 4x4x2'"},
        {"shape fat-tree 2\nhost a\nhost b\n", "net:1: 'fat-tree 2': expected 'fat-tree 4,4"},
        {"shape dragonfly 2\nhost a\nhost b\n", "net:1: 'dragonfly 2': expected 'dragonfly 3,1"},
        {"shape torus 2\nhost a\nhost b\nshared x a > b\n",
         "net:4: a network has a 'shape', or 'shared' links, not both"},
        {"switch s\nshared x a > b\nhost a s\n", "net:2: no host is called 'b'"},
        {"switch s\nhost a s\nhost b s\nshared x\n",
         "net:4: expected 'shared NAME HOSTS > HOSTS' or 'shared NAME HOSTS <> HOSTS'"},
        {"switch s\nhost a s\nhost b s\n\nshared x a >> b\n",
         "net:5: expected 'shared NAME HOSTS > HOSTS'"},
        {"switch s\nhost a s\nhost b s\nshared x a > b > a\n",
         "net:4: expected 'shared NAME HOSTS > HOSTS'"},
        {"switch s\nhost a s\nhost b s\nshared x a > a\n",
         "net:4: link 'x' is used by no pair of hosts"},
        {"switch s\nhost a s\nhost b s\nshared x a >\n",
         "net:4: link 'x' is used by no pair of hosts"},
        {"switch s\nhost a s\nhost b s\nshared x|y a > b\n",
         "net:4: link 'x|y': expected a name of up to 255 bytes without blanks and '|'"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cpm_error e = {0};
        assert_null(topology_of(bad[k].text, &e));
        assert_int_equal(e.code, CPM_EPARSE);
        if (!strstr(e.text, bad[k].says))
            fail_msg("expected \"%s\" in \"%s\"", bad[k].says, e.text);
    }
}

static void expect_uses(const cpm_links *l, const char *line)
{
    char *text;
    assert_int_equal(cpm_links_line(l, &text, NULL), CPM_OK);
    assert_string_equal(text, line);
    free(text);
}

static void a_shape_needs_no_switches(void **state)
{
    (void)state;
    cpm_topology *t = topology_of("shape torus 3 # a ring\nhost a\nhost b\nhost c\n", NULL);
    cpm_links ring;
    char *line;
    assert_non_null(t);
    assert_int_equal(t->hosts, 3);
    assert_string_equal(t->name[1], "b");
    assert_int_equal(strncmp(t->shape, "torus 3", 7), 0);
    assert_int_equal(cpm_links_of_shape("torus 3", 3, &ring, NULL), CPM_OK);
    assert_int_equal(cpm_links_line(&ring, &line, NULL), CPM_OK);
    expect_uses(&t->links, line);
    free(line);
    cpm_links_clear(&ring);
    cpm_topology_free(t);
}

static void shared_links_are_beside_the_tree(void **state)
{
    (void)state;
    cpm_topology *t = topology_of("switch s\nshared wan a? <> b*\nhost a1 s\nhost a2 s\n"
                                  "host b1 s\nhost b2 s\nshared out a1 > a2 b1 # one way\n"
                                  "shared out b1 > a1\n",
                                  NULL);
    assert_non_null(t);
    assert_null(t->shape);
    expect_uses(&t->links, "wan 0-1 > 2-3; 2-3 > 0-1 | out 0 > 1-2; 2 > 0");
    cpm_topology_free(t);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    cpm_topology *t = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_topology_read("no/such/file", &t, &e), CPM_EIO);
    assert_non_null(strstr(e.text, "no/such/file"));
    cpm_error_clear(&e);
    assert_int_equal(cpm_topology_read(".", &t, &e), CPM_EIO);
    assert_null(t);
}

/* Counts the links on the way between two nodes, at their lower ends, by direction. */
static void use_links(const int *parent, const int *depth, int from, int to, int *up, int *down)
{
    while (from != to)
        if (depth[from] >= depth[to]) {
            up[from]++;
            from = parent[from];
        } else {
            down[to]++;
            to = parent[to];
        }
}

static void check_ring(const cpm_topology *t, int n)
{
    enum { MOST = 64 };
    int parent[MOST], order[MOST], depth[MOST] = {0}, up[MOST] = {0}, down[MOST] = {0};
    int ring[MOST], seen[MOST] = {0};
    assert_true(t->nodes <= MOST);
    assert_int_equal(cpm_topology_orient(t, t->hosts, parent, order, NULL), CPM_OK);
    for (int k = 1; k < t->nodes; k++)
        depth[order[k]] = depth[parent[order[k]]] + 1;
    assert_int_equal(cpm_topology_ring(t, n, ring, NULL), CPM_OK);
    assert_int_equal(ring[0], 0);
    for (int k = 0; k < n; k++) {
        assert_in_range(ring[k], 0, n - 1);
        assert_int_equal(seen[ring[k]]++, 0);
        use_links(parent, depth, ring[k], ring[(k + 1) % n], up, down);
    }
    for (int v = 0; v < t->nodes; v++) {
        assert_in_range(up[v], 0, 1);
        assert_in_range(down[v], 0, 1);
    }
}

static void a_ring_uses_every_link_at_most_once_per_direction(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 500; seed++) {
        cpm_topology *t = random_topology(seed);
        assert_non_null(t);
        for (int n = 1; n <= t->hosts; n++)
            check_ring(t, n);
        cpm_topology_free(t);
    }
}

static void more_processes_than_hosts_are_refused(void **state)
{
    (void)state;
    cpm_topology *t = topology_of("switch s\nhost a s\nhost b s\n", NULL);
    cpm_error e = {0};
    int order[3];
    assert_int_equal(cpm_topology_ring(t, 3, order, &e), CPM_EINVAL);
    assert_non_null(strstr(e.text, "for 1 to 2 processes, not for 3"));
    assert_int_equal(cpm_topology_ring(t, 0, order, NULL), CPM_EINVAL);
    cpm_topology_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_in_its_order),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(a_shape_needs_no_switches),
        cmocka_unit_test(shared_links_are_beside_the_tree),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
        cmocka_unit_test(a_ring_uses_every_link_at_most_once_per_direction),
        cmocka_unit_test(more_processes_than_hosts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
