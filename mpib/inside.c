#include "mpib/inside.h"

#include <hwloc/glibc-sched.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "mpib/agree.h"

#ifdef CPM_SMPI
enum { SIMULATED = 1 }; /* hosts: this one says nothing of them */
#else
enum { SIMULATED = 0 };
#endif

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

/* Whether two of a kind have different processors: nodes of memory alone divide nothing. */
static bool divides(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    hwloc_obj_t first = NULL;
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, type, o));) {
        if (hwloc_bitmap_iszero(o->cpuset))
            continue;
        if (first && !hwloc_bitmap_intersects(first->cpuset, o->cpuset))
            return true;
        first = first ? first : o;
    }
    return false;
}

/* Of the largest parts of which the host has several. */
int mpib_socket_of(hwloc_topology_t topology, hwloc_const_cpuset_t bound)
{
    const hwloc_obj_type_t types[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, last_cache(topology)};
    size_t k = 0;
    while (k < 2 && !divides(topology, types[k]))
        k++;
    int number;
    return count(topology, types[k], bound, &number) == 1 ? number : -1;
}

/* ---- this host */

/* NULL: hwloc shows nothing. The caller destroys it. Without the part of hwloc that asks each
 * processor for itself, and moves the process there to do so. */
static hwloc_topology_t load(void)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(topology) == 0)
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

static void own_processors(cpu_set_t *out)
{
    CPU_ZERO(out);
    if (sched_getaffinity(0, sizeof *out, out) != 0)
        CPU_ZERO(out);
}

/* As hwloc has them; NULL: no memory. The caller frees it. */
static hwloc_bitmap_t bitmap_of(hwloc_topology_t topology, const cpu_set_t *used)
{
    hwloc_bitmap_t bits = hwloc_bitmap_alloc();
    if (bits && hwloc_cpuset_from_glibc_sched_affinity(topology, bits, used, sizeof *used) != 0)
        hwloc_bitmap_zero(bits);
    return bits;
}

/* What a process sees of its host, which may be that of others, too. */
typedef struct {
    int socket; /* its own */
    mpib_inside inside;
} sight;

/* own, used: the processors of this process, and of all of its host. */
static sight look(const cpu_set_t *own, const cpu_set_t *used)
{
    sight s = {.socket = -1};
    hwloc_topology_t topology = SIMULATED ? NULL : load();
    if (!topology)
        return s;
    hwloc_bitmap_t bound = bitmap_of(topology, own), all = bitmap_of(topology, used);
    if (bound && all)
        s = (sight){mpib_socket_of(topology, bound), mpib_inside_of(topology, all)};
    hwloc_bitmap_free(bound);
    hwloc_bitmap_free(all);
    hwloc_topology_destroy(topology);
    return s;
}

int mpib_socket_here(void)
{
    cpu_set_t own;
    own_processors(&own);
    return look(&own, &own).socket;
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

/* ---- all hosts */

static int gather_sockets(MPI_Comm comm, int own, cpm_hosts *hosts, cpm_error *e)
{
    int rank, status = CPM_OK, *all = NULL;
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

int mpib_inside_find(MPI_Comm comm, cpm_hosts *hosts, mpib_inside *most, cpm_error *e)
{
    cpu_set_t own, used;
    *most = (mpib_inside){0};
    if (SIMULATED)
        return CPM_OK;
    own_processors(&own);
    used = own;
    unite_over_host(comm, &used);
    sight s = look(&own, &used);
    PMPI_Allreduce(&s.inside.sockets, &most->sockets, 1, MPI_INT, MPI_MAX, comm);
    PMPI_Allreduce(&s.inside.caches, &most->caches, 1, MPI_INT, MPI_MAX, comm);
    return gather_sockets(comm, s.socket, hosts, e);
}
