/* Candidates of the search for trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "mapping/layout.h"

enum { N = 9 };

/* Process v is added below any of those before it. */
static layout random_layout(unsigned *seed)
{
    layout l;
    assert_int_equal(layout_create(N, true, &l, NULL), CPM_OK);
    layout_add(&l, -1, false, 0);
    for (int v = 1; v < N; v++)
        layout_add(&l, (int)random_between(seed, 0, v), random_between(seed, 0, 1) < 0.5, v);
    layout_set_parents(&l);
    return l;
}

static int find(const layout *l, int process)
{
    int u = 0;
    while (l->process[u] != process)
        u++;
    return u;
}

static int parent_process(const layout *l, int process)
{
    int u = l->parent[find(l, process)];
    return u < 0 ? -1 : l->process[u];
}

static void children_are_added_first_or_last(void **state)
{
    (void)state;
    layout l;
    assert_int_equal(layout_create(4, true, &l, NULL), CPM_OK);
    layout_add(&l, -1, false, 7);
    layout_add(&l, 0, false, 5);
    layout_add(&l, 0, true, 6);
    layout_add(&l, 1, false, 4);
    int process[] = {7, 6, 4, 5}, depth[] = {0, 1, 2, 1}, parent[] = {-1, 0, 1, 0};
    layout_set_parents(&l);
    assert_memory_equal(l.process, process, sizeof process);
    assert_memory_equal(l.depth, depth, sizeof depth);
    assert_memory_equal(l.parent, parent, sizeof parent);
    layout_clear(&l);
}

/* Every way to cut a subtree and hang it elsewhere changes one parent, or only an order. */
static void a_moved_subtree_stays_whole_and_leaves_the_rest_alone(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 30; seed++) {
        unsigned random = seed;
        layout l = random_layout(&random), moved;
        assert_int_equal(layout_create(N, true, &moved, NULL), CPM_OK);
        for (int u = 1; u < N; u++) {
            int size = layout_end(&l, u) - u, process = l.process[u];
            for (int to = 1; to <= N - size; to++) {
                int behind = to < u ? to : to + size;
                int before = to - 1 < u ? to - 1 : to - 1 + size;
                int least = behind < N ? l.depth[behind] : 1;
                assert_true(least <= l.depth[before] + 1);
                for (int depth = least; depth <= l.depth[before] + 1; depth++) {
                    layout_copy(&l, &moved);
                    layout_move(&moved, u, to, depth);
                    layout_set_parents(&moved);
                    assert_int_equal(moved.process[to], process);
                    assert_int_equal(moved.depth[to], depth);
                    assert_int_equal(layout_end(&moved, to), to + size);
                    for (int q = 0; q < N; q++)
                        if (q != process)
                            assert_int_equal(parent_process(&moved, q), parent_process(&l, q));
                }
            }
        }
        layout_clear(&l);
        layout_clear(&moved);
    }
}

static void a_subtree_that_is_moved_back_is_where_it_was(void **state)
{
    (void)state;
    unsigned random = 5;
    layout l = random_layout(&random), moved;
    assert_int_equal(layout_create(N, true, &moved, NULL), CPM_OK);
    for (int u = 1; u < N; u++) {
        layout_copy(&l, &moved);
        layout_move(&moved, u, 1, 1);
        layout_move(&moved, 1, u, l.depth[u]);
        assert_memory_equal(moved.process, l.process, N * sizeof(int));
        assert_memory_equal(moved.depth, l.depth, N * sizeof(int));
    }
    layout_clear(&l);
    layout_clear(&moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_are_added_first_or_last),
        cmocka_unit_test(a_moved_subtree_stays_whole_and_leaves_the_rest_alone),
        cmocka_unit_test(a_subtree_that_is_moved_back_is_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
