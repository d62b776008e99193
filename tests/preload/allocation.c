/* Every allocation of CPM's own code may fail on one rank: each collective is right on all ranks
 * all the same, that one and those after it. refuse.c is preloaded and refuses.
 *
 *   allocation every MOST: the k-th allocation of a call fails, k from 1 to MOST or until a call
 * has no more of them, on each rank in turn; allocation all MOST: k grows by half; allocation quick
 * MOST: so it does, on two ranks; allocation out 0: all long allocations fail on rank 1: the call
 * fails there, with MPI_ERR_NO_MEM, and the program is ended. */
#include "program.h"

#include <dlfcn.h>

enum { VARIANTS = 8, MOST_ELEMENTS = 3000, ROOM = 3 * MOST_ELEMENTS * 4 };

static int (*refuse)(int k, int count, size_t bytes);
static bool every; /* allocation, not some of them */

typedef struct {
    int n, rank, root, count;
    bool in_place;
    MPI_Datatype type; /* two integers of three, or one */
    MPI_Op op;
    MPI_Comm comm;
    int counts[MOST_RANKS], places[MOST_RANKS]; /* of v-operations */
} arguments;

static bool is_root(const arguments *a)
{
    return a->rank == a->root;
}

/* What stands for the send buffer where there is a root, and where there is none. */
static const void *rooted_send(const arguments *a, const int *send)
{
    return a->in_place && is_root(a) ? MPI_IN_PLACE : send;
}

static const void *any_send(const arguments *a, const int *send)
{
    return a->in_place ? MPI_IN_PLACE : send;
}

static int *rooted_recv(const arguments *a, int *recv)
{
    return a->in_place && is_root(a) ? MPI_IN_PLACE : recv;
}

/* ---- operations */

static int barrier(const functions *f, const arguments *a, const int *send, int *recv)
{
    (void)send, (void)recv;
    return f->barrier(a->comm);
}

static int bcast(const functions *f, const arguments *a, const int *send, int *recv)
{
    (void)send;
    return f->bcast(recv, a->count, a->type, a->root, a->comm);
}

static int scatter(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->scatter(send, a->count, a->type, rooted_recv(a, recv), a->count, a->type, a->root,
                      a->comm);
}

static int scatterv(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->scatterv(send, a->counts, a->places, a->type, rooted_recv(a, recv),
                       a->counts[a->rank], a->type, a->root, a->comm);
}

static int gather(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->gather(rooted_send(a, send), a->count, a->type, recv, a->count, a->type, a->root,
                     a->comm);
}

static int gatherv(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->gatherv(rooted_send(a, send), a->counts[a->rank], a->type, recv, a->counts, a->places,
                      a->type, a->root, a->comm);
}

static int allgather(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->allgather(any_send(a, send), a->count, a->type, recv, a->count, a->type, a->comm);
}

static int allgatherv(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->allgatherv(any_send(a, send), a->counts[a->rank], a->type, recv, a->counts, a->places,
                         a->type, a->comm);
}

static int alltoall(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->alltoall(any_send(a, send), a->count, a->type, recv, a->count, a->type, a->comm);
}

/* All pairs exchange as much, so that it can be in place. */
static int alltoallv(const functions *f, const arguments *a, const int *send, int *recv)
{
    int counts[MOST_RANKS], places[MOST_RANKS];
    for (int p = 0; p < a->n; p++) {
        counts[p] = (a->count + p + a->rank) % (a->count + 1);
        places[p] = p * a->count;
    }
    return f->alltoallv(any_send(a, send), counts, places, a->type, recv, counts, places, a->type,
                        a->comm);
}

static int reduce(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->reduce(rooted_send(a, send), recv, a->count, a->type, a->op, a->root, a->comm);
}

static int allreduce(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->allreduce(any_send(a, send), recv, a->count, a->type, a->op, a->comm);
}

static int reduce_scatter(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->reduce_scatter(any_send(a, send), recv, a->counts, a->type, a->op, a->comm);
}

static int reduce_scatter_block(const functions *f, const arguments *a, const int *send, int *recv)
{
    return f->reduce_scatter_block(any_send(a, send), recv, a->count, a->type, a->op, a->comm);
}

static const struct {
    const char *name;
    int (*run)(const functions *f, const arguments *a, const int *send, int *recv);
    bool scatters_sums; /* what its input becomes, in place, is nobody's business */
} operations[] = {
    {"barrier", barrier, false},
    {"bcast", bcast, false},
    {"scatter", scatter, false},
    {"scatterv", scatterv, false},
    {"gather", gather, false},
    {"gatherv", gatherv, false},
    {"allgather", allgather, false},
    {"allgatherv", allgatherv, false},
    {"alltoall", alltoall, false},
    {"alltoallv", alltoallv, false},
    {"reduce", reduce, false},
    {"allreduce", allreduce, false},
    {"reduce_scatter", reduce_scatter, true},
    {"reduce_scatter_block", reduce_scatter_block, true},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* ---- arguments */

static MPI_Datatype pairs;
static MPI_Op add_pairs;

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    const int *a = in;
    int *b = inout;
    for (int i = 0; i < 3 * *length; i += 3) {
        b[i] += a[i];
        b[i + 1] += a[i + 1];
    }
}

static void make_types(void)
{
    MPI_Datatype two;
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, 3 * sizeof(int), &pairs);
    MPI_Type_commit(&pairs);
    MPI_Type_free(&two);
    MPI_Op_create(add, 1, &add_pairs);
}

/* Small and large ones, plain and with holes, in place and not. The second call of a kind has
 * longer blocks than the first: buffers grow. */
