/* Exported routines against the same collectives by CPM's executor, in turns: see bench/routines.
 * routines BYTES... Prints the medians of 41 batches in
 * microseconds, and their ratio. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpm/cpm_mpi.h"

#define CPM_DECLARATIONS
#include "exported.c"

enum { BATCHES = 41, MOST_BYTES = 1 << 20 };

typedef struct {
    char *send, *recv;
    int bytes;
    MPI_Comm comm;
} call;

static void own_bcast(const call *c)
{
    cpm_bcast(c->send, c->bytes, MPI_BYTE, 0, c->comm);
}

static void exported_bcast(const call *c)
{
    CPM_Bcast(c->send, c->bytes, MPI_BYTE, 0, c->comm);
}

static void own_alltoall(const call *c)
{
    cpm_alltoall(c->send, c->bytes, MPI_BYTE, c->recv, c->bytes, MPI_BYTE, c->comm);
}

static void exported_alltoall(const call *c)
{
    CPM_Alltoall(c->send, c->bytes, MPI_BYTE, c->recv, c->bytes, MPI_BYTE, c->comm);
}

static void own_allreduce(const call *c)
{
    cpm_allreduce(c->send, c->recv, c->bytes / 4, MPI_INT, MPI_SUM, c->comm);
}

static void exported_allreduce(const call *c)
{
    CPM_Allreduce(c->send, c->recv, c->bytes / 4, MPI_INT, MPI_SUM, c->comm);
}

static const struct {
    const char *name;
    void (*run[2])(const call *);
} operations[] = {{"bcast", {own_bcast, exported_bcast}},
                  {"alltoall", {own_alltoall, exported_alltoall}},
                  {"allreduce", {own_allreduce, exported_allreduce}}};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds of a call in a batch. */
static double time_batch(void (*run)(const call *), const call *c)
{
    int calls = c->bytes > 65536 ? 20 : c->bytes > 4096 ? 100 : 500;
    MPI_Barrier(c->comm);
    double start = MPI_Wtime();
    for (int k = 0; k < calls; k++)
        run(c);
    MPI_Barrier(c->comm);
    return 1e6 * (MPI_Wtime() - start) / calls;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    call c = {malloc(8 * MOST_BYTES), malloc(8 * MOST_BYTES), 0, MPI_COMM_WORLD};
    for (int o = 0; o < 3; o++)
        for (int k = 1; k < argc; k++) {
            double times[2][BATCHES], ratios[BATCHES];
            c.bytes = atoi(argv[k]);
            for (int i = -2; i < BATCHES; i++)
                for (int side = 0; side < 2; side++) {
                    int which = i & 1 ? !side : side; /* who comes first takes turns, too */
                    double time = time_batch(operations[o].run[which], &c);
                    if (i >= 0)
                        times[which][i] = time;
                }
            for (int i = 0; i < BATCHES; i++)
                ratios[i] = times[1][i] / times[0][i];
            qsort(times[0], BATCHES, sizeof(double), ascending);
            qsort(times[1], BATCHES, sizeof(double), ascending);
            qsort(ratios, BATCHES, sizeof(double), ascending);
            if (rank == 0)
                printf("%-10s %8d B  executor %9.2f us  exported %9.2f us  ratio %.3f\n",
                       operations[o].name, c.bytes, times[0][BATCHES / 2], times[1][BATCHES / 2],
                       ratios[BATCHES / 2]);
        }
    MPI_Finalize();
    return 0;
}
