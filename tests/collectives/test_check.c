/* The checker proves every algorithm for many sizes, roots and mappings, and refuses whatever is
 * broken, saying what. */
#include "collectives/schedule/proof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "costs.h"
#include "tests/collectives/random_topology.h"
#include "tests/quick.h"

/* Every number of processes up to 17, so powers of two, their neighbours and all shapes of meshes;
 * then a power of two and its successor. */
static const int numbers_of_processes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9, 10,
                                           11, 12, 13, 14, 15, 16, 17, 32, 33};
enum { NUMBERS = CPM_TEST_CASES(19, 9) };

static void prove_call(const cpm_algorithm *a, const cpm_call *call, bool ordered)
{
    cpm_error e = {0};
    const cpm_operation *op = NULL;
    cpm_schedule *s = NULL;
    assert_int_equal(cpm_operation_find(a->operation, &op, &e), CPM_OK);
    if (cpm_schedule_create(a, call, &s, &e) || cpm_check(s, op, ordered, &e))
        fail_msg("%s:%s n=%d root=%d segment=%zu k=%d: %s", a->operation, a->name, call->n,
                 call->root, call->with.segment, call->with.k, e.text);
    cpm_schedule_free(s);
}

/* A tree without shape: node v hangs on any node before it. */
static void random_tree(int *parent, int n)
{
    uint64_t seed = (uint64_t)n;
    for (int v = 0; v < n; v++)
        parent[v] = v ? (int)(uniform(&seed) * v) % v : -1;
}

/* A row may refuse some, as 1 where that would be another row. */
static void prove_some_k(const cpm_algorithm *a, cpm_call call, bool ordered)
{
    int proved = 0;
    for (call.with.k = 1; call.with.k < 6; call.with.k++) {
        cpm_schedule *s = NULL;
        bool refused = cpm_schedule_create(a, &call, &s, NULL) == CPM_EINVAL;
        cpm_schedule_free(s);
        if (refused)
            continue;
        prove_call(a, &call, ordered);
        proved++;
    }
    if (!proved)
        fail_msg("%s:%s n=%d refuses every k", a->operation, a->name, call.n);
}

/* With and without segments, with several parameters: whatever the row takes. */
static void prove_parameters(const cpm_algorithm *a, cpm_call call)
{
    bool ordered = !call.mapping && cpm_algorithm_keeps_order(a, call.root);
    if (cpm_algorithm_applies(a, &call, NULL))
        return;
    prove_call(a, &call, ordered);
    if (a->properties & CPM_TAKES_K)
        prove_some_k(a, call, ordered);
    if (a->properties & CPM_TAKES_SEGMENT)
        for (call.with.segment = 200; call.with.segment < 1000; call.with.segment += 133)
            prove_call(a, &call, ordered);
    for (call.with.threshold = 100; a->properties & CPM_TAKES_THRESHOLD; call.with.threshold *= 5) {
        prove_call(a, &call, ordered);
        if (call.with.threshold > call.bytes)
            return;
    }
}

static void prove(const cpm_algorithm *a, int n, int root, const int *mapping)
{
    int parent[4096];
    cpm_topology *t = NULL;
    random_tree(parent, n);
    if (a->properties & CPM_NEEDS_TOPOLOGY)
        t = random_tree_of_switches((unsigned)n, 1 + n / 4, n);
    prove_parameters(a, (cpm_call){.n = n,
                                   .root = root,
                                   .mapping = mapping,
                                   .bytes = 1000,
                                   .parent = parent,
                                   .topology = t});
    cpm_topology_free(t);
}

static bool is_rooted(const cpm_algorithm *a)
{
    const cpm_operation *op = NULL;
    assert_int_equal(cpm_operation_find(a->operation, &op, NULL), CPM_OK);
    return op->rooted;
}

static void every_algorithm_is_right_for_every_n_and_root(void **state)
{
    (void)state;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int k = 0; k < NUMBERS; k++)
            for (int root = 0; root < (is_rooted(a) ? numbers_of_processes[k] : 1);
                 root += numbers_of_processes[k] > 17 ? 5 : 1)
                prove(a, numbers_of_processes[k], root, NULL);
}

