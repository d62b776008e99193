/* usual OPERATION BYTES ...: runs the MPI library's collectives with blocks of that many bytes and
 * proves that each process sends as many messages, as count_sends.c counts them, as it does in the
 * algorithm that is taken to be the library's on these hosts; in Open MPI, which has some trees
 * with other processes in their nodes, that as many processes send as many. Prints the cases. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpib/hosts.h"
#include "selection/usual.h"

enum { MOST_BYTES = 1 << 24 }; /* of all blocks together */

#ifdef OPEN_MPI
static const cpm_library library = CPM_LIBRARY_OPENMPI;
static const bool same_seats = false;
#else
static const cpm_library library = CPM_LIBRARY_MPICH;
static const bool same_seats = true;
#endif

static unsigned long sends(void)
{
    const unsigned long *count = dlsym(RTLD_DEFAULT, "count_sends");
    return count ? *count : 0;
}

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "usual: %s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void run(const char *name, int count, const double *send, double *receive)
{
    if (strcmp(name, "bcast") == 0)
        MPI_Bcast(receive, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(send, receive, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(send, receive, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (strcmp(name, "allgather") == 0)
        MPI_Allgather(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (strcmp(name, "barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        stop(name, "is none of the operations that are compared");
}

static unsigned long count_of(const cpm_collective *c, size_t bytes, int rank)
{
    cpm_schedule *s = NULL;
    cpm_steps steps = {0};
    cpm_error e = {0};
    unsigned long count = 0;
    if (cpm_collective_schedule(c, &(cpm_block_sizes){.bytes = bytes}, &s, &e) ||
        cpm_schedule_rank(s, rank, &steps, &e))
        stop(c->operation->name, e.text);
    for (int k = 0; k < steps.count; k++)
        count += steps.at[k].kind == CPM_SEND;
    cpm_steps_free(&steps);
    cpm_schedule_free(s);
    return count;
}

/* The second call: the first one makes communicators. */
static unsigned long count_theirs(const char *name, size_t bytes, int n)
{
    double *send = calloc(MOST_BYTES, 1), *receive = calloc(MOST_BYTES, 1);
    unsigned long before = 0;
    if (!send || !receive || bytes * (size_t)n > MOST_BYTES)
        stop(name, "so many bytes are too many");
    for (int k = 0; k < 2; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        before = sends();
        run(name, (int)(bytes / sizeof *send), send, receive);
    }
    free(send);
    free(receive);
    return sends() - before;
}

static int ascending(const void *a, const void *b)
{
    unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;
    return (x > y) - (x < y);
}

/* That of the process which sends the rank-th least. */
static unsigned long in_order(unsigned long count, int rank, int n)
{
    unsigned long *all = malloc((size_t)n * sizeof *all);
    if (!all)
        stop("sorting", "out of memory");
    MPI_Allgather(&count, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, MPI_COMM_WORLD);
    qsort(all, (size_t)n, sizeof *all, ascending);
    count = all[rank];
    free(all);
    return count;
}

static void compare(const char *name, size_t bytes, const cpm_hosts *hosts)
{
    cpm_request r = {.n = hosts->n, .bytes = bytes, .hosts = hosts};
    cpm_collective usual[CPM_MOST_USUAL];
    char text[CPM_COLLECTIVE_NAME], found[CPM_COLLECTIVE_NAME + 80];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (cpm_operation_find(name, &r.operation, NULL) || cpm_usual(library, &r, usual) != 1)
        stop(name, "it is not known what is usual");
    const cpm_collective c = cpm_request_collective(&r, &usual[0]);
    unsigned long ours = count_of(&c, bytes, rank), theirs = count_theirs(name, bytes, hosts->n);
    if (!same_seats) {
        ours = in_order(ours, rank, hosts->n);
        theirs = in_order(theirs, rank, hosts->n);
    }
    cpm_collective_print(&c, text, sizeof text);
    snprintf(found, sizeof found, "%zu B, %s: process %d sends %lu messages, not %lu", bytes, text,
             rank, theirs, ours);
    if (ours != theirs)
        stop("MPI", found);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%zu %s\n", bytes, text);
}

int main(int argc, char **argv)
{
    cpm_hosts hosts = {0};
    cpm_error e = {0};
    MPI_Init(&argc, &argv);
    if (mpib_hosts(MPI_COMM_WORLD, &hosts, &e))
        stop("hosts", e.text);
    for (int i = 1; i + 1 < argc; i += 2)
        compare(argv[i], (size_t)atol(argv[i + 1]), &hosts);
    cpm_hosts_clear(&hosts);
    MPI_Finalize();
    return 0;
}
