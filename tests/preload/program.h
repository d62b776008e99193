/* What the test programs share. They are ordinary MPI programs that know nothing of CPM: each call
 * is made twice, by the MPI library's own function (PMPI_...) and by the one that the program gets
 * when it calls MPI_..., and the results are compared. The exit code says whether all were equal;
 * without a preloaded library they are.
 *
 * usage: PROGRAM [MOST_RANKS [nonblocking|persistent]]: in communicators of 1, 2, ... ranks, all of
 * MPI_COMM_WORLD if the number is left out. */
#ifndef CPM_TESTS_PRELOAD_PROGRAM_H
#define CPM_TESTS_PRELOAD_PROGRAM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 9 };

/* The two sets of functions. */
typedef struct {
    int (*barrier)(MPI_Comm);
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
    int (*scatter)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
    int (*scatterv)(const void *, const int *, const int *, MPI_Datatype, void *, int, MPI_Datatype,
                    int, MPI_Comm);
    int (*gather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
    int (*gatherv)(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype,
                   int, MPI_Comm);
    int (*allgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*allgatherv)(const void *, int, MPI_Datatype, void *, const int *, const int *,
                      MPI_Datatype, MPI_Comm);
    int (*alltoall)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*alltoallv)(const void *, const int *, const int *, MPI_Datatype, void *, const int *,
                     const int *, MPI_Datatype, MPI_Comm);
    int (*reduce)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*reduce_scatter)(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*reduce_scatter_block)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*scan)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*exscan)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
} functions;

#define FUNCTIONS(MPI)                                                                          \
    {                                                                                           \
        MPI##_Barrier, MPI##_Bcast, MPI##_Scatter, MPI##_Scatterv, MPI##_Gather, MPI##_Gatherv, \
            MPI##_Allgather, MPI##_Allgatherv, MPI##_Alltoall, MPI##_Alltoallv, MPI##_Reduce,   \
            MPI##_Allreduce, MPI##_Reduce_scatter, MPI##_Reduce_scatter_block, MPI##_Scan,      \
            MPI##_Exscan                                                                        \
    }

static const functions native = FUNCTIONS(PMPI);
static functions called = FUNCTIONS(MPI); /* or nonblocking ones, each with its wait */

/* What a nonblocking call needs is decided in the next blocking one for which all wait: a second
 * call with the same arguments is by what was decided. */
static inline int wait_and_meet(MPI_Request request, MPI_Comm comm)
{
    const int status = MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    return status;
}

/* Name, MPI's name, parameters and arguments of those that have other forms. */
#define FORMS(FORM)                                                                             \
    FORM(barrier, Barrier, (MPI_Comm comm), (comm))                                             \
    FORM(bcast, Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm),               \
         (b, n, t, root, comm))                                                                 \
    FORM(scatter, Scatter,                                                                      \
         (const void *s, int m, MPI_Datatype u, void *r, int n, MPI_Datatype t, int root,       \
          MPI_Comm comm),                                                                       \
         (s, m, u, r, n, t, root, comm))                                                        \
    FORM(scatterv, Scatterv,                                                                    \
         (const void *s, const int *m, const int *d, MPI_Datatype u, void *r, int n,            \
          MPI_Datatype t, int root, MPI_Comm comm),                                             \
         (s, m, d, u, r, n, t, root, comm))                                                     \
    FORM(gather, Gather,                                                                        \
         (const void *s, int m, MPI_Datatype u, void *r, int n, MPI_Datatype t, int root,       \
          MPI_Comm comm),                                                                       \
         (s, m, u, r, n, t, root, comm))                                                        \
    FORM(gatherv, Gatherv,                                                                      \
         (const void *s, int m, MPI_Datatype u, void *r, const int *n, const int *d,            \
          MPI_Datatype t, int root, MPI_Comm comm),                                             \
         (s, m, u, r, n, d, t, root, comm))                                                     \
    FORM(allgather, Allgather,                                                                  \
         (const void *s, int m, MPI_Datatype u, void *r, int n, MPI_Datatype t, MPI_Comm comm), \
         (s, m, u, r, n, t, comm))                                                              \
    FORM(allgatherv, Allgatherv,                                                                \
         (const void *s, int m, MPI_Datatype u, void *r, const int *n, const int *d,            \
          MPI_Datatype t, MPI_Comm comm),                                                       \
         (s, m, u, r, n, d, t, comm))                                                           \
    FORM(alltoall, Alltoall,                                                                    \
         (const void *s, int m, MPI_Datatype u, void *r, int n, MPI_Datatype t, MPI_Comm comm), \
         (s, m, u, r, n, t, comm))                                                              \
    FORM(alltoallv, Alltoallv,                                                                  \
         (const void *s, const int *m, const int *d, MPI_Datatype u, void *r, const int *n,     \
          const int *e, MPI_Datatype t, MPI_Comm comm),                                         \
         (s, m, d, u, r, n, e, t, comm))                                                        \
    FORM(reduce, Reduce,                                                                        \
         (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm),   \
         (s, r, n, t, op, root, comm))                                                          \
    FORM(allreduce, Allreduce,                                                                  \
         (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),             \
         (s, r, n, t, op, comm))                                                                \
    FORM(reduce_scatter, Reduce_scatter,                                                        \
         (const void *s, void *r, const int *n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),      \
         (s, r, n, t, op, comm))                                                                \
    FORM(reduce_scatter_block, Reduce_scatter_block,                                            \
         (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),             \
         (s, r, n, t, op, comm))                                                                \
    FORM(scan, Scan, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), \
         (s, r, n, t, op, comm))                                                                \
    FORM(exscan, Exscan,                                                                        \
         (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),             \
         (s, r, n, t, op, comm))

