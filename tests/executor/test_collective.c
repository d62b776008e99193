/* Every algorithm does, byte by byte, what the MPI library's routine does: with types that have
 * holes, in place, with blocks of different sizes and without any, with operations that do not
 * commute, in communicators that are not the world. Bytes that no message has are left alone, and
 * so is what is sent. A reduction that is given one buffer as both, which MPI forbids, does what
 * one with two does. */
#include "tests/mpi_test.h"

#include <string.h>

#include "collectives/algorithms/mesh.h"
#include "collectives/on_groups.h"
#include "collectives/topology_tree.h"
#include "executor/collective.h"

enum { TAG = 7, LARGEST = 50 };

/* How a call is made. */
typedef struct {
    MPI_Comm comm;
    int n, rank, root;
    size_t count; /* elements; of v-operations: about */
    bool holes;   /* elements of the send side have holes, those of the receive side others; of
                     reductions: a type of MPI's own that has holes */
    bool in_place, matrices;
    const cpm_parameters *with;
    cpm_placement placement;
    mpib_groups *groups;
} variant;

static MPI_Datatype two_of_three, reversed_pair, matrix, loose_matrix;
static MPI_Op multiply;

/* 2x2 matrices modulo 1009: a product whose order matters. */
static void multiply_matrices(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(*type, &lower, &extent);
    for (int i = 0; i < *length; i++) {
        const int *a = (const int *)((const char *)in + i * extent);
        int *b = (int *)((char *)inout + i * extent), c[4];
        for (int k = 0; k < 4; k++)
            c[k] = (a[k / 2 * 2] * b[k % 2] + a[k / 2 * 2 + 1] * b[k % 2 + 2]) % 1009;
        memcpy(b, c, sizeof c);
    }
}

static void make_types(void)
{
    MPI_Datatype two;
    int first[2] = {1, 0}, one[2] = {1, 1};
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, 3 * sizeof(int), &two_of_three);
    MPI_Type_indexed(2, one, first, MPI_INT, &reversed_pair);
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_create_resized(matrix, 0, 5 * sizeof(int), &loose_matrix);
    MPI_Type_free(&two);
    MPI_Type_commit(&two_of_three);
    MPI_Type_commit(&reversed_pair);
    MPI_Type_commit(&matrix);
    MPI_Type_commit(&loose_matrix);
    MPI_Op_create(multiply_matrices, 0, &multiply);
}

static void free_types(void)
{
    MPI_Type_free(&two_of_three);
    MPI_Type_free(&reversed_pair);
    MPI_Type_free(&matrix);
    MPI_Type_free(&loose_matrix);
    MPI_Op_free(&multiply);
}

/* The arguments of a call with their arrays, and three buffers: what is sent, what the library and
 * what the algorithm received. */
typedef struct {
    mpib_arguments arguments;
    size_t counts[2][LARGEST];
    ptrdiff_t displacements[2][LARGEST];
    MPI_Datatype types[2][LARGEST];
    size_t space;
    char *send, *sent, *expected, *got; /* sent: a copy */
} prepared;

static bool is(const cpm_operation *o, const char *name)
{
    return strcmp(o->like ? o->like : o->name, name) == 0;
}

/* Elements that go from one rank to another. */
static size_t elements(const variant *v, const cpm_operation *o, int from, int to)
{
    if (!o->like)
        return v->count;
    int key = is(o, "alltoall")  ? (v->in_place ? from * to + from + to : 3 * from + 7 * to)
              : is(o, "scatter") ? to
                                 : from;
    return v->count ? (v->count + (size_t)key * 5) % (2 * v->count) : 0;
}

static void set_blocks(prepared *p, int which, const variant *v, const cpm_operation *o)
{
    /* A gap before every block; MPICH 4.0 overlooks that of an allgatherv of one process. */
    ptrdiff_t next = v->n > 1;
    for (int q = 0; q < v->n; q++) {
        p->counts[which][q] = which ? elements(v, o, q, v->rank) : elements(v, o, v->rank, q);
        if (is(o, "allgather") || is(o, "gather"))
            p->counts[which][q] = elements(v, o, q, 0);
        p->displacements[which][q] = next;
        next += (ptrdiff_t)p->counts[which][q] + 1;
    }
}

