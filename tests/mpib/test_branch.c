/* Scatterv and gatherv whose sizes are told only now and then: right for whatever sizes they have.
 */
#include "mpi_test.h"

#include <string.h>

#include "collectives/algorithms/shapes.h"
#include "cpm/cpm_mpi.h"
#include "tuned/told.h"

enum { RANKS = 16, MOST = 300, CALLS = 40, HOLE = 3 };

/* One call: elements are ints; at the root in rows of one with a hole behind it if wide. */
typedef struct {
    int root, count[RANKS], place[RANKS];
    bool wide, in_place;
    unsigned seed;
} test_call;

static unsigned next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static test_call random_call(unsigned *seed)
{
    test_call c = {.seed = next(seed)};
    int at = 5;
    c.root = (int)(next(seed) % (unsigned)test_ranks());
    c.wide = next(seed) % 2;
    c.in_place = next(seed) % 3 == 0;
    for (int i = 0; i < test_ranks(); i++) {
        c.count[i] = next(seed) % 4 ? (int)(next(seed) % MOST) : 0;
        c.place[i] = at;
        at += c.count[i] + (int)(next(seed) % 3);
    }
    return c;
}

/* Some blocks get other sizes; how many on average. */
static void change(test_call *c, int changes, unsigned *seed)
{
    for (int i = 0; i < test_ranks(); i++)
        if ((int)(next(seed) % (unsigned)test_ranks()) < changes)
            c->count[i] = (int)(next(seed) % (unsigned)(c->count[i] + 1));
}

