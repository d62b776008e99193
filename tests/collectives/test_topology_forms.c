/* Topologies in the forms of other programs: what is recognised, what they say, what is refused. */
#include "collectives/topology_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/network_shapes.h"
#include "collectives/topology_links.h"
#include "collectives/topology_place.h"
#include "random_topology.h"

static const char *name_of_switch(const cpm_topology *t, const char *host)
{
    int v = cpm_topology_host(t, host);
    return v < 0 ? "none" : t->name[t->neighbour[t->first[v]]];
}

/* Links of the first hosts of a topology. */
static void expect_links(const cpm_topology *t, int hosts, const char *line)
{
    int like[64];
    cpm_links links;
    char *text;
    for (int h = 0; h < hosts; h++)
        like[h] = h;
    assert_int_equal(cpm_links_of_topology(t, like, hosts, &links, NULL), CPM_OK);
    assert_int_equal(cpm_links_line(&links, &text, NULL), CPM_OK);
    assert_string_equal(text, line);
    free(text);
    cpm_links_clear(&links);
}

static cpm_topology *good(const char *text)
{
    cpm_error e = {0};
    cpm_topology *t = topology_of(text, &e);
    if (!t)
        fail_msg("%s", e.text);
    return t;
}

typedef struct {
    const char *text, *says;
} wrong;

static void expect_refused(const wrong *bad, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        cpm_error e = {0};
        assert_null(topology_of(bad[k].text, &e));
        assert_int_equal(e.code, CPM_EPARSE);
        if (!strstr(e.text, bad[k].says))
            fail_msg("expected \"%s\" in \"%s\"", bad[k].says, e.text);
    }
}

/* ---- Slurm */

static void switches_of_slurm_are_a_tree(void **state)
{
    (void)state;
    cpm_topology *t = good("# topology.conf\n\n"
                           "switchname = s0 NODES=tux[0-1,9] LinkSpeed=900 # leaf\r\n"
                           "SwitchName=s1 \\\n  Nodes=tux[2-3],\\\ntux4\n"
                           "SwitchName=s2 Switches=\"s[0-1]\"\n");
    assert_int_equal(t->hosts, 6);
    assert_int_equal(t->nodes, 9);
    assert_string_equal(t->form, "Slurm's topology.conf");
    assert_string_equal(name_of_switch(t, "tux9"), "s0");
    assert_string_equal(name_of_switch(t, "tux4"), "s1");
    assert_string_equal(t->name[t->nodes - 1], "s2");
    assert_int_equal(t->line[5], 4);
    assert_null(t->fabric);
    expect_links(t, 6, "");
    cpm_topology_free(t);
}

static void inner_links_of_nested_switches_are_shared(void **state)
{
    (void)state;
    cpm_topology *t = good("SwitchName=top Switches=left,right\n"
                           "SwitchName=left Switches=a,b\n"
                           "SwitchName=right Switches=c,d,e\n"
                           "SwitchName=a Nodes=h[0-1]\nSwitchName=b Nodes=h2\n"
                           "SwitchName=c Nodes=h3\nSwitchName=d Nodes=h[4-5]\n"
                           "SwitchName=e Nodes=h6\n");
    assert_null(t->fabric);
    expect_links(t, 7,
                 "left>top 0-2 > 3-6 | top>right 0-2 > 3-6 | right>top 3-6 > 0-2 | "
                 "top>left 3-6 > 0-2");
    expect_links(t, 4, ""); /* one switch of hosts on the right: the link is its trunk */
    expect_links(t, 3, "");
    cpm_topology_free(t);
}

static void several_top_switches_of_slurm_are_at_a_core(void **state)
{
    (void)state;
    cpm_topology *t = good("SwitchName=a Nodes=h0\nSwitchName=b Nodes=h1\n"
                           "SwitchName=up Switches=b\n");
    assert_int_equal(t->nodes, 6);
    assert_null(t->fabric);
    assert_string_equal(t->name[5], "(core)");
    cpm_topology_free(t);
}

