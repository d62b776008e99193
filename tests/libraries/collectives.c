/* collectives OPERATION BYTES ...: runs MPI's collectives with blocks of that many bytes, proves
 * the results, also with MPI_IN_PLACE and with an operation that does not commute, and prints
 * "OPERATION BYTES MESSAGES" (sum-OPERATION: by MPI_SUM): how many the first call took in all, as
 * count_sends.c counts them. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Composition of x -> a x + b, modulo 2^32: it does not commute. */
typedef struct {
    unsigned a, b;
} affine;

typedef struct {
    int rank, n, count; /* elements of a block */
    affine *send, *recv, *want;
    bool sums;         /* their numbers are added, each for itself, by MPI_SUM */
    int items;         /* of type, in a block */
    MPI_Datatype type; /* MPI_UNSIGNED if sums */
    MPI_Op op;
} context;

static affine composed(affine f, affine g)
{
    return (affine){f.a * g.a, f.a * g.b + f.b};
}

static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    affine *f = in, *g = inout;
    for (int i = 0; i < *count; i++)
        g[i] = composed(f[i], g[i]);
}

static affine combined(const context *c, affine f, affine g)
{
    return c->sums ? (affine){f.a + g.a, f.b + g.b} : composed(f, g);
}

/* Element i of what a process has for another. */
static affine element(int from, int to, int i)
{
    return (affine){2u * (unsigned)(from + 3 * to + i) + 1, (unsigned)(7 * from + to + 5 * i)};
}

static void fill(const context *c, affine *block, int from, int to)
{
    for (int i = 0; i < c->count; i++)
        block[i] = element(from, to, i);
}

/* What all processes have for one, combined in their order. */
static void fill_combined(const context *c, affine *block, int to)
{
    for (int i = 0; i < c->count; i++) {
        block[i] = element(0, to, i);
        for (int p = 1; p < c->n; p++)
            block[i] = combined(c, block[i], element(p, to, i));
    }
}

static affine *block(const context *c, affine *of, int index)
{
    return of + (size_t)index * (size_t)c->count;
}

static void prove(const context *c, const char *what, const affine *got, int blocks)
{
    size_t bytes = (size_t)blocks * (size_t)c->count * sizeof *got;
    if (memcmp(got, c->want, bytes) == 0)
        return;
    fprintf(stderr, "%s: wrong on rank %d of %d with %d elements\n", what, c->rank, c->n, c->count);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- an operation each; in_place or not */

/* Once from rank 0, once from another: MPICH may send to rank 0 first. */
static void bcast(const context *c, bool in_place)
{
    int root = in_place ? c->n - 1 : 0;
    fill(c, c->want, root, 0);
    fill(c, c->recv, c->rank, 0);
    MPI_Bcast(c->recv, c->items, c->type, root, MPI_COMM_WORLD);
    prove(c, "bcast", c->recv, 1);
}

static void scatter(const context *c, bool in_place)
{
    bool keeps = in_place && c->rank == 0;
    for (int p = 0; p < c->n; p++)
        fill(c, block(c, c->send, p), 0, p);
    fill(c, c->want, 0, c->rank);
    MPI_Scatter(c->send, c->items, c->type, keeps ? MPI_IN_PLACE : c->recv, c->items, c->type, 0,
                MPI_COMM_WORLD);
    prove(c, "scatter", keeps ? c->send : c->recv, 1);
}

static void gather(const context *c, bool in_place)
{
    bool keeps = in_place && c->rank == 0;
    fill(c, keeps ? c->recv : c->send, c->rank, 0);
    for (int p = 0; p < c->n; p++)
        fill(c, block(c, c->want, p), p, 0);
    MPI_Gather(keeps ? MPI_IN_PLACE : c->send, keeps ? 0 : c->items,
               keeps ? MPI_DATATYPE_NULL : c->type, c->recv, c->items, c->type, 0, MPI_COMM_WORLD);
    if (c->rank == 0)
        prove(c, "gather", c->recv, c->n);
}

static void allgather(const context *c, bool in_place)
{
    fill(c, in_place ? block(c, c->recv, c->rank) : c->send, c->rank, 0);
    for (int p = 0; p < c->n; p++)
        fill(c, block(c, c->want, p), p, 0);
    MPI_Allgather(in_place ? MPI_IN_PLACE : c->send, c->items, c->type, c->recv, c->items, c->type,
                  MPI_COMM_WORLD);
    prove(c, "allgather", c->recv, c->n);
}

static void alltoall(const context *c, bool in_place)
{
    for (int p = 0; p < c->n; p++) {
        fill(c, block(c, in_place ? c->recv : c->send, p), c->rank, p);
        fill(c, block(c, c->want, p), p, c->rank);
    }
    MPI_Alltoall(in_place ? MPI_IN_PLACE : c->send, c->items, c->type, c->recv, c->items, c->type,
                 MPI_COMM_WORLD);
    prove(c, "alltoall", c->recv, c->n);
}

/* To rank 0: to another, in place, MPICH 4.0 crashes by itself if processes share a host. */
static void reduce(const context *c, bool in_place)
{
    bool keeps = in_place && c->rank == 0;
    fill(c, keeps ? c->recv : c->send, c->rank, 0);
    fill_combined(c, c->want, 0);
    MPI_Reduce(keeps ? MPI_IN_PLACE : c->send, c->recv, c->items, c->type, c->op, 0,
               MPI_COMM_WORLD);
    if (c->rank == 0)
        prove(c, "reduce", c->recv, 1);
}

static void allreduce(const context *c, bool in_place)
{
    fill(c, in_place ? c->recv : c->send, c->rank, 0);
    fill_combined(c, c->want, 0);
    MPI_Allreduce(in_place ? MPI_IN_PLACE : c->send, c->recv, c->items, c->type, c->op,
                  MPI_COMM_WORLD);
    prove(c, "allreduce", c->recv, 1);
}

static void reduce_scatter_block(const context *c, bool in_place)
{
    for (int p = 0; p < c->n; p++)
        fill(c, block(c, in_place ? c->recv : c->send, p), c->rank, p);
    fill_combined(c, c->want, c->rank);
    MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : c->send, c->recv, c->items, c->type, c->op,
                             MPI_COMM_WORLD);
    prove(c, "reduce_scatter_block", c->recv, 1);
}

