/* Alltoallw, and that of neighbours on random graphs and on grids: blocks have types of their own;
 * with empty blocks, gaps between blocks, and types that are freed at once. An ordinary program
 * that knows nothing of CPM. Results are compared with those of messages; where several messages
 * have the same two ends, of which MPI decides which is which, with those of MPI's own routine.
 * Prints what is wrong; the exit code says whether anything was.
 *
 * unequal: also graphs in which processes send to another number of neighbours than they
 * receive from, which MPICH 4.0's own routine does not do right (nor what CPM begins before it has
 * decided, which is MPI's).
 * right: no wrong calls, which only one rank makes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, ROUNDS = 3, KINDS = 5 };

static int rank, n, wrong;

typedef struct {
    const char *name;
    MPI_Comm comm;
    int out, in, to[MOST], from[MOST];
    int parallel; /* several messages from one process to the same one */
    int unequal;  /* it sends to another number than it receives from */
    int all;      /* no graph: each sends to all */
} graph;

static void expect(int good, const graph *g, const char *what)
{
    if (!good && wrong++ < 5)
        printf("rank %d, %s: %s\n", rank, g->name, what);
}

/* ---- graphs ---- */

static unsigned next_random(unsigned *seed)
{
    return *seed = *seed * 1103515245 + 12345, *seed >> 16;
}

static void shuffle(int *list, int count, unsigned seed)
{
    for (int k = count - 1; k > 0; k--) {
        const int other = (int)(next_random(&seed) % (unsigned)(k + 1)), kept = list[k];
        list[k] = list[other];
        list[other] = kept;
    }
}

static void list(graph *g, int from, int to)
{
    if (from == rank)
        g->to[g->out++] = to;
    if (to == rank)
        g->from[g->in++] = from;
}

/* Each sends to as many as it receives from, perhaps to itself; unequal: one edge in three is left
 * out, but for those along a ring. All ranks have the same seed. */
static graph random_graph(const char *name, unsigned seed, int unequal)
{
    const int weights[MOST] = {0};
    int order[MOST];
    graph g = {.name = name, .unequal = unequal};
    for (int k = 0; k < n; k++)
        order[k] = k;
    shuffle(order, n, seed);
    for (int step = 0; step < n; step++) {
        if (step != 1 % n && next_random(&seed) % 2)
            continue;
        for (int k = 0; k < n; k++) {
            const int left_out = unequal && next_random(&seed) % 3 == 0 && step != 1 % n;
            if (!left_out)
                list(&g, order[k], order[(k + step) % n]);
        }
    }
    shuffle(g.to, g.out, seed + (unsigned)rank);
    shuffle(g.from, g.in, seed * 3 + (unsigned)rank);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, g.in, g.from, weights, g.out, g.to, weights,
                                   MPI_INFO_NULL, 0, &g.comm);
    return g;
}

static graph grid(const char *name, int dimensions, int periodic)
{
    int size[3] = {0}, round[3] = {periodic, periodic, periodic};
    graph g = {.name = name};
    MPI_Dims_create(n, dimensions, size);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, size, round, 0, &g.comm);
    int *next = g.from;
    for (int d = 0; d < dimensions; d++, next += 2) {
        MPI_Cart_shift(g.comm, d, 1, &next[0], &next[1]);
        g.parallel = g.parallel || (periodic && size[d] <= 2);
    }
    g.in = g.out = 2 * dimensions;
    memcpy(g.to, g.from, sizeof g.to);
    return g;
}

static graph everybody(void)
{
    graph g = {.name = "all", .all = 1};
    MPI_Comm_dup(MPI_COMM_WORLD, &g.comm);
    for (int k = 0; k < n; k++)
        g.to[g.out++] = g.from[g.in++] = k;
    return g;
}

/* ---- data ---- */

typedef struct {
    int counts[MOST];
    MPI_Aint at[MOST];
    int places[MOST]; /* the same */
    MPI_Datatype types[MOST];
} side;

typedef struct {
    side send, recv;
    size_t space; /* bytes of each buffer */
    char *from, *to, *right;
} call;