/* Of all blocks, whose displacements become bytes. */
static void set_types(prepared *p, int which, const variant *v, mpib_side *side)
{
    for (int q = 0; q < v->n; q++) {
        p->types[which][q] = (q + which) % 2 ? two_of_three : reversed_pair;
        p->displacements[which][q] *= 3 * (ptrdiff_t)sizeof(int);
    }
    side->types = p->types[which];
}

static void set_side(prepared *p, int which, const variant *v, const cpm_operation *o, bool all)
{
    mpib_side *side = which ? &p->arguments.recv : &p->arguments.send;
    side->type = v->holes ? (which ? two_of_three : reversed_pair) : MPI_INT;
    side->count = is(o, "scatter") ? elements(v, o, v->root, v->rank) : elements(v, o, v->rank, 0);
    if (!all || !o->like)
        return;
    set_blocks(p, which, v, o);
    side->counts = p->counts[which];
    side->displacements = p->displacements[which];
    if (o->types && v->holes)
        set_types(p, which, v, side);
}

static void set_reduction(prepared *p, const variant *v, const cpm_operation *o)
{
    mpib_side *side = &p->arguments.recv;
    p->arguments.op = v->matrices ? multiply : v->holes ? MPI_MINLOC : MPI_SUM;
    side->type = v->matrices ? v->holes ? loose_matrix : matrix
                 : v->holes  ? MPI_DOUBLE_INT
                             : MPI_INT;
    side->count = v->count;
    for (int q = 0; q < v->n; q++)
        p->counts[1][q] = v->count + (size_t)q % 3;
    if (is(o, "reduce_scatter"))
        side->counts = p->counts[1];
}

/* Small numbers everywhere: sums and products stay exact. */
static void fill(prepared *p, int seed)
{
    int *send = (int *)p->send, *recv = (int *)p->expected;
    for (size_t i = 0; i < p->space / sizeof(int); i++) {
        send[i] = (int)(i * 31 + (size_t)seed * 57 + i / 7) % 1009;
        recv[i] = (int)(i * 17 + (size_t)seed * 91 + i / 5) % 1009;
    }
    memcpy(p->got, p->expected, p->space);
}

static void prepare(prepared *p, const variant *v, const cpm_operation *o)
{
    bool at_root = v->rank == v->root;
    memset(p, 0, sizeof *p);
    p->arguments = (mpib_arguments){.operation = o,
                                    .in_place = v->in_place && (!o->rooted || at_root),
                                    .op = MPI_OP_NULL,
                                    .root = v->root,
                                    .comm = v->comm,
                                    .groups = v->groups};
    set_side(p, 0, v, o, is(o, "alltoall") || (is(o, "scatter") && at_root));
    set_side(p, 1, v, o, is(o, "alltoall") || is(o, "allgather") || (is(o, "gather") && at_root));
    if (o->combines)
        set_reduction(p, v, o);
    p->space = ((size_t)v->n * (2 * v->count + 4) + 4) * 5 * sizeof(int);
    p->send = malloc(p->space);
    p->sent = malloc(p->space);
    p->expected = malloc(p->space);
    p->got = malloc(p->space);
    fill(p, v->rank);
}

static void release(prepared *p)
{
    free(p->send);
    free(p->sent);
    free(p->expected);
    free(p->got);
}

static bool describe(const variant *v, const cpm_operation *o, const cpm_algorithm *a,
                     const char *what)
{
    fprintf(stderr, "rank %d of %d: %s:%s root %d, %zu elements%s%s%s: %s\n", v->rank, v->n,
            o->name, a->name, v->root, v->count, v->holes ? ", holes" : "",
            v->in_place ? ", in place" : "", v->matrices ? ", matrices" : "", what);
    return false;
}

/* The bytes that must be equal: all, but for what an in-place reduce_scatter leaves of its input.
 */
static size_t comparable(const variant *v, const cpm_operation *o, const prepared *p)
{
    MPI_Aint lower, extent;
    if (!v->in_place || !is(o, "reduce_scatter"))
        return p->space;
    MPI_Type_get_extent(p->arguments.recv.type, &lower, &extent);
    return p->counts[1][v->rank] * (size_t)extent;
}