static void switches_at_several_others_are_a_fabric(void **state)
{
    (void)state;
    cpm_topology *t = good("SwitchName=a Nodes=h[0-1]\nSwitchName=b Nodes=h[2-3]\n"
                           "SwitchName=x Switches=a,b\nSwitchName=y Switches=a,b\n");
    assert_non_null(t->fabric);
    assert_string_equal(name_of_switch(t, "h3"), "b");
    expect_links(t, 4,
                 "a 0-1 > 0-3; 2-3 > 0-1 | b 0-1 > 2-3; 2-3 > 0-3 | b>x 2-3 > 0 | "
                 "x 0-1 > 2; 2-3 > 0 | x>a 2-3 > 0 | b>y 2-3 > 1 | y 0-1 > 3; 2-3 > 1 | "
                 "y>a 2-3 > 1 | a>x 0-1 > 2 | x>b 0-1 > 2 | a>y 0-1 > 3 | y>b 0-1 > 3");
    cpm_topology_free(t);
}

static void bad_files_of_slurm_are_refused_with_their_line(void **state)
{
    (void)state;
    static const wrong bad[] = {
        {"SwitchName=a Nodes=h0\nSwitchName=b Nodes=h[1-2],h0\n",
         "net:2: node 'h0' is at switch 'a' already (line 1)"},
        {"SwitchName=a Nodes=h0\n\nSwitchName=a Nodes=h1\n",
         "net:3: switch 'a' has a line already (1)"},
        {"SwitchName=a Nodes=h0\nSwitchName=b Switches=a,c\n",
         "net:2: switch 'c' below 'b' has no line 'SwitchName=c ...'"},
        {"SwitchName=a Nodes=h0\nSwitchName=b Switches=a,a\n",
         "net:2: switch 'a' is twice below 'b'"},
        {"SwitchName=t Switches=b\nSwitchName=a Nodes=h0 Switches=c\nSwitchName=b Switches=a\n"
         "SwitchName=c Switches=b\n",
         "is below itself: a loop"},
        {"SwitchName=a Nodes=h0 Switches=a\n", "net:1: switch 'a' is below itself: a loop"},
        {"SwitchName=a\n", "net:1: switch 'a' has neither 'Nodes=' nor 'Switches='"},
        {"SwitchName=a Switches=b\nSwitchName=b Switches=a\n",
         "net:2: the file ends without 'Nodes='"},
        {"SwitchName=a Nodes=h[0-\n", "net:1: expected ']' behind '[0-'"},
        {"SwitchName=a \\\n Nodes=h[3-1]\n", "net:1: expected numbers as in '[0-3,12]'"},
        {"SwitchName=a Node=h0\n", "net:1: unknown 'Node='; known are SwitchName, Nodes"},
        {"SwitchName=a Nodes=h0 nodes=h1\n", "net:1: a second 'Nodes='"},
        {"SwitchName=a Nodes=h0\nNodes=h1\n", "net:2: expected 'SwitchName=NAME'"},
        {"SwitchName=a Nodes=h0\nswitch b\n", "net:2: expected 'SwitchName=NAME Nodes=...'"},
        {"SwitchName=a Nodes=h0 \\", "net:1: the file ends where this line goes on"},
    };
    expect_refused(bad, sizeof bad / sizeof *bad);
}

/* ---- InfiniBand */

#define DEVICE(what, id, said) what "\t36 \"" id "\"\t\t# \"" said "\" base port 0 lid 4 lmc 0\n"
#define PORT(own, peer, other) "[" own "]\t\"" peer "\"[" other "](2c9)\t\t# \"x\" lid 7 4xEDR\n"
#define CA(id, said, peer, other)                                      \
    DEVICE("Ca", id, said)                                             \
    "[1](2c9) \t\"" peer "\"[" other "]\t\t# lid 7 lmc 0 \"x\" lid 4 " \
    "4xEDR\n"

static void one_switch_of_infiniband_has_its_hosts(void **state)
{
    (void)state;
    cpm_topology *t =
        good("#\n# Topology file: generated on Mon Jan  5 12:00:00 2026\n#\n"
             "# Initiated from node 1 port 2\n\nvendid=0x2c9\ndevid=0xb924\n"
             "switchguid=0x1(1)\n" DEVICE(
                 "Switch", "S-1",
                 "MT47396 Infiniscale-III") "[2][ext 5]\t\"H-2\"[1](2c9)\t\t# \"'b HCA-1'\" lid 7 "
                                            "4xSDR\n" PORT("1", "H-1", "1") "\nvendid=0x2c9\n" CA(
                                                "H-1",
                                                "a.cluster.org "
                                                "mlx5_0",
                                                "S-1", "1") "\n" CA("H-2",
                                                                    "'b "
                                                                    "HCA-"
                                                                    "1'",
                                                                    "S-1", "2"));
    assert_int_equal(t->hosts, 2);
    assert_int_equal(t->nodes, 3);
    assert_string_equal(t->name[0], "a.cluster.org"); /* in the order of ports */
    assert_string_equal(name_of_switch(t, "a"), "MT47396_Infiniscale-III");
    assert_string_equal(name_of_switch(t, "b.cluster.org"), "MT47396_Infiniscale-III");
    cpm_topology_free(t);
}

