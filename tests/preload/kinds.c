/* Calls of which it is known how many there are: for profiles, and for turns of native and chosen
 * ones. usage: kinds [REPETITIONS [abort|kill|quiet|slow]]; quiet: only some processes call
 * collectives; slow: each sleeps for 20 ms before a bcast */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char from[1 << 16], to[1 << 18];
static int counts[64], displacements[64];
static unsigned sleeps; /* us */

/* Blocks of 100 bytes on average over ranks. */
static int own_count(int rank, int n)
{
    return 100 - (n - 1) * 10 + 20 * rank;
}

static void call_all(MPI_Comm comm)
{
    int rank, n, sum, one = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    for (int i = 0; i < n; i++) {
        counts[i] = own_count(i, n);
        displacements[i] = 200 * i;
    }
    usleep(sleeps);
    MPI_Bcast(from, 1000, MPI_CHAR, n - 1, comm);
    MPI_Gatherv(from, own_count(rank, n), MPI_CHAR, to, counts, displacements, MPI_CHAR, 0, comm);
    MPI_Allgatherv(from, own_count(rank, n), MPI_CHAR, to, counts, displacements, MPI_CHAR, comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != n)
        printf("%d instead of %d\n", sum, n);
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    int rank, repetitions = argc > 1 ? atoi(argv[1]) : 10;
    const char *how = argc > 2 ? argv[2] : "";
    MPI_Comm others;
    sleeps = strcmp(how, "slow") == 0 ? 20000 : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &others);
    for (int i = 0; i < repetitions; i++) {
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        if (strcmp(how, "quiet") != 0)
            call_all(copy);
        if (others != MPI_COMM_NULL)
            call_all(others);
        MPI_Comm_free(&copy);
    }
    if (strcmp(how, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (strcmp(how, "kill") == 0 && rank == 1)
        raise(SIGKILL);
    if (others != MPI_COMM_NULL)
        MPI_Comm_free(&others);
    MPI_Finalize();
    return 0;
}