static void every_algorithm_is_right_for_larger_n(void **state)
{
    (void)state;
    const int sizes[] = {100, 128};
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int k = 0; k < CPM_TEST_CASES(2, 1); k++)
            for (int root = 0; root < (is_rooted(a) ? sizes[k] : 1); root += 67)
                prove(a, sizes[k], root, NULL);
}

/* Every algorithm in the rows or the columns of a mesh: refused, or right. */
static void meshes_are_right_or_refused(void **state)
{
    (void)state;
    int proved = 0, refused = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int k = 0; a->properties & CPM_TAKES_INNER && cpm_algorithms[k].name; k++)
            for (int d = 0; d < 2; d++) {
                cpm_schedule *s = NULL;
                cpm_call call = {.n = 24, .root = is_rooted(a) ? 13 : 0, .bytes = 1000};
                bool three = strcmp(a->name, "3d") == 0;
                memcpy(call.with.mesh, three ? (int[]){2, 4, 3} : (int[]){8, 3, 0},
                       3 * sizeof(int));
                call.with.inner[d] = 1 + k;
                bool fits = !cpm_schedule_create(a, &call, &s, NULL);
                cpm_schedule_free(s);
                proved += fits;
                refused += !fits;
                if (fits)
                    prove_call(a, &call, false);
                assert_false(fits && strcmp(a->operation, cpm_algorithms[k].operation) != 0);
            }
    assert_true(proved > 100 && refused > 100);
}

static void shuffle(int *mapping, int n, uint64_t *seed)
{
    for (int v = 0; v < n; v++)
        mapping[v] = v;
    for (int v = n - 1; v > 0; v--) {
        int other = (int)(uniform(seed) * (v + 1)) % (v + 1), kept = mapping[v];
        mapping[v] = mapping[other];
        mapping[other] = kept;
    }
}

static void every_algorithm_is_right_for_random_mappings(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int mapping[64];
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 2; n <= CPM_TEST_CASES(64, 17) && a->properties & CPM_TAKES_MAPPING;
             n += n < 17 ? 1 : 7) {
            shuffle(mapping, n, &seed);
            prove(a, n, mapping[0], mapping);
        }
}

static void gather_of_4096_processes_is_right(void **state)
{
    (void)state;
    const cpm_algorithm *a = NULL;
    assert_int_equal(cpm_algorithm_find("gather", "binomial", &a, NULL), CPM_OK);
    prove(a, 4096, 4095, NULL);
}

/* ---- broken schedules, all of a scatter from rank 0 unless said otherwise ---- */

typedef void build_function(const cpm_schedule *s, int rank, cpm_steps *out);

static void right_scatter(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int r = 1; r < s->n && rank == 0; r++, cpm_next_round(out))
        cpm_send(out, r, r, 1);
    if (rank != 0)
        cpm_recv(out, 0, rank, 1);
}

static void wrong_peer(const cpm_schedule *s, int rank, cpm_steps *out)
{
    right_scatter(s, rank, out);
    if (rank == 2)
        out->at[0].peer = 1;
}

static void peer_that_is_not_there(const cpm_schedule *s, int rank, cpm_steps *out)
{
    right_scatter(s, rank, out);
    if (rank == 2)
        out->at[0].peer = s->n;
}

static void missing_receive(const cpm_schedule *s, int rank, cpm_steps *out)
{
    if (rank != 2)
        right_scatter(s, rank, out);
}

static void missing_send(const cpm_schedule *s, int rank, cpm_steps *out)
{
    right_scatter(s, rank, out);
    if (rank == 0)
        out->count--;
}

static void ring_of_blocking_sends(const cpm_schedule *s, int rank, cpm_steps *out)
{
    cpm_send(out, (rank + 1) % s->n, rank, 1);
    cpm_next_round(out);
    cpm_recv(out, (rank + s->n - 1) % s->n, (rank + s->n - 1) % s->n, 1);
}

static void ring_of_one_round(const cpm_schedule *s, int rank, cpm_steps *out)
{
    cpm_send(out, (rank + 1) % s->n, rank, 1);
    cpm_recv(out, (rank + s->n - 1) % s->n, (rank + s->n - 1) % s->n, 1);
}

