/* What walks take to be packed and copied is what the executor packs and copies, of every algorithm
 * at every rank. One process plays all ranks: the executor asks it for its rank. */
#include "tests/mpi_test.h"

#include <string.h>

#include "collectives/collective.h"
#include "collectives/schedule/from_input.h"
#include "collectives/schedule/placing.h"
#include "executor/layout.h"
#include "executor/plan.h"

static int played, processes;

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = played;
    return MPI_SUCCESS;
}

static mpib_side side_of(const cpm_operation *o, cpm_side which, bool at_root, const size_t *counts,
                         size_t own)
{
    bool differ = o->counts && cpm_operation_blocks(o, which, at_root) == CPM_BLOCK_OF_EACH;
    return (mpib_side){
        .count = differ ? 0 : own, .counts = differ ? counts : NULL, .type = MPI_BYTE};
}

/* Bytes that moves copy; reducing is no copy. */
static size_t moved(const mpib_moves *m, int *count)
{
    size_t bytes = 0;
    *count = 0;
    for (int i = 0; i < m->count; i++)
        if (m->at[i].kind != MPIB_REDUCE) {
            bytes += m->at[i].elements;
            ++*count;
        }
    return bytes;
}

static void compare_messages(const char *name, const mpib_plan *plan, const cpm_placing *placing,
                             const cpm_steps *steps)
{
    assert_int_equal(plan->count, steps->count);
    for (int k = 0; k < steps->count; k++) {
        const mpib_message *m = &plan->messages[k];
        int64_t pieces = cpm_step_pieces(placing, steps, &steps->at[k]);
        bool nearer = placing->pairs && m->pieces > 1 && m->pieces < pieces; /* as documented */
        if (m->pieces != pieces && !nearer)
            fail_msg("%s of %d: rank %d, message %d: %d pieces, but %d are priced", name, processes,
                     played, k, m->pieces, (int)pieces);
        if (m->kind != CPM_COMBINE)
            assert_int_equal(m->packed, pieces > 1);
        else if (m->input) /* else what came would be copied, which is not priced */
            assert_false(m->packed);
    }
}

static void compare_copies(const char *name, const mpib_arrangement *all,
                           const cpm_own_copies *copies)
{
    int before, after;
    size_t bytes_before = moved(&all->before, &before), bytes_after = moved(&all->after, &after);
    if (bytes_before != copies->bytes_before || bytes_after != copies->bytes_after ||
        before != copies->before || after != copies->after)
        fail_msg("%s of %d: rank %d copies %zu bytes before and %zu after, but %zu and %zu are "
                 "priced",
                 name, processes, played, bytes_before, bytes_after, copies->bytes_before,
                 copies->bytes_after);
}

/* But where what was combined and what was not would be sent together, where what comes first is of
 * several pieces, or where nothing comes. */
static bool may_copy_contribution(const cpm_schedule *s, const char *name)
{
    static const char *const may[] = {":circulant", ":buckets", "scatter:swing", ":swing-long"};
    bool found = s->apart || s->order || s->operation->contributes;
    for (size_t k = 0; k < sizeof may / sizeof *may; k++)
        found = found || strstr(name, may[k]);
    return found;
}

