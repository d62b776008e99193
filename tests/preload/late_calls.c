/* A library that uses MPI and is loaded by a program that knows nothing of it, as mpi4py is. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int calls_are_right(void);

int calls_are_right(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int rank, n, sum = 0, told = 0, length;
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    told = rank == 0 ? 42 : 0;
    MPI_Bcast(&told, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0';
    if (rank == 0)
        printf("%s: %d right\n", version, n);
    MPI_Finalize();
    return sum == n * (n - 1) / 2 && told == 42 ? 0 : 1;
}