#define ARGUMENTS(...) __VA_ARGS__,
#define BEGUN(name, Name, parameters, arguments)                       \
    static inline int begun_##name parameters                          \
    {                                                                  \
        MPI_Request request;                                           \
        const int status = MPI_I##name(ARGUMENTS arguments & request); \
        return status ? status : wait_and_meet(request, comm);         \
    }
FORMS(BEGUN)

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5) /* which calls itself 3.1 \
                                                                        */
#define MADE(name, Name, parameters, arguments)                                      \
    static inline int made_##name parameters                                         \
    {                                                                                \
        MPI_Request request;                                                         \
        int status = MPI_##Name##_init(ARGUMENTS arguments MPI_INFO_NULL, &request); \
        if (status)                                                                  \
            return status;                                                           \
        MPI_Start(&request);                                                         \
        status = MPI_Wait(&request, MPI_STATUS_IGNORE);                              \
        MPI_Request_free(&request);                                                  \
        return status;                                                               \
    }
FORMS(MADE)
#endif

static bool nonblocking;

/* Open MPI 4.1 hangs at it, in place. */
#ifdef OPEN_MPI
#define begun_alltoallv MPI_Alltoallv
#endif

/* The functions of another form. */
#define CALLED(form)                                                                  \
    (functions)                                                                       \
    {                                                                                 \
        form##_barrier, form##_bcast, form##_scatter, form##_scatterv, form##_gather, \
            form##_gatherv, form##_allgather, form##_allgatherv, form##_alltoall,     \
            form##_alltoallv, form##_reduce, form##_allreduce, form##_reduce_scatter, \
            form##_reduce_scatter_block, form##_scan, form##_exscan                   \
    }

static inline void call_form(const char *form)
{
#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5) /* which calls itself 3.1 \
                                                                        */
    if (strcmp(form, "persistent") == 0) {
        called = CALLED(made);
        return;
    }
#endif
    (void)form;
    nonblocking = true;
    called = CALLED(begun);
}

/* Calls are made twice with the same arguments: what is kept of the first must not be seen in the
 * second. With more ranks than processors each message takes long. */
static inline int repetitions(int n)
{
    return n <= 4 || nonblocking ? 2 : 1;
}

/* Calls check with communicators of 1, 2, ... ranks, and those of the world that are left over
 * wait. */
static inline void with_all_sizes(int argc, char **argv, void (*check)(MPI_Comm comm))
{
    int rank, most;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &most);
    if (argc > 1 && atoi(argv[1]) < most)
        most = atoi(argv[1]);
    if (argc > 2)
        call_form(argv[2]);
    for (int n = 1; n <= most; n++) {
        MPI_Comm comm;
        /* In reverse order: the ranks are not those of the world. */
        MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, -rank, &comm);
        if (comm != MPI_COMM_NULL) {
            check(comm);
            MPI_Comm_free(&comm);
        }
        PMPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Ends the program: its exit code on every rank is 1 if any found a difference. */
static inline int finish(int differences)
{
    int all = 0, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Allreduce(&differences, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d differences\n", all);
    MPI_Finalize();
    return all != 0;
}

#endif