/* Two cables between two switches, and adapters of several ports. */
static const char two_cables[] = DEVICE("Switch", "S-1", "leaf") PORT("1", "H-1", "1")
    PORT("2", "H-2", "1") PORT("8", "S-2", "8") PORT("9", "S-2", "9") PORT("3", "H-5", "1")
        DEVICE("Switch", "S-2", "leaf") PORT("1", "H-3", "1") PORT("2", "H-4", "1")
            PORT("8", "S-1", "8") PORT("9", "S-1", "9") CA("H-1", "a mlx5_0", "S-1", "1")
                CA("H-2", "b mlx5_0", "S-1", "2") CA("H-3", "c mlx5_0", "S-2", "1")
                    CA("H-4", "a mlx5_1", "S-2", "2")
                        CA("H-5", "Mellanox Technologies Aggregation Node", "S-1", "3");

static void parallel_cables_are_dealt_to_destinations(void **state)
{
    (void)state;
    cpm_topology *t = good(two_cables);
    assert_int_equal(t->hosts, 3);
    assert_non_null(t->fabric);
    assert_string_equal(name_of_switch(t, "a"), "S-1"); /* its first adapter; names are alike */
    assert_string_equal(name_of_switch(t, "c"), "S-2");
    expect_links(t, 3,
                 "S-1 0-2 > 0-2 | S-2 0-1 > 2; 2 > 0-1 | S-2>S-1:1 2 > 0 | "
                 "S-2>S-1:2 2 > 1 | S-1>S-2:1 0-1 > 2");
    cpm_topology_free(t);
}

static void bad_files_of_infiniband_are_refused_with_their_line(void **state)
{
    (void)state;
    static const wrong bad[] = {
        {DEVICE("Switch", "S-1", "x") PORT("1", "H-1", "1"),
         "net:2: port 1 of 'S-1' is cabled to port 1 of 'H-1', which has no record"},
        {DEVICE("Switch", "S-1", "x") PORT("1", "H-1", "1") DEVICE("Ca", "H-1", "a"),
         "net:2: port 1 of 'S-1' is cabled to port 1 of 'H-1', which says nothing of it"},
        {DEVICE("Switch", "S-1", "x") PORT("1", "H-1", "1") CA("H-1", "a", "S-1", "2"),
         "net:2: port 1 of 'S-1' is cabled to port 1 of 'H-1', which says otherwise"},
        {DEVICE("Switch", "S-1", "x") PORT("1", "S-1", "2") PORT("2", "S-1", "1"),
         "net:2: port 1 of 'S-1' is cabled to port 2 of 'S-1', which is itself: a loop"},
        {DEVICE("Switch", "S-1", "x") PORT("1", "H-1", "1") PORT("1", "H-1", "1")
             CA("H-1", "a", "S-1", "1"),
         "but it has another line, too"},
        {DEVICE("Switch", "S-1", "x") DEVICE("Switch", "S-1", "y"),
         "net:2: 'S-1' has a record already (line 1)"},
        {DEVICE("Switch", "S-1", "x") PORT("1", "H-1", "1") CA("H-1", "a", "S-1", "1")
             DEVICE("Switch", "S-2", "far"),
         "net:5: no cables lead from switch 'far' to 'x'"},
        {DEVICE("Switch", "S-1", "x"), "net:1: the file ends without a host ('Ca') at a switch"},
        {"vendid=0x2c9\n", "net:1: the file ends without a host"},
        {"vendid=1\n[1] \"S-1\"[1]\n", "net:2: a port of what?"},
        {"Switch 36 S-1\n", "net:1: expected 'Switch 36 \"S-...\" # \"NAME\"'"},
        {DEVICE("Switch", "S-1", "x") "[1] \"H-1\"\n", "net:2: expected '[1] \"S-...\"[3]'"},
        {DEVICE("Switch", "S-1", "x") "[x] \"H-1\"[1]\n", "net:2: expected '[1] \"S-...\"[3]'"},
    };
    expect_refused(bad, sizeof bad / sizeof *bad);
}

/* ---- both */

