/* Short collectives in turns, as programs call them; nothing of CPM in it. bench/watching runs it
 * natively and with CPM in turns.
 *
 * mpiexec -n N bench_watching CALLS: bcast, allreduce and allgather of 8 B to 16 KB. Prints the
 * nanoseconds of a call, waiting included: the mean over all calls of the slowest rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 6 };
static const int sizes[SIZES] = {8, 64, 256, 1024, 4096, 16384};

static void call(int k, char *send, char *recv)
{
    const int bytes = sizes[k / 3 % SIZES];
    if (k % 3 == 0)
        MPI_Bcast(send, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (k % 3 == 1)
        MPI_Allreduce(send, recv, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Allgather(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int n, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int calls = argc > 1 ? atoi(argv[1]) : 0;
    char *send = calloc(1, 16384), *recv = calloc((size_t)n, 16384);
    if (calls < 1 || !send || !recv) {
        fprintf(stderr, "usage: bench_watching CALLS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    PMPI_Barrier(MPI_COMM_WORLD);
    double start = PMPI_Wtime(), own, longest;
    for (int k = 0; k < calls; k++)
        call(k, send, recv);
    own = PMPI_Wtime() - start;
    PMPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.2f\n", longest / calls * 1e9);
    free(send);
    free(recv);
    MPI_Finalize();
    return 0;
}