/* Block 3 goes on to rank 3 through rank 2 in the round in which rank 2 gets it. */
static void passes_on_too_early(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    if (rank == 0)
        cpm_send(out, 2, 3, 1);
    if (rank == 2)
        cpm_recv(out, 0, 3, 1);
    if (rank == 2)
        cpm_send(out, 3, 3, 1);
    if (rank == 3)
        cpm_recv(out, 2, 3, 1);
}

static void left_over_message(const cpm_schedule *s, int rank, cpm_steps *out)
{
    right_scatter(s, rank, out);
    if (rank == 0)
        cpm_send(out, 1, 1, 1);
}

static void other_block_at_the_other_end(const cpm_schedule *s, int rank, cpm_steps *out)
{
    right_scatter(s, rank, out);
    if (rank == 2)
        out->at[0].run.first = 3;
}

static void swapped_blocks(const cpm_schedule *s, int rank, cpm_steps *out)
{
    right_scatter(s, rank, out);
    for (int k = 0; k < out->count; k++) {
        int64_t *first = &out->at[k].run.first;
        *first = *first == 1 ? 2 : *first == 2 ? 1 : *first;
    }
}

static void block_out_of_range(const cpm_schedule *s, int rank, cpm_steps *out)
{
    right_scatter(s, rank, out);
    if (rank == 0)
        out->at[0].run.count = s->n;
}

static void nothing(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s, (void)rank, (void)out;
}

static cpm_schedule of_four(build_function *build)
{
    return (cpm_schedule){.n = 4, .root = 0, .blocks = 4, .build = build};
}

static void refused(const cpm_schedule *s, const char *operation, int code, const char *says)
{
    cpm_error e = {0};
    const cpm_operation *op = NULL;
    assert_int_equal(cpm_operation_find(operation, &op, &e), CPM_OK);
    assert_int_equal(cpm_check(s, op, false, &e), code);
    if (!strstr(e.text, says))
        fail_msg("'%s' is not in '%s'", says, e.text);
}

static void refuses(build_function *build, int code, const char *says)
{
    cpm_schedule s = of_four(build);
    refused(&s, "scatter", code, says);
}

static void the_unbroken_scatter_passes(void **state)
{
    (void)state;
    refuses(right_scatter, CPM_OK, "");
}

static void refuses_wrong_peers(void **state)
{
    (void)state;
    refuses(wrong_peer, CPM_EWRONG, "rank 2 expects block 2 from rank 1, which never sends it");
    refuses(peer_that_is_not_there, CPM_EWRONG, "rank 2 has a message with rank 4 of 4");
}

static void refuses_a_missing_end(void **state)
{
    (void)state;
    refuses(missing_receive, CPM_EWRONG,
            "left over: rank 0 sends block 2 to rank 2, which never receives it");
    refuses(missing_send, CPM_EWRONG, "rank 3 expects block 3 from rank 0, which never sends it");
    refuses(left_over_message, CPM_EWRONG,
            "left over: rank 0 sends block 1 to rank 1, which never receives it");
}

static void a_ring_deadlocks_if_sends_block(void **state)
{
    (void)state;
    /* Every rank holds its own block before a gather. */
    cpm_schedule s = of_four(ring_of_blocking_sends);
    refused(&s, "gather", CPM_EDEADLOCK, "rank 1 for rank 2 to receive block 1");
    refused(&s, "gather", CPM_EDEADLOCK, "rank 3 for rank 0 to receive block 3");
    refused(&s, "gather", CPM_EDEADLOCK, "deadlock of 4 ranks: rank ");
    s.build = ring_of_one_round;
    refused(&s, "gather", CPM_EWRONG, "rank 0 ends without block 1");
}

/* Rank 3 waits for the ring, but is no part of it. */
static void ring_of_three(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    cpm_send(out, rank == 3 ? 0 : (rank + 1) % 3, 0, 0);
    cpm_next_round(out);
    if (rank == 0)
        cpm_recv(out, 3, 0, 0);
    cpm_recv(out, rank == 3 ? 0 : (rank + 2) % 3, 0, 0);
}

static void a_circle_names_those_who_are_in_it(void **state)
{
    (void)state;
    cpm_schedule s = of_four(ring_of_three);
    cpm_error e = {0};
    assert_int_equal(cpm_check(&s, &cpm_operations[CPM_OP_BARRIER], false, &e), CPM_EDEADLOCK);
    assert_null(strstr(e.text, "rank 3"));
    assert_non_null(strstr(e.text, "rank 2 for rank 0 to receive a message without data"));
}