/* With two ints in an element, which takes four at most. */
static MPI_Datatype make_type(int kind)
{
    MPI_Datatype part, made;
    const int one[2] = {1, 1}, backwards[2] = {1, 0};
    switch (kind) {
    case 1:
        MPI_Type_contiguous(2, MPI_INT, &made);
        break;
    case 2:
        MPI_Type_contiguous(2, MPI_INT, &part);
        MPI_Type_create_resized(part, 0, 3 * sizeof(int), &made);
        MPI_Type_free(&part);
        break;
    case 3:
        MPI_Type_indexed(2, one, backwards, MPI_INT, &made);
        break;
    default:
        MPI_Type_vector(2, 1, 3, MPI_INT, &made);
        break;
    }
    MPI_Type_commit(&made);
    return made;
}

static void set_block(side *s, int b, int elements, int kind)
{
    s->types[b] = kind ? make_type(kind) : MPI_INT;
    s->counts[b] = kind ? elements : 2 * elements;
}

/* Both ends know it. */
static int elements_of(int from, int to, int size, int round)
{
    return from < 0 || to < 0 ? size : (from * 7 + to * 5 + round) % 4 * size;
}

/* Blocks lie in one order or the other, with gaps between them. */
static void set_sides(const graph *g, call *c, int size, int round)
{
    const int slot = (3 * size * 4 + 2) * (int)sizeof(int);
    for (int b = 0; b < g->out; b++) {
        const int elements = g->parallel ? size : elements_of(rank, g->to[b], size, round);
        set_block(&c->send, b, elements, (rank + b + round) % KINDS);
        c->send.at[b] = (MPI_Aint)(round % 2 ? b : g->out - 1 - b) * slot + (MPI_Aint)(b % 2) * 4;
    }
    for (int b = 0; b < g->in; b++) {
        const int elements = g->parallel ? size : elements_of(g->from[b], rank, size, round);
        set_block(&c->recv, b, elements, (rank * 2 + b + round) % KINDS);
        c->recv.at[b] = (MPI_Aint)(round % 2 ? g->in - 1 - b : b) * slot + (MPI_Aint)(b % 2) * 4;
    }
    for (int b = 0; b < MOST; b++) {
        c->send.places[b] = (int)c->send.at[b];
        c->recv.places[b] = (int)c->recv.at[b];
    }
    c->space = (size_t)slot * MOST;
}

static void fill(call *c, int seed)
{
    int *from = (int *)c->from;
    for (size_t k = 0; k < c->space / sizeof(int); k++)
        from[k] = rank * 1000003 + seed * 101 + (int)k;
    memset(c->to, -1, c->space);
    memset(c->right, -1, c->space);
}

static call make_call(const graph *g, int size, int round)
{
    call c = {0};
    set_sides(g, &c, size, round);
    c.from = malloc(c.space);
    c.to = malloc(c.space);
    c.right = malloc(c.space);
    fill(&c, round);
    return c;
}

/* MPI may read the array until calls have ended. */
static void free_types(const side *s, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        MPI_Datatype type = s->types[b];
        if (type != MPI_INT)
            MPI_Type_free(&type);
    }
}

static void free_call(call *c)
{
    free(c->from);
    free(c->to);
    free(c->right);
}

#define OF(c, where, buffer)                                                                 \
    (c)->from, (c)->send.counts, (c)->send.where, (c)->send.types, buffer, (c)->recv.counts, \
        (c)->recv.where, (c)->recv.types, g->comm

static int run(const graph *g, const call *c)
{
    return g->all ? MPI_Alltoallw(OF(c, places, c->to)) : MPI_Neighbor_alltoallw(OF(c, at, c->to));
}

static int run_native(const graph *g, const call *c)
{
    return g->all ? PMPI_Alltoallw(OF(c, places, c->right))
                  : PMPI_Neighbor_alltoallw(OF(c, at, c->right));
}

static int run_begun(const graph *g, const call *c, MPI_Request *request)
{
    return g->all ? MPI_Ialltoallw(OF(c, places, c->to), request)
                  : MPI_Ineighbor_alltoallw(OF(c, at, c->to), request);
}

