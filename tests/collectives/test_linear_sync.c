/* Linear gather in which large blocks wait: each alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/proof.h"

enum { N = 5, ROOT = 1 };

static cpm_schedule *schedule_of(const size_t *sizes)
{
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    cpm_call call = {.n = N, .root = ROOT, .sizes = sizes, .with = {.threshold = 1000}};
    assert_int_equal(cpm_algorithm_find("gather", "linear-sync", &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &call, &s, NULL), CPM_OK);
    return s;
}

static cpm_steps steps_of(const cpm_schedule *s, int rank)
{
    cpm_steps steps = {0};
    assert_int_equal(cpm_schedule_rank(s, rank, &steps, NULL), CPM_OK);
    return steps;
}

static void mixed_sizes_are_gathered(void **state)
{
    (void)state;
    cpm_schedule *s = schedule_of((const size_t[N]){999, 5000, 1000, 0, 7000});
    const cpm_operation *gather = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_operation_find("gather", &gather, &e), CPM_OK);
    if (cpm_check(s, gather, false, &e))
        fail_msg("%s", e.text);
    cpm_schedule_free(s);
}

static void large_blocks_come_one_by_one(void **state)
{
    (void)state;
    cpm_schedule *s = schedule_of((const size_t[N]){999, 5000, 1000, 0, 7000});
    cpm_steps root = steps_of(s, ROOT);
    int received[N + 1] = {0}, large_round[2], large = 0;
    for (int k = 0; k < root.count; k++)
        if (root.at[k].kind == CPM_RECV) {
            received[root.at[k].round]++;
            if (root.at[k].peer == 2 || root.at[k].peer == 4)
                large_round[large++] = root.at[k].round;
        }
    assert_int_equal(received[0], 2);
    assert_int_equal(large, 2);
    assert_int_not_equal(large_round[0], large_round[1]);
    assert_int_equal(received[large_round[0]], 1);
    assert_int_equal(received[large_round[1]], 1);
    cpm_steps_free(&root);
    cpm_schedule_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_sizes_are_gathered),
        cmocka_unit_test(large_blocks_come_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
