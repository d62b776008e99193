/* Short collectives in turns, as programs call them; nothing of CPM in it. bench/watching runs it
 * natively and with CPM in turns.
 *
 * mpiexec -n N bench_watching CALLS: bcast, allreduce and allgather of 8 B to 16 KB. Prints the
 * nanoseconds of a call, waiting included: the mean over all calls of the slowest rank.
 * mpiexec -n N bench_watching CALLS turns: short blocks of them through MPI_ and through PMPI_ in
 * turns. Prints the first deciles of both at rank 0, which hold on a machine that others use, too.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 6, ROOM = 16384, BLOCK = 36 };
static const int sizes[SIZES] = {8, 64, 256, 1024, 4096, ROOM};

static char *given, *got;

static void call(int k)
{
    const int bytes = sizes[k / 3 % SIZES];
    if (k % 3 == 0)
        MPI_Bcast(given, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (k % 3 == 1)
        MPI_Allreduce(given, got, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Allgather(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void call_native(int k)
{
    const int bytes = sizes[k / 3 % SIZES];
    if (k % 3 == 0)
        PMPI_Bcast(given, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (k % 3 == 1)
        PMPI_Allreduce(given, got, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        PMPI_Allgather(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static double seconds_of(void (*each)(int k), int calls)
{
    double start = PMPI_Wtime();
    for (int k = 0; k < calls; k++)
        each(k);
    return PMPI_Wtime() - start;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double decile(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    return seconds[count / 10];
}

static void run_in_turns(int calls, int rank)
{
    const int blocks = calls / BLOCK + 1;
    double *through = calloc((size_t)blocks, sizeof *through);
    double *native = calloc((size_t)blocks, sizeof *native);
    for (int b = 0; through && native && b < blocks; b++) {
        through[b] = seconds_of(call, BLOCK);
        native[b] = seconds_of(call_native, BLOCK);
    }
    if (rank == 0 && through && native)
        printf("%.2f %.2f\n", decile(through, blocks) / BLOCK * 1e9,
               decile(native, blocks) / BLOCK * 1e9);
    free(through);
    free(native);
}

static void run(int calls, int rank)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    double own = seconds_of(call, calls), longest = 0;
    PMPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.2f\n", longest / calls * 1e9);
}

int main(int argc, char **argv)
{
    int n, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int calls = argc > 1 ? atoi(argv[1]) : 0;
    given = calloc(1, ROOM);
    got = calloc((size_t)n, ROOM);
    if (calls < 1 || !given || !got) {
        fprintf(stderr, "usage: bench_watching CALLS [turns]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    (argc > 2 ? run_in_turns : run)(calls, rank);
    free(given);
    free(got);
    MPI_Finalize();
    return 0;
}
