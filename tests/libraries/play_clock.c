/* Preloaded: MPI's clock is played. Each look at it takes LOOK, and a broadcast of INTS elements or
 * more by the MPI library's own routine NATIVE besides: whatever the machine does, it takes five
 * times as long as one by any other algorithm. */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

enum { INTS = 100 };
static const double LOOK = 10e-6, NATIVE = 40e-6;

static double now;

double PMPI_Wtime(void)
{
    return now += LOOK;
}

int PMPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int (*real)(void *, int, MPI_Datatype, int, MPI_Comm) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Bcast");
    if (type == MPI_INT && count >= INTS)
        now += NATIVE;
    return real(buffer, count, type, root, comm);
}
