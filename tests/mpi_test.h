/* cmocka under MPI: every rank runs every test, and all fail together, so nobody is left waiting.
 */
#ifndef CPM_TESTS_MPI_TEST_H
#define CPM_TESTS_MPI_TEST_H

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static inline int test_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static inline int test_ranks(void)
{
    int n;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
}

/* Collective: true if the condition held on every rank; a rank where it did not says so. */
static inline int holds_everywhere(bool condition, const char *text, const char *file, int line)
{
    int own = condition, all = 0;
    if (!condition)
        fprintf(stderr, "rank %d: %s:%d: failed: %s\n", test_rank(), file, line, text);
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

#define assert_everywhere(condition) \
    assert_true(holds_everywhere((condition), #condition, __FILE__, __LINE__))

/* main of a test program: argv[1] is the number of ranks it must get (a launcher of another MPI
 * starts that many programs of one rank each). Only rank 0 says which tests passed. */
#define RUN_MPI_TESTS(argc, argv, tests) \
    run_mpi_tests((argc), (argv), (tests), sizeof(tests) / sizeof *(tests))

static inline int run_mpi_tests(int argc, char **argv, const struct CMUnitTest *tests, size_t count)
{
    MPI_Init(&argc, &argv);
    int expected = argc > 1 ? atoi(argv[1]) : 0, failures = 1, worst = 1;
    if (expected != test_ranks())
        fprintf(stderr, "%s: got %d processes instead of %d\n", argv[0], test_ranks(), expected);
    else if (test_rank() == 0 || freopen("/dev/null", "w", stdout))
        failures = _cmocka_run_group_tests("mpi", tests, count, NULL, NULL);
    MPI_Allreduce(&failures, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst != 0;
}

#endif
