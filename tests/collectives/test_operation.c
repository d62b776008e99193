/* Rows of operations: what they say of arguments agrees with who holds what before and after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collectives/algorithm.h"

enum { MOST = 5 };

typedef bool holds(int n, int root, int rank, int64_t unit, const cpm_neighbours *g);

/* Process i sends to the i next ones. */
static cpm_neighbours *some_neighbours(int n)
{
    int from[MOST * MOST], to[MOST * MOST], count = 0;
    cpm_neighbours *g;
    for (int i = 0; i < n; i++)
        for (int k = 1; k <= i; k++) {
            from[count] = i;
            to[count++] = (i + k) % n;
        }
    assert_int_equal(cpm_neighbours_create(n, count, from, to, &g, NULL), CPM_OK);
    return g;
}

static int units_of(const cpm_operation *o, holds *f, int n, int root, int rank,
                    const cpm_neighbours *g)
{
    int count = 0;
    for (int64_t unit = 0; unit < o->units(n, g); unit++)
        count += f(n, root, rank, unit, g);
    return count;
}

static int blocks_of(const cpm_operation *o, cpm_side side, int n, bool at_root, int rank,
                     const cpm_neighbours *g)
{
    cpm_blocks b = cpm_operation_blocks(o, side, at_root);
    const int *first = side == CPM_SEND_SIDE ? g->first_out : g->first_in;
    if (b == CPM_BLOCK_OF_NEIGHBOUR)
        return first[rank + 1] - first[rank];
    return b == CPM_BLOCK_OF_EACH ? n : b == CPM_ONE_BLOCK;
}

static void check_blocks(const cpm_operation *o, int n, int root, int rank)
{
    bool at_root = rank == root, one_buffer = o->send.at_root == CPM_NO_BLOCK;
    cpm_neighbours *g = some_neighbours(n);
    if (!one_buffer)
        assert_int_equal(blocks_of(o, CPM_SEND_SIDE, n, at_root, rank, g),
                         units_of(o, o->before, n, root, rank, g));
    if (!o->combines)
        assert_int_equal(blocks_of(o, CPM_RECV_SIDE, n, at_root, rank, g),
                         units_of(o, o->after, n, root, rank, g));
    else
        assert_int_equal(blocks_of(o, CPM_RECV_SIDE, n, at_root, rank, g), o->units(n, g));
    cpm_neighbours_free(g);
}

static void sides_have_the_blocks_that_a_rank_gives_and_gets(void **state)
{
    (void)state;
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (int n = 1; n <= MOST && !o->dataless; n++)
            for (int root = 0; root < n; root++)
                for (int rank = 0; rank < n; rank++)
                    check_blocks(o, n, root, rank);
}

/* MPI_IN_PLACE has no count, nor has a side without blocks. */
static void a_rank_never_goes_by_a_count_that_it_may_not_have(void **state)
{
    (void)state;
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (int at_root = 0; at_root < 2 && !o->dataless; at_root++) {
            cpm_side s = cpm_operation_significant(o, at_root);
            assert_int_not_equal(cpm_operation_blocks(o, s, at_root), CPM_NO_BLOCK);
            assert_false(s == o->in_place && (at_root || !o->rooted));
        }
}

static void an_algorithm_of_its_own_plays_the_library(void **state)
{
    (void)state;
    const cpm_algorithm *a;
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        assert_int_equal(cpm_algorithm_find(o->name, o->plain, &a, NULL), CPM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_have_the_blocks_that_a_rank_gives_and_gets),
        cmocka_unit_test(a_rank_never_goes_by_a_count_that_it_may_not_have),
        cmocka_unit_test(an_algorithm_of_its_own_plays_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