static void exchange(const graph *g, const call *c)
{
    MPI_Request request[2 * MOST];
    for (int b = 0; b < g->in; b++)
        MPI_Irecv(c->right + c->recv.at[b], c->recv.counts[b], c->recv.types[b], g->from[b], 1,
                  MPI_COMM_WORLD, &request[b]);
    for (int b = 0; b < g->out; b++)
        MPI_Isend(c->from + c->send.at[b], c->send.counts[b], c->send.types[b], g->to[b], 1,
                  MPI_COMM_WORLD, &request[g->in + b]);
    MPI_Waitall(g->in + g->out, request, MPI_STATUSES_IGNORE);
}

/* Which of several messages is which block Open MPI says otherwise where calls do not block. */
static void find_right(const graph *g, const call *c, int blocking)
{
    MPI_Request request;
    if (!g->parallel) {
        exchange(g, c);
    } else if (blocking) {
        PMPI_Neighbor_alltoallw(OF(c, at, c->right));
    } else {
        PMPI_Ineighbor_alltoallw(OF(c, at, c->right), &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void compare(const graph *g, const call *c, int failed, const char *what)
{
    expect(!failed && memcmp(c->to, c->right, c->space) == 0, g, what);
}

/* ---- calls ---- */

static void block(const graph *g, int size)
{
    for (int round = 0; round < ROUNDS; round++) {
        call c = make_call(g, size, round);
        find_right(g, &c, 1);
        compare(g, &c, run(g, &c), "a call that blocks");
        free_types(&c.send, g->out);
        free_types(&c.recv, g->in);
        free_call(&c);
    }
}

/* Several at once, whose types are freed while they are under way. */
static void begin(const graph *g, int size)
{
    call c[ROUNDS];
    MPI_Request request[ROUNDS];
    int failed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        c[round] = make_call(g, size, round);
        find_right(g, &c[round], 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        call *now = &c[round];
        failed = run_begun(g, now, &request[round]) || failed;
        free_types(&now->send, g->out);
        free_types(&now->recv, g->in);
    }
    failed = MPI_Waitall(ROUNDS, request, MPI_STATUSES_IGNORE) || failed;
    for (int round = 0; round < ROUNDS; round++) {
        compare(g, &c[round], failed, "calls that do not block");
        free_call(&c[round]);
    }
}

/* Open MPI 5 calls itself 3.1. */
#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
static void start(const graph *g, int size)
{
    MPI_Request request;
    call c = make_call(g, size, 1);
    if (g->all)
        MPI_Alltoallw_init(OF(&c, places, c.to), MPI_INFO_NULL, &request);
    else
        MPI_Neighbor_alltoallw_init(OF(&c, at, c.to), MPI_INFO_NULL, &request);
    for (int k = 0; k < 4; k++) {
        fill(&c, k);
        find_right(g, &c, 0);
        int failed = MPI_Start(&request) || MPI_Wait(&request, MPI_STATUS_IGNORE);
        compare(g, &c, failed, "a persistent call");
    }
    MPI_Request_free(&request);
    free_types(&c.send, g->out);
    free_types(&c.recv, g->in);
    free_call(&c);
}
#else
static void start(const graph *g, int size)
{
    (void)g, (void)size;
}
#endif

static void try_graph(graph g)
{
    static const int sizes[] = {1, 17, 2000};
    for (int k = 0; k < 3; k++) {
        block(&g, sizes[k]);
        for (int again = 0; again < 2 && !g.unequal; again++) {
            begin(&g, sizes[k]);
            MPI_Barrier(g.comm); /* what nonblocking calls need is decided here, at the latest */
        }
        block(&g, sizes[k]);
        start(&g, sizes[k]);
    }
    MPI_Comm_free(&g.comm);
}

/* ---- in place ---- */

/* Between two processes one count, whose types differ. MPICH 4.0 does not do this right where the
 * call does not block. */
static void exchange_in_place(const graph *g, const call *c)
{
    MPI_Request request[2 * MOST];
    for (int b = 0; b < n; b++) {
        MPI_Irecv(c->right + c->recv.at[b], c->recv.counts[b], c->recv.types[b], b, 1, g->comm,
                  &request[b]);
        MPI_Isend(c->from + c->recv.at[b], c->recv.counts[b], c->recv.types[b], b, 1, g->comm,
                  &request[n + b]);
    }
    MPI_Waitall(2 * n, request, MPI_STATUSES_IGNORE);
}

static void try_in_place(void)
{
    const graph g = everybody();
    for (int round = 0; round < ROUNDS; round++) {
        call c = make_call(&g, 50, round);
        for (int b = 0; b < n; b++)
            c.recv.counts[b] = (b + rank + round) % 3 * (c.recv.types[b] == MPI_INT ? 2 : 1);
        memcpy(c.to, c.from, c.space);
        memcpy(c.right, c.from, c.space);
        exchange_in_place(&g, &c);
        const int failed = MPI_Alltoallw(MPI_IN_PLACE, c.send.counts, c.send.places, c.send.types,
                                         c.to, c.recv.counts, c.recv.places, c.recv.types, g.comm);
        compare(&g, &c, failed, "in place");
        free_types(&c.send, n);
        free_types(&c.recv, n);
        free_call(&c);
    }
    MPI_Comm all = g.comm;
    MPI_Comm_free(&all);
}

/* ---- wrong ones ---- */

static int class_of(int status)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(status, &class);
    return class;
}

/* At one rank, as MPI says it; the next call is right. */
static void try_wrong_call(const graph *g, const call *c, int is_wrong, const char *what)
{
    if (is_wrong) {
        const int said = run(g, c), right = run_native(g, c);
        expect(right && class_of(said) == class_of(right), g, what);
    }
    block(g, 3);
}

static void try_wrong(graph g)
{
    MPI_Datatype not_committed;
    MPI_Type_contiguous(2, MPI_INT, &not_committed);
    MPI_Comm_set_errhandler(g.comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* Open MPI asks that one */
    for (int k = 0; k < 6; k++) {
        call c = make_call(&g, 2, 1);
        side *s = k % 2 ? &c.send : &c.recv;
        const side kept[2] = {c.send, c.recv};
        s->counts[1] = k / 2 ? 1 : -1;
        s->types[1] = k / 2 == 2 ? not_committed : k / 2 ? MPI_DATATYPE_NULL : MPI_INT;
        try_wrong_call(&g, &c, rank == k % n, "a negative count, no type, or one not committed");
        c.send = kept[0];
        c.recv = kept[1];
        free_types(&c.send, g.out);
        free_types(&c.recv, g.in);
        free_call(&c);
    }
    MPI_Type_free(&not_committed);
    MPI_Comm_free(&g.comm);
}

/* Empty blocks without a type, which MPICH takes. */
static void try_no_types(void)
{
    int from[2] = {1, 2}, to[2] = {0};
    const int none[2] = {0, 0};
    const MPI_Aint at[2] = {0, 4};
    const MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    graph g = grid("no types", 1, 1);
    MPI_Comm_set_errhandler(g.comm, MPI_ERRORS_RETURN);
    const int said = MPI_Neighbor_alltoallw(from, none, at, types, to, none, at, types, g.comm);
    const int right = PMPI_Neighbor_alltoallw(from, none, at, types, to, none, at, types, g.comm);
    expect(class_of(said) == class_of(right), &g, "empty blocks without a type");
    block(&g, 3);
    MPI_Comm_free(&g.comm);
}

static int is_given(int argc, char **argv, const char *word)
{
    return argc > 1 && strcmp(argv[1], word) == 0;
}

int main(int argc, char **argv)
{
    int any = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    try_graph(everybody());
    try_in_place();
    try_graph(grid("grid", 2, 0));
    try_graph(grid("torus", 2, 1));
    try_graph(grid("ring", 1, 1));
    for (unsigned seed = 1; seed <= 2; seed++)
        try_graph(random_graph("random", seed, 0));
    for (unsigned seed = 3; seed <= 5 && is_given(argc, argv, "unequal"); seed++)
        try_graph(random_graph("random and unequal", seed, 1));
    if (!is_given(argc, argv, "right")) {
        try_wrong(grid("wrong calls", 1, 1));
        if (n > 1)
            try_wrong(everybody());
    }
    try_no_types();
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any > 0;
}
