/* Calls exported routines (cpm export --c) and MPI's own with the same random arguments, in
 * communicators of 2 to 5 processes, and compares all that they write, bit by bit.
 *
 * compare_routines SEED CALLS. Of the routines that are compiled with it, by their own names; with
 * -DCPM_AS_MPI by MPI's. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../preload/operations.h"
#include "../preload/program.h"

#ifdef CPM_AS_MPI
static const functions own = FUNCTIONS(MPI);
#else
#define CPM_DECLARATIONS
#include "exported.c"
static const functions own = FUNCTIONS(CPM);
#endif

enum { WORLD = 5, MOST_BYTES = 1 << 16 };

/* ---- chance, the same at all ranks */

static uint64_t chance;

static int below(int n)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((chance >> 33) % (uint64_t)n);
}

/* ---- types and operations */

enum { TYPES = 6, PLAIN = 0, BEFORE = 3, PAIRS = 5 };

/* MPICH 4.0 fails where it gathers, or reduces, long blocks of PAIRS, and where it reduces elements
 * that begin before their addresses, or scatters what does not commute. */
static MPI_Datatype types[TYPES];

static void make_types(void)
{
    MPI_Datatype vector;
    types[PLAIN] = MPI_INT;
    MPI_Type_vector(2, 1, 2, MPI_INT, &types[1]);
    MPI_Type_contiguous(3, MPI_INT, &types[2]);
    MPI_Type_create_resized(MPI_INT, -4, 12, &types[BEFORE]);
    MPI_Type_vector(2, 2, 3, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 24, &types[4]);
    MPI_Type_free(&vector);
    for (int k = 1; k <= 4; k++)
        MPI_Type_commit(&types[k]);
    types[PAIRS] = MPI_DOUBLE_INT;
}

/* Maps x -> m x + c modulo 2^16, one after the other: that does not commute. */
static uint32_t after(uint32_t f, uint32_t g)
{
    uint32_t m = f >> 16, c = f & 0xffff, n = g >> 16, d = g & 0xffff;
    return ((n * m) & 0xffff) << 16 | ((n * c + d) & 0xffff);
}

static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size, bytes = 0, position = 0;
    MPI_Type_size(*type, &size);
    uint32_t *a = malloc((size_t)(size * *count) + 4), *b = malloc((size_t)(size * *count) + 4);
    bytes = size * *count;
    MPI_Pack(in, *count, *type, a, bytes, &position, MPI_COMM_SELF);
    position = 0;
    MPI_Pack(inout, *count, *type, b, bytes, &position, MPI_COMM_SELF);
    for (int k = 0; k < bytes / 4; k++)
        b[k] = after(a[k], b[k]);
    position = 0;
    MPI_Unpack(b, bytes, &position, inout, *count, *type, MPI_COMM_SELF);
    free(a);
    free(b);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size, bytes, position = 0;
    MPI_Type_size(*type, &size);
    bytes = size * *count;
    uint32_t *a = malloc((size_t)bytes + 4), *b = malloc((size_t)bytes + 4);
    MPI_Pack(in, *count, *type, a, bytes, &position, MPI_COMM_SELF);
    position = 0;
    MPI_Pack(inout, *count, *type, b, bytes, &position, MPI_COMM_SELF);
    for (int k = 0; k < bytes / 4; k++)
        b[k] += a[k];
    position = 0;
    MPI_Unpack(b, bytes, &position, inout, *count, *type, MPI_COMM_SELF);
    free(a);
    free(b);
}

/* ---- a call */

typedef struct {
    int operation, root, in_place, count;
    int counts[2][WORLD], displacements[2][WORLD];
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm;
    int rank, n;
} call;

static char *send, *recv[2];
enum { MARGIN = 64 };

