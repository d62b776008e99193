/* Collectives as operations of the benchmark: an algorithm of the repository, or the MPI library's
 * own routine, with the same arguments. Data are bytes; reductions combine them by exclusive or. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpib/agree.h"
#include "mpib/collective.h"
#include "mpib/machine_mpi.h"

enum { TAG_DATA = 41 };

typedef struct {
    mpib_coll_operation base;
    const cpm_experiment *x;
    mpib_arguments arguments;
    size_t *counts; /* of sends, then of receives: n each */
    char *send, *recv;
    mpib_collective *collective; /* NULL: native */
} benchmarked;

/* Bytes of the block of process p: M, or M times its weight in a v-operation. */
static size_t bytes_of(const benchmarked *b, int p, size_t bytes)
{
    const double *weights = b->x->collective.at.weights;
    if (!b->x->collective.operation->like || !weights)
        return bytes;
    return (size_t)llround((double)bytes * weights[p]);
}

static bool is(const benchmarked *b, const char *operation)
{
    const cpm_operation *o = b->x->collective.operation;
    return strcmp(o->like ? o->like : o->name, operation) == 0;
}

/* Every process's block, in bytes, as both sides see it: alltoallv sends to p what p's weight says,
 * so it receives its own weight from all. */
static void set_counts(benchmarked *b, int n, int rank, size_t bytes)
{
    for (int p = 0; p < n; p++) {
        b->counts[p] = bytes_of(b, p, bytes);
        b->counts[n + p] = is(b, "alltoall") ? bytes_of(b, rank, bytes) : b->counts[p];
    }
}

static void set_side(benchmarked *b, mpib_side *side, size_t *counts, size_t own, bool all)
{
    bool differ = b->x->collective.operation->like != NULL;
    *side = (mpib_side){.count = all && differ ? 0 : own,
                        .counts = all && (differ || is(b, "reduce_scatter")) ? counts : NULL,
                        .type = MPI_BYTE};
}

static void set_arguments(benchmarked *b, MPI_Comm comm, int n, int rank, int root, size_t bytes)
{
    size_t own = bytes_of(b, rank, bytes);
    bool at_root = rank == root;
    b->arguments = (mpib_arguments){
        .operation = b->x->collective.operation, .op = MPI_BXOR, .root = root, .comm = comm};
    set_counts(b, n, rank, bytes);
    set_side(b, &b->arguments.send, b->counts, own,
             is(b, "alltoall") || (is(b, "scatter") && at_root));
    set_side(b, &b->arguments.recv, b->counts + n, own,
             is(b, "allgather") || is(b, "alltoall") || is(b, "reduce_scatter") ||
                 (is(b, "gather") && at_root));
}

static int allocate(benchmarked *b, int n, size_t bytes, cpm_error *e)
{
    size_t most = bytes;
    for (int p = 0; p < n; p++)
        most = bytes_of(b, p, bytes) > most ? bytes_of(b, p, bytes) : most;
    if ((!b->x->collective.algorithm && most > INT_MAX) || most > (size_t)INT64_MAX / (size_t)n)
        return cpm_fail(e, CPM_EINVAL, "%s: a block of %zu bytes is above 2 GiB",
                        b->x->collective.operation->name, most);
    bool one = is(b, "bcast") || is(b, "reduce") || is(b, "allreduce") || is(b, "barrier");
    size_t space = one ? most : most * (size_t)n;
    b->counts = malloc(2 * (size_t)n * sizeof *b->counts);
    b->send = malloc(space + 1);
    b->recv = malloc(space + 1);
    if (!b->counts || !b->send || !b->recv)
        return cpm_fail(e, CPM_ENOMEM, "%s: no memory for %zu bytes",
                        b->x->collective.operation->name, space);
    memset(b->send, 1, space + 1); /* pages that were never written are slower to send */
    memset(b->recv, 1, space + 1);
    return CPM_OK;
}

static void finalize(mpib_coll_operation *self)
{
    benchmarked *b = (benchmarked *)self;
    mpib_collective_free(b->collective);
    free(b->counts);
    free(b->send);
    free(b->recv);
    b->collective = NULL;
    b->counts = NULL;
    b->send = b->recv = NULL;
}

static int plan(benchmarked *b, cpm_error *e)
{
    if (!b->x->collective.algorithm)
        return CPM_OK;
    return mpib_collective_create(&b->x->collective, &b->arguments, &b->collective, e);
}

static int initialize(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes,
                      cpm_error *e)
{
    benchmarked *b = (benchmarked *)self;
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    int status = mpib_agree(comm, allocate(b, n, bytes, e), e);
    if (status == CPM_OK) {
        set_arguments(b, comm, n, rank, root, bytes);
        status = plan(b, e);
    }
    if (status != CPM_OK)
        finalize(self);
    return status;
}

static void execute(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes)
{
    benchmarked *b = (benchmarked *)self;
    (void)comm, (void)root, (void)bytes;
    if (b->collective)
        mpib_collective_run(b->collective, b->send, b->recv, TAG_DATA);
    else
        mpib_native_run(&b->arguments, b->send, b->recv, NULL);
}

int mpib_benchmarked_create(const cpm_experiment *x, mpib_coll_operation **out, cpm_error *e)
{
    benchmarked *b = calloc(1, sizeof *b);
    if (!b)
        return cpm_fail(e, CPM_ENOMEM, "%s: no memory", x->collective.operation->name);
    b->base = (mpib_coll_operation){x->collective.operation->name, initialize, execute, finalize};
    b->x = x;
    *out = &b->base;
    return CPM_OK;
}