/* Twice with one plan: the second run must not see anything of the first. */
static bool run_and_compare(const variant *v, const cpm_operation *o, const cpm_algorithm *a,
                            mpib_collective *c, prepared *p)
{
    bool same = true, kept = true;
    for (int times = 0; times < 2; times++) {
        fill(p, v->rank + 100 * times);
        memcpy(p->sent, p->send, p->space);
        mpib_native_run(&p->arguments, p->send, p->expected, NULL);
        mpib_collective_run(c, p->send, p->got, TAG);
        same = same && memcmp(p->expected, p->got, comparable(v, o, p)) == 0;
        kept = kept && memcmp(p->sent, p->send, p->space) == 0;
    }
    return same && kept ? true : describe(v, o, a, same ? "writes what it sends" : "differs");
}

/* Lines of the library's own routines refuse that. */
static bool may_be_aliased(const variant *v, const cpm_operation *o, const cpm_collective *what)
{
    return o->combines && !v->in_place && !v->holes && !v->matrices && !cpm_is_on_groups(what);
}

static bool run_with_one_buffer(const variant *v, const cpm_operation *o, const cpm_algorithm *a,
                                mpib_collective *c, prepared *p)
{
    fill(p, v->rank + 300);
    memcpy(p->expected, p->send, p->space);
    memcpy(p->got, p->send, p->space);
    mpib_native_run(&p->arguments, p->send, p->expected, NULL);
    mpib_collective_run(c, p->got, p->got, TAG);
    return memcmp(p->expected, p->got, comparable(v, o, p)) == 0 ||
           describe(v, o, a, "differs with one buffer");
}

static bool try(const variant *v, const cpm_operation *o, const cpm_algorithm *a)
{
    prepared p;
    mpib_collective *c = NULL;
    cpm_error e = {0};
    const cpm_collective what = {
        .operation = o, .algorithm = a, .with = *v->with, .at = v->placement};
    prepare(&p, v, o);
    int status = mpib_collective_create(&what, &p.arguments, &c, &e);
    bool right = status == CPM_OK ? run_and_compare(v, o, a, c, &p) : describe(v, o, a, e.text);
    if (right && may_be_aliased(v, o, &what))
        right = run_with_one_buffer(v, o, a, c, &p);
    mpib_collective_free(c);
    release(&p);
    return right;
}

/* In place makes no sense for a bcast or a barrier; MPICH's own in-place alltoallv is used too. */
static bool makes_sense(const variant *v, const cpm_operation *o, const cpm_algorithm *a)
{
    if (v->in_place && (is(o, "bcast") || is(o, "barrier")))
        return false;
    cpm_collective what = {.algorithm = a, .with = *v->with, .at = v->placement};
    what.at.root = v->root;
    return !(v->matrices && (!o->combines || !cpm_collective_keeps_order(&what)));
}

/* All variants where ranks are few; of more ranks than processors every message takes long. */
static bool is_tried(const variant *v, int kind)
{
    return v->n <= 3 || (v->count == 0 ? kind == 0 : v->count > 1);
}

static bool try_types(variant v, const cpm_operation *o, const cpm_algorithm *a)
{
    bool right = true;
    const size_t counts[] = {0, 1, 13};
    for (int k = 0; k < 3 && right; k++)
        for (int kind = 0; kind < 8 && right; kind++) {
            v.count = counts[k];
            v.holes = kind & 1;
            v.in_place = kind & 2;
            v.matrices = kind & 4;
            if (makes_sense(&v, o, a) && is_tried(&v, kind))
                right = try(&v, o, a);
        }
    return right;
}

static bool try_algorithm(MPI_Comm comm, const cpm_operation *o, const cpm_algorithm *a,
                          const cpm_placement *placement)
{
    variant v = {.comm = comm, .placement = *placement};
    bool right = true;
    const cpm_parameters usual = {0}, segmented = {.segment = 16}, three = {.k = 3};
    const cpm_parameters some = {.threshold = 40}, all = {.threshold = CPM_FROM_NOTHING};
    MPI_Comm_size(comm, &v.n);
    MPI_Comm_rank(comm, &v.rank);
    cpm_collective what = {.operation = o, .algorithm = a, .at = *placement};
    what.at.n = v.n;
    if (cpm_collective_applies(&what, NULL))
        return true;
    for (int root = 0; root < (o->rooted ? v.n : 1) && right; root += v.n > 3 ? v.n - 2 : 1) {
        v.root = root;
        v.with = &usual;
        right = try_types(v, o, a);
        v.with = &segmented;
        if (right && a->properties & CPM_TAKES_SEGMENT)
            right = try_types(v, o, a);
        v.with = &three;
        if (right && a->properties & CPM_TAKES_K)
            right = try_types(v, o, a);
        v.with = &some;
        if (right && a->properties & CPM_TAKES_THRESHOLD)
            right = try_types(v, o, a);
        v.with = &all;
        if (right && a->properties & CPM_TAKES_THRESHOLD)
            right = try_types(v, o, a);
    }
    return right;
}

