/* What libcpm-tuned.so adds to a call: mpiexec -n 2 bench_tuned [SIZES]
 *
 * PMPI_Bcast is replaced by a stub that does nothing, so that only the way there is timed; what is
 * decided is decided by real communication before. The environment says what is tried:
 *   (nothing)                 passed on at once
 *   CPM_FORCE=bcast:native    decided, and native
 *   CPM_MODEL=cluster.mod CPM_TRUST=1
 *                             the same by a model, if it keeps MPI's own
 * Prints nanoseconds per call above the stub itself, the median of 101 batches in turns. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpib/yield.h"

enum { BATCHES = 101, CALLS = 2000, MOST_SIZES = 4096 };

typedef int bcast_function(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

static int stubbed;

int PMPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    static bcast_function *real;
    if (stubbed)
        return MPI_SUCCESS;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Bcast");
    return real(buffer, count, type, root, comm);
}

/* Seconds of a batch; sizes are taken in turn. */
static double time_batch(bcast_function *bcast, char *buffer, int sizes)
{
    double start = MPI_Wtime();
    for (int k = 0; k < CALLS; k++)
        bcast(buffer, 8 + 8 * (k % sizes), MPI_BYTE, 0, MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, BATCHES, sizeof *times, compare);
    return times[BATCHES / 2] / CALLS * 1e9;
}

/* Until rank 0 has measured: the others must not take its processor, or a half of its core. */
static void wait_asleep(void)
{
    MPI_Request everybody;
    int here = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &everybody);
    while (!here) {
        usleep(1000);
        MPI_Test(&everybody, &here, MPI_STATUS_IGNORE);
    }
}

static void measure(char *buffer, int sizes, int rank)
{
    double stub[BATCHES], call[BATCHES];
    stubbed = 0;
    for (int k = 0; k < sizes; k++) /* decisions */
        MPI_Bcast(buffer, 8 + 8 * k, MPI_BYTE, 0, MPI_COMM_WORLD);
    stubbed = 1;
    for (int b = 0; b < BATCHES && rank == 0; b++) {
        stub[b] = time_batch(PMPI_Bcast, buffer, sizes);
        call[b] = time_batch(MPI_Bcast, buffer, sizes);
    }
    stubbed = 0;
    wait_asleep();
    if (rank != 0)
        return;
    double without = median(stub), with = median(call);
    printf("%5d sizes: stub %6.1f ns, through the library %6.1f ns, added %6.1f ns\n", sizes,
           without, with, with - without);
}

int main(int argc, char **argv)
{
    int rank, most = argc > 1 ? atoi(argv[1]) : MOST_SIZES;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *buffer = calloc(MOST_SIZES + 1, 8);
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    mpib_yield_when_idle(1);
    for (int sizes = 1; sizes <= most && sizes <= MOST_SIZES; sizes *= 8)
        measure(buffer, sizes, rank);
    free(buffer);
    MPI_Finalize();
    return 0;
}
