/* The MPI library's own collectives, called with the arguments of a planned call. */
#include <limits.h>
#include <stdlib.h>

#include "executor/collective.h"
#include "executor/execute.h"
#include "executor/layout.h"

/* One side as MPI wants it. */
typedef struct {
    int count;
    MPI_Datatype type;
    void *arrays; /* all memory of those: [blocks], or NULL */
    MPI_Aint *bytes;
    MPI_Datatype *types;
    int *counts, *displacements;
} int_side;

static bool make_arrays(int_side *out, size_t blocks)
{
    const size_t each = sizeof *out->bytes + sizeof *out->types + 2 * sizeof *out->counts;
    out->arrays = malloc(blocks * each + 1);
    if (!out->arrays)
        return false;
    out->bytes = out->arrays;
    out->types = (MPI_Datatype *)(out->bytes + blocks);
    out->counts = (int *)(out->types + blocks);
    out->displacements = out->counts + blocks;
    return true;
}

/* blocks: in arrays, if it needs them, whose displacements are bytes where there are types. */
static int convert_side(const cpm_operation *o, const mpib_side *s, int blocks, bool needs_arrays,
                        int_side *out, cpm_error *e)
{
    const bool addresses = o->types && cpm_operation_is_of_neighbours(o);
    const ptrdiff_t unit = o->types && !s->types ? (ptrdiff_t)mpib_type_extent(s->type) : 1;
    ptrdiff_t next = 0;
    if (s->count > INT_MAX)
        return cpm_fail(e, CPM_EINVAL, "%zu elements are more than MPI's int can count", s->count);
    *out = (int_side){.count = (int)s->count, .type = s->type};
    if (!needs_arrays)
        return CPM_OK;
    if (!make_arrays(out, (size_t)blocks))
        return cpm_no_memory(e);
    for (int b = 0; b < blocks; b++) {
        const size_t count = mpib_count_of_block(s, b);
        const ptrdiff_t place = (s->displacements ? s->displacements[b] : next) * unit;
        if (count > INT_MAX || (!addresses && (place > INT_MAX || place < INT_MIN)))
            return cpm_fail(e, CPM_EINVAL, "block %d is above what MPI's int can count", b);
        out->types[b] = mpib_type_of_block(s, b);
        out->counts[b] = (int)count;
        out->bytes[b] = place;
        out->displacements[b] = (int)place;
        next += (ptrdiff_t)count;
    }
    return CPM_OK;
}

typedef struct {
    const mpib_arguments *a;
    int_side send, recv;
    const void *sendbuf;
    void *recvbuf;
} routine;

/* Each as a blocking call, and as one that begins. */
#define ROUTINE(name, Name, ...)                                                  \
    static int name(const routine *r, MPI_Request *begun)                         \
    {                                                                             \
        return begun ? MPI_I##name(__VA_ARGS__, begun) : MPI_##Name(__VA_ARGS__); \
    }
/* clang-format off */
ROUTINE(bcast, Bcast, r->recvbuf, r->recv.count, r->recv.type, r->a->root, r->a->comm)
ROUTINE(scatter, Scatter, r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type, r->a->root, r->a->comm)
ROUTINE(scatterv, Scatterv, r->sendbuf, r->send.counts, r->send.displacements, r->send.type, r->recvbuf, r->recv.count, r->recv.type, r->a->root, r->a->comm)
ROUTINE(gather, Gather, r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type, r->a->root, r->a->comm)
ROUTINE(gatherv, Gatherv, r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.counts, r->recv.displacements, r->recv.type, r->a->root, r->a->comm)
ROUTINE(reduce, Reduce, r->sendbuf, r->recvbuf, r->recv.count, r->recv.type, r->a->op, r->a->root, r->a->comm)
ROUTINE(reduce_scatter, Reduce_scatter, r->sendbuf, r->recvbuf, r->recv.counts, r->recv.type, r->a->op, r->a->comm)
ROUTINE(allgather, Allgather, r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type, r->a->comm)
ROUTINE(allgatherv, Allgatherv, r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.counts, r->recv.displacements, r->recv.type, r->a->comm)
ROUTINE(alltoall, Alltoall, r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type, r->a->comm)
ROUTINE(alltoallv, Alltoallv, r->sendbuf, r->send.counts, r->send.displacements, r->send.type, r->recvbuf, r->recv.counts, r->recv.displacements, r->recv.type, r->a->comm)
ROUTINE(alltoallw, Alltoallw, r->sendbuf, r->send.counts, r->send.displacements, r->send.types, r->recvbuf, r->recv.counts, r->recv.displacements, r->recv.types, r->a->comm)
ROUTINE(allreduce, Allreduce, r->sendbuf, r->recvbuf, r->recv.count, r->recv.type, r->a->op, r->a->comm)
ROUTINE(scan, Scan, r->sendbuf, r->recvbuf, r->recv.count, r->recv.type, r->a->op, r->a->comm)
ROUTINE(exscan, Exscan, r->sendbuf, r->recvbuf, r->recv.count, r->recv.type, r->a->op, r->a->comm)
ROUTINE(barrier, Barrier, r->a->comm)
#ifndef CPM_SMPI
ROUTINE(neighbor_allgather, Neighbor_allgather, r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type, r->a->comm)
ROUTINE(neighbor_allgatherv, Neighbor_allgatherv, r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.counts, r->recv.displacements, r->recv.type, r->a->comm)
ROUTINE(neighbor_alltoall, Neighbor_alltoall, r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type, r->a->comm)
ROUTINE(neighbor_alltoallv, Neighbor_alltoallv, r->sendbuf, r->send.counts, r->send.displacements, r->send.type, r->recvbuf, r->recv.counts, r->recv.displacements, r->recv.type, r->a->comm)
ROUTINE(neighbor_alltoallw, Neighbor_alltoallw, r->sendbuf, r->send.counts, r->send.bytes, r->send.types, r->recvbuf, r->recv.counts, r->recv.bytes, r->recv.types, r->a->comm)
#endif
/* clang-format on */