/* Nine hosts at three switches, neighbours at different ones; and a tree of nine nodes. */
static cpm_topology *three_switches(void)
{
    static const char text[] = "switch a\nswitch b\nswitch c\nlink a b\nlink b c\n"
                               "host 0 a\nhost 1 b\nhost 2 c\nhost 3 a\nhost 4 b\n"
                               "host 5 c\nhost 6 a\nhost 7 b\nhost 8 a\n";
    cpm_topology *t = NULL;
    assert_everywhere(cpm_topology_parse(text, "three switches", &t, NULL) == CPM_OK);
    return t;
}

/* Up to three hosts of different sizes, on which the ranks of comm are dispersed. */
static cpm_hosts three_hosts(MPI_Comm comm)
{
    static const int of[] = {0, 1, 0, 0, 2, 1, 0, 2, 1};
    int n = 1;
    if (comm != MPI_COMM_NULL)
        MPI_Comm_size(comm, &n);
    return (cpm_hosts){.n = n, .count = n > 4 ? 3 : n > 1 ? 2 : 1, .of = (int *)of};
}

static void try_all(MPI_Comm comm)
{
    static const int parent[] = {-1, 0, 1, 1, 0, 4, 5, 4, 2};
    cpm_topology *t = three_switches();
    const cpm_hosts hosts = three_hosts(comm);
    const cpm_placement placement = {.topology = t, .parent = parent, .hosts = &hosts};
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
            if (cpm_algorithm_serves(a, o))
                assert_everywhere(comm == MPI_COMM_NULL || try_algorithm(comm, o, a, &placement));
    cpm_topology_free(t);
}

static void every_algorithm_equals_the_librarys_routine(void **state)
{
    (void)state;
    make_types();
    try_all(MPI_COMM_WORLD);
    free_types();
}

/* Every other rank, in reverse order. */
static void algorithms_work_in_a_reordered_subset(void **state)
{
    (void)state;
    MPI_Comm subset;
    MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2 ? MPI_UNDEFINED : 0, -test_rank(), &subset);
    make_types();
    try_all(subset);
    free_types();
    if (subset != MPI_COMM_NULL)
        MPI_Comm_free(&subset);
}

static bool try_from_roots(variant v, const cpm_operation *o, const cpm_algorithm *a)
{
    bool right = true;
    const int step = v.n > 1 ? v.n - 1 : 1;
    for (v.root = 0; v.root < (o->rooted ? v.n : 1) && right; v.root += step)
        right = try_types(v, o, a);
    return right;
}

static bool try_with(const cpm_operation *o, const cpm_algorithm *a, const cpm_parameters *with,
                     const cpm_hosts *hosts)
{
    return try_from_roots((variant){.comm = MPI_COMM_WORLD,
                                    .n = test_ranks(),
                                    .rank = test_rank(),
                                    .with = with,
                                    .placement.hosts = hosts},
                          o, a);
}

static bool try_on_groups(const cpm_collective *c, mpib_groups *groups, const cpm_hosts *hosts)
{
    return try_from_roots((variant){.comm = MPI_COMM_WORLD,
                                    .n = test_ranks(),
                                    .rank = test_rank(),
                                    .with = &c->with,
                                    .placement.hosts = hosts,
                                    .groups = groups},
                          c->operation, c->algorithm);
}

/* Lines by the library's own routines, all or some; groups are kept from call to call, or made for
 * each. */
