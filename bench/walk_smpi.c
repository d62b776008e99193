/* What SMPI executes beside bench_walk: walk_smpi alltoall|allgather CALLS BYTES. Compiled with
 * smpicc; SMPI's options say by which algorithm. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int n, calls = argc > 2 ? atoi(argv[2]) : 1, bytes = argc > 3 ? atoi(argv[3]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    /* The contents do not matter: all simulated processes share one buffer. */
    char *out = SMPI_SHARED_MALLOC((size_t)n * (size_t)bytes);
    char *in = SMPI_SHARED_MALLOC((size_t)n * (size_t)bytes);
    for (int k = 0; k < calls; k++)
        if (argc > 1 && strcmp(argv[1], "alltoall") == 0)
            MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        else
            MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    SMPI_SHARED_FREE(out);
    SMPI_SHARED_FREE(in);
    MPI_Finalize();
    return 0;
}
