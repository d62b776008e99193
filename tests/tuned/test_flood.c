/* When the root's verdict is asked for and needed, and what follows from it. */
#include "tests/mpi_test.h"

#include "tuned/adapt/flood.h"

enum { ASKED = TUNED_FLOOD_ASKED, NEEDED = TUNED_FLOOD_NEEDED };

static double now = 1; /* seconds of a clock that is played */

static const cpm_operation *reduce(void)
{
    return &cpm_operations[CPM_OP_REDUCE];
}

static tuned_floods on_one_host(void)
{
    return (tuned_floods){.n = test_ranks(), .on_one_host = true};
}

static tuned_flood *flood_of(tuned_floods *all, int root)
{
    return tuned_flood_of(all, reduce(), root, 8);
}

/* Calls that take the root so long and the others nothing, until something is due, which is done.
 * Returns how many. */
static long calls_until_due(tuned_flood *f, long met, double seconds)
{
    long calls = 0;
    for (; !tuned_flood_is_due(f, met); calls++) {
        if (!(f->since > 0))
            tuned_flood_start(f, now);
        f->calls++;
        now += seconds;
        tuned_flood_time(f, test_rank() == f->root ? seconds : 1e-7, 1);
    }
    tuned_flood_step(f, MPI_COMM_WORLD, false, test_rank(), now);
    return calls;
}

/* A verdict is asked for and heard, as calls take the root so long. Returns after how many it was
 * needed. */
static long judge(tuned_flood *f, long met, double seconds)
{
    calls_until_due(f, met, seconds);
    return calls_until_due(f, met, seconds);
}

static void only_what_is_sent_unasked_is_a_flood(void **state)
{
    (void)state;
    tuned_floods all = on_one_host();
    assert_null(tuned_flood_of(&all, &cpm_operations[CPM_OP_BCAST], 0, 8));
    assert_null(tuned_flood_of(&all, &cpm_operations[CPM_OP_ALLREDUCE], 0, 8));
    assert_null(tuned_flood_of(&all, &cpm_operations[CPM_OP_GATHERV], 0, 8));
    assert_null(tuned_flood_of(&all, reduce(), 0, 0));
    assert_null(tuned_flood_of(&all, reduce(), 0, 1 << 20));
    for (int k = 0; k < TUNED_FLOODS; k++)
        assert_ptr_equal(flood_of(&all, k), &all.at[k]);
    assert_null(flood_of(&all, TUNED_FLOODS));
    assert_ptr_equal(flood_of(&all, 1), &all.at[1]);
}

static void calls_between_end_a_stretch(void **state)
{
    (void)state;
    tuned_floods all = on_one_host();
    tuned_flood *f = flood_of(&all, 0);
    for (long met = 1; met < 1000; met++) {
        assert_false(tuned_flood_is_due(f, met));
        f->calls++;
    }
    assert_int_equal(calls_until_due(f, 1000, 1e-7), ASKED);
}

/* Nobody waits whom the root has not left three quarters of its calls to do, or 4,096. */
static void short_calls_are_only_looked_at(void **state)
{
    (void)state;
    tuned_floods all = on_one_host();
    const int root = test_ranks() - 1;
    tuned_flood *f = flood_of(&all, root);
    long most = 0;
    assert_int_equal(judge(f, 0, 1e-6), 3 * ASKED);
    while (f->calls < 50000) {
        const long before = f->calls, needed = judge(f, 0, 1e-6);
        most = needed > most ? needed : most;
        assert_true(needed >= 4096 || needed == 3 * before);
    }
    assert_int_equal(most, 4096);
    assert_everywhere(f->heard && f->state == TUNED_FLOOD_FREE && f->verdict < -0.9e-6 &&
                      f->verdict > -1.1e-6);
}

/* All hear the root's verdict, hold senders back, and go on where that gains. */
static void senders_are_held_back_where_it_gains(void **state)
{
    (void)state;
    tuned_floods all = on_one_host();
    tuned_flood *f = flood_of(&all, test_ranks() - 1);
    judge(f, 0, 40e-6);
    assert_everywhere(f->state == TUNED_FLOOD_TRIED && f->verdict > 39e-6 && f->verdict < 41e-6);
    assert_int_equal(judge(f, 0, 40e-6), NEEDED);
    judge(f, 0, 10e-6); /* of calls before they were held back */
    assert_everywhere(f->state == TUNED_FLOOD_TRIED && !f->found);
    judge(f, 0, 10e-6);
    assert_everywhere(f->state == TUNED_FLOOD_HELD && f->found && tuned_floods_go_on(&all, 0));
    assert_everywhere(!tuned_floods_go_on(&all, 1));
    assert_everywhere(tuned_flood_is_found(&all, reduce(), test_ranks() - 1, 4, 8));
    assert_everywhere(!tuned_flood_is_found(&all, reduce(), test_ranks() - 1, 9, 16));
    assert_everywhere(!tuned_flood_is_found(&all, reduce(), test_ranks(), 8, 8));
}

