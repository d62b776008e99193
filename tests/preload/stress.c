/* Random collectives of random arguments on random communicators, by MPI_ and PMPI_ names: both
 * must leave the same bytes, and nothing may hang. An ordinary MPI program.
 *
 *   mpiexec -n N stress CALLS SEED SECONDS [kept|dropped]
 *
 * With kept or dropped every sixth call is spoilt in a random way, on all ranks or on one, and both
 * must say that it is wrong. PMPI_ calls it on a communicator of its own. MPI_ calls it on one that
 * later calls use, too: they must be right. MPI libraries are not where some ranks only are wrong:
 * messages stay, and whoever calls next receives them. Kept: the communicator stays in use, as no
 * such call is the library's; dropped: it may be, so the communicator is left alone from then on.
 *
 * All ranks draw the same numbers; each also waits now and then, and has receives open from anybody
 * with any tag, which no message within a collective may match. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMS = 8, MOST_RANKS = 64, MOST_INTS = 20000, KINDS = 16 };

static unsigned long long state;

static int draw(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)below);
}

/* ---- who was last seen doing what, for a program that hangs ---- */

static const char *const names[KINDS] = {"barrier",        "bcast",
                                         "scatter",        "scatterv",
                                         "gather",         "gatherv",
                                         "allgather",      "allgatherv",
                                         "alltoall",       "alltoallv",
                                         "reduce",         "allreduce",
                                         "reduce_scatter", "reduce_scatter_block",
                                         "scan",           "exscan"};
static struct {
    int world, call, kind, n, root, ints, in_place;
} now;

static void give_up(int signal_number)
{
    (void)signal_number;
    char text[200];
    int length =
        snprintf(text, sizeof text, "rank %d hangs in call %d: %s of %d, root %d, %d integers%s\n",
                 now.world, now.call, names[now.kind], now.n, now.root, now.ints,
                 now.in_place ? ", in place" : "");
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(4);
    _exit(3);
}

/* ---- types and operations ---- */

typedef struct {
    MPI_Datatype type;
    int ints; /* of an element */
} element;

static element elements[3];
static MPI_Datatype matrix;
static MPI_Op multiply;

/* 2x2 matrices modulo 1009: a product whose order matters. */
static void multiply_matrices(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        const int *a = (const int *)in + 4 * i;
        int *b = (int *)inout + 4 * i, c[4];
        for (int k = 0; k < 4; k++)
            c[k] = (a[k / 2 * 2] * b[k % 2] + a[k / 2 * 2 + 1] * b[k % 2 + 2]) % 1009;
        memcpy(b, c, sizeof c);
    }
}

static void make_types(void)
{
    MPI_Datatype two;
    elements[0] = (element){MPI_INT, 1};
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, 3 * sizeof(int), &elements[1].type);
    elements[1].ints = 2;
    MPI_Type_free(&two);
    MPI_Type_vector(2, 1, 2, MPI_INT, &elements[2].type);
    elements[2].ints = 2;
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&elements[1].type);
    MPI_Type_commit(&elements[2].type);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply_matrices, 0, &multiply);
}

static void free_types(void)
{
    MPI_Type_free(&elements[1].type);
    MPI_Type_free(&elements[2].type);
    MPI_Type_free(&matrix);
    MPI_Op_free(&multiply);
}

/* ---- communicators ---- */

static MPI_Comm comms[COMMS];

static void renew(int slot, int rank)
{
    if (comms[slot] != MPI_COMM_NULL && comms[slot] != MPI_COMM_WORLD)
        MPI_Comm_free(&comms[slot]);
    int colors[MOST_RANKS], keys[MOST_RANKS], groups = 1 + draw(3);
    for (int r = 0; r < MOST_RANKS; r++) {
        colors[r] = draw(groups);
        keys[r] = draw(1000);
    }
    if (draw(3) == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[slot]);
    else
        MPI_Comm_split(MPI_COMM_WORLD, colors[rank], keys[rank], &comms[slot]);
}

/* ---- one call ---- */

typedef struct {
    int kind, n, rank, root, ints, in_place;
    int counts[2][MOST_RANKS], places[2][MOST_RANKS]; /* elements: sent, received */
    element give, get;
    MPI_Op op;
    MPI_Comm comm;
    int short_by; /* elements of each block that are not received */
} call;

