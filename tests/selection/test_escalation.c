/* Which algorithms overflow the buffer of a switch. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "collectives/parameters.h"
#include "models/predict.h"
#include "selection/escalation.h"

enum { N = 8, M1 = 4096, M2 = 65536 };

static cpm_model *model(unsigned seed)
{
    cpm_model *m = random_lmo(N, seed);
    m->value[CPM_LMO_M1][0] = M1;
    m->value[CPM_LMO_M2][0] = M2;
    return m;
}

static bool escalates(const cpm_model *m, const char *name, size_t bytes)
{
    cpm_collective c;
    const cpm_block_sizes sizes = {.bytes = bytes};
    cpm_timeline run = {0};
    cpm_trace trace = cpm_timeline_trace(&run);
    cpm_switch_buffer buffer;
    bool found;
    assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
    assert_true(cpm_switch_buffer_of(m, &buffer));
    assert_true(
        cpm_predict_collective(m, &c, &sizes, &(cpm_walking){.trace = &trace}, NULL, NULL) >= 0);
    assert_int_equal(cpm_escalates(&buffer, &run, m->n, &found, NULL), CPM_OK);
    cpm_timeline_free(&run);
    return found;
}

static void a_model_without_m1_has_no_irregular_region(void **state)
{
    (void)state;
    cpm_switch_buffer buffer;
    cpm_model *lmo = random_lmo(3, 1), *hockney = random_hockney(3, 1);
    assert_false(cpm_switch_buffer_of(lmo, &buffer));
    assert_false(cpm_switch_buffer_of(hockney, &buffer));
    cpm_model_free(lmo);
    cpm_model_free(hockney);
}

static void linear_gather_escalates_from_m1_to_m2(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 20; seed++) {
        cpm_model *m = model(seed);
        assert_false(escalates(m, "gather:linear", M1 - 1));
        assert_true(escalates(m, "gather:linear", M1));
        assert_true(escalates(m, "gather:linear", M2 - 1));
        assert_false(escalates(m, "gather:linear", M2));
        cpm_model_free(m);
    }
}

static void it_escalates_for_ever_if_m2_is_not_known(void **state)
{
    (void)state;
    cpm_model *m = model(1);
    m->value[CPM_LMO_M2][0] = NAN;
    assert_true(escalates(m, "gather:linear", 100 * M2));
    cpm_model_free(m);
}

static void one_sender_at_a_time_never_does(void **state)
{
    (void)state;
    cpm_model *m = model(1);
    for (size_t bytes = 64; bytes < 1 << 22; bytes *= 2) {
        assert_false(escalates(m, "gather:chain", bytes));
        assert_false(escalates(m, "scatter:linear", bytes));
        assert_false(escalates(m, "bcast:binomial", bytes));
    }
    cpm_model_free(m);
}

/* From M2 on linear gather receives one synchronous message after the other; star asks for all. */
static void long_messages_escalate_if_they_are_posted_together(void **state)
{
    (void)state;
    const cpm_switch_buffer b = {(N - 1) * M1, M2};
    const char *const names[] = {"linear", "chain", "linear-sync", "star"};
    for (int k = 0; k < 4; k++) {
        const cpm_algorithm *a;
        cpm_schedule *s;
        bool together;
        assert_int_equal(cpm_algorithm_find("gather", names[k], &a, NULL), CPM_OK);
        assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = N, .bytes = M2}, &s, NULL), 0);
        for (size_t bytes = M2 / 2; bytes <= M2; bytes *= 2) {
            const cpm_block_sizes sizes = {.bytes = bytes};
            assert_int_equal(cpm_receives_long_together(&b, s, &sizes, &together, NULL), CPM_OK);
            assert_int_equal(together, k == 3 && bytes == M2);
        }
        cpm_schedule_free(s);
    }
}

/* Rank 0 gets a long message, or defers it, and then one from another. */
static void build_two(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int r = 1; r <= 2; r++) {
        if (rank == 0)
            cpm_recv(out, r, r, 1);
        else if (rank == r)
            cpm_send(out, 0, r, 1);
        (*(const bool *)s->state && r == 1 ? cpm_defer_round : cpm_next_round)(out);
    }
}

static void what_is_deferred_is_there_together_with_what_follows(void **state)
{
    (void)state;
    const cpm_switch_buffer b = {.bytes = M1, .synchronous = M2};
    const cpm_block_sizes sizes = {.bytes = M2};
    for (int k = 0; k < 2; k++) {
        bool together, deferred = k;
        const cpm_schedule s = {
            .n = 3, .root = 0, .blocks = 3, .build = build_two, .state = &deferred};
        assert_int_equal(cpm_receives_long_together(&b, &s, &sizes, &together, NULL), CPM_OK);
        assert_int_equal(together, deferred);
    }
}

/* The root gets more than half of the data in two messages, which overlap if they are large. */
static void a_binomial_gather_does_with_larger_blocks_only(void **state)
{
    (void)state;
    cpm_model *m = model(1);
    m->value[CPM_LMO_M2][0] = NAN;
    assert_false(escalates(m, "gather:binomial", M1));
    for (int i = 0; i < N * N; i++)
        m->value[CPM_LMO_INVBETA][i] *= 100; /* all are on their way for a long time */
    assert_true(escalates(m, "gather:binomial", 4 * M1));
    cpm_model_free(m);
}

static void barriers_between_small_pieces_prevent_it(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 20; seed++) {
        cpm_model *m = model(seed);
        assert_false(escalates(m, "gather:split-barrier:segment=4095", 60000));
        assert_true(escalates(m, "gather:split:segment=4095", 60000));
        assert_true(escalates(m, "gather:split-barrier:segment=5000", 60000));
        cpm_model_free(m);
    }
}

static void everybody_to_everybody_at_once_does(void **state)
{
    (void)state;
    cpm_model *m = model(1);
    assert_true(escalates(m, "alltoall:spreading-simple", 2 * M1));
    assert_false(escalates(m, "alltoall:spreading-simple", M1 / 2));
    assert_false(escalates(m, "alltoall:ring-barrier", 2 * M1));
    cpm_model_free(m);
}

/* Half of the senders fill the buffer with blocks of more than twice the size. */
static void part_of_the_processes_may_send_more(void **state)
{
    (void)state;
    static const int few[] = {5, 0, 2, 3};
    cpm_model *m = model(1), *part;
    assert_int_equal(cpm_model_subset(m, few, 4, &part, NULL), CPM_OK);
    assert_false(escalates(part, "gather:linear", 2 * M1));
    assert_true(escalates(part, "gather:linear", 3 * M1));
    cpm_model_free(part);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_deferred_is_there_together_with_what_follows),
        cmocka_unit_test(a_model_without_m1_has_no_irregular_region),
        cmocka_unit_test(linear_gather_escalates_from_m1_to_m2),
        cmocka_unit_test(it_escalates_for_ever_if_m2_is_not_known),
        cmocka_unit_test(one_sender_at_a_time_never_does),
        cmocka_unit_test(long_messages_escalate_if_they_are_posted_together),
        cmocka_unit_test(a_binomial_gather_does_with_larger_blocks_only),
        cmocka_unit_test(barriers_between_small_pieces_prevent_it),
        cmocka_unit_test(part_of_the_processes_may_send_more),
        cmocka_unit_test(everybody_to_everybody_at_once_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
