/* Many calls of a few kinds, which a library that adapts runs now in this way, now in that: each
 * gives what the MPI library's own function gives.
 *
 * usage: adapting calls TIMES   all operations, two sizes, two roots, so many calls of each
 *        adapting changes       alltoallv whose sizes change from call to call
 *        adapting bcasts TIMES  so many broadcasts
 *        adapting duplicates TIMES  the same, each 2000 of them on a communicator of their own
 *        adapting rooted        scatterv, gatherv: sizes alike, then others, in turns, without data
 *        adapting lives         communicators that are used once, for some calls, and to the end
 *        adapting refused       calls that MPI refuses at all ranks, in between
 *        adapting passed TIMES  short calls of the same arguments, of which MPI refuses one late
 *        adapting ahead TIMES   reductions of which a root that is slow gets far behind
 *        adapting again TIMES   reductions of which MPI refuses some at one rank, which makes them
 * anew adapting large         counts that an int holds at some ranks only adapting abort ends by
 * MPI_Abort in the middle */
#include "program.h"

enum { MOST = 600, ROOM = MOST * MOST_RANKS };

static int rank, n, differences;
static int given[ROOM], got[2][ROOM], counts[MOST_RANKS], places[MOST_RANKS];

typedef struct {
    int count, root;
    MPI_Comm comm;
} call;

typedef void operation(const functions *f, const call *c, int *to);

static void barrier(const functions *f, const call *c, int *to)
{
    (void)to;
    f->barrier(c->comm);
}

static void bcast(const functions *f, const call *c, int *to)
{
    if (rank == c->root)
        memcpy(to, given, (size_t)c->count * sizeof *to);
    f->bcast(to, c->count, MPI_INT, c->root, c->comm);
}

static void scatter(const functions *f, const call *c, int *to)
{
    f->scatter(given, c->count, MPI_INT, to, c->count, MPI_INT, c->root, c->comm);
}

static void scatterv(const functions *f, const call *c, int *to)
{
    f->scatterv(given, counts, places, MPI_INT, to, counts[rank], MPI_INT, c->root, c->comm);
}

static void gather(const functions *f, const call *c, int *to)
{
    f->gather(given, c->count, MPI_INT, to, c->count, MPI_INT, c->root, c->comm);
}

static void gatherv(const functions *f, const call *c, int *to)
{
    f->gatherv(given, counts[rank], MPI_INT, to, counts, places, MPI_INT, c->root, c->comm);
}

static void allgather(const functions *f, const call *c, int *to)
{
    f->allgather(given, c->count, MPI_INT, to, c->count, MPI_INT, c->comm);
}

static void allgatherv(const functions *f, const call *c, int *to)
{
    f->allgatherv(given, counts[rank], MPI_INT, to, counts, places, MPI_INT, c->comm);
}

static void alltoall(const functions *f, const call *c, int *to)
{
    f->alltoall(given, c->count, MPI_INT, to, c->count, MPI_INT, c->comm);
}

static void alltoallv(const functions *f, const call *c, int *to)
{
    int each[MOST_RANKS], from[MOST_RANKS];
    for (int q = 0; q < n; q++) { /* what q sends to all is as long as its own block */
        each[q] = counts[rank];
        from[q] = places[q];
    }
    f->alltoallv(given, each, from, MPI_INT, to, counts, places, MPI_INT, c->comm);
}

/* Only the first process's block is of so many elements. */
static void to_oneself(const functions *f, const call *c, int *to)
{
    int own[MOST_RANKS] = {0}, at[MOST_RANKS] = {0};
    own[rank] = rank ? 1 : c->count;
    f->alltoallv(given, own, at, MPI_INT, to, own, at, MPI_INT, c->comm);
}

static void reduce(const functions *f, const call *c, int *to)
{
    f->reduce(given, to, c->count, MPI_INT, MPI_SUM, c->root, c->comm);
}

static void allreduce(const functions *f, const call *c, int *to)
{
    f->allreduce(given, to, c->count, MPI_INT, MPI_MAX, c->comm);
}

static void reduce_scatter(const functions *f, const call *c, int *to)
{
    f->reduce_scatter(given, to, counts, MPI_INT, MPI_SUM, c->comm);
}

static void reduce_scatter_block(const functions *f, const call *c, int *to)
{
    f->reduce_scatter_block(given, to, c->count, MPI_INT, MPI_SUM, c->comm);
}

static operation *const operations[] = {
    barrier,    bcast,    scatter,   scatterv, gather,    gatherv,        allgather,
    allgatherv, alltoall, alltoallv, reduce,   allreduce, reduce_scatter, reduce_scatter_block};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Blocks of count elements on average, the own as long as all know. */
