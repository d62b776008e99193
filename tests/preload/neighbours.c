/* Neighbourhood collectives on all kinds of graphs. An ordinary program that knows nothing of CPM.
 * Results of blocking, nonblocking and persistent calls are compared with those of MPI's own
 * routines, which begin with PMPI. Prints what is wrong; the exit code says whether anything was.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static int rank, n, wrong;

typedef struct {
    const char *name;
    MPI_Comm comm;
    int given, got; /* blocks */
} graph;

typedef struct {
    int count;
    MPI_Datatype type;
    size_t extent;   /* in integers */
    size_t space[2]; /* integers of all blocks sent, received */
    int *send, *recv, *right;
} data;

static void expect(int good, const graph *g, const data *d, const char *what)
{
    if (!good && wrong++ < 5)
        printf("rank %d, %s, %d elements of %zu integers: %s\n", rank, g->name, d->count, d->extent,
               what);
}

/* ---- graphs ---- */

static graph grid(const char *name, int dimensions, int periodic)
{
    int size[3] = {0}, round[3] = {periodic, periodic, periodic};
    graph g = {.name = name, .given = 2 * dimensions, .got = 2 * dimensions};
    MPI_Dims_create(n, dimensions, size);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, size, round, 0, &g.comm);
    return g;
}

/* To the next ones, or to oneself and these; where they come from is in the other order. */
static graph next_ones(const char *name, int oneself)
{
    int to[3], from[3], degree = n > 3 ? 3 : n - 1, weight[3] = {1, 1, 1};
    graph g = {.name = name, .given = degree, .got = degree};
    for (int k = 0; k < degree; k++) {
        to[k] = (rank + k + !oneself) % n;
        from[degree - 1 - k] = (rank + n - k - !oneself) % n;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, from, weight, degree, to, weight,
                                   MPI_INFO_NULL, 0, &g.comm);
    return g;
}

/* The first process sends to all others and gets one block of the last. */
static graph from_one(void)
{
    int all[MOST], weight[MOST], count = 0, to = (rank + 1) % n;
    graph g = {.name = "from one"};
    for (int k = 0; k < MOST; k++)
        weight[k] = 1;
    for (int k = 1; k < n; k++)
        all[count++] = k;
    const int first = 0, last = n - 1;
    const int in[2] = {first, (rank + n - 1) % n};
    if (rank == 0) {
        g.given = count;
        g.got = 1;
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, weight, count, all, weight,
                                       MPI_INFO_NULL, 0, &g.comm);
    } else {
        g.given = 1;
        g.got = rank == 1 ? 1 : 2;
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, g.got, in, weight, 1, &to, weight,
                                       MPI_INFO_NULL, 0, &g.comm);
    }
    return g;
}

static graph old_form(void)
{
    int index[MOST], edges[2 * MOST];
    graph g = {.name = "graph", .given = 2, .got = 2};
    int *next = edges;
    for (int k = 0; k < n; k++) {
        index[k] = 2 * (k + 1);
        *next++ = (k + 1) % n;
        *next++ = (k + n - 1) % n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 0, &g.comm);
    return g;
}

/* Process 0 sends nothing: what CPM leaves to MPI. */
static graph one_way(void)
{
    int to = rank + 1, from = rank - 1, weight[1] = {1};
    graph g = {.name = "one way", .given = rank + 1 < n, .got = rank > 0};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, g.got, &from, weight, g.given, &to, weight,
                                   MPI_INFO_NULL, 0, &g.comm);
    return g;
}

/* ---- calls ---- */

static data make_data(const graph *g, int count, MPI_Datatype type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    data d = {.count = count, .type = type, .extent = (size_t)extent / sizeof(int)};
    d.space[0] = ((size_t)g->given + 1) * (size_t)count * d.extent;
    d.space[1] = ((size_t)g->got + 1) * (size_t)count * d.extent;
    d.send = malloc(d.space[0] * sizeof(int));
    d.recv = malloc(d.space[1] * sizeof(int));
    d.right = malloc(d.space[1] * sizeof(int));
    for (size_t k = 0; k < d.space[0]; k++)
        d.send[k] = rank * 1000003 + (int)k;
    return d;
}