static int run(const functions *r, const call *c, char *to)
{
    int is_root = c->rank == c->root;
    const void *in = c->in_place ? MPI_IN_PLACE : send + MARGIN;
    void *out = to + MARGIN;
    switch (c->operation) {
    case BCAST:
        return r->bcast(out, c->count, c->type, c->root, c->comm);
    case SCATTER:
        return r->scatter(send + MARGIN, c->count, c->type,
                          c->in_place && is_root ? MPI_IN_PLACE : out, c->count, c->type, c->root,
                          c->comm);
    case SCATTERV:
        return r->scatterv(send + MARGIN, c->counts[0], c->displacements[0], c->type,
                           c->in_place && is_root ? MPI_IN_PLACE : out, c->counts[0][c->rank],
                           c->type, c->root, c->comm);
    case GATHER:
        return r->gather(is_root ? in : send + MARGIN, c->count, c->type, out, c->count, c->type,
                         c->root, c->comm);
    case GATHERV:
        return r->gatherv(is_root ? in : send + MARGIN, c->counts[0][c->rank], c->type, out,
                          c->counts[0], c->displacements[0], c->type, c->root, c->comm);
    case ALLGATHER:
        return r->allgather(in, c->count, c->type, out, c->count, c->type, c->comm);
    case ALLGATHERV:
        return r->allgatherv(in, c->counts[0][c->rank], c->type, out, c->counts[0],
                             c->displacements[0], c->type, c->comm);
    case ALLTOALL:
        return r->alltoall(in, c->count, c->type, out, c->count, c->type, c->comm);
    case ALLTOALLV:
        return r->alltoallv(in, c->counts[0], c->displacements[0], c->type, out, c->counts[1],
                            c->displacements[1], c->type, c->comm);
    case REDUCE:
        return r->reduce(is_root ? in : send + MARGIN, out, c->count, c->type, c->op, c->root,
                         c->comm);
    case ALLREDUCE:
        return r->allreduce(in, out, c->count, c->type, c->op, c->comm);
    case REDUCE_SCATTER:
        return r->reduce_scatter(in, out, c->counts[0], c->type, c->op, c->comm);
    case REDUCE_SCATTER_BLOCK:
        return r->reduce_scatter_block(in, out, c->count, c->type, c->op, c->comm);
    case SCAN:
        return r->scan(in, out, c->count, c->type, c->op, c->comm);
    case EXSCAN:
        return r->exscan(in, out, c->count, c->type, c->op, c->comm);
    default:
        return r->barrier(c->comm);
    }
}

/* ---- random ones */

static MPI_Op commuting, ordered;

static void choose_operation(call *c, int type)
{
    MPI_Op known[] = {MPI_SUM, MPI_MAX, MPI_BXOR};
    c->op = below(2) ? ordered : commuting;
    if (c->operation >= REDUCE_SCATTER && type != PLAIN)
        c->op = commuting;
    if (type == PLAIN && below(2))
        c->op = known[below(3)];
    if (type == PAIRS)
        c->op = below(2) ? MPI_MAXLOC : MPI_MINLOC;
}

/* Counts from i to j, which both know; of a collective with one count for each process i is 0. */
static int count_from_to(int seed, int i, int j, int most)
{
    return (seed / (i * WORLD + j + 1) + 7 * i + 3 * j) % (most + 1);
}

static void choose_counts(call *c, int most)
{
    int seed = below(1 << 30), places[2] = {0, 0}, pairs = c->operation == ALLTOALLV;
    for (int k = 0; k < c->n; k++) {
        c->counts[0][k] = count_from_to(seed, pairs ? c->rank : 0, k, most);
        c->counts[1][k] = pairs && !c->in_place ? count_from_to(seed, k, c->rank, most) : 0;
        if (pairs && c->in_place) /* as much to each as from it */
            c->counts[0][k] = c->counts[1][k] =
                count_from_to(seed, c->rank < k ? c->rank : k, c->rank < k ? k : c->rank, most);
    }
    for (int side = 0; side < 2; side++)
        for (int k = c->n - 1; k >= 0; k--) { /* the last one lies first, with gaps */
            c->displacements[side][k] = places[side];
            places[side] += c->counts[side][k] + k % 2;
        }
}

static call choose(MPI_Comm comm)
{
    call c = {.operation = below(OPERATIONS), .comm = comm};
    MPI_Aint lower, extent;
    int type = below(c.operation < REDUCE ? PAIRS : TYPES), most = below(3) ? 1500 : 12000;
    if (c.operation >= REDUCE && type == BEFORE)
        type = PLAIN;
    MPI_Comm_rank(comm, &c.rank);
    MPI_Comm_size(comm, &c.n);
    c.root = below(WORLD) % c.n;
    c.in_place = below(3) == 0;
    c.type = types[type];
    MPI_Type_get_extent(c.type, &lower, &extent);
    most = type == PAIRS
               ? 60
               : most / (int)extent / (c.operation == ALLTOALL || c.operation == ALLTOALLV ? 4 : 1);
    c.count = below(most + 1);
    choose_operation(&c, type);
    choose_counts(&c, most);
    return c;
}

