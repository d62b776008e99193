/* When the root's verdict is asked for and needed, and what follows from it. */
#include "tests/mpi_test.h"

#include "tuned/adapt/flood.h"

enum { ASKED = TUNED_FLOOD_ASKED, NEEDED = TUNED_FLOOD_NEEDED };

static const cpm_operation *reduce(void)
{
    return &cpm_operations[CPM_OP_REDUCE];
}

/* Calls that take each rank so long, until something is due. Returns how many. */
static long calls_until_due(tuned_flood *f, long met, double seconds)
{
    long calls = 0;
    for (; !tuned_flood_is_due(f, met); calls++) {
        f->calls++;
        tuned_flood_time(f, seconds, 1);
    }
    return calls;
}

/* Asked for after calls that take root so long and the others nothing; heard. Returns for how many
 * calls it was not needed. */
static long judge(tuned_flood *f, long met, double seconds)
{
    calls_until_due(f, met, test_rank() == f->root ? seconds : 1e-7);
    tuned_flood_step(f, MPI_COMM_WORLD, false, test_rank());
    const long needed = calls_until_due(f, met, 1e-7);
    tuned_flood_step(f, MPI_COMM_WORLD, false, test_rank());
    return needed;
}

static void only_what_is_sent_unasked_is_a_flood(void **state)
{
    (void)state;
    tuned_floods all = {.count = 0};
    assert_null(tuned_flood_of(&all, &cpm_operations[CPM_OP_BCAST], 0, 8));
    assert_null(tuned_flood_of(&all, &cpm_operations[CPM_OP_ALLREDUCE], 0, 8));
    assert_null(tuned_flood_of(&all, &cpm_operations[CPM_OP_GATHERV], 0, 8));
    assert_null(tuned_flood_of(&all, reduce(), 0, 1 << 20));
    for (int k = 0; k < TUNED_FLOODS; k++)
        assert_ptr_equal(tuned_flood_of(&all, reduce(), k, 8), &all.at[k]);
    assert_null(tuned_flood_of(&all, reduce(), TUNED_FLOODS, 8));
    assert_ptr_equal(tuned_flood_of(&all, reduce(), 1, 8), &all.at[1]);
}

static void calls_between_end_a_stretch(void **state)
{
    (void)state;
    tuned_floods all = {.count = 0};
    tuned_flood *f = tuned_flood_of(&all, reduce(), 0, 8);
    for (long met = 1; met < 1000; met++) {
        assert_false(tuned_flood_is_due(f, met));
        f->calls++;
    }
    assert_int_equal(calls_until_due(f, 1000, 1e-7), ASKED);
}

static void all_hear_what_calls_take_the_root(void **state)
{
    (void)state;
    const int root = test_ranks() - 1;
    tuned_floods all = {.count = 0};
    tuned_flood *f = tuned_flood_of(&all, reduce(), root, 8);
    assert_int_equal(judge(f, 0, 40e-6), NEEDED);
    assert_everywhere(f->heard && f->found && f->verdict > 39e-6 && f->verdict < 41e-6);
    assert_everywhere(f->of == ASKED && f->judged == ASKED);
    assert_everywhere(tuned_flood_is_found(&all, reduce(), root, 4, 8));
    assert_everywhere(!tuned_flood_is_found(&all, reduce(), root, 9, 16));
    assert_everywhere(!tuned_flood_is_found(&all, reduce(), root + 1, 8, 8));
}

/* Some long calls are no flood; it is asked for when calls have doubled. */
static void short_calls_are_looked_at_rarely(void **state)
{
    (void)state;
    tuned_floods all = {.count = 0};
    tuned_flood *f = tuned_flood_of(&all, reduce(), 0, 8);
    tuned_flood_time(f, 1e-3, ASKED / 4);
    judge(f, 0, 1e-6);
    assert_everywhere(f->heard && !f->found && f->verdict < 0);
    long asked = 0;
    for (; f->calls < 100000; asked++)
        judge(f, 0, 1e-6);
    assert_everywhere(asked >= 4 && asked <= 6 && !f->found);
    judge(f, 0, 1e-4);
    assert_everywhere(f->found);
}

/* As often as that keeps calls short; how often that has to be is remembered. */
static void senders_are_held_back(void **state)
{
    (void)state;
    tuned_floods all = {.count = 0};
    tuned_flood *f = tuned_flood_of(&all, reduce(), 0, 8);
    judge(f, 0, 40e-6);
    for (long needed = 4 * NEEDED; needed < 10000; needed *= 4) {
        assert_int_equal(calls_until_due(f, 0, 1e-6), 0);
        assert_int_equal(judge(f, 0, 1e-6), needed);
    }
    const long last = f->window;
    tuned_flood_time(f, 40e-6, 100000);
    judge(f, 0, 1e-6);
    for (long needed = NEEDED; needed < last / 4; needed *= 4)
        assert_int_equal(judge(f, 0, 1e-6), needed);
    const long next = judge(f, 0, 1e-6);
    assert_everywhere(next == last / 4 && judge(f, 0, 1e-6) == next + next / 8);
    assert_everywhere(f->found);
}

/* Where no request may be open. */
static void a_verdict_can_be_told_when_it_is_needed(void **state)
{
    (void)state;
    tuned_floods all = {.count = 0};
    tuned_flood *f = tuned_flood_of(&all, reduce(), 0, 8);
    calls_until_due(f, 0, test_rank() ? 0 : 40e-6);
    tuned_flood_step(f, MPI_COMM_WORLD, true, test_rank());
    assert_everywhere(f->asked && f->request == MPI_REQUEST_NULL);
    calls_until_due(f, 0, 1e-7);
    tuned_flood_step(f, MPI_COMM_WORLD, true, test_rank());
    assert_everywhere(f->found);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_sent_unasked_is_a_flood),
        cmocka_unit_test(calls_between_end_a_stretch),
        cmocka_unit_test(all_hear_what_calls_take_the_root),
        cmocka_unit_test(short_calls_are_looked_at_rarely),
        cmocka_unit_test(senders_are_held_back),
        cmocka_unit_test(a_verdict_can_be_told_when_it_is_needed),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
