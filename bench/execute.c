/* What running a schedule costs over a hand-written loop of the same sends and receives: both in
 * turns in one run, medians and their ratio. mpiexec -n 2 bench_execute; mpiexec -n 8 ... */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/collective.h"

enum { TAG = 3, BATCHES = 51 };

typedef struct {
    int n, rank, bytes;
    char *send, *recv;
    MPI_Request *requests;
} state;

/* As people write them: MPICH's ring, binomial tree and pairwise posting. */
static void ring(state *s)
{
    int next = (s->rank + 1) % s->n, previous = (s->rank - 1 + s->n) % s->n;
    memcpy(s->recv + (size_t)s->rank * (size_t)s->bytes, s->send, (size_t)s->bytes);
    for (int k = 0, out = s->rank, in = previous; k < s->n - 1; k++) {
        MPI_Sendrecv(s->recv + (size_t)out * (size_t)s->bytes, s->bytes, MPI_BYTE, next, TAG,
                     s->recv + (size_t)in * (size_t)s->bytes, s->bytes, MPI_BYTE, previous, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        out = in;
        in = (in - 1 + s->n) % s->n;
    }
}

static void binomial(state *s)
{
    int mask = 1;
    while (mask < s->n && !(s->rank & mask))
        mask <<= 1;
    if (s->rank)
        MPI_Recv(s->recv, s->bytes, MPI_BYTE, s->rank - mask, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (s->rank + mask < s->n)
            MPI_Send(s->recv, s->bytes, MPI_BYTE, s->rank + mask, TAG, MPI_COMM_WORLD);
}

static void spreading(state *s)
{
    size_t bytes = (size_t)s->bytes;
    int used = 0;
    memcpy(s->recv + (size_t)s->rank * bytes, s->send + (size_t)s->rank * bytes, bytes);
    for (int k = 1; k < s->n; k++) {
        int from = (s->rank - k + s->n) % s->n;
        MPI_Irecv(s->recv + (size_t)from * bytes, s->bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                  &s->requests[used++]);
    }
    for (int k = 1; k < s->n; k++) {
        int to = (s->rank + k) % s->n;
        MPI_Isend(s->send + (size_t)to * bytes, s->bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD,
                  &s->requests[used++]);
    }
    MPI_Waitall(used, s->requests, MPI_STATUSES_IGNORE);
}

static const struct {
    const char *collective;
    void (*by_hand)(state *s);
} rows[] = {
    {"allgather:logical-ring", ring},
    {"bcast:binomial", binomial},
    {"alltoall:spreading-simple", spreading},
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, BATCHES, sizeof *x, ascending);
    return x[BATCHES / 2];
}

static double batch(state *s, mpib_collective *c, void (*by_hand)(state *), int times)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int k = 0; k < times; k++)
        if (c)
            mpib_collective_run(c, s->send, s->recv, TAG);
        else
            by_hand(s);
    double own = (MPI_Wtime() - start) / times, all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void compare(state *s, int row, int bytes, int times)
{
    cpm_collective what;
    mpib_collective *c = NULL;
    cpm_error e = {0};
    double hand[BATCHES], planned[BATCHES];
    s->bytes = bytes;
    cpm_collective_parse(rows[row].collective, &what, &e);
    mpib_side side = {.count = (size_t)bytes, .type = MPI_BYTE};
    mpib_arguments arguments = {
        .operation = what.operation, .send = side, .recv = side, .comm = MPI_COMM_WORLD};
    if (mpib_collective_create(&what, &arguments, &c, &e)) {
        fprintf(stderr, "bench_execute: %s\n", e.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int k = 0; k < BATCHES; k++) {
        hand[k] = batch(s, NULL, rows[row].by_hand, times);
        planned[k] = batch(s, c, NULL, times);
    }
    double h = median(hand), p = median(planned);
    if (s->rank == 0)
        printf("%-26s %2d %6d  %9.3f  %9.3f  %6.3f\n", rows[row].collective, s->n, bytes, h * 1e6,
               p * 1e6, p / h);
    mpib_collective_free(c);
}

int main(int argc, char **argv)
{
    state s;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &s.n);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    s.send = calloc((size_t)s.n, 65536);
    s.recv = calloc((size_t)s.n, 65536);
    s.requests = malloc(2 * (size_t)s.n * sizeof *s.requests);
    if (!s.send || !s.recv || !s.requests)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (s.rank == 0)
        printf("operation algorithm         n  bytes  by hand/us  plan/us   ratio\n");
    for (int row = 0; row < 3; row++) {
        compare(&s, row, 8, s.n > 2 ? 20 : 500);
        compare(&s, row, 65536, s.n > 2 ? 5 : 50);
    }
    free(s.send);
    free(s.recv);
    free(s.requests);
    MPI_Finalize();
    return 0;
}
