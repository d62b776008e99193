/* Collectives that a model chooses against the MPI library's own, on a real network: both in turns,
 * the library's twice, so that it can be seen how much it differs from itself.
 *
 * mpiexec ... bench_tuned_real cluster.mod SIZES SECONDS [OPERATION ...]: sizes as for cpm bench
 * coll; seconds for each size of an operation. A row for each: medians over the repetitions of the
 * time that the slowest rank took. In v-operations rank i has 2 i / (n - 1) times the size. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "cpm/cpm_mpi.h"

enum { WARM_UP = 3, LEAST = 9, MOST = 101, VARIANTS = 3, TUNED = 2 };

typedef struct {
    int n, rank, bytes; /* of a block */
    char *send, *recv;  /* n blocks twice as large */
    int *each, *places; /* [n] of v-operations */
    int *same, *steps;  /* [n] of alltoallv */
    MPI_Comm comm;      /* where CPM chooses */
} state;

/* ---- operations: MPI's and CPM's functions have the same arguments ---- */

#define BLOCK s->bytes, MPI_BYTE
#define EACH  s->each, s->places, MPI_BYTE
#define MINE  s->each[s->rank], MPI_BYTE
#define SAME  s->same, s->steps, MPI_BYTE
#define SUM   MPI_BYTE, MPI_BXOR

static void barrier(const state *s, MPI_Comm comm, bool tuned)
{
    (void)s;
    (tuned ? cpm_barrier : MPI_Barrier)(comm);
}

static void bcast(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_bcast : MPI_Bcast)(s->recv, BLOCK, 0, comm);
}

static void scatter(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_scatter : MPI_Scatter)(s->send, BLOCK, s->recv, BLOCK, 0, comm);
}

static void scatterv(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_scatterv : MPI_Scatterv)(s->send, EACH, s->recv, MINE, 0, comm);
}

static void gather(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_gather : MPI_Gather)(s->send, BLOCK, s->recv, BLOCK, 0, comm);
}

static void gatherv(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_gatherv : MPI_Gatherv)(s->send, MINE, s->recv, EACH, 0, comm);
}

static void allgather(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_allgather : MPI_Allgather)(s->send, BLOCK, s->recv, BLOCK, comm);
}

static void allgatherv(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_allgatherv : MPI_Allgatherv)(s->send, MINE, s->recv, EACH, comm);
}

static void alltoall(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_alltoall : MPI_Alltoall)(s->send, BLOCK, s->recv, BLOCK, comm);
}

static void alltoallv(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_alltoallv : MPI_Alltoallv)(s->send, SAME, s->recv, SAME, comm);
}

static void reduce(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_reduce : MPI_Reduce)(s->send, s->recv, s->bytes, SUM, 0, comm);
}

static void allreduce(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_allreduce : MPI_Allreduce)(s->send, s->recv, s->bytes, SUM, comm);
}

static void reduce_scatter(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_reduce_scatter : MPI_Reduce_scatter)(s->send, s->recv, s->each, SUM, comm);
}

static void reduce_scatter_block(const state *s, MPI_Comm comm, bool tuned)
{
    (tuned ? cpm_reduce_scatter_block : MPI_Reduce_scatter_block)(s->send, s->recv, s->bytes, SUM,
                                                                  comm);
}

#define ROW(operation)        \
    {                         \
#operation, operation \
    }
static const struct {
    const char *name;
    void (*call)(const state *s, MPI_Comm comm, bool tuned);
} operations[] = {
    ROW(barrier),        ROW(bcast),
    ROW(scatter),        ROW(scatterv),
    ROW(gather),         ROW(gatherv),
    ROW(allgather),      ROW(allgatherv),
    ROW(alltoall),       ROW(alltoallv),
    ROW(reduce),         ROW(allreduce),
    ROW(reduce_scatter), ROW(reduce_scatter_block),
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* ---- measuring ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, ascending);
    return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}