static MPI_Datatype int_with_hole(void)
{
    MPI_Datatype type;
    MPI_Type_create_resized(MPI_INT, 0, HOLE * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    return type;
}

enum { ALL = RANKS * (MOST + 3) * HOLE + 100 };

/* Every rank's values, the same for the same call. */
static void fill(int *values, unsigned seed)
{
    for (int i = 0; i < ALL; i++)
        values[i] = (int)next(&seed);
}

typedef int scatterv_function(const void *, const int *, const int *, MPI_Datatype, void *, int,
                              MPI_Datatype, int, MPI_Comm);
typedef int gatherv_function(const void *, int, MPI_Datatype, void *, const int *, const int *,
                             MPI_Datatype, int, MPI_Comm);

static void scatter(const test_call *c, scatterv_function *f, int *root_side, int *own)
{
    bool root = test_rank() == c->root;
    MPI_Datatype type = c->wide ? int_with_hole() : MPI_INT;
    f(root_side, c->count, c->place, type, root && c->in_place ? MPI_IN_PLACE : own,
      c->count[test_rank()], MPI_INT, c->root, MPI_COMM_WORLD);
    if (c->wide)
        MPI_Type_free(&type);
}

static void gather(const test_call *c, gatherv_function *f, int *root_side, int *own)
{
    bool root = test_rank() == c->root;
    MPI_Datatype type = c->wide ? int_with_hole() : MPI_INT;
    f(root && c->in_place ? MPI_IN_PLACE : own, c->count[test_rank()], MPI_INT, root_side, c->count,
      c->place, type, c->root, MPI_COMM_WORLD);
    if (c->wide)
        MPI_Type_free(&type);
}

/* Whether both leave the same in both buffers as MPI's own. */
static bool is_as_native(const test_call *c, scatterv_function *s, gatherv_function *g)
{
    static int root_side[2][ALL], own[2][ALL];
    for (int k = 0; k < 2; k++) {
        fill(root_side[k], c->seed);
        fill(own[k], c->seed + (unsigned)test_rank());
        if (s)
            scatter(c, k ? s : PMPI_Scatterv, root_side[k], own[k]);
        else
            gather(c, k ? g : PMPI_Gatherv, root_side[k], own[k]);
    }
    return memcmp(root_side[0], root_side[1], sizeof root_side[0]) == 0 &&
           memcmp(own[0], own[1], sizeof own[0]) == 0;
}

/* ---- one branch ---- */

static tuned_branch *under_test;

static int run_scatterv(const void *send, const int *counts, const int *places, MPI_Datatype type,
                        void *recv, int count, MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    size_t n_counts[RANKS];
    ptrdiff_t n_places[RANKS];
    for (int i = 0; i < test_ranks(); i++) {
        n_counts[i] = (size_t)counts[i];
        n_places[i] = places[i];
    }
    mpib_arguments a = {.operation = &cpm_operations[CPM_OP_SCATTERV],
                        .send = {.type = type},
                        .recv = {.count = (size_t)count, .type = recv_type},
                        .in_place = recv == MPI_IN_PLACE,
                        .root = root};
    if (test_rank() == root) {
        a.send.counts = n_counts;
        a.send.displacements = n_places;
    }
    return tuned_branch_run(under_test, &a, comm, send, recv);
}

static int run_gatherv(const void *send, int count, MPI_Datatype type, void *recv,
                       const int *counts, const int *places, MPI_Datatype recv_type, int root,
                       MPI_Comm comm)
{
    size_t n_counts[RANKS];
    ptrdiff_t n_places[RANKS];
    for (int i = 0; i < test_ranks(); i++) {
        n_counts[i] = (size_t)counts[i];
        n_places[i] = places[i];
    }
    mpib_arguments a = {.operation = &cpm_operations[CPM_OP_GATHERV],
                        .send = {.count = (size_t)count, .type = type},
                        .recv = {.type = recv_type},
                        .in_place = send == MPI_IN_PLACE,
                        .root = root};
    if (test_rank() == root) {
        a.recv.counts = n_counts;
        a.recv.displacements = n_places;
    }
    return tuned_branch_run(under_test, &a, comm, send, recv);
}

/* A tree of which every node's parent is any lower one. */
static void draw_tree(int *parent, unsigned *seed)
{
    parent[0] = -1;
    for (int v = 1; v < test_ranks(); v++)
        parent[v] = (int)(next(seed) % (unsigned)v);
}

static void try_algorithm(const cpm_algorithm *row, unsigned *seed)
{
    int parent[RANKS];
    bool scatters = row->create == cpm_tree_scatter;
    for (int changes = 0; changes <= test_ranks(); changes += test_ranks() / 2) {
        test_call c = random_call(seed);
        size_t sizes[RANKS];
        draw_tree(parent, seed);
        cpm_choice choice = {.what.algorithm = row, .what.at.parent = parent};
        for (int i = 0; i < test_ranks(); i++)
            sizes[i] = (size_t)c.count[i] * sizeof(int);
        assert_everywhere(tuned_branch_create(&choice, sizes, test_ranks(), c.root, test_rank(),
                                              &under_test, NULL) == CPM_OK);
        change(&c, changes, seed);
        assert_everywhere(is_as_native(&c, scatters ? run_scatterv : NULL, run_gatherv));
        tuned_branch_free(under_test);
    }
}

static void every_tree_carries_blocks_of_known_and_of_other_sizes(void **state)
{
    (void)state;
    unsigned seed = 11;
    int trees = 0;
    for (const cpm_algorithm *row = cpm_algorithms; row->name; row++)
        if (tuned_is_tree(&(cpm_choice){.what.algorithm = row})) {
            try_algorithm(row, &seed);
            trees++;
        }
    assert_true(trees > 10);
}

static void open_binomial(const char *operation, const size_t *sizes)
{
    const cpm_algorithm *row = NULL;
    assert_int_equal(cpm_algorithm_find(operation, "binomial", &row, NULL), CPM_OK);
    assert_everywhere(tuned_branch_create(&(cpm_choice){.what.algorithm = row}, sizes, test_ranks(),
                                          0, test_rank(), &under_test, NULL) == CPM_OK);
}

enum { LONG = 20000 };

/* Scatters long blocks of numbers into elements that are so far apart, and gathers them again. */
static bool returns_long_blocks(int apart, double *given, double *back, double *own)
{
    int count[RANKS], place[RANKS], all = test_ranks() * LONG, rank = test_rank();
    size_t sizes[RANKS];
    MPI_Datatype type;
    MPI_Type_create_resized(MPI_DOUBLE, 0, apart * (MPI_Aint)sizeof(double), &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < test_ranks(); i++) {
        count[i] = LONG;
        place[i] = i * LONG;
        sizes[i] = LONG * sizeof *given;
    }
    for (int i = 0; i < all; i++)
        given[i] = i + 0.5;
    open_binomial("scatter", sizes);
    int failed = run_scatterv(given, count, place, MPI_DOUBLE, own, LONG, type, 0, MPI_COMM_WORLD);
    tuned_branch_free(under_test);
    bool right = !failed;
    for (int i = 0; i < LONG; i++)
        right = right && own[i * apart] == given[rank * LONG + i];
    open_binomial("gather", sizes);
    failed = run_gatherv(own, LONG, type, back, count, place, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    tuned_branch_free(under_test);
    MPI_Type_free(&type);
    return right && !failed && (rank > 0 || memcmp(given, back, (size_t)all * sizeof *given) == 0);
}

/* MPI sends long messages in pieces, which may end within an element. */
static void long_blocks_arrive_whole(void **state)
{
    (void)state;
    size_t all = (size_t)test_ranks() * LONG;
    double *space = calloc(2 * all + LONG * HOLE, sizeof *space);
    assert_everywhere(space);
    for (int apart = 1; apart <= HOLE; apart += HOLE - 1)
        assert_everywhere(returns_long_blocks(apart, space, space + all, space + 2 * all));
    free(space);
}

static void messages_above_what_mpi_counts_are_refused(void **state)
{
    (void)state;
    const cpm_algorithm *row = NULL;
    size_t sizes[RANKS] = {[1] = (size_t)3 << 30};
    tuned_branch *b = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_algorithm_find("scatter", "binomial", &row, NULL), CPM_OK);
    assert_int_equal(
        tuned_branch_create(&(cpm_choice){.what.algorithm = row}, sizes, 2, 0, 0, &b, &e),
        CPM_EINVAL);
    assert_non_null(strstr(e.text, "2 GiB"));
    assert_null(b);
}

/* ---- calls of an application ---- */

static void calls_with_ever_changing_sizes_give_the_native_result(void **state)
{
    (void)state;
    unsigned seed = 5;
    for (int i = 0; i < CALLS; i++) {
        test_call c = random_call(&seed);
        for (int k = 0; k < 3; k++) {
            assert_everywhere(is_as_native(&c, cpm_scatterv, NULL));
            assert_everywhere(is_as_native(&c, NULL, cpm_gatherv));
            change(&c, k, &seed);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tree_carries_blocks_of_known_and_of_other_sizes),
        cmocka_unit_test(long_blocks_arrive_whole),
        cmocka_unit_test(messages_above_what_mpi_counts_are_refused),
        cmocka_unit_test(calls_with_ever_changing_sizes_give_the_native_result),
    };
    /* A tree for one, and for the other what has to be asked for in every call. */
    setenv("CPM_FORCE", "scatterv:binomial,gatherv:split", 1);
    return RUN_MPI_TESTS(argc, argv, tests);
}
