/* What programs do with communicators: duplicate and free them by the thousand, keep many, split,
 * order them as grids, connect two groups, use one in each thread; and what they rely on besides
 * results: errors that come back, messages that are not touched.
 *
 * usage: communicators [TIMES [MANY]]: so many are duplicated and freed (100), and so many live
 * together (1200) */
#include "program.h"

#include <pthread.h>

enum { THREADS = 4, CALLS = 50, TAG = 3, MANY = 1200 };

static int differences, world_rank, world_size;

static void expect(bool holds, const char *what)
{
    if (!holds && differences++ < 10)
        fprintf(stderr, "rank %d of %d: %s\n", world_rank, world_size, what);
}

/* Every kind of data flow once, with known results. */
static bool works(MPI_Comm comm, int salt)
{
    int n, rank, own, sum = -1, all[64], first;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &rank);
    own = salt * 100 + rank;
    first = own;
    bool right = MPI_Bcast(&first, 1, MPI_INT, n - 1, comm) == MPI_SUCCESS;
    right = right && first == salt * 100 + n - 1;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
    right = right && sum == n * salt * 100 + n * (n - 1) / 2;
    MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int q = 0; q < n; q++)
        right = right && all[q] == salt * 100 + q;
    own = -1;
    MPI_Scatter(all, 1, MPI_INT, &own, 1, MPI_INT, 0, comm);
    return right && own == salt * 100 + rank && MPI_Barrier(comm) == MPI_SUCCESS;
}

/* More than there can be at the same time. */
static void duplicates_come_and_go(int times)
{
    for (int k = 0; k < times; k++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        int value = world_rank == 0 ? k : -1;
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        expect(value == k, "wrong value in a duplicate");
        MPI_Comm_free(&comm);
    }
}

/* More than half of what MPICH can have: the library may not take one for each. */
static void many_live_together(int many)
{
    static MPI_Comm comm[MANY];
    for (int k = 0; k < many; k++) {
        MPI_Comm_dup(k ? comm[k - 1] : MPI_COMM_WORLD, &comm[k]);
        int value = world_rank == 0 ? k : -1;
        MPI_Bcast(&value, 1, MPI_INT, 0, comm[k]);
        expect(value == k, "wrong value in one of many");
    }
    for (int k = 0; k < many; k++)
        MPI_Comm_free(&comm[k]);
}

static void all_ways_to_make_one_work(void)
{
    MPI_Comm made[5] = {MPI_COMM_SELF};
    MPI_Request request;
    MPI_Info info;
    const int periodic = 1;
    MPI_Info_create(&info);
    MPI_Comm_idup(MPI_COMM_WORLD, &made[1], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made[2]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &periodic, 1, &made[3]);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -world_rank, info, &made[4]);
    for (int k = 0; k < 5; k++) {
        expect(works(made[k], k) && works(made[k], k + 1), "wrong result in a made communicator");
        if (k)
            MPI_Comm_free(&made[k]);
    }
    MPI_Info_free(&info);
}

/* Two groups: what each gets comes from the other. */
static void groups_work_through(const functions *f, MPI_Comm inter, bool low, int *got)
{
    int n, own = world_rank + 10, all[MOST_RANKS * 2] = {0};
    MPI_Comm_remote_size(inter, &n);
    int root = low ? (world_rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    for (int q = 0; q < n; q++)
        all[q] = 50 + q;
    got[0] = low ? 7 : 0;
    f->bcast(&got[0], 1, MPI_INT, root, inter);
    f->barrier(inter);
    f->allreduce(&own, &got[1], 1, MPI_INT, MPI_SUM, inter);
    f->reduce(&own, &got[2], 1, MPI_INT, MPI_MAX, root, inter);
    f->allgather(&own, 1, MPI_INT, &got[10], 1, MPI_INT, inter);
    f->alltoall(all, 1, MPI_INT, &got[30], 1, MPI_INT, inter);
    f->scatter(all, 1, MPI_INT, &got[3], 1, MPI_INT, root, inter);
    f->gather(&own, 1, MPI_INT, &got[50], 1, MPI_INT, root, inter);
}

static void inter_communicators_work(void)
{
    MPI_Comm half, inter;
    int expected[80] = {0}, got[80] = {0};
    bool low = world_rank < (world_size + 1) / 2;
    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, low, world_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? (world_size + 1) / 2 : 0, TAG, &inter);
    for (int times = 0; times < 2; times++) {
        groups_work_through(&native, inter, low, expected);
        groups_work_through(&called, inter, low, got);
        expect(memcmp(expected, got, sizeof got) == 0, "other values from another group");
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

typedef struct {
    MPI_Comm comm;
    int number;
    bool right;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int k = 0; k < CALLS && w->right; k++)
        w->right = works(w->comm, w->number + k % 3);
    return NULL;
}

static void threads_have_one_each(void)
{
    worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (worker){.number = k, .right = true};
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[k].comm);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_create(&threads[k], NULL, work, &workers[k]);
    for (int k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        expect(workers[k].right, "wrong result in a thread");
        MPI_Comm_free(&workers[k].comm);
    }
}

static int class_of(int code)
{
    int class = code;
    MPI_Error_class(code, &class);
    return class;
}

static int handled;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    handled++;
}

