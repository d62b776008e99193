/* Every collective that CPM passes on: by MPI's name it does what PMPI's does. Prints these names;
 * a profile counts each once for each process. usage: others */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, BYTES = 1 << 12 };

static MPI_Comm comm; /* a ring */
static int rank, n, differing;
static int from_all[BYTES / 4], to_all[BYTES / 4], kept[BYTES / 4];
static void *const send = from_all, *const recv = to_all, *const buffer = to_all;
static const int root = 0, count = 2, send_count = 2, recv_count = 2;
static MPI_Aint send_at[MOST], recv_at[MOST];
static MPI_Datatype send_types[MOST], recv_types[MOST];
static MPI_Datatype type, send_type, recv_type;
static MPI_Op op;
static MPI_Info info;
static MPI_Request last, *const request = &last;

static void prepare(void)
{
    for (int k = 0; k < BYTES / 4; k++) {
        from_all[k] = 1000 * rank + k;
        to_all[k] = rank == root ? k : -1; /* what a bcast's root has */
    }
    last = MPI_REQUEST_NULL;
}

static void finish(const char *function)
{
    if (strstr(function, "_init"))
        MPI_Start(&last);
    MPI_Wait(&last, MPI_STATUS_IGNORE);
    if (last != MPI_REQUEST_NULL)
        MPI_Request_free(&last);
}

static void compare(const char *function, int status)
{
    if (status != MPI_SUCCESS || memcmp(kept, to_all, sizeof kept) != 0) {
        printf("%s: rank %d has another result\n", function, rank);
        differing = 1;
    }
    if (rank == 0)
        puts(function);
}

/* By MPI's name, so that its start is counted, too. */
static void finish_counted(const char *function)
{
    finish(function);
    if (rank == 0 && strstr(function, "_init"))
        printf("starts of %s\n", function);
}

/* counted: the name by which a profile counts it. */
#define TRY(function, counted, arguments) \
    prepare();                            \
    P##function arguments;                \
    finish(#function);                    \
    memcpy(kept, to_all, sizeof kept);    \
    prepare();                            \
    status = function arguments;          \
    finish_counted(#counted);             \
    compare(#counted, status);

/* Blocks of two elements, at places that are as right in elements as in bytes. */
#define PLACES(INT, AINT)                                                      \
    INT counts[MOST], send_counts[MOST], recv_counts[MOST];                    \
    AINT displacements[MOST], from[MOST], to[MOST];                            \
    for (int k = 0; k < MOST; k++) {                                           \
        counts[k] = send_counts[k] = recv_counts[k] = 2;                       \
        displacements[k] = from[k] = to[k] = send_at[k] = recv_at[k] = k << 3; \
    }

static void try_all(void)
{
    int status;
    PLACES(int, int)
#define CPM_OTHER(function, parameters, arguments) TRY(function, function, arguments)
#define CPM_OTHER_LARGE(function, parameters, arguments)
#include "tuned/preload/other_functions.def"
}

static void try_large(void)
{
#if MPI_VERSION >= 4
    int status;
    PLACES(MPI_Count, MPI_Aint)
#define CPM_OTHER(function, parameters, arguments)
#define CPM_OTHER_LARGE(function, parameters, arguments) TRY(function, function, arguments)
#define CPM_TAKEN_LARGE(function, own, pass, counts_fit, parameters, arguments) \
    TRY(function, own, arguments)
#include "tuned/preload/other_functions.def"
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    memcpy(kept, to_all, sizeof kept);
    status = MPI_Bcast_c(to_all, 3000000000, nothing, 0, comm);
    compare("MPI_Bcast_c", status);
    MPI_Type_free(&nothing);
#endif
}

/* The first process, and the others. */
static void try_groups(void)
{
    MPI_Comm half, both;
    int value = rank == 0 ? 7 : 0, sum = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 1, &both);
    MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, both);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, both);
    differing = differing || value != 7 || sum != (rank == 0 ? 7 * (n - 1) : 7);
    if (rank == 0)
        puts("allreduce of inter-communicators\nbcast of inter-communicators");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    int periodic = 1, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &periodic, 0, &comm);
    MPI_Comm_rank(comm, &rank);
    type = send_type = recv_type = MPI_INT;
    op = MPI_SUM;
    info = MPI_INFO_NULL;
    for (int k = 0; k < MOST; k++)
        send_types[k] = recv_types[k] = MPI_INT;
    try_all();
    try_large();
    try_groups();
    MPI_Reduce(&differing, &all, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return all;
}
