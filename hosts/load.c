#include "hosts/load.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/hash.h"

/* ---- what Linux says */

/* What stands behind key, which begins a line of a file of /proc; empty if there is none. */
static void find_line(const char *path, const char *key, char *rest, int size)
{
    char line[512];
    *rest = '\0';
    FILE *f = fopen(path, "r");
    while (f && !*rest && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            snprintf(rest, (size_t)size, "%s", line + strlen(key));
    if (f)
        fclose(f);
}

/* 0 if there is none. */
static long number_in(const char *path, const char *key)
{
    char rest[512];
    find_line(path, key, rest, sizeof rest);
    return strtol(rest + strcspn(rest, "0123456789"), NULL, 10);
}

/* Of all processors together: all kinds of work, and what a hypervisor gave to others. */
static double busy_seconds(void)
{
    enum { IDLE = 3, WAITING = 4, KINDS = 8 };
    char rest[512], *at = rest;
    double ticks = 0;
    find_line("/proc/stat", "cpu ", rest, sizeof rest);
    for (int kind = 0; kind < KINDS; kind++) {
        double more = strtod(at, &at);
        ticks += kind == IDLE || kind == WAITING ? 0 : more;
    }
    return ticks / (double)sysconf(_SC_CLK_TCK);
}

mpib_usage mpib_usage_now(void)
{
    struct timespec t;
    struct rusage u;
    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &u);
    return (mpib_usage){.when = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec,
                        .busy = busy_seconds(),
                        .own = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                               1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
                        .moves = number_in("/proc/self/sched", "se.nr_migrations")};
}

static void sleep_for(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&t, NULL);
}

/* Processes that could run, but for the one that asks: the median of a few moments, as some run for
 * a moment on every machine. */
static double runnable_others(void)
{
    enum { MOMENTS = 9 };
    int seen[MOMENTS + 1] = {0}, below = 0, others = 0;
    for (int i = 0; i < MOMENTS; i++) {
        sleep_for(2e-3);
        long running = number_in("/proc/stat", "procs_running") - 1;
        seen[running < 0 ? 0 : running < MOMENTS ? running : MOMENTS]++;
    }
    while ((below += seen[others]) <= MOMENTS / 2)
        others++;
    return others;
}

/* ---- over the ranks */

typedef struct {
    double excess;
    int rank;
} candidate; /* as MPI_DOUBLE_INT */

const double mpib_tolerated_use = 0.1;

static double excess_of(const mpib_load *l)
{
    return l->others - (l->processors - l->ranks);
}

bool mpib_load_disturbs(const mpib_load *l, double tolerance)
{
    return l->others > tolerance && excess_of(l) > tolerance;
}

/* Every rank has its own host's load; all get the worst one, and the most moves. */
static void spread_worst(MPI_Comm comm, mpib_load *l)
{
    candidate mine = {excess_of(l), 0}, worst;
    double moves = l->moves;
    MPI_Comm_rank(comm, &mine.rank);
    worst = mine;
    PMPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    PMPI_Allreduce(&moves, &l->moves, 1, MPI_DOUBLE, MPI_MAX, comm);
    moves = l->moves;
    PMPI_Bcast(l, (int)sizeof *l, MPI_BYTE, worst.rank, comm);
    l->moves = moves;
}

static void describe_host(MPI_Comm machine, mpib_load *l)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    *l = (mpib_load){.processors = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    MPI_Comm_size(machine, &l->ranks);
    MPI_Get_processor_name(name, &(int){0});
    cpm_escape_word(name, l->name, sizeof l->name);
}

/* The same for all processes of one running kernel, whatever their hosts are called: emulated hosts
 * have one machine. */
static int machine_key(void)
{
    char id[MPI_MAX_PROCESSOR_NAME + 1];
    uint64_t key = 1;
    find_line("/proc/sys/kernel/random/boot_id", "", id, sizeof id);
    if (!*id)
        MPI_Get_processor_name(id, &(int){0});
    for (const char *c = id; *c; c++)
        key = cpm_hash_mix(key, (unsigned char)*c);
    return (int)(key & INT_MAX);
}

static int split(MPI_Comm comm, MPI_Comm *machine, cpm_error *e)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (PMPI_Comm_split(comm, machine_key(), rank, machine) != MPI_SUCCESS)
        return cpm_fail(e, CPM_EMPI, "MPI cannot split a communicator by hosts");
    return CPM_OK;
}

int mpib_load_now(MPI_Comm comm, mpib_load *out, cpm_error *e)
{
    const double settling = 3e-3, looking = 3e-2;
    MPI_Comm machine;
    int status = split(comm, &machine, e), rank;
    if (status)
        return status;
    describe_host(machine, out);
    MPI_Comm_rank(machine, &rank);
    PMPI_Barrier(comm);
    sleep_for(rank == 0 ? settling : looking); /* a rank that waits within MPI could run */
    if (rank == 0)
        out->others = runnable_others();
    PMPI_Bcast(&out->others, 1, MPI_DOUBLE, 0, machine);
    PMPI_Comm_free(&machine);
    spread_worst(comm, out);
    return CPM_OK;
}

int mpib_load_since(MPI_Comm comm, const mpib_usage *since, mpib_load *out, cpm_error *e)
{
    MPI_Comm machine;
    mpib_usage now = mpib_usage_now();
    double own = now.own - since->own, all = own, elapsed = now.when - since->when;
    int status = split(comm, &machine, e);
    if (status)
        return status;
    describe_host(machine, out);
    PMPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, machine);
    PMPI_Comm_free(&machine);
    if (elapsed > 0) {
        out->others = fmax(0, now.busy - since->busy - all) / elapsed;
        out->moves = (double)(now.moves - since->moves) / elapsed;
    }
    spread_worst(comm, out);
    return CPM_OK;
}

double mpib_shortest_trip(MPI_Comm comm, int trips)
{
    enum { TAG = 61 };
    double shortest = INFINITY;
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    for (int i = 0; i < trips && n > 1 && rank < 2; i++) {
        double start = MPI_Wtime();
        if (rank == 0)
            PMPI_Send(NULL, 0, MPI_BYTE, 1, TAG, comm);
        PMPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, TAG, comm, MPI_STATUS_IGNORE);
        if (rank == 1)
            PMPI_Send(NULL, 0, MPI_BYTE, 0, TAG, comm);
        shortest = fmin(shortest, MPI_Wtime() - start);
    }
    PMPI_Bcast(&shortest, 1, MPI_DOUBLE, 0, comm);
    return n > 1 ? shortest : 0;
}