static void a_circle_of_many_is_cut_short(void **state)
{
    (void)state;
    cpm_schedule s = {.n = 1000, .root = 0, .blocks = 1000, .build = ring_of_blocking_sends};
    cpm_error e = {0};
    assert_int_equal(cpm_check(&s, &cpm_operations[CPM_OP_GATHER], false, &e), CPM_EDEADLOCK);
    assert_int_equal(strncmp(e.text, "deadlock of 1000 ranks: rank ", 29), 0);
    assert_string_equal(e.text + strlen(e.text) - 5, ", ...");
}

/* Segment 1 of the block does not reach rank 2; of contributions apart that of rank 1. */
static void loses_a_piece(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int r = 1; r < s->n && rank == 0; r++, cpm_next_round(out))
        cpm_send(out, r, 0, r == 2 ? 1 : s->blocks);
    if (rank != 0)
        cpm_recv(out, 0, 0, rank == 2 ? 1 : s->blocks);
}

static void keeps_its_contribution(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    for (int r = 2; r < 4 && rank == 0; r++)
        cpm_recv(out, r, r, 1);
    if (rank >= 2)
        cpm_send(out, 0, rank, 1);
}

static void says_which_piece_or_contribution_is_missing(void **state)
{
    (void)state;
    cpm_schedule s = {.n = 4, .root = 0, .blocks = 3, .pieces = 3, .build = loses_a_piece};
    refused(&s, "bcast", CPM_EWRONG, "rank 2 ends without piece 1 of block 0");
    s = (cpm_schedule){.n = 4,
                       .root = 0,
                       .blocks = 4,
                       .pieces = 4,
                       .apart = true,
                       .build = keeps_its_contribution};
    refused(&s, "reduce", CPM_EWRONG, "rank 0 ends without the contribution of rank 1 to block 0");
}

static void refuses_to_send_what_is_not_there_yet(void **state)
{
    (void)state;
    refuses(passes_on_too_early, CPM_EWRONG, "rank 2 sends block 3 to rank 3 without holding it");
}

static void refuses_ends_that_disagree(void **state)
{
    (void)state;
    refuses(
        other_block_at_the_other_end, CPM_EWRONG,
        "rank 0 sends blocks from position 2 (1 and 0 more runs), but rank 2 expects position 3 "
        "(1 and 0 more runs)");
    refuses(block_out_of_range, CPM_EWRONG, "positions 1 to 4 out of 4");
}

static void refuses_wrong_final_blocks(void **state)
{
    (void)state;
    refuses(swapped_blocks, CPM_EWRONG, "rank 1 ends without block 1");
    refuses(nothing, CPM_EWRONG, "rank 1 ends without block 1");
}

static void refuses_a_wrong_order_of_blocks(void **state)
{
    (void)state;
    const int twice[4] = {0, 1, 1, 3};
    cpm_schedule s = of_four(right_scatter);
    s.order = twice;
    refused(&s, "scatter", CPM_EWRONG, "has 1 at position 2");
    s.order = NULL;
    refused(&s, "bcast", CPM_EWRONG, "the schedule has 4 blocks, but bcast of 4 ranks 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_is_right_for_every_n_and_root),
        cmocka_unit_test(every_algorithm_is_right_for_larger_n),
        cmocka_unit_test(every_algorithm_is_right_for_random_mappings),
        cmocka_unit_test(meshes_are_right_or_refused),
        cmocka_unit_test(gather_of_4096_processes_is_right),
        cmocka_unit_test(the_unbroken_scatter_passes),
        cmocka_unit_test(refuses_wrong_peers),
        cmocka_unit_test(refuses_a_missing_end),
        cmocka_unit_test(a_ring_deadlocks_if_sends_block),
        cmocka_unit_test(a_circle_names_those_who_are_in_it),
        cmocka_unit_test(a_circle_of_many_is_cut_short),
        cmocka_unit_test(says_which_piece_or_contribution_is_missing),
        cmocka_unit_test(refuses_to_send_what_is_not_there_yet),
        cmocka_unit_test(refuses_ends_that_disagree),
        cmocka_unit_test(refuses_wrong_final_blocks),
        cmocka_unit_test(refuses_a_wrong_order_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