static const struct {
    const char *name;
    void (*run)(const context *c, bool in_place);
} operations[] = {
    {"bcast", bcast},         {"scatter", scatter},
    {"gather", gather},       {"allgather", allgather},
    {"alltoall", alltoall},   {"reduce", reduce},
    {"allreduce", allreduce}, {"reduce_scatter_block", reduce_scatter_block},
};

/* ---- */

static unsigned long sends(void)
{
    const unsigned long *count = dlsym(RTLD_DEFAULT, "count_sends");
    return count ? *count : 0;
}

/* "sum-reduce": reduce by MPI_SUM. */
static const char *set_operation(context *c, const char *name, MPI_Datatype affines, MPI_Op op)
{
    c->sums = strncmp(name, "sum-", 4) == 0;
    c->type = c->sums ? MPI_UNSIGNED : affines;
    c->op = c->sums ? MPI_SUM : op;
    c->items = c->sums ? 2 * c->count : c->count;
    return c->sums ? name + 4 : name;
}

static void run(context *c, const char *name)
{
    size_t k = 0;
    while (k < sizeof operations / sizeof *operations && strcmp(operations[k].name, name) != 0)
        k++;
    if (k == sizeof operations / sizeof *operations)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    unsigned long before = sends(), mine, all;
    operations[k].run(c, false);
    mine = sends() - before;
    operations[k].run(c, true);
    MPI_Reduce(&mine, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (c->rank == 0)
        printf("%s %zu %lu\n", name, (size_t)c->count * sizeof(affine), all);
}

static affine *room(int n)
{
    affine *all = malloc(((size_t)n << 20) + sizeof *all);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return all;
}

int main(int argc, char **argv)
{
    context c;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c.n);
    MPI_Datatype affines;
    MPI_Op op;
    MPI_Type_contiguous(2, MPI_UNSIGNED, &affines);
    MPI_Type_commit(&affines);
    MPI_Op_create(compose, 0, &op);
    c.send = room(c.n), c.recv = room(c.n), c.want = room(c.n);
    for (int i = 1; i + 1 < argc; i += 2) {
        c.count = atoi(argv[i + 1]) / (int)sizeof(affine);
        run(&c, set_operation(&c, argv[i], affines, op));
    }
    free(c.send), free(c.recv), free(c.want);
    MPI_Op_free(&op);
    MPI_Type_free(&affines);
    MPI_Finalize();
    return 0;
}
