/* A broadcast on a circulant graph, and the reduction backwards, take no more rounds than any can.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/graph.h"
#include "collectives/schedule/proof.h"
#include "tests/quick.h"

static int logarithm(int n)
{
    int steps = 0;
    while (1 << steps < n)
        steps++;
    return steps;
}

static void is_right_in_fewest_rounds(const char *operation, const char *name, const cpm_call *call)
{
    const cpm_algorithm *a = NULL;
    const cpm_operation *o = NULL;
    cpm_schedule *s = NULL;
    cpm_graph g = {0};
    cpm_error e = {0};
    const int n = call->n;
    assert_int_equal(cpm_operation_find(operation, &o, &e), CPM_OK);
    assert_int_equal(cpm_algorithm_find(operation, name, &a, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, call, &s, &e), CPM_OK);
    if (cpm_check(s, o, false, &e))
        fail_msg("%s in %d pieces from %d of %d: %s", operation, s->pieces, call->root, n, e.text);
    assert_int_equal(cpm_graph_create(s, &g, &e), CPM_OK);
    assert_int_equal(g.rounds, n > 1 ? s->pieces - 1 + logarithm(n) : 0);
    cpm_graph_free(&g);
    cpm_schedule_free(s);
}

static void is_right_for(int n, int most)
{
    for (int blocks = 1; blocks <= most; blocks = blocks < 9 ? blocks + 1 : 2 * blocks)
        for (int root = 0; root < n; root += n / 2 + 1) {
            const cpm_call call = {
                .n = n, .root = root, .bytes = 10 * (size_t)blocks, .with.segment = 10};
            is_right_in_fewest_rounds("bcast", "circulant", &call);
            is_right_in_fewest_rounds("reduce", "circulant", &call);
        }
}

static void any_number_of_blocks_takes_the_fewest_rounds(void **state)
{
    (void)state;
    for (int n = 1; n <= 33; n++)
        is_right_for(n, 72);
}

static void the_same_on_many_processes(void **state)
{
    (void)state;
    const int numbers[] = {64, 100, 127, 200, 1000};
    for (int k = 0; k < CPM_TEST_CASES(5, 3); k++)
        is_right_for(numbers[k], 18);
}

static void all_broadcast_blocks_of_any_sizes_in_as_few_rounds(void **state)
{
    (void)state;
    size_t sizes[33];
    for (int n = 1; n <= 33; n++)
        for (int most = 1; most < 300; most *= 3) {
            for (int u = 0; u < n; u++)
                sizes[u] = (size_t)(u * 7 % (most + 1));
            is_right_in_fewest_rounds(
                "allgatherv", "circulant-segments",
                &(cpm_call){.n = n, .bytes = 1, .sizes = sizes, .with.segment = 10});
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_blocks_takes_the_fewest_rounds),
        cmocka_unit_test(the_same_on_many_processes),
        cmocka_unit_test(all_broadcast_blocks_of_any_sizes_in_as_few_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