/* The same on all ranks. */
static double once(const state *s, int operation, bool tuned)
{
    double own, all;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    operations[operation].call(s, tuned ? s->comm : MPI_COMM_WORLD, tuned);
    own = MPI_Wtime() - start;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void set_sizes(state *s, size_t bytes)
{
    s->bytes = (int)bytes;
    for (int i = 0, at = 0; i < s->n; at += s->each[i++]) {
        s->each[i] = s->n > 1 ? (int)((int64_t)2 * i * s->bytes / (s->n - 1)) : s->bytes;
        s->places[i] = at;
        s->same[i] = s->bytes;
        s->steps[i] = i * s->bytes;
    }
}

/* Which of them comes first changes from one turn to the next. */
static void compare(const state *s, int operation, double seconds)
{
    double t[VARIANTS][MOST], spent = 0;
    int count = 0;
    for (int k = 0; k < WARM_UP; k++)
        for (int v = 1; v < VARIANTS; v++)
            once(s, operation, v == TUNED);
    for (; count < MOST && (count < LEAST || spent < seconds); count++)
        for (int k = 0; k < VARIANTS; k++) {
            int v = (count + k) % VARIANTS;
            spent += t[v][count] = once(s, operation, v == TUNED);
        }
    double m[VARIANTS];
    for (int v = 0; v < VARIANTS; v++)
        m[v] = median(t[v], count) * 1e6;
    if (s->rank == 0)
        printf("%s\t%d\t%.2f\t%.2f\t%.2f\t%d\n", operations[operation].name, s->bytes, m[0], m[1],
               m[TUNED], count);
}

static bool is_asked(const char *name, int count, char **names)
{
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0)
            return true;
    return count == 0;
}

static void compare_all(state *s, const cpm_sizes *sizes, double seconds, int count, char **names)
{
    for (int o = 0; o < OPERATIONS; o++)
        for (int k = 0; is_asked(operations[o].name, count, names) && k < sizes->count; k++) {
            if (k > 0 && operations[o].call == barrier)
                break;
            set_sizes(s, sizes->at[k]);
            compare(s, o, seconds);
            fflush(stdout);
        }
}

/* ---- the program ---- */

static bool allocate(state *s, size_t most)
{
    size_t n = (size_t)s->n;
    s->send = calloc(2 * n, most + 1);
    s->recv = calloc(2 * n, most + 1);
    s->each = malloc(4 * n * sizeof *s->each);
    s->places = s->each + n;
    s->same = s->places + n;
    s->steps = s->same + n;
    return s->send && s->recv && s->each;
}

static int run(state *s, int argc, char **argv, cpm_error *e)
{
    cpm_model *m;
    cpm_sizes sizes = {0};
    if (argc < 4)
        return cpm_fail(e, CPM_EINVAL, "bench_tuned_real MODEL SIZES SECONDS [OPERATION ...]");
    int status = cpm_sizes_parse(argv[2], &sizes, e);
    if (!status)
        status = cpm_model_load(argv[1], MPI_COMM_WORLD, &m, e);
    if (status)
        return status;
    status = cpm_use_model(s->comm, m, e);
    cpm_model_free(m);
    if (!status && !allocate(s, sizes.at[sizes.count - 1]))
        status = cpm_no_memory(e);
    if (!status)
        compare_all(s, &sizes, atof(argv[3]), argc - 4, argv + 4);
    cpm_sizes_free(&sizes);
    free(s->send);
    free(s->recv);
    free(s->each);
    return status;
}

int main(int argc, char **argv)
{
    state s = {0};
    cpm_error e = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &s.n);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &s.comm);
    int status = run(&s, argc, argv, &e);
    if (status && s.rank == 0)
        fprintf(stderr, "bench_tuned_real: %s\n", e.text);
    MPI_Comm_free(&s.comm);
    MPI_Finalize();
    return status ? 1 : 0;
}