static int buffers[3][MOST_INTS * 8], given[MOST_INTS * 8];

/* Even numbers of integers that go from one rank to another in v-operations. */
static int amount(const call *c, int from, int to)
{
    int key = c->kind == 9   ? (c->in_place ? from * to + from + to : 3 * from + 5 * to)
              : c->kind == 3 ? to
                             : from;
    return c->ints ? (c->ints / 2 + key * 3) % (c->ints + 1) * 2 : 0;
}

static void set_blocks(call *c)
{
    for (int which = 0; which < 2; which++) {
        int at = 0, ints = which ? c->get.ints : c->give.ints;
        for (int p = 0; p < c->n; p++) {
            int from = which ? p : c->rank, to = which ? c->rank : p;
            c->counts[which][p] = amount(c, c->kind == 3 ? c->root : from, to) / ints;
            c->places[which][p] = at;
            at += c->counts[which][p] + p % 2;
        }
    }
}

static int run(const call *c, const void *send, void *recv, int profiling)
{
    const int *gc = c->counts[0], *gp = c->places[0], *rc = c->counts[1], *rp = c->places[1];
    int me = c->rank, gn = c->ints * 2 / c->give.ints, rn = c->ints * 2 / c->get.ints - c->short_by;
    MPI_Datatype g = c->give.type, r = c->get.type;
    int at_root = me == c->root;
    const void *s = c->in_place ? MPI_IN_PLACE : send;
    const void *rooted = c->in_place && at_root ? MPI_IN_PLACE : send;
    void *into = c->in_place && at_root ? MPI_IN_PLACE : recv;
    int own_gives = amount(c, me, 0) / c->give.ints, own_gets = amount(c, 0, me) / c->get.ints;
#define CALL(name, ...) (profiling ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
    switch (c->kind) {
    case 0:
        return CALL(Barrier, c->comm);
    case 1:
        return CALL(Bcast, recv, rn, r, c->root, c->comm);
    case 2:
        return CALL(Scatter, send, gn, g, into, rn, r, c->root, c->comm);
    case 3:
        return CALL(Scatterv, send, gc, gp, g, into, own_gets, r, c->root, c->comm);
    case 4:
        return CALL(Gather, rooted, gn, g, recv, rn, r, c->root, c->comm);
    case 5:
        return CALL(Gatherv, rooted, own_gives, g, recv, rc, rp, r, c->root, c->comm);
    case 6:
        return CALL(Allgather, s, gn, g, recv, rn, r, c->comm);
    case 7:
        return CALL(Allgatherv, s, own_gives, g, recv, rc, rp, r, c->comm);
    case 8:
        return CALL(Alltoall, s, gn, g, recv, rn, r, c->comm);
    case 9:
        return CALL(Alltoallv, s, gc, gp, g, recv, rc, rp, r, c->comm);
    case 10:
        return CALL(Reduce, rooted, recv, rn, r, c->op, c->root, c->comm);
    case 11:
        return CALL(Allreduce, s, recv, rn, r, c->op, c->comm);
    case 12:
        return CALL(Reduce_scatter, s, recv, rc, r, c->op, c->comm);
    case 13:
        return CALL(Reduce_scatter_block, s, recv, rn, r, c->op, c->comm);
    case 14:
        return CALL(Scan, s, recv, rn, r, c->op, c->comm);
    default:
        return CALL(Exscan, s, recv, rn, r, c->op, c->comm);
    }
#undef CALL
}

/* Arguments that the standard allows, the same on all ranks where they must be. */
static void prepare(call *c, MPI_Comm comm)
{
    static const int sizes[] = {0, 1, 1, 2, 3, 8, 50, 100, 700};
    memset(c, 0, sizeof *c);
    c->comm = comm;
    MPI_Comm_size(comm, &c->n);
    MPI_Comm_rank(comm, &c->rank);
    c->kind = draw(KINDS);
    c->root = draw(5040) % c->n;
    c->ints = sizes[draw(9)]; /* half of them: every type has one or two in an element */
    c->in_place = draw(4) == 0 && c->kind > 1;
    c->give = elements[draw(3)];
    c->get = elements[draw(3)];
    if (c->kind < 10) {
        set_blocks(c);
        return;
    }
    int matrices = draw(2);
    if (c->kind == 10 && c->root != 0)
        c->in_place = 0; /* MPICH 4.0.2 crashes there itself with more than 2 KB */
    c->op = matrices ? multiply : draw(2) ? MPI_SUM : MPI_MAX;
    c->get = matrices ? (element){matrix, 2} : elements[0];
    for (int p = 0; p < c->n; p++)
        c->counts[1][p] = (c->ints + p) % (c->ints + 1);
}