static void free_data(data *d)
{
    free(d->send);
    free(d->recv);
    free(d->right);
}

static void forget(const data *d)
{
    memset(d->recv, -1, d->space[1] * sizeof(int));
    memset(d->right, -1, d->space[1] * sizeof(int));
}

static void compare(const graph *g, const data *d, int failed, const char *what)
{
    expect(!failed && memcmp(d->recv, d->right, d->space[1] * sizeof(int)) == 0, g, d, what);
}

#define OF(buffer) d->send, d->count, d->type, d->buffer, d->count, d->type, g->comm

static void block(const graph *g, const data *d)
{
    forget(d);
    int failed = MPI_Neighbor_alltoall(OF(recv));
    PMPI_Neighbor_alltoall(OF(right));
    compare(g, d, failed, "neighbor_alltoall");
    forget(d);
    failed = MPI_Neighbor_allgather(OF(recv));
    PMPI_Neighbor_allgather(OF(right));
    compare(g, d, failed, "neighbor_allgather");
}

static void begin(const graph *g, const data *d)
{
    MPI_Request request;
    forget(d);
    int failed = MPI_Ineighbor_alltoall(OF(recv), &request);
    failed = failed || MPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Ineighbor_alltoall(OF(right), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compare(g, d, failed, "ineighbor_alltoall");
    forget(d);
    failed = MPI_Ineighbor_allgather(OF(recv), &request);
    failed = failed || MPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Ineighbor_allgather(OF(right), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compare(g, d, failed, "ineighbor_allgather");
}

/* ---- counts of their own ---- */

/* Blocks of up to count elements, one after the other or with gaps, some empty. */
typedef struct {
    int send_counts[MOST], send_at[MOST], recv_counts[MOST], recv_at[MOST];
} arrays;

/* Each third block is empty. */
static int count_of(int number, int count)
{
    return number % 3 ? count + 1 - number % 3 : 0;
}

static void place(int *at, int blocks, int count, int backwards)
{
    for (int b = 0; b < blocks; b++)
        at[b] = (backwards ? blocks - 1 - b : b) * count;
}

/* Who sends says how much. Several messages of a process MPI may take in one order in blocking
 * calls or those of one count, and in another one in others. */
static void count_blocks(const graph *g, const data *d, int blocking, int *own, arrays *x)
{
    MPI_Request request;
    int sent[MOST], got[MOST], one[MOST], at[MOST];
    *own = count_of(rank, d->count);
    memset(x, 0, sizeof *x);
    memset(got, 0, sizeof got);
    for (int b = 0; b < g->given; b++)
        sent[b] = x->send_counts[b] = count_of(rank * 7 + b * 5 + 1, d->count);
    for (int b = 0; b < MOST; b++) {
        one[b] = 1;
        at[b] = b;
    }
    if (blocking) {
        PMPI_Neighbor_alltoallv(sent, one, at, MPI_INT, got, one, at, MPI_INT, g->comm);
    } else {
        PMPI_Ineighbor_alltoallv(sent, one, at, MPI_INT, got, one, at, MPI_INT, g->comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    memcpy(x->recv_counts, got, (size_t)g->got * sizeof *got);
    place(x->send_at, g->given, d->count, rank % 2);
    place(x->recv_at, g->got, d->count, rank % 3 == 1);
}

static void count_gathered(const graph *g, int own, arrays *x)
{
    int got[MOST] = {0};
    PMPI_Neighbor_allgather(&own, 1, MPI_INT, got, 1, MPI_INT, g->comm);
    memcpy(x->recv_counts, got, (size_t)g->got * sizeof *got);
}

#define OF_V(buffer)                                                                          \
    d->send, x.send_counts, x.send_at, d->type, d->buffer, x.recv_counts, x.recv_at, d->type, \
        g->comm
#define OF_GATHERV(buffer) \
    d->send, own, d->type, d->buffer, x.recv_counts, x.recv_at, d->type, g->comm

static void block_counted(const graph *g, const data *d)
{
    arrays x;
    int own;
    count_blocks(g, d, 1, &own, &x);
    forget(d);
    int failed = MPI_Neighbor_alltoallv(OF_V(recv));
    PMPI_Neighbor_alltoallv(OF_V(right));
    compare(g, d, failed, "neighbor_alltoallv");
    count_gathered(g, own, &x);
    forget(d);
    failed = MPI_Neighbor_allgatherv(OF_GATHERV(recv));
    PMPI_Neighbor_allgatherv(OF_GATHERV(right));
    compare(g, d, failed, "neighbor_allgatherv");
}

static void begin_counted(const graph *g, const data *d)
{
    MPI_Request request;
    arrays x;
    int own;
    count_blocks(g, d, 0, &own, &x);
    forget(d);
    int failed = MPI_Ineighbor_alltoallv(OF_V(recv), &request);
    failed = failed || MPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Ineighbor_alltoallv(OF_V(right), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compare(g, d, failed, "ineighbor_alltoallv");
    count_gathered(g, own, &x);
    forget(d);
    failed = MPI_Ineighbor_allgatherv(OF_GATHERV(recv), &request);
    failed = failed || MPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Ineighbor_allgatherv(OF_GATHERV(right), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compare(g, d, failed, "ineighbor_allgatherv");
}

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5) /* which calls itself 3.1 \
                                                                        */
static void start_counted(const graph *g, const data *d)
{
    MPI_Request request[2], right;
    arrays x, gathered;
    int own;
    count_blocks(g, d, 0, &own, &x);
    gathered = x;
    count_gathered(g, own, &gathered);
    MPI_Neighbor_alltoallv_init(OF_V(recv), MPI_INFO_NULL, &request[0]);
    MPI_Neighbor_allgatherv_init(d->send, own, d->type, d->recv, gathered.recv_counts,
                                 gathered.recv_at, d->type, g->comm, MPI_INFO_NULL, &request[1]);
    for (int k = 0; k < 4; k++) {
        forget(d);
        int failed = MPI_Start(&request[k % 2]) || MPI_Wait(&request[k % 2], MPI_STATUS_IGNORE);
        if (k % 2)
            PMPI_Ineighbor_allgatherv(d->send, own, d->type, d->right, gathered.recv_counts,
                                      gathered.recv_at, d->type, g->comm, &right);
        else
            PMPI_Ineighbor_alltoallv(OF_V(right), &right);
        MPI_Wait(&right, MPI_STATUS_IGNORE);
        compare(g, d, failed, k % 2 ? "neighbor_allgatherv_init" : "neighbor_alltoallv_init");
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void start(const graph *g, const data *d)
{
    MPI_Request request, own;
    MPI_Neighbor_alltoall_init(OF(recv), MPI_INFO_NULL, &request);
    PMPI_Neighbor_alltoall_init(OF(right), MPI_INFO_NULL, &own);
    for (int k = 0; k < 3; k++) {
        forget(d);
        int failed = MPI_Start(&request) || MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Start(&own);
        MPI_Wait(&own, MPI_STATUS_IGNORE);
        compare(g, d, failed, "neighbor_alltoall_init");
    }
    MPI_Request_free(&request);
    PMPI_Request_free(&own);
}
#else
static void start(const graph *g, const data *d)
{
    (void)g, (void)d;
}

static void start_counted(const graph *g, const data *d)
{
    (void)g, (void)d;
}
#endif

static void try_graph(graph g)
{
    static const int counts[] = {1, 17, 6000};
    MPI_Datatype holes;
    MPI_Type_vector(3, 1, 2, MPI_INT, &holes);
    MPI_Type_commit(&holes);
    for (int k = 0; k < 3; k++)
        for (int which = 0; which < 2; which++) {
            data d = make_data(&g, counts[k], which ? holes : MPI_INT);
            block(&g, &d);
            block_counted(&g, &d);
            MPI_Barrier(g.comm); /* what nonblocking calls need is decided here, at the latest */
            begin(&g, &d);
            begin_counted(&g, &d);
            MPI_Barrier(g.comm);
            begin(&g, &d);
            begin_counted(&g, &d);
            block(&g, &d);
            block_counted(&g, &d);
            start(&g, &d);
            start_counted(&g, &d);
            free_data(&d);
        }
    MPI_Type_free(&holes);
    MPI_Comm_free(&g.comm);
}

/* ---- wrong ones ---- */

static int class_of(int status)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(status, &class);
    return class;
}

/* (On a communicator without a graph MPICH 4.0 takes any number for that of neighbours.) */
static void try_wrong_counts(const graph *g, const data *d)
{
    const int counts[2] = {1, 1}, negative[2] = {1, -1}, at[2] = {0, 1};
    const MPI_Datatype none = MPI_DATATYPE_NULL;
    int from[2] = {0}, to[2];
    int said =
        MPI_Neighbor_alltoallv(from, negative, at, MPI_INT, to, counts, at, MPI_INT, g->comm);
    int right =
        PMPI_Neighbor_alltoallv(from, negative, at, MPI_INT, to, counts, at, MPI_INT, g->comm);
    expect(right && class_of(said) == class_of(right), g, d, "a negative count of several");
    said = MPI_Neighbor_allgatherv(from, 1, MPI_INT, to, negative, at, MPI_INT, g->comm);
    right = PMPI_Neighbor_allgatherv(from, 1, MPI_INT, to, negative, at, MPI_INT, g->comm);
    expect(right && class_of(said) == class_of(right), g, d, "a negative count to gather");
    said = MPI_Neighbor_alltoallv(from, counts, at, none, to, counts, at, MPI_INT, g->comm);
    right = PMPI_Neighbor_alltoallv(from, counts, at, none, to, counts, at, MPI_INT, g->comm);
    expect(right && class_of(said) == class_of(right), g, d, "no type");
    block_counted(g, d);
}

/* As MPI says it; the next call is right. */
static void try_wrong(void)
{
    int from[MOST], to[MOST] = {0};
    graph g = grid("wrong calls", 1, 1);
    data d = make_data(&g, 1, MPI_INT);
    MPI_Comm without;
    MPI_Comm_dup(MPI_COMM_WORLD, &without);
    MPI_Comm_set_errhandler(without, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(g.comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* Open MPI asks that one */
    int said = MPI_Neighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, without);
    int right = PMPI_Neighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, without);
    expect(right && class_of(said) == class_of(right), &g, &d, "a communicator without a graph");
    said = MPI_Neighbor_alltoall(from, -1, MPI_INT, to, 1, MPI_INT, g.comm);
    right = PMPI_Neighbor_alltoall(from, -1, MPI_INT, to, 1, MPI_INT, g.comm);
    expect(right && class_of(said) == class_of(right), &g, &d, "a negative count");
    block(&g, &d);
    try_wrong_counts(&g, &d);
    free_data(&d);
    MPI_Comm_free(&without);
    MPI_Comm_free(&g.comm);
}

int main(int argc, char **argv)
{
    int any = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    try_graph(grid("grid", 2, 0));
    try_graph(grid("torus", 2, 1));
    try_graph(grid("torus of three dimensions", 3, 1));
    try_graph(grid("ring", 1, 1));
    try_graph(next_ones("next ones", 0));
    try_graph(next_ones("next ones and oneself", 1));
    if (n > 2) {
        try_graph(from_one());
        try_graph(old_form());
    }
    try_graph(one_way());
    try_wrong();
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any > 0;
}
