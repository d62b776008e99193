/* Threads that each use collectives on communicators of their own, under MPI_THREAD_MULTIPLE: first
 * calls, decisions, plans and ends of states happen at the same time.
 *
 * usage: threads TIMES: so many communicators are used by each thread, one after the other */
#include "program.h"

#include <pthread.h>

enum { THREADS = 4, CALLS = 3 };

typedef struct {
    MPI_Comm comm;
    int number, times;
    bool right;
} worker;

/* Every kind of data flow, with known results. All have blocks of two numbers. */
typedef struct {
    int n, rank, salt;
    int own[2 * MOST_RANKS], all[2 * MOST_RANKS], counts[MOST_RANKS], places[MOST_RANKS];
} call;

static call prepare(MPI_Comm comm, int salt)
{
    call c = {.salt = salt};
    MPI_Comm_size(comm, &c.n);
    MPI_Comm_rank(comm, &c.rank);
    for (int q = 0; q < 2 * c.n; q++)
        c.own[q] = salt + c.rank;
    for (int q = 0; q < c.n; q++) {
        c.counts[q] = 2;
        c.places[q] = 2 * q;
    }
    return c;
}

/* Rank q's numbers lie in the q-th block. */
static bool has_all(const call *c)
{
    bool right = true;
    for (int q = 0; q < 2 * c->n; q++)
        right = right && c->all[q] == c->salt + q / 2;
    return right;
}

static bool moves(MPI_Comm comm, int salt)
{
    call c = prepare(comm, salt);
    int last = c.n - 1, first[2] = {salt + c.rank, 0}, got[2] = {-1, -1};
    MPI_Barrier(comm);
    MPI_Bcast(first, 2, MPI_INT, last, comm);
    bool right = first[0] == salt + last;
    MPI_Allgather(c.own, 2, MPI_INT, c.all, 2, MPI_INT, comm);
    right = right && has_all(&c);
    MPI_Allgatherv(c.own, 2, MPI_INT, c.all, c.counts, c.places, MPI_INT, comm);
    right = right && has_all(&c);
    MPI_Alltoall(c.own, 2, MPI_INT, c.all, 2, MPI_INT, comm);
    right = right && has_all(&c);
    MPI_Alltoallv(c.own, c.counts, c.places, MPI_INT, c.all, c.counts, c.places, MPI_INT, comm);
    right = right && has_all(&c);
    MPI_Scatter(c.all, 2, MPI_INT, got, 2, MPI_INT, last, comm);
    right = right && got[0] == salt + c.rank;
    MPI_Scatterv(c.all, c.counts, c.places, MPI_INT, got, 2, MPI_INT, last, comm);
    right = right && got[1] == salt + c.rank;
    MPI_Gather(got, 2, MPI_INT, c.all, 2, MPI_INT, 0, comm);
    MPI_Gatherv(got, 2, MPI_INT, c.all, c.counts, c.places, MPI_INT, 0, comm);
    return right && (c.rank > 0 || has_all(&c));
}

static bool sums(MPI_Comm comm, int salt)
{
    call c = prepare(comm, salt);
    int all = c.n * salt + c.n * (c.n - 1) / 2, got[2] = {-1, -1};
    MPI_Allreduce(c.own, got, 2, MPI_INT, MPI_SUM, comm);
    bool right = got[0] == all;
    MPI_Reduce(c.own, got, 2, MPI_INT, MPI_SUM, 0, comm);
    right = right && (c.rank > 0 || got[1] == all);
    MPI_Reduce_scatter(c.own, got, c.counts, MPI_INT, MPI_SUM, comm);
    right = right && got[0] == all;
    MPI_Reduce_scatter_block(c.own, got, 2, MPI_INT, MPI_SUM, comm);
    return right && got[1] == all;
}

static void *work(void *argument)
{
    worker *w = argument;
    for (int k = 0; k < w->times; k++) {
        MPI_Comm own;
        MPI_Comm_dup(w->comm, &own);
        for (int q = 0; q < CALLS; q++)
            w->right = moves(own, 100 * w->number + q) && sums(own, q) && w->right;
        MPI_Comm_free(&own);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, wrong = 0;
    worker workers[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE || argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (worker){.number = k, .times = atoi(argv[1]), .right = true};
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[k].comm);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_create(&threads[k], NULL, work, &workers[k]);
    for (int k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        wrong += !workers[k].right;
        MPI_Comm_free(&workers[k].comm);
    }
    if (wrong)
        fprintf(stderr, "rank %d: wrong results in %d threads\n", rank, wrong);
    return finish(wrong);
}
