/* Collectives as operations of the benchmark: an algorithm of the repository, or the MPI library's
 * own routine, with the same arguments. Data are bytes; reductions combine what the collective says
 * (collectives/combining.h), and blocks that stay at their process are in place. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "executor/agree.h"
#include "executor/collective.h"
#include "executor/combining.h"
#include "executor/execute.h"
#include "mpib/machine_mpi.h"

enum { TAG_DATA = 41 };

typedef struct {
    mpib_coll_operation base;
    const cpm_experiment *x;
    mpib_combined combined; /* what blocks are made of; bytes where nothing is combined */
    mpib_arguments arguments;
    size_t *counts; /* of sends, then of receives: [blocks] each */
    char *send, *recv;
    size_t space;                /* bytes of each */
    char written;                /* the last value */
    mpib_collective *collective; /* NULL: native */
    MPI_Comm graph;              /* its communicator, of neighbours; else MPI_COMM_NULL */
    const mpib_clock *clock;     /* nonblocking calls, between whose begin and end it computes */
    double computing;            /* ... for so many seconds; NULL: blocking ones */
} benchmarked;

/* Bytes of the block of process p: M, or M times its weight in a v-operation, rounded up to whole
 * elements. */
static size_t bytes_of(const benchmarked *b, int p, size_t bytes)
{
    const double *weights = b->x->collective.at.weights;
    size_t element = (size_t)b->combined.bytes;
    if (b->x->collective.operation->like && weights)
        bytes = (size_t)llround((double)bytes * weights[p]);
    return (bytes + element - 1) / element * element;
}

static size_t elements_of(const benchmarked *b, int p, size_t bytes)
{
    return bytes_of(b, p, bytes) / (size_t)b->combined.bytes;
}

static int largest_of(int a, int b)
{
    return a > b ? a : b;
}

/* Of a side at any process. */
static int blocks_of(const cpm_collective *c, int n)
{
    const bool near = cpm_operation_is_of_neighbours(c->operation);
    return near ? largest_of(n, cpm_neighbours_most(c->at.neighbours)) : n;
}

/* In elements, as both sides see it. */
static void set_counts_of_neighbours(benchmarked *b, int blocks, int rank, size_t bytes)
{
    const cpm_neighbours *g = b->x->collective.at.neighbours;
    const bool edges = b->x->collective.operation->send.elsewhere == CPM_BLOCK_OF_NEIGHBOUR;
    const int out = g->first_out[rank], in = g->first_in[rank];
    for (int k = out; k < g->first_out[rank + 1]; k++)
        b->counts[k - out] = elements_of(b, g->to[k], bytes);
    for (int k = in; k < g->first_in[rank + 1]; k++)
        b->counts[blocks + k - in] = elements_of(b, edges ? rank : g->from[g->in[k]], bytes);
}

/* The same of every process's block: alltoallv sends to p what p's weight says, so it receives its
 * own weight from all. */
static void set_counts(benchmarked *b, int n, int rank, size_t bytes)
{
    bool pairs = cpm_operation_is_of_pairs(b->x->collective.operation);
    for (int p = 0; p < n; p++) {
        b->counts[p] = elements_of(b, p, bytes);
        b->counts[n + p] = pairs ? elements_of(b, rank, bytes) : b->counts[p];
    }
}

static mpib_side side_of(const benchmarked *b, cpm_side which, bool at_root, size_t *counts,
                         size_t own)
{
    const cpm_operation *o = b->x->collective.operation;
    bool differ = o->counts && cpm_operation_blocks(o, which, at_root) >= CPM_BLOCK_OF_EACH;
    return (mpib_side){
        .count = differ ? 0 : own, .counts = differ ? counts : NULL, .type = b->combined.type};
}