/* Leaves, then spines; children hosts each, and as many spines as parents. */
static void write_fat_tree(FILE *f, int children, int leaves, int parents)
{
    for (int l = 0; l < leaves; l++)
        fprintf(f, "SwitchName=l%d Nodes=h[%d-%d]\n", l, l * children, (l + 1) * children - 1);
    for (int s = 0; s < parents; s++)
        fprintf(f, "SwitchName=s%d Switches=l[0-%d]\n", s, leaves - 1);
}

static bool same_sharing(const cpm_links *a, const cpm_links *b, int i, int j, int k, int l)
{
    int shared[2] = {0};
    const cpm_links *of[] = {a, b};
    for (int which = 0; which < 2; which++) {
        int first, second;
        const int *one = cpm_links_way(of[which], i, j, &first);
        const int *other = cpm_links_way(of[which], k, l, &second);
        for (int u = 0; u < first; u++)
            for (int v = 0; v < second; v++)
                shared[which] += one[u] == other[v];
    }
    return shared[0] == shared[1];
}

static void a_fat_tree_has_the_ways_of_its_shape(void **state)
{
    (void)state;
    static const int sizes[][3] = {{4, 4, 2}, {3, 3, 3}, {2, 5, 4}};
    for (size_t q = 0; q < sizeof sizes / sizeof *sizes; q++) {
        const int *size = sizes[q], n = size[0] * size[1];
        char *text, shape[64];
        size_t length;
        int like[64];
        FILE *f = open_memstream(&text, &length);
        write_fat_tree(f, size[0], size[1], size[2]);
        fclose(f);
        cpm_topology *t = good(text);
        cpm_links found, known;
        for (int h = 0; h < n; h++)
            like[h] = h;
        snprintf(shape, sizeof shape, "fat-tree %d,%d 1,%d 1,1", size[0], size[1], size[2]);
        assert_int_equal(cpm_links_of_topology(t, like, n, &found, NULL), CPM_OK);
        assert_int_equal(cpm_links_of_shape(shape, n, &known, NULL), CPM_OK);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++)
                    for (int l = 0; l < n; l++)
                        assert_true(i == j || k == l || same_sharing(&found, &known, i, j, k, l));
        cpm_links_clear(&found);
        cpm_links_clear(&known);
        cpm_topology_free(t);
        free(text);
    }
}

static void missing_hosts_are_all_named(void **state)
{
    (void)state;
    cpm_topology *t = good("SwitchName=a Nodes=h[0-2].org\n");
    const char *host[] = {"h1", "x", "h0.org", "x", "y", "h0.net"};
    int node[6];
    cpm_error e = {0};
    assert_int_equal(cpm_topology_find_hosts(t, "net", host, 6, node, &e), CPM_EINVAL);
    assert_string_equal(e.text, "net: process 1 is on host 'x', which is none of the 3 of Slurm's "
                                "topology.conf (nor are 'y', 'h0.net')");
    assert_int_equal(cpm_topology_find_hosts(t, "net", host, 1, node, NULL), CPM_OK);
    assert_int_equal(node[0], 1);
    cpm_topology_free(t);
}

static void names_that_two_hosts_could_have_are_unknown(void **state)
{
    (void)state;
    cpm_topology *t = good("SwitchName=a Nodes=h0.org,h0.net,h1\n");
    assert_int_equal(cpm_topology_host(t, "h0"), -1);
    assert_int_equal(cpm_topology_host(t, "h0.net"), 1);
    assert_int_equal(cpm_topology_host(t, "h1.net"), 2);
    assert_int_equal(cpm_topology_host(t, "h"), -1);
    cpm_topology_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_of_slurm_are_a_tree),
        cmocka_unit_test(inner_links_of_nested_switches_are_shared),
        cmocka_unit_test(several_top_switches_of_slurm_are_at_a_core),
        cmocka_unit_test(switches_at_several_others_are_a_fabric),
        cmocka_unit_test(bad_files_of_slurm_are_refused_with_their_line),
        cmocka_unit_test(one_switch_of_infiniband_has_its_hosts),
        cmocka_unit_test(parallel_cables_are_dealt_to_destinations),
        cmocka_unit_test(bad_files_of_infiniband_are_refused_with_their_line),
        cmocka_unit_test(a_fat_tree_has_the_ways_of_its_shape),
        cmocka_unit_test(missing_hosts_are_all_named),
        cmocka_unit_test(names_that_two_hosts_could_have_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
