#include "mpib/inside.h"

#include <hwloc/glibc-sched.h>
#include <sched.h>
#include <stdlib.h>

#include "mpib/agree.h"

/* ---- a host */

static hwloc_obj_type_t last_cache(hwloc_topology_t topology)
{
    static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
                                              HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE};
    for (size_t k = 0; k < sizeof caches / sizeof *caches; k++)
        if (hwloc_get_nbobjs_by_type(topology, caches[k]) > 0)
            return caches[k];
    return HWLOC_OBJ_L1CACHE;
}

/* How many of a kind have one of these processors; *last: the number of the last such one. */
static int count(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t used,
                 int *last)
{
    int found = 0;
    *last = -1;
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, type, o));)
        if (hwloc_bitmap_intersects(o->cpuset, used)) {
            *last = (int)o->logical_index;
            found++;
        }
    return found;
}

mpib_inside mpib_inside_of(hwloc_topology_t topology, hwloc_const_cpuset_t used)
{
    int last;
    return (mpib_inside){count(topology, HWLOC_OBJ_PACKAGE, used, &last),
                         count(topology, last_cache(topology), used, &last)};
}

/* Of the largest parts of which the host has several. */
int mpib_socket_of(hwloc_topology_t topology, hwloc_const_cpuset_t bound)
{
    const hwloc_obj_type_t types[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, last_cache(topology)};
    size_t k = 0;
    while (k < 2 && hwloc_get_nbobjs_by_type(topology, types[k]) < 2)
        k++;
    int number;
    return count(topology, types[k], bound, &number) == 1 ? number : -1;
}

/* ---- this host */

typedef struct {
    hwloc_topology_t topology;
    hwloc_cpuset_t used;
} machine;

static void close_machine(machine *m)
{
    hwloc_bitmap_free(m->used);
    hwloc_topology_destroy(m->topology);
}

/* With these of its processors. False: hwloc shows nothing. */
static bool open_machine(const cpu_set_t *used, machine *out)
{
    if (hwloc_topology_init(&out->topology) != 0)
        return false;
    out->used = hwloc_bitmap_alloc();
    if (out->used && hwloc_topology_load(out->topology) == 0 &&
        hwloc_cpuset_from_glibc_sched_affinity(out->topology, out->used, used, sizeof *used) == 0)
        return true;
    close_machine(out);
    return false;
}

static void own_processors(cpu_set_t *out)
{
    CPU_ZERO(out);
    if (sched_getaffinity(0, sizeof *out, out) != 0)
        CPU_ZERO(out);
}

int mpib_socket_here(void)
{
#ifdef CPM_SMPI /* simulated hosts are not this one */
    return -1;
#else
    cpu_set_t own;
    machine m;
    own_processors(&own);
    if (!open_machine(&own, &m))
        return -1;
    int socket = mpib_socket_of(m.topology, m.used);
    close_machine(&m);
    return socket;
#endif
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
    mpib_inside own = {0}, most;
    cpu_set_t used;
    machine m;
    own_processors(&used);
    unite_over_host(comm, &used);
    if (open_machine(&used, &m)) {
        own = mpib_inside_of(m.topology, m.used);
        close_machine(&m);
    }
    most = own;
    PMPI_Allreduce(&own.sockets, &most.sockets, 1, MPI_INT, MPI_MAX, comm);
    PMPI_Allreduce(&own.caches, &most.caches, 1, MPI_INT, MPI_MAX, comm);
    return most;
}

/* ---- who sits where */

int mpib_sockets(MPI_Comm comm, cpm_hosts *hosts, cpm_error *e)
{
    int rank, status = CPM_OK, own = mpib_socket_here(), *all = NULL;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0 && !(all = malloc((size_t)hosts->n * sizeof *all)))
        status = cpm_fail(e, CPM_ENOMEM, "no memory for the sockets of %d processes", hosts->n);
    status = mpib_agree(comm, status, e);
    if (!status) {
        PMPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
        status = mpib_agree(comm, rank == 0 ? cpm_hosts_set_sockets(hosts, all, e) : CPM_OK, e);
    }
    free(all);
    return status;
}
