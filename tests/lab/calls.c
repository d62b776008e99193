#include "calls.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    double *send, *recv;
    int *counts, *places; /* [n] doubles */
    int count, n, rank, root;
    MPI_Comm comm;
} trial;

typedef enum { NOTHING, OWN_BLOCK, ALL_BLOCKS } share;

typedef struct {
    const char *name;
    void (*run)(const trial *t);
    share gets;
    bool at_root, differ; /* only the root gets it; blocks differ */
} kind;

static void fail(const char *why)
{
    fprintf(stderr, "lab_adapt: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- operations ---- */

static void run_barrier(const trial *t)
{
    MPI_Barrier(t->comm);
}

static void run_bcast(const trial *t)
{
    MPI_Bcast(t->rank == t->root ? t->send : t->recv, t->count, MPI_DOUBLE, t->root, t->comm);
}

static void run_scatter(const trial *t)
{
    MPI_Scatter(t->send, t->count, MPI_DOUBLE, t->recv, t->count, MPI_DOUBLE, t->root, t->comm);
}

static void run_scatterv(const trial *t)
{
    MPI_Scatterv(t->send, t->counts, t->places, MPI_DOUBLE, t->recv, t->counts[t->rank], MPI_DOUBLE,
                 t->root, t->comm);
}

static void run_gather(const trial *t)
{
    MPI_Gather(t->send, t->count, MPI_DOUBLE, t->recv, t->count, MPI_DOUBLE, t->root, t->comm);
}

static void run_gatherv(const trial *t)
{
    MPI_Gatherv(t->send, t->counts[t->rank], MPI_DOUBLE, t->recv, t->counts, t->places, MPI_DOUBLE,
                t->root, t->comm);
}

static void run_allgather(const trial *t)
{
    MPI_Allgather(t->send, t->count, MPI_DOUBLE, t->recv, t->count, MPI_DOUBLE, t->comm);
}

static void run_allgatherv(const trial *t)
{
    MPI_Allgatherv(t->send, t->counts[t->rank], MPI_DOUBLE, t->recv, t->counts, t->places,
                   MPI_DOUBLE, t->comm);
}

static void run_alltoall(const trial *t)
{
    MPI_Alltoall(t->send, t->count, MPI_DOUBLE, t->recv, t->count, MPI_DOUBLE, t->comm);
}

/* Process i gives and gets blocks of the sizes that processes i, i + 1 ... have in a gather. */
static void run_alltoallv(const trial *t)
{
    int counts[t->n];
    for (int i = 0; i < t->n; i++)
        counts[i] = t->counts[(i + t->rank) % t->n];
    int places[t->n];
    for (int i = 0, sum = 0; i < t->n; sum += counts[i++])
        places[i] = sum;
    MPI_Alltoallv(t->send, counts, places, MPI_DOUBLE, t->recv, counts, places, MPI_DOUBLE,
                  t->comm);
}

/* Bytes that i sends to j, the same in every call: a sequence of (i, j) that fills the interval
 * from 0 to 1 evenly, as the logarithm of sizes from 1/1086 to 9.21 times the mean, which differ by
 * a factor of 10^4. */
static int particles_of(const trial *t, int i, int j)
{
    double at = fmod(0.6180339887 * i + 0.7548776662 * j + 0.1 * i * j, 1);
    return (int)(t->count * 9.2112 * pow(10, -4 * at));
}

/* Nothing goes to oneself. */
static void run_particles(const trial *t)
{
    int out[t->n], in[t->n], from[t->n], to[t->n];
    for (int i = 0, given = 0, got = 0; i < t->n; given += out[i], got += in[i], i++) {
        out[i] = i == t->rank ? 0 : particles_of(t, t->rank, i);
        in[i] = i == t->rank ? 0 : particles_of(t, i, t->rank);
        from[i] = given;
        to[i] = got;
        if (given + out[i] > 2 * t->n * t->count || got + in[i] > 2 * t->n * t->count)
            fail("particles need more processes");
    }
    MPI_Alltoallv(t->send, out, from, MPI_DOUBLE, t->recv, in, to, MPI_DOUBLE, t->comm);
}

double call_between;

/* Without a call of MPI. */
static void compute_and_wait(MPI_Request *request)
{
    if (call_between > 0)
        usleep((useconds_t)call_between);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void run_iallgather(const trial *t)
{
    MPI_Request request;
    MPI_Iallgather(t->send, t->count, MPI_DOUBLE, t->recv, t->count, MPI_DOUBLE, t->comm, &request);
    compute_and_wait(&request);
}

static void run_ialltoall(const trial *t)
{
    MPI_Request request;
    MPI_Ialltoall(t->send, t->count, MPI_DOUBLE, t->recv, t->count, MPI_DOUBLE, t->comm, &request);
    compute_and_wait(&request);
}

static void run_ibcast(const trial *t)
{
    MPI_Request request;
    MPI_Ibcast(t->rank == t->root ? t->send : t->recv, t->count, MPI_DOUBLE, t->root, t->comm,
               &request);
    compute_and_wait(&request);
}

static void run_reduce(const trial *t)
{
    MPI_Reduce(t->send, t->recv, t->count, MPI_DOUBLE, MPI_SUM, t->root, t->comm);
}

static void run_allreduce(const trial *t)
{
    MPI_Allreduce(t->send, t->recv, t->count, MPI_DOUBLE, MPI_SUM, t->comm);
}

static void run_reduce_scatter(const trial *t)
{
    MPI_Reduce_scatter(t->send, t->recv, t->counts, MPI_DOUBLE, MPI_SUM, t->comm);
}

static void run_reduce_scatter_block(const trial *t)
{
    MPI_Reduce_scatter_block(t->send, t->recv, t->count, MPI_DOUBLE, MPI_SUM, t->comm);
}

static const kind kinds[] = {
    {"barrier", run_barrier, NOTHING, false, false},
    {"bcast", run_bcast, OWN_BLOCK, false, false},
    {"scatter", run_scatter, OWN_BLOCK, false, false},
    {"scatterv", run_scatterv, OWN_BLOCK, false, true},
    {"gather", run_gather, ALL_BLOCKS, true, false},
    {"gatherv", run_gatherv, ALL_BLOCKS, true, true},
    {"allgather", run_allgather, ALL_BLOCKS, false, false},
    {"allgatherv", run_allgatherv, ALL_BLOCKS, false, true},
    {"alltoall", run_alltoall, ALL_BLOCKS, false, false},
    {"alltoallv", run_alltoallv, ALL_BLOCKS, false, true},
    {"reduce", run_reduce, OWN_BLOCK, true, false},
    {"allreduce", run_allreduce, OWN_BLOCK, false, false},
    {"reduce_scatter", run_reduce_scatter, OWN_BLOCK, false, true},
    {"reduce_scatter_block", run_reduce_scatter_block, OWN_BLOCK, false, false},
    {"particles", run_particles, ALL_BLOCKS, false, false},
    {"iallgather", run_iallgather, ALL_BLOCKS, false, false},
    {"ialltoall", run_ialltoall, ALL_BLOCKS, false, false},
    {"ibcast", run_ibcast, OWN_BLOCK, false, false},
};

int call_kind(const char *name)
{
    for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return i;
    return -1;
}

/* ---- data ---- */

/* Of long blocks every so many doubles are new in a call, and looked at. */
enum { STRIDE = 61 };

static struct {
    double *send, *recv;
    int *counts;
    size_t doubles;
    int n;
    uint64_t calls, checksum;
} data;

static void *room(void *old, size_t elements, size_t size)
{
    void *p = realloc(old, elements * size);
    if (!p)
        fail("no memory");
    return p;
}

static int stride_of(int count)
{
    return count > 64 * STRIDE ? STRIDE : 1;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/* Blocks between half and one and a half times count, which add up to about n times count. */
static void choose_blocks(trial *t, bool differ)
{
    int most = t->n > 1 ? t->n - 1 : 1;
    for (int i = 0, sum = 0; i < t->n; sum += t->counts[i++]) {
        t->counts[i] =
            differ ? t->count / 2 + (int)((long)t->count * (i * 7 % t->n) / most) : t->count;
        t->places[i] = sum;
    }
}

/* Room for twice what is needed: alltoallv may take more, or less, than its mean. */
static trial prepare(const kind *k, size_t bytes, int root, MPI_Comm comm)
{
    trial t = {.comm = comm, .root = root, .count = bytes < 8 ? 1 : (int)(bytes / 8)};
    MPI_Comm_rank(comm, &t.rank);
    MPI_Comm_size(comm, &t.n);
    size_t doubles = 2 * (size_t)t.n * (size_t)t.count;
    if (doubles > data.doubles) {
        data.send = room(data.send, doubles, sizeof *data.send);
        data.recv = room(data.recv, doubles, sizeof *data.recv);
        memset(data.send + data.doubles, 0, (doubles - data.doubles) * sizeof *data.send);
        memset(data.recv + data.doubles, 0, (doubles - data.doubles) * sizeof *data.recv);
        data.doubles = doubles;
    }
    if (t.n > data.n) {
        data.counts = room(data.counts, 2 * (size_t)t.n, sizeof *data.counts);
        data.n = t.n;
    }
    t.send = data.send;
    t.recv = data.recv;
    t.counts = data.counts;
    t.places = data.counts + t.n;
    choose_blocks(&t, k->differ);
    return t;
}

/* Whole numbers whose sum is exact in any order. */
static void fill(const trial *t)
{
    int rank, step = stride_of(t->count);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    uint64_t salt = mixed(++data.calls * 4096 + (uint64_t)rank);
    for (int i = 0; i < 2 * t->n * t->count; i += step)
        t->send[i] = (double)((salt + (uint64_t)i * 0x9e3779b1U) % 65521);
}

static void look(const trial *t, const kind *k)
{
    int step = stride_of(t->count), own = k->differ ? t->counts[t->rank] : t->count;
    int all = t->places[t->n - 1] + t->counts[t->n - 1];
    bool none = k->gets == NOTHING || (k->at_root && t->rank != t->root);
    for (int i = 0; !none && i < (k->gets == OWN_BLOCK ? own : all); i += step) {
        uint64_t bits;
        memcpy(&bits, &t->recv[i], sizeof bits);
        data.checksum = mixed(data.checksum + bits + (uint64_t)i);
    }
}

/* ---- times ---- */

typedef struct {
    int number; /* of the kind */
    size_t bytes;
    long calls;
    double seconds;
} place;

static struct {
    place *at;
    size_t count, room;
} places;

static place *place_of(int number, size_t bytes)
{
    for (size_t i = 0; i < places.count; i++)
        if (places.at[i].number == number && places.at[i].bytes == bytes)
            return &places.at[i];
    if (places.count == places.room) {
        places.room = 2 * places.room + 16;
        places.at = room(places.at, places.room, sizeof *places.at);
    }
    places.at[places.count] = (place){.number = number, .bytes = bytes};
    return &places.at[places.count++];
}

void call(int number, size_t bytes, int root, MPI_Comm comm)
{
    const kind *k = &kinds[number];
    trial t = prepare(k, bytes, root, comm);
    fill(&t);
    double start = MPI_Wtime();
    k->run(&t);
    double seconds = MPI_Wtime() - start;
    place *p = place_of(number, bytes);
    p->calls++;
    p->seconds += seconds;
    look(&t, k);
}

void call_named(const char *name, size_t bytes, int root, MPI_Comm comm)
{
    call(call_kind(name), bytes, root, comm);
}

/* By the profiling names, which nobody tunes. */
static double mean_over_ranks(double own)
{
    double sum = 0;
    int n;
    PMPI_Comm_size(MPI_COMM_WORLD, &n);
    PMPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum / n;
}

static uint64_t checksum_of_all(int rank)
{
    uint64_t own = mixed(data.checksum + (uint64_t)rank), all = 0;
    PMPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    return all;
}

void calls_report(void)
{
    int rank;
    double sum = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < places.count; i++) {
        const place *p = &places.at[i];
        double seconds = mean_over_ranks(p->seconds);
        sum += seconds;
        if (rank == 0)
            printf("call %s %zu %ld %.9f\n", kinds[p->number].name, p->bytes, p->calls, seconds);
    }
    uint64_t checksum = checksum_of_all(rank);
    if (rank == 0)
        printf("collectives %.9f\nchecksum %016" PRIx64 "\n", sum, checksum);
    free(places.at);
    free(data.send);
    free(data.recv);
    free(data.counts);
}
