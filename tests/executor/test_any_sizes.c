/* Scatterv and gatherv planned for some sizes: right for whatever sizes they have. */
#include "tests/mpi_test.h"

#include <string.h>

#include "cpm/cpm_mpi.h"
#include "executor/collective.h"

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

/* Some blocks get other sizes, smaller and larger ones; how many on average. */
static void change(test_call *c, int changes, unsigned *seed)
{
    for (int i = 0, at = 2; i < test_ranks(); at += c->count[i++] + 1) {
        if ((int)(next(seed) % (unsigned)test_ranks()) < changes)
            c->count[i] = next(seed) % 4 ? (int)(next(seed) % MOST) : 0;
        c->place[i] = at;
    }
    c->wide = next(seed) % 2;
    c->in_place = next(seed) % 3 == 0;
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

/* ---- one plan ---- */

static mpib_collective *under_test;

enum { TAG = 5 };

/* The side of the root, whose arguments count there only. */
static void set_root_side(mpib_side *s, const int *counts, const int *places)
{
    static size_t all_counts[RANKS];
    static ptrdiff_t displacements[RANKS];
    for (int i = 0; i < test_ranks(); i++) {
        all_counts[i] = (size_t)counts[i];
        displacements[i] = places[i];
    }
    s->counts = all_counts;
    s->displacements = displacements;
}

static int run_scatterv(const void *send, const int *counts, const int *places, MPI_Datatype type,
                        void *recv, int count, MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    mpib_arguments a = {.operation = &cpm_operations[CPM_OP_SCATTERV],
                        .send = {.type = type},
                        .recv = {.count = (size_t)count, .type = recv_type},
                        .in_place = recv == MPI_IN_PLACE,
                        .root = root,
                        .comm = comm};
    if (test_rank() == root)
        set_root_side(&a.send, counts, places);
    return mpib_collective_run_any_sizes(under_test, &a, send, recv, TAG);
}

static int run_gatherv(const void *send, int count, MPI_Datatype type, void *recv,
                       const int *counts, const int *places, MPI_Datatype recv_type, int root,
                       MPI_Comm comm)
{
    mpib_arguments a = {.operation = &cpm_operations[CPM_OP_GATHERV],
                        .send = {.count = (size_t)count, .type = type},
                        .recv = {.type = recv_type},
                        .in_place = send == MPI_IN_PLACE,
                        .root = root,
                        .comm = comm};
    if (test_rank() == root)
        set_root_side(&a.recv, counts, places);
    return mpib_collective_run_any_sizes(under_test, &a, send, recv, TAG);
}

static bool serves(const cpm_algorithm *row, bool *scatters)
{
    *scatters = cpm_algorithm_serves(row, &cpm_operations[CPM_OP_SCATTERV]);
    return *scatters || cpm_algorithm_serves(row, &cpm_operations[CPM_OP_GATHERV]);
}

/* Any tree in which a node's parent is a lower one, any order of processes behind the root. */
static void draw_placement(int root, int *parent, int *mapping, unsigned *seed)
{
    int n = test_ranks();
    for (int v = 0; v < n; v++) {
        parent[v] = v ? (int)(next(seed) % (unsigned)v) : -1;
        mapping[v] = (root + v) % n;
    }
    for (int v = n - 1; v > 1; v--) {
        int other = 1 + (int)(next(seed) % (unsigned)v), moved = mapping[v];
        mapping[v] = mapping[other];
        mapping[other] = moved;
    }
}

/* Whether the algorithm applies to so many processes; then it is under test. */
static bool plan(const cpm_algorithm *row, bool scatters, int root, const size_t *sizes,
                 unsigned *seed)
{
    int parent[RANKS], mapping[RANKS];
    cpm_collective what = {.algorithm = row};
    draw_placement(root, parent, mapping, seed);
    if (row->properties & CPM_TAKES_K)
        what.with.k = 1 + (int)(next(seed) % 4);
    if (row->properties & CPM_TAKES_THRESHOLD)
        what.with.threshold = 400;
    bool mapped = row->properties & CPM_TAKES_MAPPING && next(seed) % 2;
    what.at = (cpm_placement){.parent = parent, .mapping = mapped ? mapping : NULL};
    const mpib_arguments a = {.operation =
                                  &cpm_operations[scatters ? CPM_OP_SCATTERV : CPM_OP_GATHERV],
                              .root = root,
                              .comm = MPI_COMM_WORLD};
    int status = mpib_collective_create_any_sizes(&what, &a, sizes, &under_test, NULL);
    assert_everywhere(status == CPM_OK || status == CPM_EINVAL);
    return status == CPM_OK;
}

/* One plan for calls of the sizes that it expects, then of more and more others. */
static void try_algorithm(const cpm_algorithm *row, bool scatters, unsigned *seed)
{
    test_call c = random_call(seed);
    size_t sizes[RANKS];
    for (int i = 0; i < test_ranks(); i++)
        sizes[i] = (size_t)c.count[i] * sizeof(int);
    if (!plan(row, scatters, c.root, sizes, seed))
        return;
    for (int changes = 0; changes <= 2 * test_ranks(); changes += (test_ranks() + 1) / 2) {
        if (changes > 0)
            change(&c, changes, seed);
        bool same = is_as_native(&c, scatters ? run_scatterv : NULL, run_gatherv);
        if (!same)
            print_message("%s:%s, root %d, %d changes\n", row->operation, row->name, c.root,
                          changes);
        assert_everywhere(same);
    }
    mpib_collective_free(under_test);
}

static void every_algorithm_carries_blocks_of_expected_and_of_other_sizes(void **state)
{
    (void)state;
    unsigned seed = 11;
    bool scatters;
    for (int k = 0; k < 3; k++)
        for (const cpm_algorithm *row = cpm_algorithms; row->name; row++)
            if (serves(row, &scatters))
                try_algorithm(row, scatters, &seed);
}

enum { LONG = 20000 };

/* Scatters long blocks of numbers into elements that are so far apart, or gathers them. */
static bool returns_long_blocks(bool scatters, int apart, double *all, double *own)
{
    int count[RANKS], place[RANKS], rank = test_rank(), failed;
    MPI_Datatype type;
    MPI_Type_create_resized(MPI_DOUBLE, 0, apart * (MPI_Aint)sizeof(double), &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < test_ranks(); i++) {
        count[i] = LONG;
        place[i] = i * LONG;
    }
    bool gives = scatters ? rank == 0 : true;
    for (int i = 0; i < test_ranks() * LONG; i++)
        all[i] = gives && scatters ? i + 0.5 : -1;
    for (int i = 0; i < LONG; i++)
        own[i * apart] = scatters ? -1 : rank * LONG + i + 0.5;
    if (scatters)
        failed = run_scatterv(all, count, place, MPI_DOUBLE, own, LONG, type, 0, MPI_COMM_WORLD);
    else
        failed = run_gatherv(own, LONG, type, all, count, place, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    bool right = !failed;
    for (int i = 0; i < LONG; i++)
        right = right && own[i * apart] == rank * LONG + i + 0.5;
    for (int i = 0; rank == 0 && i < test_ranks() * LONG; i++)
        right = right && all[i] == i + 0.5;
    return right;
}

/* Messages that their receivers must be ready for, far longer than expected. */
static void long_blocks_arrive_though_none_were_expected(void **state)
{
    (void)state;
    const size_t sizes[RANKS] = {0};
    size_t all = (size_t)test_ranks() * LONG;
    double *space = calloc(all + LONG * HOLE, sizeof *space);
    unsigned seed = 3;
    bool scatters;
    assert_everywhere(space);
    for (const cpm_algorithm *row = cpm_algorithms; row->name; row++)
        if (serves(row, &scatters) && plan(row, scatters, 0, sizes, &seed)) {
            for (int apart = 1; apart <= HOLE; apart += HOLE - 1)
                assert_everywhere(returns_long_blocks(scatters, apart, space, space + all));
            mpib_collective_free(under_test);
        }
    free(space);
}

/* The standard forbids it, but nothing may be written behind a buffer. */
static void a_block_that_is_longer_than_its_buffer_is_an_error(void **state)
{
    (void)state;
    const cpm_algorithm *row = NULL;
    const size_t sizes[RANKS] = {0};
    int count[RANKS], place[RANKS], given[2 * RANKS] = {0}, got[2] = {0, 7}, n = test_ranks();
    for (int i = 0; i < n; i++) {
        count[i] = 2;
        place[i] = 2 * i;
    }
    const mpib_arguments a = {.operation = &cpm_operations[CPM_OP_SCATTERV],
                              .comm = MPI_COMM_WORLD};
    assert_int_equal(cpm_algorithm_find("scatter", "chain", &row, NULL), CPM_OK);
    assert_everywhere(mpib_collective_create_any_sizes(&(cpm_collective){.algorithm = row}, &a,
                                                       sizes, &under_test, NULL) == CPM_OK);
    int own = n > 2 && test_rank() == n - 2 ? 1 : 2; /* who passes a block on */
    int failed = run_scatterv(given, count, place, MPI_INT, got, own, MPI_INT, 0, MPI_COMM_WORLD);
    assert_everywhere(own == 2 ? !failed && got[1] == 0 : failed && got[1] == 7);
    mpib_collective_free(under_test);
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
        cmocka_unit_test(every_algorithm_carries_blocks_of_expected_and_of_other_sizes),
        cmocka_unit_test(long_blocks_arrive_though_none_were_expected),
        cmocka_unit_test(a_block_that_is_longer_than_its_buffer_is_an_error),
        cmocka_unit_test(calls_with_ever_changing_sizes_give_the_native_result),
    };
    setenv("CPM_FORCE", "scatterv:binomial,gatherv:split", 1);
    return RUN_MPI_TESTS(argc, argv, tests);
}