static void prepare(int count, int salt)
{
    for (int q = 0, at = 0; q < n; at += counts[q++]) {
        counts[q] = count < 2 ? count : count - count / 2 + (q + salt) % n * count / n;
        if (count == 12 && q % 2)
            counts[q] = 0;
        places[q] = at;
    }
    for (int i = 0; i < ROOM; i++)
        given[i] = salt * 7919 + rank * 1009 + i;
}

static void compare(operation *o, const call *c, int salt)
{
    prepare(c->count, salt);
    for (int k = 0; k < 2; k++)
        memset(got[k], -1, sizeof got[k]);
    o(&native, c, got[0]);
    o(&called, c, got[1]);
    if (memcmp(got[0], got[1], sizeof got[0]) != 0 && differences++ < 10)
        fprintf(stderr, "rank %d: %d elements, root %d: other values\n", rank, c->count, c->root);
}

static void all_calls_are_right(int times)
{
    const int sizes[] = {3, 150};
    for (int k = 0; k < times; k++)
        for (int o = 0; o < OPERATIONS; o++)
            for (int s = 0; s < 2; s++) {
                call c = {sizes[s], k % 2 ? n - 1 : 0, MPI_COMM_WORLD};
                compare(operations[o], &c, s);
            }
}

static void broadcasts_are_right(int times, MPI_Comm comm)
{
    call c = {100, 0, comm};
    for (int k = 0; k < times; k++)
        compare(bcast, &c, k % 2);
}

static void duplicates_are_like_the_first(int times)
{
    enum { EACH = 2000 };
    for (int k = 0; k < times; k += EACH) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        broadcasts_are_right(EACH, comm);
        MPI_Comm_free(&comm);
    }
}

static void sizes_may_change(void)
{
    for (int k = 0; k < 150; k++) {
        call c = {k < 100 ? 20 : 1 + k % 50, 0, MPI_COMM_WORLD};
        compare(alltoallv, &c, k % 3);
        compare(to_oneself, &c, k % 2);
        compare(gatherv, &c, k % 5);
        compare(scatterv, &c, k % 4);
    }
}

/* Sizes that are alike, and not, for a while; some blocks are empty, and in some calls all. */
static int rooted_count(int k)
{
    if (k < 60)
        return 140 + k % 7;
    if (k < 100)
        return 12;
    if (k < 140)
        return k % 2 ? 3 : 150;
    return k % 5 ? 1 + k % 100 : 0;
}

static void roots_alone_may_know_sizes(void)
{
    for (int k = 0; k < 220; k++) {
        call c = {rooted_count(k), k < 180 ? n - 1 : k % n, MPI_COMM_WORLD};
        compare(gatherv, &c, k % 3);
        compare(scatterv, &c, k < 60 ? 0 : k % 4);
        if (k % 50 == 49)
            compare(allreduce, &c, 0);
    }
}

/* The number of calls of the last one is such that ranks are likely to be in the middle. */
static void communicators_end_at_any_time(void)
{
    const int calls[] = {1, 63, 64, 65, 66, 72, 73, 81, 83, 140, 150};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < calls[k]; i++) {
            call c = {10, 0, comm};
            compare(i % 3 ? allreduce : bcast, &c, i % 2);
        }
        MPI_Comm_free(&comm);
    }
    for (int i = 0; i < 101; i++) {
        call c = {10, 0, MPI_COMM_WORLD};
        compare(allgather, &c, i % 2);
    }
}

