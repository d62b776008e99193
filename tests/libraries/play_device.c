/* Memory of a device is played: the process may touch it within MPI's functions alone, which an MPI
 * library that knows devices copies from and to. What touches it elsewhere ends with a signal. */
#include "play_device.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 16 };

static struct {
    char *from;
    size_t size;
} regions[MOST];
static int count, inside;

static void protect(int how)
{
    for (int k = 0; k < count; k++)
        if (mprotect(regions[k].from, regions[k].size, how) != 0)
            abort();
}

static void enter(void)
{
    if (!inside++)
        protect(PROT_READ | PROT_WRITE);
}

static void leave(void)
{
    if (!--inside)
        protect(PROT_NONE);
}

void *play_device_allocate(size_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || count == MOST)
        abort();
    regions[count].from = at;
    regions[count++].size = bytes;
    return at;
}

void play_device_copy(void *to, const void *from, size_t bytes)
{
    enter();
    memcpy(to, from, bytes);
    leave();
}

/* PLAY_DEVICE=odd: for every other process all memory is a device's, though it may touch it. */
static bool is_played_everywhere(void)
{
    const char *which = getenv("PLAY_DEVICE"), *rank = getenv("PMI_RANK");
    if (!rank)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    return which && strcmp(which, "odd") == 0 && rank && atoi(rank) % 2;
}

bool play_device_find(uintptr_t at, uintptr_t *from, size_t *size)
{
    for (int k = 0; k < count; k++)
        if ((uintptr_t)regions[k].from <= at && at < (uintptr_t)regions[k].from + regions[k].size) {
            *from = (uintptr_t)regions[k].from;
            *size = regions[k].size;
            return true;
        }
    *from = *size = 0;
    return is_played_everywhere();
}

/* ---- MPI's functions */

#define PLAY(name, parameters, ...)                        \
    int PMPI_##name parameters                             \
    {                                                      \
        int(*real) parameters = NULL;                      \
        *(void **)&real = dlsym(RTLD_NEXT, "PMPI_" #name); \
        enter();                                           \
        int failed = real(__VA_ARGS__);                    \
        leave();                                           \
        return failed;                                     \
    }

#define SEND const void *a, int b, MPI_Datatype c
#define RECV void *d, int e, MPI_Datatype f

PLAY(Bcast, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e), a, b, c, d, e)
PLAY(Scatter, (SEND, RECV, int g, MPI_Comm h), a, b, c, d, e, f, g, h)
PLAY(Gather, (SEND, RECV, int g, MPI_Comm h), a, b, c, d, e, f, g, h)
PLAY(Allgather, (SEND, RECV, MPI_Comm g), a, b, c, d, e, f, g)
PLAY(Alltoall, (SEND, RECV, MPI_Comm g), a, b, c, d, e, f, g)
PLAY(Reduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g), a, b, c,
     d, e, f, g)
PLAY(Allreduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), a, b, c, d,
     e, f)
PLAY(Reduce_scatter_block, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), a,
     b, c, d, e, f)
PLAY(Sendrecv, (SEND, int g, int h, RECV, int i, int j, MPI_Comm k, MPI_Status *l), a, b, c, g, h,
     d, e, f, i, j, k, l)