/* The more rarely the less it gains; what was too rare is remembered. */
static void senders_are_held_back_as_often_as_needs_be(void **state)
{
    (void)state;
    tuned_floods all = on_one_host();
    tuned_flood *f = flood_of(&all, 0);
    judge(f, 0, 40e-6);
    for (int k = 0; k < 3; k++)
        judge(f, 0, 10e-6);
    assert_everywhere(f->state == TUNED_FLOOD_HELD && f->window > NEEDED);
    while (f->window < 4096)
        judge(f, 0, 10e-6);
    for (int k = 0; k < 3 && f->window > NEEDED; k++)
        judge(f, 0, 20e-6);
    const long widest = f->widest;
    assert_everywhere(f->state == TUNED_FLOOD_HELD && f->window == NEEDED && widest >= 1024);
    long most = 0;
    for (int k = 0; k < 12; k++) {
        const long needed = judge(f, 0, 10e-6);
        most = needed > most ? needed : most;
    }
    assert_everywhere(most > widest && most < 2 * widest);
}

static void senders_are_let_go_where_it_gains_nothing(void **state)
{
    (void)state;
    tuned_floods all = on_one_host();
    tuned_flood *f = flood_of(&all, 0);
    for (int k = 0; k < 4; k++)
        judge(f, 0, 40e-6);
    assert_everywhere(f->state == TUNED_FLOOD_FREE && !f->found);
    const long tried = f->tried;
    while (f->calls < 10 * tried)
        judge(f, 0, 50e-6);
    assert_everywhere(f->state == TUNED_FLOOD_FREE && f->tried == tried);
    judge(f, 0, 100e-6);
    judge(f, 0, 100e-6);
    assert_everywhere(f->tried > tried); /* calls have become longer */
}

/* What the program did between two stretches is no time of calls. */
static void other_work_is_no_time_of_calls(void **state)
{
    (void)state;
    tuned_floods all = on_one_host();
    tuned_flood *f = flood_of(&all, 0);
    for (int k = 0; k < 4; k++)
        judge(f, 0, 6e-6);
    const long tried = f->tried;
    assert_everywhere(f->state == TUNED_FLOOD_FREE && tried > 0);
    now += 100;
    judge(f, 1, 6e-6);
    assert_everywhere(f->state == TUNED_FLOOD_FREE && f->tried == tried);
}

/* Between hosts, where all together would send what a switch has no room for. */
static void large_blocks_between_hosts_are_left_alone(void **state)
{
    (void)state;
    tuned_floods all = {.n = 64};
    tuned_flood *small = tuned_flood_of(&all, reduce(), 0, 8);
    tuned_flood *large = tuned_flood_of(&all, reduce(), 0, 1024);
    judge(small, 0, 40e-6);
    judge(large, 0, 40e-6);
    assert_everywhere(small->state == TUNED_FLOOD_TRIED && large->state == TUNED_FLOOD_FREE);
}

/* Where no request may be open. */
static void a_verdict_can_be_told_when_it_is_needed(void **state)
{
    (void)state;
    tuned_floods all = on_one_host();
    tuned_flood *f = flood_of(&all, 0);
    while (!tuned_flood_is_due(f, 0)) {
        if (!(f->since > 0))
            tuned_flood_start(f, now);
        f->calls++;
    }
    tuned_flood_time(f, test_rank() ? 0 : 40e-6, f->calls);
    now += 40e-6 * (double)f->calls;
    tuned_flood_step(f, MPI_COMM_WORLD, true, test_rank(), now);
    assert_everywhere(f->asked && f->request == MPI_REQUEST_NULL);
    calls_until_due(f, 0, 1e-7);
    assert_everywhere(f->state == TUNED_FLOOD_TRIED);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_sent_unasked_is_a_flood),
        cmocka_unit_test(calls_between_end_a_stretch),
        cmocka_unit_test(short_calls_are_only_looked_at),
        cmocka_unit_test(senders_are_held_back_where_it_gains),
        cmocka_unit_test(senders_are_held_back_as_often_as_needs_be),
        cmocka_unit_test(senders_are_let_go_where_it_gains_nothing),
        cmocka_unit_test(other_work_is_no_time_of_calls),
        cmocka_unit_test(large_blocks_between_hosts_are_left_alone),
        cmocka_unit_test(a_verdict_can_be_told_when_it_is_needed),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
