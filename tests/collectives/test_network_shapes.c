/* The ways of messages in networks with names. */
#include "collectives/network_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static cpm_links read_shape(const char *text, int hosts)
{
    cpm_links l = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_links_of_shape(text, hosts, &l, &e), CPM_OK);
    return l;
}

/* expected: names of links in the order of their numbers, each with a space behind it. */
static void assert_way(const char *shape, int hosts, int from, int to, const char *expected)
{
    cpm_links l = read_shape(shape, hosts);
    char way[512] = "";
    int count;
    const int *link = cpm_links_way(&l, from, to, &count);
    for (int k = 0; k < count; k++)
        strcat(strcat(way, l.name[link[k]]), " ");
    assert_string_equal(way, expected);
    cpm_links_clear(&l);
}

static void tori_go_round_the_shorter_way(void **state)
{
    (void)state;
    assert_way("torus 4x2", 8, 0, 7,
               "node0 node0-0 node3 node3+1 node7 "); /* 3 is next to 0, and 7 beside it */
    assert_way("torus 4x2", 8, 7, 3, "node3 node7 node7-1 ");
    assert_way("torus 4", 4, 0, 2, "node0 node0+0 node1 node1+0 node2 "); /* half way round */
}

static void fat_trees_choose_by_destination(void **state)
{
    (void)state;
    const char *tree = "fat-tree 2,2,2 1,2,2 1,1,1";
    assert_way(tree, 8, 0, 1, "switch1.0.0 ");
    assert_way(tree, 8, 0, 3, "switch1.0.0 switch1.1.0 up1.0.0:1 down1.1.0:1 switch2.0.1 ");
    assert_way(tree, 8, 0, 2, "switch1.0.0 switch1.1.0 up1.0.0:0 down1.1.0:0 switch2.0.0 ");
}

static void dragonflies_leave_by_the_router_of_the_group(void **state)
{
    (void)state;
    assert_way("dragonfly 3,1 1,1 3,1 1", 9, 0, 7,
               "router0.0.0 router0.0.0>0.0.2 router0.0.2 router0.0.2>2.0.0 router2.0.0 "
               "router2.0.0>2.0.1 router2.0.1 ");
    /* group 2 is counted round the two routers of a group: the first links with it */
    assert_way("dragonfly 3,1 1,1 2,1 1", 6, 0, 4, "router0.0.0 router0.0.0>2.0.0 router2.0.0 ");
}

/* No link is used by nobody, and a network has as many as its ways need. */
static void has_links_of_all_pairs(void **state)
{
    (void)state;
    const struct {
        const char *shape;
        int hosts, links;
    } of[] = {{"torus 4x4", 16, 16 + 64},
              {"torus 2x3x3", 18, 18 + 90},
              {"fat-tree 4,4 1,2 1,1", 16, 4 + 2 + 16},
              {"dragonfly 5,1 1,1 4,1 1", 20, 20 + 60 + 20}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        cpm_links l = read_shape(of[k].shape, of[k].hosts);
        assert_int_equal(l.count, of[k].links);
        cpm_links_clear(&l);
    }
}

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    const char *wrong[] = {"torus 4x4", "torus 4xx2", "fat-tree 4,2 1,2", "dragonfly 2,1 1 4,1 1",
                           "torus 0x8", "ring 8"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        cpm_links l = {0};
        cpm_error e = {0};
        assert_int_equal(cpm_links_of_shape(wrong[k], 8, &l, &e), CPM_EINVAL);
        assert_non_null(strstr(e.text, wrong[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tori_go_round_the_shorter_way),
        cmocka_unit_test(fat_trees_choose_by_destination),
        cmocka_unit_test(dragonflies_leave_by_the_router_of_the_group),
        cmocka_unit_test(has_links_of_all_pairs),
        cmocka_unit_test(wrong_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