static void choose(arguments *a, MPI_Comm comm, int variant, bool first)
{
    *a = (arguments){.comm = comm, .type = MPI_INT, .op = MPI_SUM};
    MPI_Comm_rank(comm, &a->rank);
    MPI_Comm_size(comm, &a->n);
    bool holes = variant % 2, large = variant / 2 % 2;
    a->in_place = variant / 4 % 2;
    a->root = a->in_place ? 0 : variant % a->n; /* MPICH 4.0 crashes with others in place */
    a->count = (large ? MOST_ELEMENTS : 40) / (first ? 2 : 1);
    if (holes) {
        a->type = pairs;
        a->op = add_pairs;
    }
    for (int p = 0, next = 0; p < a->n; next += a->counts[p++]) {
        a->counts[p] = (a->count / 2 + 7 * p) % (a->count + 1);
        a->places[p] = next;
    }
}

/* ---- one call */

static int send_buffer[ROOM], got[ROOM], wanted[2][ROOM];

static void fill(int rank, int *recv)
{
    for (int i = 0; i < ROOM; i++) {
        send_buffer[i] = i * 31 + rank * 57;
        recv[i] = i * 17 + rank * 91;
    }
}

static size_t comparable(const arguments *a, int operation)
{
    size_t each = a->type == pairs ? 3 : 1;
    int count = operations[operation].run == reduce_scatter ? a->counts[a->rank] : a->count;
    bool partly = operations[operation].scatters_sums && a->in_place;
    return partly ? (size_t)count * each * sizeof(int) : sizeof got;
}

/* Whether the call leaves what is wanted although its k-th allocation is refused. */
static bool is_right(const arguments *a, int operation, const int *want, int k)
{
    fill(a->rank, got);
    refuse(k, 1, 0);
    int failed = operations[operation].run(&called, a, send_buffer, got);
    return failed == MPI_SUCCESS && memcmp(want, got, comparable(a, operation)) == 0;
}

/* ---- all of them */

static int differences;

/* A kind of call, and who suffers in it: in the first one on a communicator, of which nothing was
 * decided, or in the second, with longer blocks. */
typedef struct {
    int operation, variant, victim;
    bool first;
} suffering;

static void try(const suffering *s, MPI_Comm comm, bool first, int k)
{
    arguments a;
    choose(&a, comm, s->variant, first);
    bool suffers = a.rank == s->victim && first == s->first;
    if (is_right(&a, s->operation, wanted[first], suffers ? k : 0))
        return;
    differences++;
    fprintf(stderr,
            "rank %d: %s of %d elements (%s call) differs: rank %d's allocation %d in the "
            "%s call was refused\n",
            a.rank, operations[s->operation].name, a.count, first ? "first" : "second", s->victim,
            k, s->first ? "first" : "second");
}

/* On a communicator of its own. Whether anything was refused. */
static bool suffer(const suffering *s, int k)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    try(s, comm, true, k);
    int hits = s->first ? refuse(0, 0, 0) : 0;
    try(s, comm, false, k);
    hits = s->first ? hits : refuse(0, 0, 0);
    MPI_Comm_free(&comm);
    PMPI_Bcast(&hits, 1, MPI_INT, s->victim, MPI_COMM_WORLD);
    return hits > 0;
}

static void know_wanted(int operation, int variant)
{
    for (int first = 0; first < 2; first++) {
        arguments a;
        choose(&a, MPI_COMM_WORLD, variant, first);
        fill(a.rank, wanted[first]);
        operations[operation].run(&native, &a, send_buffer, wanted[first]);
    }
}

/* Each allocation of the first few, then fewer and fewer; or each. */
static int next_after(int k)
{
    return every ? k + 1 : k + k / 2 + 1;
}

/* Quickly: rank 0, which decides, and one of the others. */
static int suffer_in(int operation, int variant, int most, bool quickly)
{
    int n, refusals = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    know_wanted(operation, variant);
    for (int victim = 0; victim < n; victim += quickly ? 1 + operation % (n - 1) : 1)
        for (int first = 0; first < 2; first++) {
            const suffering s = {operation, variant, victim, first};
            for (int k = 1; k <= most && suffer(&s, k); k = next_after(k))
                refusals++;
        }
    return refusals;
}

/* Operations take other variants each. */
static int suffer_all(int most, int variants, bool quickly)
{
    int refusals = 0;
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (int v = 0; v < variants; v++)
            refusals += suffer_in(operation, (operation + v) % VARIANTS, most, quickly);
    return refusals;
}

/* More is refused than the reserve can help with. */
static void run_out(void)
{
    arguments a;
    int class = MPI_SUCCESS;
    choose(&a, MPI_COMM_WORLD, 3, false);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    fill(a.rank, got);
    bcast(&called, &a, send_buffer, got); /* a new plan in each call: it has a type of its own */
    if (a.rank == 1)
        refuse(1, 1000000, 5000);
    int failed = bcast(&called, &a, send_buffer, got);
    refuse(0, 0, 0);
    MPI_Error_class(failed, &class);
    if (a.rank == 1)
        fprintf(stderr, "rank 1: %s\n", class == MPI_ERR_NO_MEM ? "MPI_ERR_NO_MEM" : "no failure");
    if (a.rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 9);
}

int main(int argc, char **argv)
{
    int rank, refusals = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *(void **)&refuse = dlsym(RTLD_DEFAULT, "refuse_allocations");
    if (!refuse || argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    make_types();
    every = strcmp(argv[1], "every") == 0;
    if (strcmp(argv[1], "out") == 0)
        run_out();
    else
        refusals = suffer_all(atoi(argv[2]), every ? VARIANTS : 1, strcmp(argv[1], "quick") == 0);
    if (rank == 0)
        printf("%d refused\n", refusals);
    MPI_Op_free(&add_pairs);
    MPI_Type_free(&pairs);
    return finish(differences);
}
