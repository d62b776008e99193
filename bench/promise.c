/* Collectives back to back, as benchmarks and many programs call them; nothing of CPM in it.
 * bench/promise runs it natively and with CPM in turns.
 *
 * mpiexec -n N bench_promise SECONDS [OPERATION[,OPERATION]...]: of each operation and size, about
 * as many seconds, 50 to 20,000 calls. Prints operation, bytes of a block, calls, microseconds of
 * the loop per call, and instructions of rank 0 outside the kernel per call, "-" if the kernel or
 * the machine does not count them.
 */
#include <linux/perf_event.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 1 << 20, MOST_BLOCK = 1 << 17, FEWEST = 50, MOST_CALLS = 1 << 20, FIRST = 20 };

static void *given, *got;

static void bcast(int bytes)
{
    MPI_Bcast(given, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(int bytes)
{
    MPI_Reduce(given, got, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(int bytes)
{
    MPI_Allreduce(given, got, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(int bytes)
{
    MPI_Gather(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scatter(int bytes)
{
    MPI_Scatter(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void allgather(int bytes)
{
    MPI_Allgather(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(int bytes)
{
    MPI_Alltoall(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void reduce_scatter(int bytes)
{
    MPI_Reduce_scatter_block(given, got, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier(int bytes)
{
    (void)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*call)(int bytes);
    int most; /* bytes of a block */
} operations[] = {
    {"bcast", bcast, MOST},
    {"reduce", reduce, MOST},
    {"allreduce", allreduce, MOST},
    {"gather", gather, MOST_BLOCK},
    {"scatter", scatter, MOST_BLOCK},
    {"allgather", allgather, MOST_BLOCK},
    {"alltoall", alltoall, MOST_BLOCK},
    {"reduce_scatter", reduce_scatter, MOST_BLOCK},
    {"barrier", barrier, 8},
};

/* ---- instructions */

static int counter = -1;

/* Pinned: it counts all the time, or what it reads says that it did not. */
static void open_counter(void)
{
    struct perf_event_attr what = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof what,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .pinned = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    counter = (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0UL);
}

/* Of this process until now; -1: not counted. */
static long long instructions(void)
{
    long long count;
    return counter >= 0 && read(counter, &count, sizeof count) == sizeof count ? count : -1;
}

/* ---- a loop */

typedef struct {
    double seconds;         /* until all ranks are through */
    long long instructions; /* of this rank; -1: not counted */
} cost;

static cost cost_of(void (*call)(int bytes), int bytes, int calls)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    long long first = instructions();
    double start = PMPI_Wtime();
    for (int k = 0; k < calls; k++)
        call(bytes);
    long long last = instructions();
    PMPI_Barrier(MPI_COMM_WORLD);
    return (cost){PMPI_Wtime() - start, first < 0 || last < 0 ? -1 : last - first};
}

/* Calls that take so many seconds: the first ones take longer, so more are made until these take a
 * tenth of that. */
static int calls_in(double seconds, void (*call)(int bytes), int bytes)
{
    double longest = 0;
    int made = FIRST;
    for (;; made *= 4) {
        double own = cost_of(call, bytes, made).seconds;
        PMPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (longest >= seconds / 10 || made >= MOST_CALLS / 16)
            break;
    }
    const double calls = seconds / longest * made;
    return calls < FEWEST ? FEWEST : calls > MOST_CALLS ? MOST_CALLS : (int)calls;
}

static void run_row(int k, int bytes, double seconds, int rank)
{
    void (*call)(int) = operations[k].call;
    const int calls = calls_in(seconds, call, bytes);
    cost took = cost_of(call, bytes, calls);
    if (rank != 0)
        return;
    printf("%s\t%d\t%d\t%.3f\t", operations[k].name, bytes, calls, took.seconds / calls * 1e6);
    if (took.instructions < 0)
        puts("-");
    else
        printf("%.1f\n", (double)took.instructions / calls);
    fflush(stdout);
}

static int is_asked(const char *name, const char *list)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length]))
            return 1;
    }
    return !list;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 1024, 16384, 131072, 1048576};
    int rank, n;
    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &n);
    open_counter();
    given = calloc((size_t)n, MOST);
    got = calloc((size_t)n, MOST);
    if (argc < 2 || !given || !got) {
        fprintf(stderr,
                argc < 2 ? "usage: bench_promise SECONDS [OPERATION,...]\n" : "out of memory\n");
        PMPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if (sizes[s] <= operations[k].most &&
                is_asked(operations[k].name, argc > 2 ? argv[2] : NULL))
                run_row((int)k, sizes[s], strtod(argv[1], NULL), rank);
    free(given);
    free(got);
    MPI_Finalize();
    return 0;
}
