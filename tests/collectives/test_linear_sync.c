/* Linear gather in which large blocks wait: each alone, and without knowing others' sizes. */
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

static void a_sender_needs_its_own_size_only(void **state)
{
    (void)state;
    const size_t all[N] = {999, 5000, 1000, 0, 7000};
    cpm_schedule *known = schedule_of(all);
    for (int rank = 0; rank < N; rank++) {
        size_t own[N] = {0};
        own[rank] = all[rank];
        cpm_schedule *s = schedule_of(own);
        cpm_steps a = steps_of(known, rank), b = steps_of(s, rank);
        for (int k = 0; k < a.count && rank != ROOT; k++) {
            assert_int_equal(a.count, b.count);
            assert_int_equal(a.at[k].kind, b.at[k].kind);
            assert_int_equal(a.at[k].peer, b.at[k].peer);
            assert_int_equal(a.at[k].names, b.at[k].names);
        }
        cpm_steps_free(&a);
        cpm_steps_free(&b);
        cpm_schedule_free(s);
    }
    cpm_schedule_free(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_sizes_are_gathered),
        cmocka_unit_test(large_blocks_come_one_by_one),
        cmocka_unit_test(a_sender_needs_its_own_size_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