static int (*const routines[CPM_OPERATIONS])(const routine *r, MPI_Request *begun) = {
    [CPM_OP_BCAST] = bcast,
    [CPM_OP_SCATTER] = scatter,
    [CPM_OP_SCATTERV] = scatterv,
    [CPM_OP_GATHER] = gather,
    [CPM_OP_GATHERV] = gatherv,
    [CPM_OP_REDUCE] = reduce,
    [CPM_OP_REDUCE_SCATTER] = reduce_scatter,
    [CPM_OP_ALLGATHER] = allgather,
    [CPM_OP_ALLGATHERV] = allgatherv,
    [CPM_OP_ALLTOALL] = alltoall,
    [CPM_OP_ALLTOALLV] = alltoallv,
    [CPM_OP_ALLTOALLW] = alltoallw,
    [CPM_OP_ALLREDUCE] = allreduce,
    [CPM_OP_SCAN] = scan,
    [CPM_OP_EXSCAN] = exscan,
    [CPM_OP_BARRIER] = barrier,
#ifndef CPM_SMPI
    [CPM_OP_NEIGHBOR_ALLGATHER] = neighbor_allgather,
    [CPM_OP_NEIGHBOR_ALLGATHERV] = neighbor_allgatherv,
    [CPM_OP_NEIGHBOR_ALLTOALL] = neighbor_alltoall,
    [CPM_OP_NEIGHBOR_ALLTOALLV] = neighbor_alltoallv,
    [CPM_OP_NEIGHBOR_ALLTOALLW] = neighbor_alltoallw,
#endif
};

bool mpib_native_is_there(const cpm_operation *o)
{
    return routines[o - cpm_operations];
}

/* MPI_IN_PLACE stands where the standard wants it. */
static void put_in_place(routine *r)
{
    if (!r->a->in_place)
        return;
    if (r->a->operation->in_place == CPM_RECV_SIDE)
        r->recvbuf = MPI_IN_PLACE;
    else
        r->sendbuf = MPI_IN_PLACE;
}

#ifdef CPM_SMPI
static int neighbours_of(MPI_Comm comm, cpm_side which)
{
    (void)comm, (void)which;
    return 0;
}
#else
static int neighbours_of(MPI_Comm comm, cpm_side which)
{
    int in = 0, out = 0, weighted;
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    return which == CPM_SEND_SIDE ? out : in;
}
#endif

static int convert(const mpib_arguments *a, cpm_side which, int_side *out, cpm_error *e)
{
    int n, rank;
    MPI_Comm_size(a->comm, &n);
    MPI_Comm_rank(a->comm, &rank);
    const cpm_blocks has = cpm_operation_blocks(a->operation, which, rank == a->root);
    const bool counts = a->operation->counts, near = has == CPM_BLOCK_OF_NEIGHBOUR;
    const int blocks = counts && near ? neighbours_of(a->comm, which) : n;
    return convert_side(a->operation, mpib_side_of(a, which), blocks,
                        counts && has >= CPM_BLOCK_OF_EACH, out, e);
}

static int run(const mpib_arguments *arguments, const void *send, void *recv, MPI_Request *begun,
               mpib_native *kept, cpm_error *e)
{
    routine r = {.a = arguments, .sendbuf = send, .recvbuf = recv};
    *kept = (mpib_native){{NULL, NULL}};
    if (!mpib_native_is_there(arguments->operation))
        return cpm_fail(e, CPM_EINVAL, "%s: the simulator has no routine of its own",
                        arguments->operation->name);
    int status = convert(arguments, CPM_SEND_SIDE, &r.send, e);
    if (status == CPM_OK)
        status = convert(arguments, CPM_RECV_SIDE, &r.recv, e);
    put_in_place(&r);
    if (status == CPM_OK)
        status = mpib_status_of(routines[arguments->operation - cpm_operations](&r, begun),
                                arguments->operation->name, e);
    *kept = (mpib_native){{r.send.arrays, r.recv.arrays}};
    return status;
}

void mpib_native_clear(mpib_native *kept)
{
    free(kept->arrays[0]);
    free(kept->arrays[1]);
    *kept = (mpib_native){{NULL, NULL}};
}

int mpib_native_run(const mpib_arguments *arguments, const void *send, void *recv, cpm_error *e)
{
    mpib_native kept;
    int status = run(arguments, send, recv, NULL, &kept, e);
    mpib_native_clear(&kept);
    return status;
}

int mpib_native_begin(const mpib_arguments *arguments, const void *send, void *recv,
                      MPI_Request *request, mpib_native *kept, cpm_error *e)
{
    *request = MPI_REQUEST_NULL;
    return run(arguments, send, recv, request, kept, e);
}
