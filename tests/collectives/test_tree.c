/* Trees: shape, order of children, preorder; and the table of operations and algorithms. */
#include "collectives/algorithms/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/algorithms/shapes.h"

static const cpm_tree_shape *shape_of(const char *name)
{
    const cpm_algorithm *a = NULL;
    assert_int_equal(cpm_algorithm_find("bcast", name, &a, NULL), CPM_OK);
    assert_true(a->create == cpm_tree_bcast);
    return a->variant;
}

static int create_shape(int n, const cpm_tree_shape *shape, cpm_tree **out)
{
    int *nodes = malloc(2 * (size_t)n * sizeof *nodes);
    int code = cpm_tree_arrange(shape, &(cpm_call){.n = n}, nodes, nodes + n, NULL);
    if (!code)
        code = cpm_tree_create(n, nodes, shape->order == CPM_HIGHEST_FIRST, out, NULL);
    free(nodes);
    return code;
}

static void every_subtree_is_one_run_of_positions(void **state)
{
    (void)state;
    const cpm_tree_shape *shapes[] = {shape_of("linear"), shape_of("binomial"),
                                      shape_of("chain"),  shape_of("chains"),
                                      shape_of("binary"), shape_of("knomial")};
    for (int k = 0; k < 6; k++)
        for (int n = 1; n <= 130; n++) {
            cpm_tree *t = NULL;
            assert_int_equal(create_shape(n, shapes[k], &t), CPM_OK);
            assert_int_equal(t->size[0], n);
            assert_int_equal(t->first_child[n], n - 1);
            for (int v = 0; v < n; v++) {
                int end = t->position[v] + 1;
                assert_int_equal(t->node[t->position[v]], v);
                for (int c = v + 1; c < n; c++)
                    if (t->parent[c] == v) { /* lower children first, without gaps */
                        assert_int_equal(t->position[c], end);
                        end += t->size[c];
                    }
                assert_int_equal(end, t->position[v] + t->size[v]);
            }
            cpm_tree_free(t);
        }
}

static void a_binomial_parent_serves_its_largest_subtree_first(void **state)
{
    (void)state;
    cpm_tree *t = NULL;
    const int children[] = {8, 4, 2, 1};
    assert_int_equal(create_shape(16, shape_of("binomial"), &t), CPM_OK);
    assert_int_equal(t->first_child[1], 4);
    assert_memory_equal(t->child, children, sizeof children);
    cpm_tree_free(t);
}

static int depth_of(const cpm_tree *t, int node)
{
    int hops = 0;
    for (int v = node; v > 0; v = t->parent[v])
        hops++;
    return hops;
}

/* With n = k^d, a leaf is at most d hops away and a parent has k - 1 children of each size. */
static void a_knomial_tree_has_k_minus_one_children_on_every_level(void **state)
{
    (void)state;
    cpm_tree *t = NULL;
    const int children[] = {48, 32, 16, 12, 8, 4, 3, 2, 1};
    assert_int_equal(create_shape(64, shape_of("knomial"), &t), CPM_OK);
    assert_int_equal(t->first_child[1], 9);
    assert_memory_equal(t->child, children, sizeof children);
    for (int v = 0; v < 64; v++)
        assert_int_equal(depth_of(t, v), (v % 4 > 0) + (v / 4 % 4 > 0) + (v / 16 > 0));
    cpm_tree_free(t);
}

static void what_is_no_tree_is_refused(void **state)
{
    (void)state;
    const int outside[] = {-1, 4, 4, 4}, circle[] = {-1, 1, 2, 3};
    cpm_tree *t = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_tree_create(4, outside, false, &t, &e), CPM_EINVAL);
    assert_int_equal(cpm_tree_create(4, circle, false, &t, NULL), CPM_EINVAL);
    assert_int_equal(cpm_tree_create(0, circle, false, &t, NULL), CPM_EINVAL);
    assert_null(t);
    assert_non_null(strstr(e.text, "4 nodes"));
}

static void a_deep_tree_needs_no_deep_stack(void **state)
{
    (void)state;
    cpm_tree *t = NULL;
    assert_int_equal(create_shape(1 << 20, shape_of("chain"), &t), CPM_OK);
    assert_int_equal(t->size[1 << 19], 1 << 19);
    cpm_tree_free(t);
}

static void an_unknown_name_lists_the_known_ones(void **state)
{
    (void)state;
    const cpm_algorithm *a = NULL;
    cpm_error e = {0}, f = {0};
    assert_int_equal(cpm_algorithm_find("gather", "fast", &a, &e), CPM_EUNKNOWN);
    assert_non_null(strstr(e.text, "'fast' of gather (known: linear, star, binomial, "));
    assert_int_equal(cpm_algorithm_find("gossip", "linear", &a, &f), CPM_EUNKNOWN);
    assert_non_null(strstr(f.text, "'gossip' (known: bcast, scatter, scatterv, gather, "));
    assert_null(a);
}

static void every_row_says_where_it_comes_from(void **state)
{
    (void)state;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        const cpm_algorithm *found = NULL;
        assert_int_equal(cpm_algorithm_find(a->operation, a->name, &found, NULL), CPM_OK);
        assert_ptr_equal(found, a);
        assert_true(strlen(a->source) > 0);
    }
}

static void create_fails(cpm_call call, const char *says)
{
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_schedule_create(&cpm_algorithms[0], &call, &s, &e), CPM_EINVAL);
    assert_null(s);
    if (!strstr(e.text, says))
        fail_msg("'%s' is not in '%s'", says, e.text);
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    create_fails((cpm_call){.n = 0}, "at least 1 process");
    create_fails((cpm_call){.n = 4, .root = 4}, "root 4");
    create_fails((cpm_call){.n = 4, .root = -1}, "root -1");
    create_fails((cpm_call){.n = 3, .root = 1, .mapping = (int[]){0, 1, 2}}, "not with the root 1");
    create_fails((cpm_call){.n = 3, .root = 1, .mapping = (int[]){1, 2, 2}}, "not a permutation");
    create_fails((cpm_call){.n = 3, .root = 1, .mapping = (int[]){1, 0, 3}}, "not a permutation");
}

static void blocks_in_their_own_order_need_no_packing(void **state)
{
    (void)state;
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    assert_int_equal(cpm_algorithm_find("scatter", "binomial", &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 13}, &s, NULL), CPM_OK);
    assert_null(s->order);
    cpm_schedule_free(s);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 13, .root = 5}, &s, NULL), CPM_OK);
    assert_int_equal(s->order[0], 5);
    cpm_schedule_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_subtree_is_one_run_of_positions),
        cmocka_unit_test(a_binomial_parent_serves_its_largest_subtree_first),
        cmocka_unit_test(a_knomial_tree_has_k_minus_one_children_on_every_level),
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(a_deep_tree_needs_no_deep_stack),
        cmocka_unit_test(an_unknown_name_lists_the_known_ones),
        cmocka_unit_test(every_row_says_where_it_comes_from),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(blocks_in_their_own_order_need_no_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
