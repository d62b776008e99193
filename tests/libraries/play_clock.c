/* Preloaded: MPI's clock is played. Each look at it takes LOOK, and a broadcast of INTS elements or
 * more by the MPI library's own routine NATIVE besides, also one that does not block, or is
 * started: whatever the machine does, it takes five times as long as one by any other algorithm. */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

enum { INTS = 100 };
static const double LOOK = 10e-6, NATIVE = 40e-6;

static double now;
static MPI_Request persistent = MPI_REQUEST_NULL; /* the last one that was made */

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

int PMPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                MPI_Request *request)
{
    int (*real)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Ibcast");
    if (type == MPI_INT && count >= INTS)
        now += NATIVE;
    return real(buffer, count, type, root, comm, request);
}

int PMPI_Start(MPI_Request *request)
{
    int (*real)(MPI_Request *) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Start");
    if (persistent != MPI_REQUEST_NULL && *request == persistent)
        now += NATIVE;
    return real(request);
}

#if MPI_VERSION >= 4
int PMPI_Bcast_init(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                    MPI_Info info, MPI_Request *request)
{
    int (*real)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Bcast_init");
    int failed = real(buffer, count, type, root, comm, info, request);
    if (type == MPI_INT && count >= INTS)
        persistent = *request;
    return failed;
}
#endif
