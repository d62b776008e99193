/* A call in which one rank says another length than all others, an error of the program that MPI
 * libraries mostly return from: so must the chosen one, and calls after it must be right.
 *
 *   lengths gather|reduce|scatter OTHERS OWN both|sent|received
 *
 * OTHERS, OWN: integers; of the root (1), the sides named are of OWN. */
#include <unistd.h>

#include "program.h"

enum { MOST = 1 << 16, ROOT = 1, SECONDS = 60 };

static int given[MOST], got[MOST];

static int run(const char *operation, int sent, int received, MPI_Comm comm)
{
    if (strcmp(operation, "scatter") == 0)
        return MPI_Scatter(given, sent, MPI_INT, got, received, MPI_INT, ROOT, comm);
    if (strcmp(operation, "gather") == 0)
        return MPI_Gather(given, sent, MPI_INT, got, received, MPI_INT, ROOT, comm);
    return MPI_Reduce(given, got, received, MPI_INT, MPI_SUM, ROOT, comm);
}

/* The root comes when the others, which do not wait for it, are in a later call. */
static int try(const char *operation, int others, int own, const char *sides)
{
    int rank;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    bool sends = rank == ROOT && strcmp(sides, "received") != 0;
    bool receives = rank == ROOT && strcmp(sides, "sent") != 0;
    int failed = run(operation, others, others, comm);
    if (rank == ROOT)
        usleep(100000);
    run(operation, sends ? own : others, receives ? own : others, comm);
    failed = MPI_Barrier(comm) || failed;
    return run(operation, others, others, comm) || failed;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    MPI_Init(&argc, &argv);
    alarm(SECONDS);
    return finish(try(argv[1], atoi(argv[2]), atoi(argv[3]), argv[4]) != MPI_SUCCESS);
}