static void fill(int rank, int number)
{
    for (int i = 0; i < MOST_INTS * 8; i++) {
        given[i] = (i * 31 + rank * 57 + number) % 1009;
        buffers[0][i] = buffers[1][i] = (i * 17 + rank * 91 + number) % 1009;
    }
}

/* What an in-place reduce_scatter leaves of its input is nobody's business. */
static size_t comparable(const call *c)
{
    if (!c->in_place || c->kind < 12 || c->kind > 13)
        return sizeof buffers[0];
    int count = c->kind == 12 ? c->counts[1][c->rank] : c->ints * 2 / c->get.ints;
    return (size_t)count * (c->op == multiply ? 4 : 1) * sizeof(int);
}

/* Another receives what this rank sends after the collective, with a receive that was open before.
 */
static int neighbours_hear(const call *c, int number, MPI_Request *open, int *heard)
{
    MPI_Status status;
    int says = number * 100 + c->rank, from = (c->rank + c->n - 1) % c->n;
    MPI_Send(&says, 1, MPI_INT, (c->rank + 1) % c->n, number % 100, c->comm);
    MPI_Wait(open, &status);
    return status.MPI_SOURCE == from && *heard == number * 100 + from;
}

/* ---- wrong calls ---- */

static enum { NO_ERRORS, KEPT, DROPPED } errors;

typedef enum {
    NO_ROOT,
    NO_TYPE,
    NO_FITTING_OPERATION,
    NO_OPERATION,
    SHORT_AT_ROOT, /* a gather of few bytes, whose root gets less: others notice nothing */
    REFUSED_AT_ROOT,
    SHORT_ELSEWHERE, /* the next rank gets less: not all libraries live through that */
    MISTAKES
} mistake;

enum { FEW = 50 }; /* integers that no library waits with until the receiver is there */

/* Whether some ranks only are wrong, so that the library leaves messages behind. */
static bool leaves_messages(mistake m)
{
    return m >= SHORT_AT_ROOT;
}

/* Whether a rank misses a call that the others make: it is out of step with calls of that operation
 * and root, as natively. */
static bool leaves_out_of_step(mistake m)
{
    return m == REFUSED_AT_ROOT;
}

/* Mistakes of some ranks are those that the others do not wait for. */
static mistake draw_mistake(call *c)
{
    mistake m = (mistake)draw(MISTAKES);
    bool lasting = c->comm == MPI_COMM_WORLD && leaves_out_of_step(m);
    lasting = lasting || (errors == DROPPED && (c->comm == MPI_COMM_WORLD || m == SHORT_ELSEWHERE));
    if (leaves_messages(m) && (c->kind >= 10 || c->ints > FEW || lasting))
        return NO_TYPE;
    if (leaves_messages(m))
        c->kind = m != SHORT_ELSEWHERE ? 4 : c->kind == 1 ? 1 : 2;
    return m;
}

static void spoil(call *c, mistake m)
{
    bool rooted = c->kind >= 1 && c->kind <= 5, combines = c->kind >= 10;
    bool at_root = c->rank == c->root, is_next = c->rank == (c->root + 1) % c->n;
    c->in_place = 0;
    switch (m) {
    case NO_ROOT:
        c->root = rooted || c->kind == 10 ? c->n : c->root;
        break;
    case NO_TYPE: /* MPICH 4.0.2 ends at a bcast of no elements of it */
        c->get.type = c->kind && c->ints ? MPI_DATATYPE_NULL : c->get.type;
        c->give.type = c->kind && c->ints ? MPI_DATATYPE_NULL : c->give.type;
        break;
    case NO_FITTING_OPERATION:
        c->op = combines ? MPI_BAND : c->op;
        c->get = combines ? (element){MPI_DOUBLE, 2} : c->get;
        break;
    case NO_OPERATION:
        c->op = combines ? MPI_OP_NULL : c->op;
        break;
    case SHORT_AT_ROOT:
        c->short_by = c->n > 1 && c->ints > 1 && at_root;
        break;
    case REFUSED_AT_ROOT: /* but of rank 0, without which nothing is decided */
        c->get.type = at_root && c->root > 0 ? MPI_DATATYPE_NULL : c->get.type;
        break;
    default:
        c->short_by = c->n > 1 && c->ints > 1 && is_next;
    }
}

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

