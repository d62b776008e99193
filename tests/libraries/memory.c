/* memory ALGORITHM BYTES [ALGORITHM BYTES]...: bytes of memory that the process which takes most
 * gets anew from the system in each call of the MPI library's routine, which is or was told to run
 * that algorithm, with blocks of so many bytes: "ALGORITHM BYTES counted known" of each, known as
 * collectives/temporaries.h says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collectives/temporaries.h"

enum { FIRST = 3, CALLS = 4 };

static int rank, n;

static long faults(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_minflt;
}

static void call(const char *name, const int *send, int *recv, int count, const int *counts)
{
    MPI_Comm all = MPI_COMM_WORLD;
    if (strcmp(name, "reduce") == 0)
        MPI_Reduce(send, recv, count, MPI_INT, MPI_SUM, 0, all);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(send, recv, count, MPI_INT, MPI_SUM, all);
    else if (strcmp(name, "reduce_scatter") == 0)
        MPI_Reduce_scatter(send, recv, counts, MPI_INT, MPI_SUM, all);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(send, count, MPI_INT, recv, count, MPI_INT, 0, all);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(send, count, MPI_INT, recv, count, MPI_INT, 0, all);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(send, count, MPI_INT, recv, count, MPI_INT, all);
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Bytes of one call, at the process with the most. */
static double count_pages(const char *name, size_t bytes)
{
    const size_t all = bytes * (size_t)(strstr(name, "reduce") && !strstr(name, "scatter") ? 1 : n);
    int *send = malloc(all), *recv = malloc(all), *counts = malloc((size_t)n * sizeof *counts);
    if (!send || !recv || !counts)
        MPI_Abort(MPI_COMM_WORLD, 3);
    memset(send, 1, all);
    memset(recv, 1, all);
    for (int i = 0; i < n; i++)
        counts[i] = (int)(bytes / sizeof *send);
    long before = 0;
    for (int k = 0; k < FIRST + CALLS; k++) {
        before = k == FIRST ? faults() : before;
        call(name, send, recv, (int)(bytes / sizeof *send), counts);
    }
    double taken = (double)(faults() - before) / CALLS * (double)sysconf(_SC_PAGESIZE), most = 0;
    MPI_Reduce(&taken, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    free(send);
    free(recv);
    free(counts);
    return most;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int k = 1; k + 1 < argc; k += 2) {
        cpm_collective c;
        cpm_error e = {0};
        const size_t bytes = strtoul(argv[k + 1], NULL, 10);
        if (cpm_collective_parse(argv[k], &c, &e)) {
            fprintf(stderr, "memory: %s\n", e.text);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        c.at.n = n;
        const double counted = count_pages(c.operation->name, bytes);
        if (rank == 0)
            printf("%s %zu %.0f %.0f\n", argv[k], bytes, counted,
                   cpm_temporaries(&c, (double)bytes));
    }
    MPI_Finalize();
    return 0;
}
