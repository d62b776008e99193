/* Which links messages use in a torus, a fat tree and a dragonfly: ways that were drawn by hand. */
#include "collectives/network_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/lines.h"

static cpm_links shape_of(const char *text, int hosts)
{
    cpm_links l;
    cpm_error e = {0};
    if (cpm_links_of_shape(text, hosts, &l, &e))
        fail_msg("%s", e.text);
    return l;
}

static int number_of(const cpm_links *l, const char *name)
{
    for (int k = 0; k < l->count; k++)
        if (strcmp(l->name[k], name) == 0)
            return k;
    fail_msg("no message uses '%s'", name);
    return -1;
}

/* way: names of links between blanks, in any order. */
static void expect_way(const cpm_links *l, int from, int to, const char *way)
{
    char text[256], *word[16];
    int count;
    const int *link = cpm_links_way(l, from, to, &count);
    snprintf(text, sizeof text, "%s", way);
    int words = cpm_words_before_remark(text, word, 16);
    if (count != words)
        fail_msg("%d > %d: %d links instead of %d", from, to, count, words);
    for (int w = 0; w < words; w++) {
        int number = number_of(l, word[w]), found = 0;
        for (int u = 0; u < count; u++)
            found += link[u] == number;
        if (found != 1)
            fail_msg("%d > %d: %d times over '%s'", from, to, found, word[w]);
    }
}

static void messages_go_round_a_torus_the_shorter_way(void **state)
{
    (void)state;
    cpm_links l = shape_of("torus 4x4", 16);
    expect_way(&l, 0, 1, "node0 node0+0 node1");
    expect_way(&l, 1, 0, "node1 node1-0 node0");
    expect_way(&l, 0, 3, "node0 node0-0 node3"); /* wraps around */
    expect_way(&l, 3, 0, "node3 node3+0 node0");
    expect_way(&l, 0, 12, "node0 node0-1 node12");
    expect_way(&l, 12, 0, "node12 node12+1 node0");
    expect_way(&l, 0, 5, "node0 node0+0 node1 node1+1 node5");
    expect_way(&l, 5, 0, "node5 node5-0 node4 node4-1 node0");
    cpm_links_clear(&l);
}

/* Half way round both ways are as long: up from the lower half, down from the middle on. */
static void ties_of_a_torus_do_not_go_round(void **state)
{
    (void)state;
    cpm_links l = shape_of("torus 4x4", 16);
    expect_way(&l, 0, 2, "node0 node0+0 node1 node1+0 node2");
    expect_way(&l, 1, 3, "node1 node1+0 node2 node2+0 node3");
    expect_way(&l, 2, 0, "node2 node2-0 node1 node1-0 node0");
    cpm_links_clear(&l);
    l = shape_of("torus 2", 2);
    expect_way(&l, 0, 1, "node0 node0+0 node1");
    expect_way(&l, 1, 0, "node1 node1-0 node0");
    cpm_links_clear(&l);
}

static void a_torus_may_have_three_dimensions(void **state)
{
    (void)state;
    cpm_links l = shape_of("torus 3x2x2", 12);
    expect_way(&l, 0, 11, "node0 node0-0 node2 node2+1 node5 node5+2 node11");
    expect_way(&l, 11, 0, "node11 node11+0 node9 node9-1 node6 node6-2 node0");
    cpm_links_clear(&l);
}

/* Four switches of four hosts below two others: the destination's number decides which. */
static void the_destination_decides_the_way_up_a_fat_tree(void **state)
{
    (void)state;
    cpm_links l = shape_of("fat-tree 4,4 1,2 1,1", 16);
    expect_way(&l, 0, 1, "switch1.0.0");
    expect_way(&l, 0, 4, "switch1.0.0 up1.0.0:0 switch2.0.0 down1.1.0:0 switch1.1.0");
    expect_way(&l, 0, 5, "switch1.0.0 up1.0.0:1 switch2.0.1 down1.1.0:1 switch1.1.0");
    expect_way(&l, 3, 7, "switch1.0.0 up1.0.0:1 switch2.0.1 down1.1.0:1 switch1.1.0");
    expect_way(&l, 4, 0, "switch1.1.0 up1.1.0:0 switch2.0.0 down1.0.0:0 switch1.0.0");
    cpm_links_clear(&l);
}

/* Three groups of four routers of two hosts; router r of a group is linked with group r. */
/* Group 2 is counted round the two routers of a group: the first links with it. */
static void more_groups_than_routers_share_these(void **state)
{
    (void)state;
    cpm_links l = shape_of("dragonfly 3,1 1,1 2,1 1", 6);
    expect_way(&l, 0, 4, "router0.0.0 router0.0.0>2.0.0 router2.0.0");
    cpm_links_clear(&l);
}

