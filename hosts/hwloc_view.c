#include "hosts/hwloc_view.h"

#ifdef CPM_HWLOC

#include <hwloc/glibc-sched.h>
#include <stdbool.h>

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

size_t mpib_cached_of(hwloc_topology_t topology, hwloc_const_cpuset_t bound)
{
    size_t most = 0;
    for (hwloc_obj_t p = NULL; (p = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, p));) {
        size_t sum = 0;
        for (hwloc_obj_t o = p; o && hwloc_bitmap_intersects(p->cpuset, bound); o = o->parent)
            if (hwloc_obj_type_is_dcache(o->type))
                sum += (size_t)o->attr->cache.size;
        most = sum > most ? sum : most;
    }
    return most;
}

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

/* As hwloc has them; NULL: no memory. The caller frees it. */
static hwloc_bitmap_t bitmap_of(hwloc_topology_t topology, const cpu_set_t *used)
{
    hwloc_bitmap_t bits = hwloc_bitmap_alloc();
    if (bits && hwloc_cpuset_from_glibc_sched_affinity(topology, bits, used, sizeof *used) != 0)
        hwloc_bitmap_zero(bits);
    return bits;
}

mpib_hwloc_view mpib_view_by_hwloc(const cpu_set_t *own, const cpu_set_t *used)
{
    mpib_hwloc_view s = {.socket = -1};
    hwloc_topology_t topology = load();
    if (!topology)
        return s;
    hwloc_bitmap_t bound = bitmap_of(topology, own), all = bitmap_of(topology, used);
    if (bound && all)
        s = (mpib_hwloc_view){mpib_socket_of(topology, bound), mpib_inside_of(topology, all),
                              mpib_cached_of(topology, bound)};
    hwloc_bitmap_free(bound);
    hwloc_bitmap_free(all);
    hwloc_topology_destroy(topology);
    return s;
}

#else

mpib_hwloc_view mpib_view_by_hwloc(const cpu_set_t *own, const cpu_set_t *used)
{
    (void)own, (void)used;
    return (mpib_hwloc_view){.socket = -1};
}

#endif
