/* A few calls whose algorithms a test looks for in the report: bcast of 8 and 1024 bytes from ranks
 * 0 and 1, scatter, scatterv, gather, gatherv and allreduce of 8 bytes. The exit code says whether
 * their results were right. */
#include "program.h"

static int wrong;

static void bcast(MPI_Comm comm, int count, int root)
{
    int rank;
    char buffer[1024];
    MPI_Comm_rank(comm, &rank);
    memset(buffer, rank == root ? root + 7 : 0, sizeof buffer);
    MPI_Bcast(buffer, count, MPI_CHAR, root, comm);
    for (int k = 0; k < count; k++)
        wrong += buffer[k] != root + 7;
}

static void scatter_and_gather(MPI_Comm comm, int n, int rank)
{
    double one = rank, all[64], back[64];
    int counts[64], places[64];
    for (int k = 0; k < n; k++) {
        counts[k] = 1;
        places[k] = k;
    }
    MPI_Gather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, comm);
    MPI_Scatter(all, 1, MPI_DOUBLE, &one, 1, MPI_DOUBLE, 0, comm);
    MPI_Scatterv(all, counts, places, MPI_DOUBLE, &one, 1, MPI_DOUBLE, 0, comm);
    MPI_Gatherv(&one, 1, MPI_DOUBLE, back, counts, places, MPI_DOUBLE, 0, comm);
    for (int k = 0; k < n && rank == 0; k++)
        wrong += back[k] != k;
    wrong += one != rank;
}

static void call_all(MPI_Comm comm)
{
    int n, rank;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &rank);
    for (int root = 0; root < 2; root++) {
        bcast(comm, 8, root);
        bcast(comm, 1024, root);
    }
    scatter_and_gather(comm, n, rank);
    double one = rank, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    wrong += sum != n * (n - 1) / 2.0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    call_all(MPI_COMM_WORLD);
    return finish(wrong);
}