static void refused_calls_do_no_harm(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int k = 0; k < 200; k++) {
        call c = {10, 0, MPI_COMM_WORLD};
        compare(k % 2 ? allreduce : bcast, &c, k % 3);
        if (k % 47 == 30 && MPI_Bcast(got, -1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS)
            differences++;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Calls like those before, but for the buffer. */
static void calls_that_are_passed_on_are_right(int times)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int k = 0; k < times; k++) {
        call c = {10, 0, MPI_COMM_WORLD};
        compare(bcast, &c, 0);
        compare(allreduce, &c, 0);
        compare(allgather, &c, 0);
        if (k == times / 2 && MPI_Allreduce(got, got, 10, MPI_INT, MPI_MAX, c.comm) == MPI_SUCCESS)
            differences++;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static volatile long *reached; /* [n] calls that each rank has begun; all see them */

/* The last rank, the root, is slow, and the slower the farther it is behind rank 0. */
static void add_slowly(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const double seconds = 6e-6 + 1e-7 * (double)(reached[0] - reached[n - 1]);
    for (int k = 0; k < *count; k++)
        ((int *)inout)[k] += ((int *)in)[k];
    for (double start = MPI_Wtime(); rank == n - 1 && MPI_Wtime() - start < seconds;)
        ;
}

/* What comes is taken from where it would hold its sender back. */
static void look_for_messages(void)
{
    int found;
    for (double start = MPI_Wtime(); MPI_Wtime() - start < 2e-5;)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

/* Prints by how many calls the others are ahead of the root at most, when it has made some. */
static void a_root_may_be_slow(int times)
{
    const int root = n - 1, some = 200;
    long most = 0;
    MPI_Win window;
    MPI_Op add;
    MPI_Aint bytes;
    int unit;
    MPI_Win_allocate_shared(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                            (void *)&reached, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, (void *)&reached);
    reached[rank] = 0;
    MPI_Op_create(add_slowly, 1, &add);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < times; k++) {
        reached[rank]++;
        MPI_Reduce(given, got[0], 2, MPI_INT, add, root, MPI_COMM_WORLD);
        differences += rank == root && got[0][1] != n * given[1];
        if (rank == root)
            look_for_messages();
        for (int q = 0; rank == root && k >= some && q < n; q++)
            most = reached[q] - k > most ? reached[q] - k : most;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == root)
        printf("ahead %ld\n", most);
    MPI_Op_free(&add);
    MPI_Win_free(&window);
}

/* A rank that has made a refused call anew is no call ahead of the others. Open MPI looks at no
 * buffers. */
static void refused_calls_are_made_again(int times)
{
    const int count = 256;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int k = 0; k < times; k++) {
#ifndef OPEN_MPI
        if (rank == 1 && k > 200 && k % 97 == 0)
            differences +=
                MPI_Reduce(NULL, got[0], count, MPI_INT, MPI_SUM, 0, comm) == MPI_SUCCESS;
#endif
        MPI_Reduce(given, got[0], count, MPI_INT, MPI_SUM, 0, comm);
        differences += rank == 0 && got[0][1] != n * given[1];
        for (double start = MPI_Wtime(); rank == 0 && MPI_Wtime() - start < 1e-5;)
            ;
    }
    MPI_Comm_free(&comm);
}

/* Elements without data: MPI takes so many of them. */
static void counts_may_be_large_at_some_ranks(void)
{
#if MPI_VERSION >= 4
    MPI_Datatype nothing;
    MPI_Count count = rank ? 1 : (MPI_Count)1 << 31;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    for (int k = 0; k < 200; k++) {
        call c = {10, 0, MPI_COMM_WORLD};
        compare(bcast, &c, k % 2);
        MPI_Allgather_c(given, count, nothing, got, count, nothing, MPI_COMM_WORLD);
        compare(bcast, &c, k % 3);
    }
    MPI_Type_free(&nothing);
#endif
}

static void abort_in_the_middle(void)
{
    for (int k = 0;; k++) {
        call c = {10, 0, MPI_COMM_WORLD};
        compare(allgather, &c, k % 2);
        if (k == 333 && rank == n - 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    const char *what = argc > 1 ? argv[1] : "calls";
    if (strcmp(what, "calls") == 0)
        all_calls_are_right(argc > 2 ? atoi(argv[2]) : 100);
    else if (strcmp(what, "bcasts") == 0)
        broadcasts_are_right(argc > 2 ? atoi(argv[2]) : 1000, MPI_COMM_WORLD);
    else if (strcmp(what, "duplicates") == 0)
        duplicates_are_like_the_first(argc > 2 ? atoi(argv[2]) : 1000);
    else if (strcmp(what, "changes") == 0)
        sizes_may_change();
    else if (strcmp(what, "rooted") == 0)
        roots_alone_may_know_sizes();
    else if (strcmp(what, "lives") == 0)
        communicators_end_at_any_time();
    else if (strcmp(what, "refused") == 0)
        refused_calls_do_no_harm();
    else if (strcmp(what, "passed") == 0)
        calls_that_are_passed_on_are_right(argc > 2 ? atoi(argv[2]) : 1000);
    else if (strcmp(what, "ahead") == 0)
        a_root_may_be_slow(argc > 2 ? atoi(argv[2]) : 1000);
    else if (strcmp(what, "again") == 0)
        refused_calls_are_made_again(argc > 2 ? atoi(argv[2]) : 1000);
    else if (strcmp(what, "large") == 0)
        counts_may_be_large_at_some_ranks();
    else if (strcmp(what, "abort") == 0)
        abort_in_the_middle();
    return finish(differences);
}