static void lines_of_the_librarys_own_routines_equal_the_whole(void **state)
{
    (void)state;
    static const char *const lines[] = {":x=native:y=native", ":x=native", ":y=native",
                                        ":x=native:y=native:z=native"};
    mpib_groups kept = {0};
    const int n = test_ranks();
    const bool tried = n == 1 || n == 4 || n == 6 || n == 8;
    make_types();
    for (const cpm_algorithm *a = cpm_algorithms; a->name && tried; a++)
        for (int k = 0; k < 4 && a->properties & CPM_TAKES_INNER; k++) {
            char text[64];
            cpm_collective c;
            /* of more processes than processors every message takes long */
            if ((k == 3) != (a->tries->meshes == 3) || (n > 4 && k != 1 && k < 3))
                continue;
            snprintf(text, sizeof text, "%s:%s%s", a->operation, a->name, lines[k]);
            assert_everywhere(!cpm_collective_parse(text, &c, NULL));
            assert_everywhere(try_on_groups(&c, k ? &kept : NULL, NULL));
        }
    mpib_groups_clear(&kept);
    free_types();
}

/* Blocks of ranks that do not follow each other are refused; a buffer has no order. */
static void lines_of_hosts_are_for_ranks_that_follow_each_other(void **state)
{
    (void)state;
    cpm_hosts hosts;
    make_types();
    for (int cyclic = 0; cyclic < 2 && test_ranks() == 4; cyclic++) {
        assert_everywhere(!cpm_hosts_regular(2, 2, cyclic, &hosts, NULL));
        for (int across = 0; across < 2; across++)
            for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
                cpm_collective c, native;
                if (!(a->properties & CPM_TAKES_INNER) || a->tries->meshes != 2)
                    continue;
                assert_everywhere(!cpm_collective_of(a, &c, NULL));
                c.at = (cpm_placement){.n = 4, .hosts = &hosts};
                c.with.mesh[0] = across ? CPM_MESH_ACROSS_HOSTS : CPM_MESH_OF_HOSTS;
                assert_everywhere(cpm_on_groups_of(&c, &native));
                const bool follow = across == cyclic || !cpm_mesh_counts_blocks(a);
                assert_everywhere(!cpm_on_groups_check(&native, NULL) == follow);
                assert_everywhere(!follow || try_on_groups(&native, NULL, &hosts));
            }
        cpm_hosts_clear(&hosts);
    }
    free_types();
}

/* As many processes on each of two hosts, one after the other or dealt in turn; of more than six
 * processes on two processors every message takes long. */
static void leaders_and_meshes_of_hosts_equal_the_librarys_routine(void **state)
{
    (void)state;
    const cpm_parameters leaders = {.leaders = 2}, mesh = {.mesh = {CPM_MESH_OF_HOSTS}},
                         across = {.mesh = {CPM_MESH_ACROSS_HOSTS}};
    make_types();
    bool tried = test_ranks() == 4 || test_ranks() == 6;
    for (int cyclic = 0; cyclic < 2 && tried; cyclic++) {
        cpm_hosts hosts;
        assert_everywhere(!cpm_hosts_regular(2, test_ranks() / 2, cyclic, &hosts, NULL));
        for (const cpm_operation *o = cpm_operations; o->name; o++)
            for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
                bool levels = a->properties & CPM_TAKES_LEADERS;
                bool two = a->tries && a->tries->meshes == 2;
                if (cpm_algorithm_serves(a, o) && (levels || two))
                    assert_everywhere(try_with(o, a, levels ? &leaders : &mesh, &hosts));
                if (cpm_algorithm_serves(a, o) && two && test_ranks() == 4)
                    assert_everywhere(try_with(o, a, &across, &hosts));
            }
        cpm_hosts_clear(&hosts);
    }
    free_types();
}

/* Matrices are multiplied, from every root that keeps their order. */
static void hosts_of_consecutive_ranks_keep_the_order_of_matrices(void **state)
{
    (void)state;
    static const int of[] = {0, 0, 0, 1, 1, 2, 2, 2, 2};
    static const struct {
        const char *name;
        bool any_root;
    } all[] = {{"allreduce:hosts", true},
               {"reduce:hosts", false},
               {"reduce:hosts:inner=linear:outer=linear", true}};
    int n = test_ranks();
    const cpm_hosts hosts = {.n = n, .count = of[n - 1] + 1, .of = (int *)of};
    make_types();
    for (size_t k = 0; k < sizeof all / sizeof *all && cpm_hosts_have_levels(&hosts); k++) {
        cpm_collective c;
        assert_everywhere(!cpm_collective_parse(all[k].name, &c, NULL));
        c.at = (cpm_placement){.n = n, .hosts = &hosts};
        assert_everywhere(cpm_collective_keeps_order(&c));
        c.at.root = c.operation->rooted ? n - 1 : 0;
        assert_everywhere(cpm_collective_keeps_order(&c) == all[k].any_root);
        assert_everywhere(try_with(c.operation, c.algorithm, &c.with, &hosts));
    }
    free_types();
}

