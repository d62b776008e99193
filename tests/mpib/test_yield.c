/* Yielding while idle changes when a rank runs, not what it does. */
#include "tests/mpi_test.h"

#include "mpib/yield.h"

/* Passes a number around the ring; every rank adds its own. */
static int sum_around_the_ring(void)
{
    int rank = test_rank(), n = test_ranks(), sum = 0;
    int next = (rank + 1) % n, previous = (rank + n - 1) % n;
    if (rank > 0)
        MPI_Recv(&sum, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += rank;
    MPI_Send(&sum, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&sum, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return sum;
}

static void messages_arrive_whether_idle_ranks_yield_or_not(void **state)
{
    (void)state;
    int n = test_ranks();
    for (int on = 1; on >= 0; on--) {
        mpib_yield_when_idle(on);
        int sum = sum_around_the_ring();
        assert_everywhere(sum == n * (n - 1) / 2);
    }
    mpib_yield_when_idle(true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive_whether_idle_ranks_yield_or_not),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
