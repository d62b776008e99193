/* Schedules that are done several times over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/repeat.h"

enum { TIMES = 3 };

static void expect_same(const cpm_step *copied, const cpm_step *once)
{
    assert_int_equal(copied->kind, once->kind);
    assert_int_equal(copied->peer, once->peer);
    assert_true(copied->names == once->names);
}

/* What is received after the last round, if the call is not the last. */
static bool is_late(const cpm_step *step, int copy)
{
    return copy < TIMES - 1 && step->deferred && cpm_step_receives(step);
}

/* The steps of a copy are those of the schedule, in rounds behind those of the copy before; what is
 * received late has a round of its own at the copy's end. */
static void expect_copy(const cpm_steps *once, const cpm_steps *all, int copy)
{
    const cpm_step *at = &all->at[(ptrdiff_t)copy * once->count], *before = NULL;
    int made = 0;
    for (int k = 0; k < once->count; k++) {
        const cpm_step *step = &once->at[k];
        if (is_late(step, copy))
            continue;
        expect_same(&at[made], step);
        if (before)
            assert_int_equal(at[made].round - at[made - 1].round, step->round - before->round);
        before = step;
        made++;
    }
    int last = made ? at[made - 1].round : -1;
    for (int k = 0; k < once->count; k++)
        if (is_late(&once->at[k], copy)) {
            expect_same(&at[made], &once->at[k]);
            assert_false(at[made].deferred);
            assert_true(at[made++].round > last);
        }
    assert_int_equal(made, once->count);
    assert_true(copy == 0 || made == 0 || at[0].round > at[-1].round);
}

static void expect_copies(const cpm_schedule *once, const cpm_schedule *all, int rank)
{
    cpm_steps a = {0}, b = {0};
    assert_int_equal(cpm_schedule_rank(once, rank, &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_rank(all, rank, &b, NULL), CPM_OK);
    assert_int_equal(b.count, TIMES * a.count);
    for (int copy = 0; copy < TIMES; copy++)
        expect_copy(&a, &b, copy);
    cpm_steps_free(&a);
    cpm_steps_free(&b);
}

static bool repeat(const cpm_algorithm *a, int n)
{
    cpm_schedule *once, *all;
    const cpm_call call = {.n = n, .root = n / 2, .bytes = 1000, .with.segment = 300};
    if (cpm_schedule_create(a, &call, &once, NULL))
        return false;
    assert_int_equal(cpm_schedule_repeat(once, TIMES, &all, NULL), CPM_OK);
    for (int rank = 0; rank < n; rank++)
        expect_copies(once, all, rank);
    cpm_schedule_free(all);
    cpm_schedule_free(once);
    return true;
}

static void every_algorithm_is_copied(void **state)
{
    (void)state;
    int count = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 1; n <= 9; n++)
            count += repeat(a, n);
    assert_true(count > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_is_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
