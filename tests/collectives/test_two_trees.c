/* Two trees at once: both ways of an allreduce overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/graph.h"

static int depth_of(int n)
{
    int depth = 0;
    while (2 << depth <= n)
        depth++;
    return depth;
}

/* Each tree has half of the segments, and the last of them goes up and down after all others. */
static void an_allreduce_takes_a_tree_up_and_down_and_its_segments(void **state)
{
    (void)state;
    const cpm_algorithm *a = NULL;
    assert_int_equal(cpm_algorithm_find("allreduce", "two-trees", &a, NULL), CPM_OK);
    for (int n = 2; n <= 66; n++)
        for (size_t half = 1; half < 20; half++) {
            const cpm_call call = {.n = n, .bytes = 20 * half, .with.segment = 10};
            cpm_schedule *s = NULL;
            cpm_graph g = {0};
            assert_int_equal(cpm_schedule_create(a, &call, &s, NULL), CPM_OK);
            assert_int_equal(cpm_graph_create(s, &g, NULL), CPM_OK);
            assert_int_equal(s->pieces, 2 * half);
            assert_int_equal(g.rounds, (int)half - 1 + 2 * depth_of(n));
            cpm_graph_free(&g);
            cpm_schedule_free(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allreduce_takes_a_tree_up_and_down_and_its_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