static void fill(char *at, const call *c, int what)
{
    for (int k = 0; k < MOST_BYTES / 4; k++) {
        uint32_t x = ((uint32_t)k * 2654435761u) ^ ((uint32_t)c->rank * 40503u + (uint32_t)what);
        x = (x ^ x >> 15) * 2246822519u;
        memcpy(at + 4 * k, &x, 4);
    }
    if (c->type != MPI_DOUBLE_INT)
        return;
    for (int k = 0; k < (MOST_BYTES - 2 * MARGIN) / 16; k++) {
        double value = (k * 7 + c->rank * 3) % 11;
        memcpy(at + MARGIN + 16 * k, &value, sizeof value);
    }
}

/* MPI's own result. MPICH 4.0 copies what overlaps where it reduces in place: another buffer then
 * has what is there. */
static int run_theirs(const call *c)
{
    call x = *c;
    if (c->operation >= REDUCE && c->in_place) {
        x.in_place = 0;
        if (c->operation != REDUCE || c->rank == c->root)
            memcpy(send, recv[1], MOST_BYTES);
    }
    return run(&native, &x, recv[1]);
}

/* In place what is behind the own block has no meaning. */
static void forget_rest(const call *c)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(c->type, &lower, &extent);
    if (!c->in_place || (c->operation != REDUCE_SCATTER && c->operation != REDUCE_SCATTER_BLOCK))
        return;
    MPI_Aint count = c->operation == REDUCE_SCATTER ? c->counts[0][c->rank] : c->count;
    MPI_Aint behind = MARGIN + count * extent;
    memcpy(recv[0] + behind, recv[1] + behind, (size_t)(MOST_BYTES - behind));
}

static int is_same(const call *c)
{
    int same;
    fill(send, c, 0);
    fill(recv[0], c, 1);
    memcpy(recv[1], recv[0], MOST_BYTES);
    int status[2] = {run(&own, c, recv[0]), run_theirs(c)};
    forget_rest(c);
    same = status[0] == MPI_SUCCESS && status[1] == MPI_SUCCESS &&
           memcmp(recv[0], recv[1], MOST_BYTES) == 0;
    if (!same) {
        int k = 0;
        while (k < MOST_BYTES && recv[0][k] == recv[1][k])
            k++;
        printf("rank %d of %d: %s, root %d, count %d, type %ld, in place %d: byte %d differs\n",
               c->rank, c->n, names[c->operation], c->root, c->count, (long)(intptr_t)c->type,
               c->in_place, k - MARGIN);
        fflush(stdout);
    }
    return same;
}

/* ---- communicators */

/* Of n processes, and of the others, if there are enough; in another order. */
static MPI_Comm part(int rank, int n, int turned)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank < n, turned ? WORLD - rank : rank, &comm);
    return comm;
}

/* MPI's own routines run, whatever the table says. */
static int between_groups(int rank)
{
    MPI_Comm half = part(rank, 2, 0), both;
    int value = rank == 0 ? 77 : 0, first = rank < 2;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, 5, &both);
    int root = !first ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    own.bcast(&value, 1, MPI_INT, root, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    return first || value == 77;
}

int main(int argc, char **argv)
{
    int rank, n, good = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n != WORLD || argc != 3) {
        fprintf(stderr, "compare_routines SEED CALLS, on %d processes\n", WORLD);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    chance = (uint64_t)atoi(argv[1]);
    make_types();
    MPI_Op_create(add, 1, &commuting);
    MPI_Op_create(compose, 0, &ordered);
    send = malloc(MOST_BYTES);
    recv[0] = malloc(MOST_BYTES);
    recv[1] = malloc(MOST_BYTES);
    good = between_groups(rank);
    for (int k = 0; k < 8 && good; k++) {
        MPI_Comm comm = part(rank, 2 + k / 2, k % 2);
        for (int i = 0; i < atoi(argv[2]) && good; i++) {
            call c = choose(comm);
            good = is_same(&c);
            MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
        }
        MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Comm_free(&comm);
    }
    if (rank == 0 && good)
        printf("all are the same\n");
    MPI_Finalize();
    return !good;
}
