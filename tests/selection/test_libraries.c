/* What MPI libraries run of ours: only where they run the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "selection/libraries.h"

static const cpm_their_algorithm *theirs(cpm_library library, const char *operation,
                                         const char *name, int n)
{
    const cpm_target target = {.library = library, .commuting = true};
    cpm_collective ours = {0};
    assert_int_equal(cpm_algorithm_find(operation, name, &ours.algorithm, NULL), CPM_OK);
    return cpm_their_algorithm_of(&target, operation, n, &ours, 0);
}

static bool openmpi_has(const char *name, size_t bytes)
{
    const cpm_target target = {.library = CPM_LIBRARY_OPENMPI, .commuting = true};
    cpm_collective ours = {0};
    assert_int_equal(cpm_collective_parse(name, &ours, NULL), CPM_OK);
    return cpm_their_algorithm_of(&target, ours.operation->name, 64, &ours, bytes);
}

static void neighbors_are_theirs_in_even_numbers(void **state)
{
    (void)state;
    assert_non_null(theirs(CPM_LIBRARY_OPENMPI, "allgather", "neighbor", 6));
    assert_null(theirs(CPM_LIBRARY_OPENMPI, "allgather", "neighbor", 7));
}

/* It cuts larger fans to that. */
static void open_mpi_has_up_to_32_children(void **state)
{
    (void)state;
    assert_true(openmpi_has("bcast:chains-at-once:k=32", 1024));
    assert_false(openmpi_has("bcast:chains-at-once:k=33", 1024));
    assert_false(openmpi_has("reduce:chains:k=40:segment=1K", 65536));
}

/* It runs a chain for less. */
static void open_mpi_splits_what_is_two_segments(void **state)
{
    (void)state;
    assert_true(openmpi_has("bcast:split-binary", 1024));
    assert_true(openmpi_has("bcast:split-binary:segment=8K", 16384));
    assert_false(openmpi_has("bcast:split-binary:segment=8K", 16383));
    assert_true(openmpi_has("bcast:chain:segment=8K", 100));
}

/* Open MPI runs Bruck's then, or a bcast's own way, and MPICH stops. Ours runs for any n. */
static void recursive_doubling_is_theirs_for_powers_of_two_only(void **state)
{
    (void)state;
    assert_non_null(theirs(CPM_LIBRARY_OPENMPI, "allgather", "recursive-doubling", 8));
    assert_null(theirs(CPM_LIBRARY_OPENMPI, "allgather", "recursive-doubling", 6));
    assert_non_null(theirs(CPM_LIBRARY_MPICH, "allgatherv", "recursive-doubling", 8));
    assert_null(theirs(CPM_LIBRARY_MPICH, "allgatherv", "recursive-doubling", 6));
    assert_null(theirs(CPM_LIBRARY_MPICH, "bcast", "scatter-doubling", 6));
    assert_null(theirs(CPM_LIBRARY_OPENMPI, "bcast", "scatter-doubling", 6));
    assert_non_null(theirs(CPM_LIBRARY_OPENMPI, "bcast", "scatter-doubling", 8));
}

static void a_ring_is_theirs_unless_on_a_power_of_two(void **state)
{
    (void)state;
    assert_non_null(theirs(CPM_LIBRARY_MPICH, "alltoall", "ring", 6));
    assert_null(theirs(CPM_LIBRARY_MPICH, "alltoall", "ring", 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursive_doubling_is_theirs_for_powers_of_two_only),
        cmocka_unit_test(a_ring_is_theirs_unless_on_a_power_of_two),
        cmocka_unit_test(neighbors_are_theirs_in_even_numbers),
        cmocka_unit_test(open_mpi_has_up_to_32_children),
        cmocka_unit_test(open_mpi_splits_what_is_two_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