static void set_arguments(benchmarked *b, MPI_Comm comm, int n, int rank, int root, size_t bytes)
{
    size_t own = elements_of(b, rank, bytes);
    bool at_root = rank == root;
    const int blocks = blocks_of(&b->x->collective, n);
    if (cpm_operation_is_of_neighbours(b->x->collective.operation))
        set_counts_of_neighbours(b, blocks, rank, bytes);
    else
        set_counts(b, n, rank, bytes);
    b->arguments = (mpib_arguments){
        .operation = b->x->collective.operation,
        .send = side_of(b, CPM_SEND_SIDE, at_root, b->counts, own),
        .recv = side_of(b, CPM_RECV_SIDE, at_root, b->counts + blocks, own),
        .in_place = cpm_operation_stays_in_place(b->x->collective.operation, at_root),
        .op = b->combined.op,
        .root = root,
        .comm = comm};
}

/* A buffer at the rank that has the most blocks; reductions send as much as is said of recv. */
static int most_blocks(const cpm_collective *c, int n)
{
    const cpm_operation *o = c->operation;
    if (cpm_operation_is_of_neighbours(o))
        return cpm_neighbours_most(c->at.neighbours);
    return o->send.at_root == CPM_BLOCK_OF_EACH || o->recv.at_root == CPM_BLOCK_OF_EACH ? n : 1;
}

static int allocate(benchmarked *b, int n, size_t bytes, cpm_error *e)
{
    size_t most = bytes;
    for (int p = 0; p < n; p++)
        most = bytes_of(b, p, bytes) > most ? bytes_of(b, p, bytes) : most;
    if ((!b->x->collective.algorithm && most > INT_MAX) || most > (size_t)INT64_MAX / (size_t)n)
        return cpm_fail(e, CPM_EINVAL, "%s: a block of %zu bytes is above 2 GiB",
                        b->x->collective.operation->name, most);
    size_t space = most * (size_t)most_blocks(&b->x->collective, n);
    b->space = space;
    b->counts = malloc(2 * (size_t)blocks_of(&b->x->collective, n) * sizeof *b->counts);
    b->send = malloc(space + 1);
    b->recv = malloc(space + 1);
    if (!b->counts || !b->send || !b->recv)
        return cpm_no_memory(e);
    memset(b->send, 1, space + 1); /* pages that were never written are slower to send */
    memset(b->recv, 1, space + 1);
    return CPM_OK;
}

static void finalize(mpib_coll_operation *self)
{
    benchmarked *b = (benchmarked *)self;
    mpib_collective_free(b->collective);
    if (b->graph != MPI_COMM_NULL)
        MPI_Comm_free(&b->graph);
    free(b->counts);
    free(b->send);
    free(b->recv);
    b->collective = NULL;
    b->counts = NULL;
    b->send = b->recv = NULL;
}

/* As MPI's own routine wants it. Collective. */
static int make_graph(benchmarked *b, MPI_Comm comm, int rank, cpm_error *e)
{
    const cpm_neighbours *g = b->x->collective.at.neighbours;
    const int *first = g->first_in, count = first[rank + 1] - first[rank];
    int *volatile unweighted =
        MPI_UNWEIGHTED; /* Open MPI's is an address, which gcc takes for read */
    int *source = malloc((size_t)count * sizeof *source + 1);
    int status = mpib_agree(comm, source ? CPM_OK : cpm_no_memory(e), e);
    for (int k = 0; !status && k < count; k++)
        source[k] = g->from[g->in[first[rank] + k]];
    if (!status)
        status = mpib_status_of(
            MPI_Dist_graph_create_adjacent(
                comm, count, source, unweighted, g->first_out[rank + 1] - g->first_out[rank],
                g->to + g->first_out[rank], unweighted, MPI_INFO_NULL, 0, &b->graph),
            "MPI_Dist_graph_create_adjacent", e);
    free(source);
    return status;
}

