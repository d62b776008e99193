/* A collective under way while one process computes. An ordinary program that knows nothing of CPM.
 *
 * usage: progressing FILE SECONDS nonblocking|persistent [LEVEL]: process 1 begins an allreduce,
 * says so in FILE, and calls no MPI until process 0, whose own has ended, has written that there,
 * too, or SECONDS have passed. The others begin after process 1, as its own call else goes on where
 * they wait for it already. The exit code says whether they have, or a result is wrong. LEVEL: of
 * threads, a number as MPI's that the program asks for; it is to be told that it has it. */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ELEMENTS = 3000, TIMES = 3 };

typedef struct {
    volatile int begun, ended; /* the times that process 1 has begun, and process 0 has ended */
} shared;

static double mine[ELEMENTS], sum[ELEMENTS];
static int rank, n;

static shared *share(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    void *at = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(shared)) == 0)
        at = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    close(file);
    return at;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Whether another process has ended the computation. */
static bool compute(const shared *s, int until, double seconds)
{
    volatile double x = 0;
    const double start = now();
    while (s->ended < until && now() - start < seconds)
        for (int k = 0; k < 1000; k++)
            x = x + k;
    return s->ended >= until;
}

/* Calls no MPI until process 1 has begun. */
static void await(const shared *s, int time)
{
    while (s->begun < time)
        sched_yield();
}

static bool is_right(int time)
{
    for (int k = 0; k < ELEMENTS; k++)
        if (sum[k] != n * (n - 1) / 2.0 + (double)n * (k + time))
            return false;
    return true;
}

static void fill(int time)
{
    memset(sum, 0, sizeof sum);
    for (int k = 0; k < ELEMENTS; k++)
        mine[k] = rank + k + time;
}

static void begin(bool persistent, MPI_Request *request)
{
    if (persistent)
        MPI_Start(request);
    else
        MPI_Iallreduce(mine, sum, ELEMENTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
}

/* What has not been decided yet is MPI's own, and decided in a call for which all wait. */
static void prepare(bool persistent, MPI_Request *request)
{
    MPI_Request first;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iallreduce(mine, sum, ELEMENTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &first);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
    if (persistent)
        MPI_Allreduce_init(mine, sum, ELEMENTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           request);
#else
    (void)persistent, (void)request;
#endif
}

static int run(shared *s, double seconds, bool persistent)
{
    MPI_Request request;
    int wrong = 0;
    prepare(persistent, &request);
    for (int time = 1; time <= TIMES; time++) {
        fill(time);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != 1)
            await(s, time);
        begin(persistent, &request);
        if (rank == 1)
            s->begun = time;
        if (rank == 1 && !compute(s, time, seconds) && ++wrong)
            printf("rank 1 computed in vain\n");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 0)
            s->ended = time;
        if (!is_right(time) && ++wrong)
            printf("rank %d: wrong result\n", rank);
    }
    if (persistent)
        MPI_Request_free(&request);
    return wrong;
}

static bool is_told(int level)
{
    int asked = -1;
    MPI_Query_thread(&asked);
    return asked == level;
}

int main(int argc, char **argv)
{
    const int level = argc > 4 ? (int)strtol(argv[4], NULL, 10) : MPI_THREAD_SINGLE;
    int provided = level, wrong = 0, all = 0;
    if (argc > 4)
        MPI_Init_thread(&argc, &argv, level, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc < 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if ((provided != level || !is_told(level)) && ++wrong)
        printf("rank %d: another level of threads: %d\n", rank, provided);
    wrong += run(share(argv[1]), strtod(argv[2], NULL), strcmp(argv[3], "persistent") == 0);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