/* Both functions complain of the same. */
#define EXPECT_SAME_ERROR(function, ...)                                                        \
    do {                                                                                        \
        int right = class_of(P##function(__VA_ARGS__)), code = class_of(function(__VA_ARGS__)); \
        expect(right != MPI_SUCCESS && code == right, #function "(" #__VA_ARGS__ ")");          \
    } while (0)

static void wrong_calls_return_errors(void)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    int a[64] = {0}, b[64] = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    expect(works(comm, 1), "wrong result with errors that return");
    EXPECT_SAME_ERROR(MPI_Bcast, a, 1, MPI_INT, world_size, comm);
    EXPECT_SAME_ERROR(MPI_Bcast, a, -1, MPI_INT, 0, comm);
    EXPECT_SAME_ERROR(MPI_Bcast, a, 1, MPI_DATATYPE_NULL, 0, comm);
    EXPECT_SAME_ERROR(MPI_Bcast, a, 1, MPI_INT, 0, MPI_COMM_NULL);
    EXPECT_SAME_ERROR(MPI_Allreduce, a, b, 1, MPI_INT, MPI_OP_NULL, comm);
    EXPECT_SAME_ERROR(MPI_Allgather, a, 1, MPI_INT, b, -1, MPI_INT, comm);
    EXPECT_SAME_ERROR(MPI_Gather, a, 1, MPI_INT, b, 1, MPI_INT, -1, comm);
    EXPECT_SAME_ERROR(MPI_Barrier, MPI_COMM_NULL);
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Bcast(a, 1, MPI_INT, -5, comm);
    expect(handled == 1, "the program's error handler was not called once");
    expect(works(comm, 2), "wrong result after errors");
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
}

static int copy_with_calls(MPI_Comm comm, int key, void *extra, void *value, void *copy,
                           int *copied)
{
    (void)key, (void)extra;
    expect(works(comm, 4), "wrong result in a function that copies an attribute");
    *(void **)copy = value;
    *copied = 1;
    return MPI_SUCCESS;
}

static int end_with_calls(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    expect(works(comm, 5), "wrong result in a function that ends an attribute");
    return MPI_SUCCESS;
}

/* Attributes of before the first collective and of after it, for MPI ends them one by one. */
static void functions_of_attributes_may_call(void)
{
    int key[6];
    MPI_Comm comm, copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int k = 0; k < 6; k++)
        MPI_Comm_create_keyval(copy_with_calls, end_with_calls, &key[k], NULL);
    for (int k = 0; k < 6; k++) {
        MPI_Comm_set_attr(comm, key[k], NULL);
        if (k % 3 == 2)
            expect(works(comm, k), "wrong result among attributes");
    }
    for (int k = 0; k < 10; k++) {
        MPI_Comm_dup(comm, &copy);
        expect(works(copy, k), "wrong result in a copy with attributes");
        if (k % 2)
            MPI_Comm_free(&copy);
        else
            MPI_Comm_disconnect(&copy);
    }
    MPI_Comm_free(&comm);
    for (int k = 0; k < 6; k++)
        MPI_Comm_free_keyval(&key[k]);
}

/* A receive that takes anything gets the program's message. */
static void messages_of_the_program_are_not_touched(void)
{
    MPI_Request request;
    MPI_Status status;
    int got = -1, next = (world_rank + 1) % world_size,
        from = (world_rank + world_size - 1) % world_size;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    expect(works(MPI_COMM_WORLD, 3), "wrong result beside an open receive");
    MPI_Send(&world_rank, 1, MPI_INT, next, TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    expect(got == from && status.MPI_SOURCE == from && status.MPI_TAG == TAG,
           "an open receive got another message");
}

#if MPI_VERSION >= 4
static void large_counts_work(void)
{
    int n = world_size, own[2] = {world_rank, 5}, all[2 * MOST_RANKS] = {0}, sum[2], block[2];
    MPI_Count insignificant = (MPI_Count)1 << 40;
    bool root = world_rank == 0;
    MPI_Gather_c(own, 2, MPI_INT, all, root ? 2 : insignificant, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast_c(all, 2 * n, MPI_INT, 0, MPI_COMM_WORLD);
    for (int q = 0; q < n; q++)
        expect(all[2 * q] == q && all[2 * q + 1] == 5, "MPI_Gather_c, MPI_Bcast_c");
    MPI_Scatter_c(all, root ? 2 : insignificant, MPI_INT, block, 2, MPI_INT, 0, MPI_COMM_WORLD);
    expect(block[0] == world_rank && block[1] == 5, "MPI_Scatter_c");
    MPI_Allreduce_c(own, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum[0] == n * (n - 1) / 2 && sum[1] == 5 * n, "MPI_Allreduce_c");
    memset(all, 0, sizeof all);
    MPI_Allgather_c(own, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall_c(MPI_IN_PLACE, insignificant, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    for (int q = 0; q < n; q++)
        expect(all[2 * q] == world_rank && all[2 * q + 1] == 5, "MPI_Allgather_c, MPI_Alltoall_c");
    MPI_Reduce_scatter_block_c(all, block, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    expect(block[0] == n - 1 && block[1] == 5, "MPI_Reduce_scatter_block_c");
    MPI_Reduce_c(own, sum, 2, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    expect(!root || (sum[0] == n - 1 && sum[1] == 5), "MPI_Reduce_c");
}
#endif

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    messages_of_the_program_are_not_touched();
    duplicates_come_and_go(argc > 1 ? atoi(argv[1]) : 100);
    many_live_together(argc > 2 && atoi(argv[2]) < MANY ? atoi(argv[2]) : MANY);
    all_ways_to_make_one_work();
    inter_communicators_work();
    functions_of_attributes_may_call();
    if (provided == MPI_THREAD_MULTIPLE)
        threads_have_one_each();
    wrong_calls_return_errors();
#if MPI_VERSION >= 4
    large_counts_work();
#endif
    expect(works(MPI_COMM_WORLD, 9), "wrong result in the world");
    return finish(differences);
}