static void assert_refused(const char *operation, const char *algorithm, cpm_placement placement)
{
    const cpm_algorithm *a = NULL;
    const cpm_operation *o = NULL;
    mpib_collective *c = NULL;
    cpm_error e = {0};
    prepared p;
    variant v = {.comm = MPI_COMM_WORLD,
                 .n = test_ranks(),
                 .rank = test_rank(),
                 .count = 1,
                 .matrices = true};
    make_types();
    assert_everywhere(cpm_operation_find(operation, &o, NULL) == CPM_OK);
    assert_everywhere(cpm_algorithm_find(operation, algorithm, &a, NULL) == CPM_OK);
    prepare(&p, &v, o);
    const cpm_collective what = {.operation = o, .algorithm = a, .at = placement};
    assert_everywhere(mpib_collective_create(&what, &p.arguments, &c, &e) == CPM_EINVAL);
    assert_everywhere(strstr(e.text, "does not commute") && !c);
    release(&p);
    free_types();
}

static void an_algorithm_that_reorders_is_refused(void **state)
{
    (void)state;
    assert_refused("reduce_scatter", "halving", (cpm_placement){0});
}

/* The binomial tree keeps the order of ranks as long as they sit there in order. */
static void a_mapped_reduction_that_reorders_is_refused(void **state)
{
    (void)state;
    int backwards[LARGEST] = {0};
    for (int v = 1; v < test_ranks(); v++)
        backwards[v] = test_ranks() - v;
    assert_refused("reduce", "binomial", (cpm_placement){.mapping = backwards});
}

/* With CPM_CHECK=1 the ranks compare what they say, instead of hanging or writing past the end. */
static void differing_counts_are_reported_by_the_checked_mode(void **state)
{
    (void)state;
    const char *const names[] = {"scatterv", "gatherv", "alltoallv", "bcast", "allgatherv"};
    make_types();
    setenv("CPM_CHECK", "1", 1);
    for (int k = 0; k < 5; k++) {
        const cpm_operation *o = NULL;
        const cpm_algorithm *a = cpm_algorithms;
        mpib_collective *c = NULL;
        cpm_error e = {0};
        prepared p;
        variant v = {.comm = MPI_COMM_WORLD, .n = test_ranks(), .rank = test_rank(), .count = 3};
        assert_everywhere(cpm_operation_find(names[k], &o, NULL) == CPM_OK);
        while (!cpm_algorithm_serves(a, o))
            a++;
        const cpm_collective what = {.operation = o, .algorithm = a};
        prepare(&p, &v, o);
        assert_everywhere(mpib_collective_create(&what, &p.arguments, &c, &e) == CPM_OK);
        mpib_collective_free(c);
        c = NULL;
        if (v.rank == v.n - 1) {
            p.arguments.recv.count++;
            p.arguments.send.count++;
            p.counts[1][0]++;
        }
        int status = mpib_collective_create(&what, &p.arguments, &c, &e);
        assert_everywhere(v.n == 1 || (status == CPM_EINVAL && strstr(e.text, "CPM_CHECK")));
        mpib_collective_free(c);
        release(&p);
    }
    unsetenv("CPM_CHECK");
    free_types();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_equals_the_librarys_routine),
        cmocka_unit_test(algorithms_work_in_a_reordered_subset),
        cmocka_unit_test(lines_of_the_librarys_own_routines_equal_the_whole),
        cmocka_unit_test(lines_of_hosts_are_for_ranks_that_follow_each_other),
        cmocka_unit_test(leaders_and_meshes_of_hosts_equal_the_librarys_routine),
        cmocka_unit_test(hosts_of_consecutive_ranks_keep_the_order_of_matrices),
        cmocka_unit_test(an_algorithm_that_reorders_is_refused),
        cmocka_unit_test(a_mapped_reduction_that_reorders_is_refused),
        cmocka_unit_test(differing_counts_are_reported_by_the_checked_mode),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
