/* What tuned collectives gain in the simulated laboratory, by the path that an application takes.
 *
 * gains MODEL.mod SEED OPERATION SIZE... measures an operation for every size, and prints a line
 * for each: bytes of a block (scatterv and gatherv: the mean of blocks that are drawn uniformly
 * from 0 on), microseconds of MPI's own routine, of the first tuned call, in which it is decided
 * and everybody told, and of those that follow. Compiled with smpicc, where all clocks are one and
 * deciding takes no time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpm/cpm_mpi.h"

typedef struct operation operation;

typedef struct {
    const operation *operation;
    bool tuned;
    MPI_Comm comm;
    int n, rank, own;
    int *counts, *places; /* [n] bytes */
    char *all, *mine;     /* all processes' blocks, twice, and the own one */
} trial;

struct operation {
    const char *name;
    bool blocks_differ;
    void (*run)(const trial *t);
};

/* ---- operations */

static void run_bcast(const trial *t)
{
    (t->tuned ? cpm_bcast : MPI_Bcast)(t->mine, t->own, MPI_BYTE, 0, t->comm);
}

static void run_scatter(const trial *t)
{
    (t->tuned ? cpm_scatter : MPI_Scatter)(t->all, t->own, MPI_BYTE, t->mine, t->own, MPI_BYTE, 0,
                                           t->comm);
}

static void run_scatterv(const trial *t)
{
    (t->tuned ? cpm_scatterv : MPI_Scatterv)(t->all, t->counts, t->places, MPI_BYTE, t->mine,
                                             t->own, MPI_BYTE, 0, t->comm);
}

static void run_gather(const trial *t)
{
    (t->tuned ? cpm_gather : MPI_Gather)(t->mine, t->own, MPI_BYTE, t->all, t->own, MPI_BYTE, 0,
                                         t->comm);
}

static void run_gatherv(const trial *t)
{
    (t->tuned ? cpm_gatherv : MPI_Gatherv)(t->mine, t->own, MPI_BYTE, t->all, t->counts, t->places,
                                           MPI_BYTE, 0, t->comm);
}

static void run_allgather(const trial *t)
{
    (t->tuned ? cpm_allgather : MPI_Allgather)(t->mine, t->own, MPI_BYTE, t->all, t->own, MPI_BYTE,
                                               t->comm);
}

static void run_alltoall(const trial *t)
{
    char *received = t->all + (size_t)t->n * (size_t)t->own;
    (t->tuned ? cpm_alltoall : MPI_Alltoall)(t->all, t->own, MPI_BYTE, received, t->own, MPI_BYTE,
                                             t->comm);
}

static void run_allreduce(const trial *t)
{
    (t->tuned ? cpm_allreduce : MPI_Allreduce)(t->mine, t->all, t->own, MPI_BYTE, MPI_BAND,
                                               t->comm);
}

static void run_reduce_scatter(const trial *t)
{
    (t->tuned ? cpm_reduce_scatter : MPI_Reduce_scatter)(t->all, t->mine, t->counts, MPI_BYTE,
                                                         MPI_BAND, t->comm);
}

static const operation operations[] = {
    {"bcast", false, run_bcast},
    {"scatter", false, run_scatter},
    {"scatterv", true, run_scatterv},
    {"gather", false, run_gather},
    {"gatherv", true, run_gatherv},
    {"allgather", false, run_allgather},
    {"alltoall", false, run_alltoall},
    {"allreduce", false, run_allreduce},
    {"reduce_scatter", false, run_reduce_scatter},
    {0},
};

static const operation *find(const char *name)
{
    for (const operation *o = operations; o->name; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

/* ---- one size after the other */

static double latest(double own)
{
    double all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* Microseconds until the last process has finished; all begin in the same one. */
static double measure(const trial *t)
{
    double start = latest(MPI_Wtime()) + 0.1;
    const struct timespec rest = {.tv_nsec = (long)((start - MPI_Wtime()) * 1e9)};
    nanosleep(&rest, NULL);
    t->operation->run(t);
    return (latest(MPI_Wtime()) - start) * 1e6;
}

static void draw_blocks(trial *t, int mean, unsigned seed)
{
    bool differ = t->operation->blocks_differ;
    size_t sum = 0;
    for (int i = 0; i < t->n; i++) {
        t->counts[i] = differ ? (int)(2.0 * mean * rand_r(&seed) / RAND_MAX) : mean;
        t->places[i] = (int)sum;
        sum += (size_t)t->counts[i];
    }
    t->own = t->counts[t->rank];
    t->all = calloc(2 * sum + 1, 1);
    t->mine = calloc((size_t)t->own + 1, 1);
}

/* A communicator of its own for each, so that every one has a first call. */
static void try_size(trial *t, const cpm_model *m, int mean, unsigned seed)
{
    double us[3];
    cpm_error e = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, &t->comm);
    draw_blocks(t, mean, seed);
    if (cpm_use_model(t->comm, m, &e))
        fprintf(stderr, "%s\n", e.text);
    for (int k = 0; k < 3; k++) {
        t->tuned = k > 0;
        us[k] = measure(t);
    }
    if (t->rank == 0)
        printf("%s %d %.3f %.3f %.3f\n", t->operation->name, mean, us[0], us[1], us[2]);
    MPI_Comm_free(&t->comm);
    free(t->all);
    free(t->mine);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    trial t = {.operation = find(argc > 3 ? argv[3] : "")};
    cpm_model *m = NULL;
    cpm_error e = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.n);
    t.counts = malloc(2 * (size_t)t.n * sizeof *t.counts);
    t.places = t.counts + t.n;
    int failed = argc < 5 || !t.operation || cpm_model_load(argv[1], MPI_COMM_WORLD, &m, &e);
    if (failed && t.rank == 0)
        fprintf(stderr, "gains MODEL.mod SEED OPERATION SIZE...: %s\n", e.text);
    for (int k = 4; k < argc && !failed; k++)
        try_size(&t, m, atoi(argv[k]), (unsigned)atoi(argv[2]));
    cpm_model_free(m);
    free(t.counts);
    MPI_Finalize();
    return failed;
}
