/* Neighbourhood collectives do, byte by byte, what the MPI library's own do: on grids and graphs
 * without any order, with types that have holes, and blocks that lie apart. */
#include "tests/mpi_test.h"

#include <string.h>

#include "executor/collective.h"
#include "executor/layout.h"

enum { TAG = 7, MOST_EDGES = 200, MOST = 64, MOST_BLOCKS = 30 };

/* Two of three ints, and two ints the other way round. */
static MPI_Datatype holes, reversed;

static void make_types(void)
{
    MPI_Datatype two;
    int first[2] = {1, 0}, one[2] = {1, 1};
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, 3 * sizeof(int), &holes);
    MPI_Type_indexed(2, one, first, MPI_INT, &reversed);
    MPI_Type_free(&two);
    MPI_Type_commit(&holes);
    MPI_Type_commit(&reversed);
}

static unsigned next_random(unsigned *seed)
{
    return *seed = *seed * 1103515245 + 12345, *seed >> 16;
}

/* The same at every rank. Without parallel edges: MPICH matches those the other way round. */
static cpm_neighbours *random_graph(int n, unsigned seed)
{
    int from[MOST_EDGES], to[MOST_EDGES], count = 0;
    cpm_neighbours *g;
    for (int k = 0; k < 3 * n && count < MOST_EDGES; k++) {
        from[count] = (int)(next_random(&seed) % (unsigned)n);
        to[count] = (int)(next_random(&seed) % (unsigned)n);
        bool there = false;
        for (int i = 0; i < count; i++)
            there = there || (from[i] == from[count] && to[i] == to[count]);
        count += !there;
    }
    assert_int_equal(cpm_neighbours_create(n, count, from, to, &g, NULL), CPM_OK);
    return g;
}

static MPI_Comm communicator_of(const cpm_neighbours *g)
{
    int rank = test_rank(), in = g->first_in[rank + 1] - g->first_in[rank], from[MOST_EDGES];
    int *volatile unweighted =
        MPI_UNWEIGHTED; /* Open MPI's is an address, which gcc takes for read */
    MPI_Comm comm;
    for (int k = 0; k < in; k++)
        from[k] = g->from[g->in[g->first_in[rank] + k]];
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from, unweighted,
                                   g->first_out[rank + 1] - g->first_out[rank],
                                   g->to + g->first_out[rank], unweighted, MPI_INFO_NULL, 0, &comm);
    return comm;
}

/* ---- counts of their own */

typedef struct {
    size_t counts[MOST_BLOCKS];
    ptrdiff_t displacements[MOST_BLOCKS];
    MPI_Datatype types[MOST_BLOCKS];
} arrays;

/* Up to three times count elements, or none, by the number of what is sent. */
static size_t count_of(int number, size_t count)
{
    return (size_t)(number * 5 + 1) % 4 * count;
}

/* The last block is the first one in the buffer, and there are gaps between them. */
static void place(arrays *x, int blocks)
{
    assert_in_range(blocks, 0, MOST_BLOCKS);
    for (int b = 0; b < blocks; b++)
        x->displacements[b] = (ptrdiff_t)(blocks - 1 - b) * 10;
}

static void set_counts(mpib_arguments *a, const cpm_neighbours *g, size_t count, arrays x[2])
{
    const int rank = test_rank(), *out = g->first_out + rank, *in = g->first_in + rank;
    const bool edges = a->operation->send.elsewhere == CPM_BLOCK_OF_NEIGHBOUR;
    place(&x[0], out[1] - out[0]);
    place(&x[1], in[1] - in[0]);
    for (int k = out[0]; k < out[1]; k++)
        x[0].counts[k - out[0]] = count_of(k, count);
    for (int k = in[0]; k < in[1]; k++)
        x[1].counts[k - in[0]] = count_of(edges ? g->in[k] : g->from[g->in[k]], count);
    a->recv.counts = x[1].counts;
    a->recv.displacements = x[1].displacements;
    a->send.count = count_of(rank, count);
    if (edges) {
        a->send.counts = x[0].counts;
        a->send.displacements = x[0].displacements;
    }
}

/* Each block gets a type of its own with as many ints, which lie apart in another way at the other
 * side; displacements become bytes. */
static void set_types(mpib_side *s, arrays *x, const int *edge, int blocks, int turn)
{
    const MPI_Datatype of[] = {MPI_INT, holes, reversed};
    for (int b = 0; b < blocks; b++) {
        const int which = ((edge ? edge[b] : b) + turn) % 3;
        x->types[b] = of[which];
        x->counts[b] *= which ? 1 : 2;
        x->displacements[b] =
            x->displacements[b] * 3 * (ptrdiff_t)sizeof(int) + (ptrdiff_t)(b % 2) * 4;
    }
    s->types = x->types;
}

static void set_all_types(mpib_arguments *a, const cpm_neighbours *g, arrays x[2], int turn)
{
    const int rank = test_rank(), *out = g->first_out + rank, *in = g->first_in + rank;
    set_types(&a->send, &x[0], NULL, out[1] - out[0], turn);
    set_types(&a->recv, &x[1], g->in + in[0], in[1] - in[0], 1);
}

static char *block_of(const mpib_side *s, int b, const void *buffer)
{
    const ptrdiff_t unit = s->types ? 1 : (ptrdiff_t)mpib_type_extent(s->type);
    return (char *)buffer + s->displacements[b] * unit;
}

/* By messages of its own: MPICH 4.0's routine takes the numbers of neighbours that send and that
 * receive for each other. */