static void groups_of_a_dragonfly_have_one_link_each(void **state)
{
    (void)state;
    cpm_links l = shape_of("dragonfly 3,1 1,1 4,1 2", 24);
    expect_way(&l, 0, 1, "router0.0.0");
    expect_way(&l, 0, 2, "router0.0.0 router0.0.0>0.0.1 router0.0.1");
    expect_way(&l, 2, 8, "router0.0.1 router0.0.1>1.0.0 router1.0.0");
    expect_way(&l, 0, 10,
               "router0.0.0 router0.0.0>0.0.1 router0.0.1 router0.0.1>1.0.0 router1.0.0 "
               "router1.0.0>1.0.1 router1.0.1");
    cpm_links_clear(&l);
}

static void every_link_of_a_shape_is_written_and_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int hosts;
    } shape[] = {{"torus 4x4", 16},
                 {"torus 3x2x2", 12},
                 {"fat-tree 4,4 1,2 1,1", 16},
                 {"fat-tree 2,3 2,1 1,2", 6},
                 {"dragonfly 3,1 1,1 4,1 2", 24},
                 {"dragonfly 2,1 2,1 3,1 1", 12}};
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        cpm_links l = shape_of(shape[k].text, shape[k].hosts), again;
        char *line, *line_again;
        assert_int_equal(cpm_links_line(&l, &line, NULL), CPM_OK);
        assert_int_equal(cpm_links_of_line(line, l.hosts, &again, NULL), CPM_OK);
        assert_int_equal(cpm_links_line(&again, &line_again, NULL), CPM_OK);
        assert_string_equal(line, line_again);
        assert_int_equal(again.count, l.count);
        size_t ways = (size_t)l.hosts * (size_t)l.hosts;
        assert_memory_equal(again.first, l.first, (ways + 1) * sizeof *l.first);
        assert_memory_equal(again.link, l.link, (size_t)l.first[ways] * sizeof *l.link);
        free(line);
        free(line_again);
        cpm_links_clear(&again);
        cpm_links_clear(&l);
    }
}

static void shapes_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"ring 16", "'ring 16': expected 'torus ..., fat-tree ... or dragonfly ...'"},
        {"torus", "'torus': expected 'torus 4x4x2'"},
        {"torus 4x", "'torus 4x': expected"},
        {"torus 0x16", "'torus 0x16': expected"},
        {"torus -4x-4", "'torus -4x-4': expected"},
        {"torus 4x4 2", "'torus 4x4 2': expected"},
        {"torus 1x1x1x1x1x1x1x1x16", "expected 'torus 4x4x2'"},
        {"torus 4x5", "'torus 4x5' has 20 hosts, but there are 16"},
        {"torus 20x2", "'torus 20x2' has 40 hosts, but there are 16"},
        {"torus 1000000x1000000x1000000",
         "'torus 1000000x1000000x1000000' has more than 1099511627776 hosts, but there are 16"},
        {"torus 1048577", "numbers from 1 to 1048576, at most 8 of them"},
        {"fat-tree 4,4 1,1048576 1,1048576", "has more than 1048576 ways up from a host"},
        {"fat-tree 2,2,2,2 1048576,1048576,1048576,1048576 1,1,1,1", "has more than 1048576 ways"},
        {"fat-tree 4,4 1,2", "expected 'fat-tree 4,4 1,2 1,1'"},
        {"fat-tree 4,4 1 1,1", "expected 'fat-tree 4,4 1,2 1,1'"},
        {"fat-tree 4,2 1,2 1,1", "'fat-tree 4,2 1,2 1,1' has 8 hosts, but there are 16"},
        {"dragonfly 3,1 1,1 4,1", "expected 'dragonfly 3,1 1,1 4,1 2'"},
        {"dragonfly 3 1,1 4,1 2", "expected 'dragonfly 3,1 1,1 4,1 2'"},
        {"dragonfly 3,1 1,1 4,1 2", "has 24 hosts, but there are 16"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cpm_links l;
        cpm_error e = {0};
        assert_int_equal(cpm_links_of_shape(bad[k].text, 16, &l, &e), CPM_EINVAL);
        if (!strstr(e.text, bad[k].says))
            fail_msg("expected \"%s\" in \"%s\"", bad[k].says, e.text);
        cpm_error_clear(&e);
    }
}

static void words_that_name_a_shape_are_known(void **state)
{
    (void)state;
    assert_true(cpm_network_shape_named("torus 4x4") && cpm_network_shape_named("torus"));
    assert_true(cpm_network_shape_named("fat-tree\t4") && cpm_network_shape_named("dragonfly x"));
    assert_false(cpm_network_shape_named("torus.topology") || cpm_network_shape_named("tor"));
    assert_false(cpm_network_shape_named(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_go_round_a_torus_the_shorter_way),
        cmocka_unit_test(ties_of_a_torus_do_not_go_round),
        cmocka_unit_test(a_torus_may_have_three_dimensions),
        cmocka_unit_test(the_destination_decides_the_way_up_a_fat_tree),
        cmocka_unit_test(groups_of_a_dragonfly_have_one_link_each),
        cmocka_unit_test(more_groups_than_routers_share_these),
        cmocka_unit_test(every_link_of_a_shape_is_written_and_read),
        cmocka_unit_test(shapes_that_are_none_are_refused),
        cmocka_unit_test(words_that_name_a_shape_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