static int initialize(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes,
                      cpm_error *e)
{
    benchmarked *b = (benchmarked *)self;
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    int status = mpib_agree(comm, allocate(b, n, bytes, e), e);
    const cpm_operation *o = b->x->collective.operation;
    bool own = !b->x->collective.algorithm && mpib_native_is_there(o);
    if (status == CPM_OK && own && cpm_operation_is_of_neighbours(o))
        status = make_graph(b, comm, rank, e);
    if (status == CPM_OK) {
        set_arguments(b, b->graph != MPI_COMM_NULL ? b->graph : comm, n, rank, root, bytes);
        if (b->x->collective.algorithm)
            status = mpib_collective_create(&b->x->collective, &b->arguments, &b->collective, e);
    }
    if (status != CPM_OK)
        finalize(self);
    return status;
}

/* The algorithm's messages go on in calls of MPI alone, as those of a waiting program. */
static int run_begun(benchmarked *b, cpm_error *e)
{
    int failed = MPI_SUCCESS;
    mpib_collective_begin(b->collective, b->send, b->recv, false, TAG_DATA);
    bool ended = mpib_collective_advance(b->collective, &failed);
    mpib_pass_time(b->clock, b->computing);
    while (!ended)
        ended = mpib_collective_advance(b->collective, &failed);
    return mpib_status_of(failed, b->base.name, e);
}

static int run_native_begun(benchmarked *b, cpm_error *e)
{
    MPI_Request request;
    mpib_native kept;
    int status = mpib_native_begin(&b->arguments, b->send, b->recv, &request, &kept, e);
    if (status == CPM_OK) {
        mpib_pass_time(b->clock, b->computing);
        status = mpib_status_of(MPI_Wait(&request, MPI_STATUS_IGNORE), b->base.name, e);
    }
    mpib_native_clear(&kept);
    return status;
}

static int execute(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes, cpm_error *e)
{
    benchmarked *b = (benchmarked *)self;
    (void)comm, (void)root, (void)bytes;
    if (b->clock)
        return b->collective ? run_begun(b, e) : run_native_begun(b, e);
    if (!b->collective)
        return mpib_native_run(&b->arguments, b->send, b->recv, e);
    int failed = mpib_collective_run(b->collective, b->send, b->recv, TAG_DATA);
    return mpib_status_of(failed, b->base.name, e);
}

/* The buffer in which a process has what it gives; NULL: it gives nothing. */
static char *given(const benchmarked *b)
{
    const mpib_arguments *a = &b->arguments;
    const cpm_operation *o = a->operation;
    int rank;
    PMPI_Comm_rank(a->comm, &rank);
    const bool at_root = !o->rooted || rank == a->root;
    if (o->combines)
        return b->send;
    if (!at_root && cpm_operation_blocks(o, CPM_SEND_SIDE, false) == CPM_NO_BLOCK)
        return NULL;
    const bool has_one = cpm_operation_blocks(o, CPM_SEND_SIDE, at_root) == CPM_NO_BLOCK;
    return has_one || (a->in_place && o->in_place == CPM_SEND_SIDE) ? b->recv : b->send;
}

/* As a program does, which computes what it sends. */
static void refresh(mpib_coll_operation *self)
{
    benchmarked *b = (benchmarked *)self;
    char *buffer = given(b);
    if (buffer)
        memset(buffer, ++b->written, b->space);
}

int mpib_benchmarked_create(const cpm_experiment *x, mpib_coll_operation **out, cpm_error *e)
{
    benchmarked *b = calloc(1, sizeof *b);
    if (!b)
        return cpm_no_memory(e);
    b->base = (mpib_coll_operation){x->collective.operation->name, initialize, execute, finalize,
                                    refresh};
    b->x = x;
    b->graph = MPI_COMM_NULL;
    b->combined = mpib_combined_of(x->collective.operation->combines ? x->collective.combining
                                                                     : CPM_COMBINING_BYTES);
    *out = &b->base;
    return CPM_OK;
}

void mpib_benchmarked_begin(mpib_coll_operation *op, const mpib_clock *clock, double computing)
{
    benchmarked *b = (benchmarked *)op;
    b->clock = clock;
    b->computing = computing;
}