/* As benchmarks call it. */
static void compare_rank(const char *name, const cpm_schedule *s, const cpm_operation *o,
                         size_t bytes)
{
    cpm_error e = {0};
    size_t counts[64];
    bool at_root = played == s->root;
    cpm_block_sizes sizes = {.bytes = o->dataless ? 0 : bytes, .grain = o->combines};
    for (int p = 0; p < processes; p++)
        counts[p] = bytes;
    mpib_arguments a = {.operation = o,
                        .send = side_of(o, CPM_SEND_SIDE, at_root, counts, bytes),
                        .recv = side_of(o, CPM_RECV_SIDE, at_root, counts, bytes),
                        .in_place = cpm_operation_stays_in_place(o, at_root),
                        .op = MPI_BXOR,
                        .root = s->root,
                        .comm = MPI_COMM_WORLD};
    mpib_arrangement all = {0};
    mpib_plan *plan = NULL;
    cpm_steps steps = {0};
    assert_int_equal(
        (o->combines ? mpib_arrange_reduction : mpib_arrange_blocks)(&a, s, &sizes, &all, &e),
        CPM_OK);
    assert_int_equal(mpib_plan_create(&all.layout, played, &plan, &e), CPM_OK);
    assert_int_equal(cpm_schedule_rank(s, played, &steps, &e), CPM_OK);
    cpm_placing placing;
    assert_int_equal(cpm_placing_usual(s, &steps, played, &placing, &e), CPM_OK);
    cpm_own_copies copies = cpm_placing_copies(&placing, &steps, &sizes);
    if (!o->dataless)
        compare_messages(name, plan, &placing, &steps);
    compare_copies(name, &all, &copies);
    if (o->combines && copies.before && !may_copy_contribution(s, name))
        fail_msg("%s of %d: rank %d copies its contribution", name, processes, played);
    cpm_steps_free(&steps);
    mpib_plan_free(plan);
    mpib_arrangement_clear(&all);
}

static void compare(const cpm_algorithm *algorithm, int root)
{
    enum { BYTES = 960 };
    cpm_collective c = {.algorithm = algorithm};
    cpm_schedule *s = NULL;
    char name[128];
    assert_int_equal(cpm_operation_find(algorithm->operation, &c.operation, NULL), CPM_OK);
    c.at.n = processes;
    c.at.root = root;
    cpm_block_sizes sizes = {.bytes = c.operation->dataless ? 0 : BYTES,
                             .grain = c.operation->combines};
    if (cpm_collective_schedule(&c, &sizes, &s, NULL))
        return; /* it needs another number of processes, or what is not at hand */
    cpm_collective_print(&c, name, sizeof name);
    for (played = 0; played < processes; played++)
        compare_rank(name, s, c.operation, BYTES);
    cpm_schedule_free(s);
}

static void what_is_priced_is_copied(void **state)
{
    (void)state;
    static const int numbers[] = {2, 3, 4, 5, 6, 8, 9, 12, 16, 27};
    int compared = 0;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
            for (int at = 0; at < 2; at++, compared++) {
                processes = numbers[k];
                compare(a, at ? processes / 2 : 0);
            }
    assert_true(compared > 1000);
}

static bool takes(const cpm_schedule *s, const cpm_steps *steps, int rank, bool *taken)
{
    bool does;
    assert_int_equal(cpm_take_from_input(s, steps, rank, taken, &does, NULL), CPM_OK);
    return does;
}

/* With more positions than are looked at in a few words. */
static void many_positions_are_taken_from_the_input(void **state)
{
    (void)state;
    enum { RANKS = 1500, OTHER = 7 };
    const char *names[] = {"pairwise", "halving", "ring"};
    for (int k = 0; k < 3; k++) {
        cpm_collective c = {.at.n = RANKS};
        cpm_schedule *s = NULL;
        cpm_steps steps = {0};
        const cpm_block_sizes sizes = {.bytes = 8, .grain = 8};
        bool taken[4 * RANKS] = {false};
        assert_int_equal(cpm_operation_find("reduce_scatter", &c.operation, NULL), CPM_OK);
        assert_int_equal(cpm_algorithm_find("reduce_scatter", names[k], &c.algorithm, NULL),
                         CPM_OK);
        assert_int_equal(cpm_collective_schedule(&c, &sizes, &s, NULL), CPM_OK);
        assert_int_equal(cpm_schedule_rank(s, RANKS - 2, &steps, NULL), CPM_OK);
        assert_true(steps.count > 1 && steps.count < 4 * RANKS);
        assert_true(takes(s, &steps, RANKS - 2, taken));
        assert_true(taken[0]);
        if (k == 0) /* of another rank's result nothing comes */
            assert_false(takes(s, &steps, OTHER, NULL));
        s->by_library = true;
        assert_false(takes(s, &steps, RANKS - 2, NULL));
        cpm_steps_free(&steps);
        cpm_schedule_free(s);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_priced_is_copied),
        cmocka_unit_test(many_positions_are_taken_from_the_input),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
