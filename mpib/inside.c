#include "mpib/inside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first number of a file of a processor; -1: there is none. */
static int number_of(const char *cpus, int cpu, const char *file)
{
    char path[PATH_MAX], line[256] = "-1";
    snprintf(path, sizeof path, "%s/cpu%d/%s", cpus, cpu, file);
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    if (!fgets(line, sizeof line, f))
        strcpy(line, "-1");
    fclose(f);
    return (int)strtol(line, NULL, 10);
}

/* A cache goes by the first processor that shares it. */
static int last_cache_of(const char *cpus, int cpu)
{
    char file[64];
    int highest = 0, last = -1;
    for (int index = 0;; index++) {
        snprintf(file, sizeof file, "cache/index%d/level", index);
        int level = number_of(cpus, cpu, file);
        if (level < 0)
            return last;
        if (level < highest)
            continue;
        highest = level;
        snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", index);
        last = number_of(cpus, cpu, file);
    }
}

static void include(int id, cpu_set_t *found)
{
    if (id >= 0 && id < CPU_SETSIZE)
        CPU_SET(id, found);
}

mpib_inside mpib_inside_of(const char *cpus, const cpu_set_t *used)
{
    cpu_set_t sockets, caches;
    CPU_ZERO(&sockets);
    CPU_ZERO(&caches);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, used)) {
            include(number_of(cpus, cpu, "topology/physical_package_id"), &sockets);
            include(last_cache_of(cpus, cpu), &caches);
        }
    return (mpib_inside){CPU_COUNT(&sockets), CPU_COUNT(&caches)};
}

/* A host that cannot say which processes share it has this one alone. */
static void unite_over_host(MPI_Comm comm, cpu_set_t *used)
{
    MPI_Comm node;
    cpu_set_t own = *used;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return;
    PMPI_Allreduce(&own, used, (int)sizeof own, MPI_BYTE, MPI_BOR, node);
    MPI_Comm_free(&node);
}

mpib_inside mpib_inside_hosts(MPI_Comm comm)
{
    cpu_set_t used;
    CPU_ZERO(&used);
    if (sched_getaffinity(0, sizeof used, &used) != 0)
        CPU_ZERO(&used);
    unite_over_host(comm, &used);
    mpib_inside own = mpib_inside_of("/sys/devices/system/cpu", &used), most = own;
    PMPI_Allreduce(&own.sockets, &most.sockets, 1, MPI_INT, MPI_MAX, comm);
    PMPI_Allreduce(&own.caches, &most.caches, 1, MPI_INT, MPI_MAX, comm);
    return most;
}
