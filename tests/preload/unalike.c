/* Nonblocking and persistent collectives in which the last process differs from the others. An
 * ordinary program that knows nothing of CPM.
 *
 * usage: unalike CASE [wait]: the third nonblocking call on a duplicate of MPI_COMM_WORLD is
 * wrong. It is tested until it has ended, or for a second; then it is given up and the processes
 * end together. wait: it is waited for, for ever if need be. Prints whether it has ended. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static int rank, n, given[2 * MOST], got[2 * MOST], counts[MOST], ones[MOST], places[MOST];
static MPI_Comm comm;

static int other(void)
{
    return rank == n - 1;
}

static int begins(const char *wrong, MPI_Request *request)
{
    const int more = 1 + other();
    if (strcmp(wrong, "operation") == 0)
        return other() ? MPI_Ibcast(got, 1, MPI_INT, 0, comm, request)
                       : MPI_Ireduce(given, got, 1, MPI_INT, MPI_SUM, 0, comm, request);
    if (strcmp(wrong, "root") == 0)
        return MPI_Ibcast(got, 1, MPI_INT, other(), comm, request);
    if (strcmp(wrong, "op") == 0)
        return MPI_Iallreduce(given, got, 1, MPI_INT, other() ? MPI_MAX : MPI_SUM, comm, request);
    if (strcmp(wrong, "size") == 0)
        return MPI_Ibcast(got, more, MPI_INT, 1, comm, request);
    if (strcmp(wrong, "type") == 0)
        return MPI_Iallgather(given, 2, MPI_INT, got, 1, other() ? MPI_INT : MPI_2INT, comm,
                              request);
    if (strcmp(wrong, "counts") == 0) {
        counts[1] += other();
        return MPI_Ireduce_scatter(given, got, counts, MPI_INT, MPI_SUM, comm, request);
    }
    if (strcmp(wrong, "scatterv") == 0)
        return MPI_Iscatterv(given, counts, places, MPI_INT, got, more, MPI_INT, 0, comm, request);
    if (strcmp(wrong, "gatherv") == 0) {
        counts[1] += other();
        return MPI_Igatherv(given, 1, MPI_INT, got, counts, places, MPI_INT, n - 1, comm, request);
    }
    if (strcmp(wrong, "alltoallv") == 0) {
        counts[1] += other();
        return MPI_Ialltoallv(given, counts, places, MPI_INT, got, ones, places, MPI_INT, comm,
                              request);
    }
    if (strcmp(wrong, "missing") == 0)
        return other() ? MPI_SUCCESS : MPI_Ibarrier(comm, request);
    return MPI_Ibarrier(comm, request);
}

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5) /* which calls itself 3.1 \
                                                                        */
static void make_persistent(void)
{
    MPI_Request made;
    int class, status = MPI_Bcast_init(got, 1, MPI_INT, other(), comm, MPI_INFO_NULL, &made);
    MPI_Error_class(status, &class);
    printf("%s\n", class == MPI_ERR_ARG ? "MPI_ERR_ARG" : "no error");
}
#else
static void make_persistent(void)
{
    puts("MPI has none");
}
#endif

static void call_twice_rightly(void)
{
    for (int k = 0; k < 2; k++) {
        MPI_Request request;
        MPI_Iallreduce(given, got, 1, MPI_INT, MPI_SUM, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* A blocking call follows one that the last process has not begun. */
static void meet_out_of_step(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int class, status;
    if (!other())
        MPI_Ibarrier(comm, &request);
    status = MPI_Allreduce(given, got, 1, MPI_INT, MPI_SUM, comm);
    MPI_Error_class(status, &class);
    printf("%s\n", class == MPI_ERR_ARG ? "MPI_ERR_ARG" : "no error");
    if (other())
        MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* All begin two that they never wait for, after what they want was decided. */
static void forget(void)
{
    MPI_Request request;
    MPI_Barrier(comm);
    for (int k = 0; k < 2; k++)
        MPI_Iallreduce(given, got + k, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Barrier(comm);
}

static void try_for_a_second(MPI_Request *request)
{
    int ended = 0;
    for (double start = MPI_Wtime(); !ended && MPI_Wtime() - start < 1;)
        MPI_Test(request, &ended, MPI_STATUS_IGNORE);
    printf("%s\n", ended ? "ended" : "not ended");
}

int main(int argc, char **argv)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const char *wrong = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    /* Open MPI raises errors of requests there. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int r = 0; r < n; r++) {
        counts[r] = ones[r] = 1;
        places[r] = 2 * r;
    }
    call_twice_rightly();
    if (strcmp(wrong, "persistent") == 0) {
        make_persistent();
    } else if (strcmp(wrong, "step") == 0) {
        meet_out_of_step();
    } else if (strcmp(wrong, "forget") == 0) {
        forget();
    } else {
        begins(wrong, &request);
        if (argc > 2)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            try_for_a_second(&request);
    }
    MPI_Finalize();
    return 0;
}