/* What the library says. A communicator with messages that nobody received stays: another might get
 * its number, and them. */
static int ask_library(const call *c, bool leaves)
{
    call theirs = *c;
    PMPI_Comm_dup(c->comm, &theirs.comm);
    PMPI_Comm_set_errhandler(theirs.comm, MPI_ERRORS_RETURN);
    int class = class_of(run(&theirs, given, buffers[0], 1));
    if (!leaves)
        PMPI_Comm_free(&theirs.comm);
    return class;
}

/* Whether both say the same; slot: of the communicator. */
static int try_wrong(call *c, int number, int world, int slot)
{
    mistake m = draw_mistake(c);
    bool leaves = leaves_messages(m), asks = m != SHORT_ELSEWHERE;
    spoil(c, m);
    if (leaves_out_of_step(m)) /* the first call that MPI takes makes the ranks meet */
        MPI_Barrier(c->comm);
    int native = asks ? ask_library(c, leaves) : 0;
    MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
    int own = class_of(run(c, given, buffers[1], 0));
    MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_ARE_FATAL);
    if (leaves && (errors == DROPPED || leaves_out_of_step(m))) {
        comms[slot] = MPI_COMM_NULL;
        renew(slot, world);
    }
    if (asks && native != own)
        fprintf(stderr, "rank %d: wrong call %d: %s of %d: class %d, natively %d\n", world, number,
                names[c->kind], c->n, own, native);
    return !asks || native == own;
}

static int try(int number, int slot, int world)
{
    call c;
    MPI_Comm comm = comms[slot];
    int heard = -1, listens = draw(4) == 0, sleeper = draw(40);
    MPI_Request open;
    prepare(&c, comm);
    now.call = number;
    now.kind = c.kind;
    now.n = c.n;
    now.root = c.root;
    now.ints = c.ints;
    now.in_place = c.in_place;
    if (errors && draw(6) == 0) {
        fill(world, number);
        return try_wrong(&c, number, world, slot);
    }
    listens = listens && c.n > 1; /* MPICH 4.0 alone cannot: its alltoallv in place hangs then */
    fill(world, number);
    run(&c, given, buffers[0], 1);
    if (sleeper == world)
        usleep(300);
    if (listens)
        MPI_Irecv(&heard, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &open);
    run(&c, given, buffers[1], 0);
    int right = memcmp(buffers[0], buffers[1], comparable(&c)) == 0;
    if (listens)
        right = neighbours_hear(&c, number, &open, &heard) && right;
    if (!right)
        fprintf(stderr, "rank %d: call %d differs: %s of %d, root %d, %d integers%s\n", world,
                number, names[c.kind], c.n, c.root, c.ints, c.in_place ? ", in place" : "");
    return right;
}

int main(int argc, char **argv)
{
    int rank, wrong = 0, all = 0, calls = argc > 1 ? atoi(argv[1]) : 1000;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    now.world = rank;
    signal(SIGALRM, give_up);
    alarm(argc > 3 ? (unsigned)atoi(argv[3]) : 60);
    make_types();
    comms[0] = MPI_COMM_WORLD;
    errors = argc <= 4 ? NO_ERRORS : strcmp(argv[4], "kept") == 0 ? KEPT : DROPPED;
    for (int slot = 1; slot < COMMS; slot++) {
        comms[slot] = MPI_COMM_NULL;
        renew(slot, rank);
    }
    for (int k = 0; k < calls && wrong < 10; k++) {
        if (draw(30) == 0)
            renew(1 + draw(COMMS - 1), rank);
        wrong += !try(k, draw(COMMS), rank);
        if (k % 200 == 199)
            alarm(argc > 3 ? (unsigned)atoi(argv[3]) : 60);
    }
    PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d calls, %d wrong\n", calls, all);
    for (int slot = 1; slot < COMMS; slot++)
        MPI_Comm_free(&comms[slot]);
    free_types();
    MPI_Finalize();
    return all != 0;
}