static void exchange_with_types(const mpib_arguments *a, const cpm_neighbours *g, const void *send,
                                void *recv)
{
    MPI_Request requests[2 * MOST_BLOCKS];
    const int rank = test_rank(), out = g->first_out[rank], in = g->first_in[rank];
    int count = 0;
    for (int b = 0; in + b < g->first_in[rank + 1]; b++)
        MPI_Irecv(block_of(&a->recv, b, recv), (int)a->recv.counts[b],
                  mpib_type_of_block(&a->recv, b), g->from[g->in[in + b]], g->in[in + b], a->comm,
                  &requests[count++]);
    for (int b = 0; out + b < g->first_out[rank + 1]; b++)
        MPI_Isend(block_of(&a->send, b, send), (int)a->send.counts[b],
                  mpib_type_of_block(&a->send, b), g->to[out + b], out + b, a->comm,
                  &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static bool all_send_as_many_as_they_receive(const cpm_neighbours *g)
{
    for (int r = 0; r <= g->n; r++)
        if (g->first_out[r] != g->first_in[r])
            return false;
    return true;
}

static void run_expected(const mpib_arguments *a, const cpm_neighbours *g, const void *send,
                         void *recv)
{
    if (a->operation->types && !all_send_as_many_as_they_receive(g))
        exchange_with_types(a, g, send, recv);
    else
        assert_everywhere(mpib_native_run(a, send, recv, NULL) == CPM_OK);
}

/* Whether the algorithm and MPI's routine leave the same, of so many elements a block. */
static bool same_as_native(const cpm_collective *what, MPI_Comm comm, size_t count, int kind)
{
    arrays x[2];
    const MPI_Datatype types[][2] = {{MPI_INT, MPI_INT}, {reversed, holes}, {holes, reversed}};
    static int send[MOST * 20], expected[MOST * 20], got[MOST * 20];
    mpib_collective *c = NULL;
    cpm_error e = {0};
    for (int k = 0; k < MOST * 20; k++) {
        send[k] = test_rank() * 10000 + k;
        expected[k] = got[k] = -k;
    }
    mpib_arguments a = {.operation = what->operation,
                        .send = {.count = count, .type = types[kind][0]},
                        .recv = {.count = count, .type = types[kind][1]},
                        .comm = comm};
    if (what->operation->counts)
        set_counts(&a, what->at.neighbours, count, x);
    if (what->operation->types && kind)
        set_all_types(&a, what->at.neighbours, x, kind);
    run_expected(&a, what->at.neighbours, send, expected);
    assert_everywhere(mpib_collective_create(what, &a, &c, &e) == CPM_OK);
    bool right = true;
    for (int again = 0; again < 2; again++) { /* a plan is run as often as one likes */
        bool ran = mpib_collective_run(c, send, got, TAG) == MPI_SUCCESS;
        right = right && ran && memcmp(expected, got, sizeof got) == 0;
    }
    mpib_collective_free(c);
    return right;
}

static void compare_one(const cpm_collective *what, MPI_Comm comm)
{
    for (int kind = 0; kind < 3; kind++)
        for (size_t count = 0; count <= 3; count += count ? 2 : 1)
            if (!holds_everywhere(same_as_native(what, comm, count, kind), "same as native",
                                  what->algorithm->name, kind))
                fail_msg("%s:%s", what->operation->name, what->algorithm->name);
}

/* Returns how many algorithms of operations were tried. */
static int compare(const cpm_neighbours *g, const cpm_hosts *hosts)
{
    int tried = 0;
    MPI_Comm comm = communicator_of(g);
    make_types();
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
            const cpm_collective what = {
                .operation = o, .algorithm = a, .at = {.n = g->n, .neighbours = g, .hosts = hosts}};
            if (!cpm_operation_is_of_neighbours(o) || !cpm_algorithm_serves(a, o) ||
                cpm_collective_applies(&what, NULL))
                continue;
            compare_one(&what, comm);
            tried++;
        }
    MPI_Type_free(&holes);
    MPI_Type_free(&reversed);
    MPI_Comm_free(&comm);
    return tried;
}

static void grids_are_as_native(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int n;
    } grids[] = {{"grid:2:corners", 2},
                 {"grid:5", 5},
                 {"torus:5", 5},
                 {"grid:3x3:corners", 9},
                 {"torus:3x3:corners", 9}};
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        cpm_neighbours *g;
        if (grids[k].n != test_ranks())
            continue;
        assert_everywhere(cpm_neighbours_read(grids[k].text, grids[k].n, &g, NULL) == CPM_OK);
        int tried = compare(g, NULL);
        assert_everywhere(tried == (g->dimensions ? 7 : 5));
        cpm_neighbours_free(g);
    }
}

/* Hosts are played: which rank is on which. */
static void any_graph_is_as_native(void **state)
{
    (void)state;
    const int n = test_ranks();
    cpm_hosts hosts;
    assert_int_equal(cpm_hosts_regular((n + 1) / 2, 2, true, &hosts, NULL), CPM_OK);
    hosts.n = n;
    for (unsigned seed = 1; seed <= 6; seed++) {
        cpm_neighbours *g = random_graph(n, seed);
        int tried = compare(g, &hosts);
        assert_everywhere(tried >= (n > 2 ? 7 : 5));
        cpm_neighbours_free(g);
    }
    cpm_hosts_clear(&hosts);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_as_native),
        cmocka_unit_test(any_graph_is_as_native),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
