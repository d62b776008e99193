/* Buffers in a device's memory, which is played (tests/libraries/play_device.c), at all processes
 * or at some. The driver is loaded after many calls without such buffers.
 *
 *   device late|fast|only DRIVER
 *
 * fast: they follow each other fast. only: there are no such calls. */
#include <dlfcn.h>

#include "../libraries/play_device.h"
#include "program.h"

enum { INTS = 300, ROOT = 0, MANY = 100, VERY_MANY = 20000 };
typedef enum { NOWHERE, EVERYWHERE, AT_ROOT, ELSEWHERE } place;

static int n, rank, differences;
static int given[INTS * MOST_RANKS], got[INTS * MOST_RANKS], wanted[INTS * MOST_RANKS];
static void *device_given, *device_got;

static void run(const functions *f, int which, void *send, void *recv, MPI_Comm comm)
{
    switch (which) {
    case 0:
        f->bcast(recv, INTS, MPI_INT, ROOT, comm);
        break;
    case 1:
        f->scatter(send, INTS, MPI_INT, recv, INTS, MPI_INT, ROOT, comm);
        break;
    case 2:
        f->gather(send, INTS, MPI_INT, recv, INTS, MPI_INT, ROOT, comm);
        break;
    case 3:
        f->allgather(send, INTS, MPI_INT, recv, INTS, MPI_INT, comm);
        break;
    case 4:
        f->alltoall(send, INTS, MPI_INT, recv, INTS, MPI_INT, comm);
        break;
    case 5:
        f->reduce(send, recv, INTS, MPI_INT, MPI_SUM, ROOT, comm);
        break;
    case 6:
        f->allreduce(send, recv, INTS, MPI_INT, MPI_SUM, comm);
        break;
    default:
        f->reduce_scatter_block(send, recv, INTS, MPI_INT, MPI_SUM, comm);
    }
}
enum { OPERATIONS = 8 };

static void fill(int *values, int from)
{
    for (int k = 0; k < INTS * n; k++)
        values[k] = 1000 * rank + k % 100 + from;
}

static void compare(int which, place where)
{
    if (memcmp(got, wanted, sizeof got) == 0)
        return;
    differences++;
    printf("rank %d: operation %d, buffers %d: another result\n", rank, which, where);
}

static void check(int which, place where, MPI_Comm comm)
{
    bool there = where == EVERYWHERE || (where == AT_ROOT && rank == ROOT) ||
                 (where == ELSEWHERE && rank != ROOT);
    fill(given, which);
    fill(got, 5000);
    memcpy(wanted, got, sizeof got);
    run(&native, which, given, wanted, comm);
    if (there) {
        play_device_copy(device_given, given, sizeof given);
        play_device_copy(device_got, got, sizeof got);
        run(&called, which, device_given, device_got, comm);
        play_device_copy(got, device_got, sizeof got);
    } else
        run(&called, which, given, got, comm);
    compare(which, where);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; strcmp(argv[1], "late") == 0 && k < MANY; k++)
        for (int which = 0; which < OPERATIONS; which++)
            check(which, NOWHERE, MPI_COMM_WORLD);
    for (int k = 0; strcmp(argv[1], "fast") == 0 && k < VERY_MANY; k++)
        run(&called, 6, given, got, MPI_COMM_WORLD);
    if (!dlopen(argv[2], RTLD_NOW))
        printf("%s\n", dlerror());
    device_given = play_device_allocate(sizeof given);
    device_got = play_device_allocate(sizeof got);
    if (strcmp(argv[1], "fast") == 0)
        check(6, EVERYWHERE, MPI_COMM_WORLD);
    for (int which = 0; which < OPERATIONS; which++)
        for (place where = EVERYWHERE; where <= ELSEWHERE; where++)
            for (int k = 0; k < 3 && (where == EVERYWHERE || strcmp(argv[1], "only") != 0); k++)
                check(which, where, MPI_COMM_WORLD);
    return finish(differences);
}
