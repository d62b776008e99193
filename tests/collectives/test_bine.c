/* Messages of Bine's butterflies lie together, and the largest ones go to neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collectives/algorithm.h"

static const struct {
    const char *operation, *name;
} rows[] = {{"allgather", "bine"},
            {"reduce_scatter", "bine"},
            {"allreduce", "bine"},
            {"bcast", "bine-scatter-allgather"},
            {"reduce", "bine-scatter-gather"}};

static cpm_schedule *schedule_of(int row, int n)
{
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    const cpm_call call = {.n = n, .root = n / 3, .bytes = 1000};
    assert_int_equal(cpm_algorithm_find(rows[row].operation, rows[row].name, &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &call, &s, NULL), CPM_OK);
    return s;
}

static bool are_neighbours(int n, int a, int b)
{
    return (a + 1) % n == b || (b + 1) % n == a;
}

static void check_messages(const cpm_schedule *s, const cpm_steps *steps, int rank)
{
    for (int k = 0; k < steps->count; k++) {
        const cpm_step *step = &steps->at[k];
        assert_int_equal(step->runs, 1);
        if (cpm_step_positions(steps, step) == s->n / 2 && s->n > 2)
            assert_true(are_neighbours(s->n, rank, step->peer));
    }
}

static void messages_are_one_run_and_halves_go_to_neighbours(void **state)
{
    (void)state;
    cpm_steps steps = {0};
    for (int row = 0; row < (int)(sizeof rows / sizeof *rows); row++)
        for (int n = 1; n <= 256; n *= 2) {
            cpm_schedule *s = schedule_of(row, n);
            for (int rank = 0; rank < n; rank++) {
                assert_int_equal(cpm_schedule_rank(s, rank, &steps, NULL), CPM_OK);
                check_messages(s, &steps, rank);
            }
            cpm_schedule_free(s);
        }
    cpm_steps_free(&steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_one_run_and_halves_go_to_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
