/* What a process sees of the host it runs on, if CPM is built with hwloc. */
#ifndef CPM_HOSTS_HWLOC_VIEW_H
#define CPM_HOSTS_HWLOC_VIEW_H

#include <sched.h>

#ifdef CPM_HWLOC
#include <hwloc.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Of the processors that processes may use; 0: it is not told. */
typedef struct {
    int sockets, caches; /* caches of the last level */
} mpib_inside;

typedef struct {
    int socket; /* of the process, as mpib_socket_of says; -1: it is not told */
    mpib_inside inside;
    size_t cached; /* as mpib_cached_of says */
} mpib_hwloc_view;

/* own, used: the processors of the calling process, and of all of its host. Without hwloc, or where
 * that shows nothing, nothing is told. Local. */
mpib_hwloc_view mpib_view_by_hwloc(const cpu_set_t *own, const cpu_set_t *used);

#ifdef CPM_HWLOC
/* Of the processors in used. Local. */
mpib_inside mpib_inside_of(hwloc_topology_t topology, hwloc_const_cpuset_t used);

/* The socket of a process that is bound to those processors: the number of the package that has
 * them all; on hosts with one package of the NUMA node, or with one of these, too, of the
 * last-level cache. -1: it may run in several, or it is not told. Local. */
int mpib_socket_of(hwloc_topology_t topology, hwloc_const_cpuset_t bound);

/* Bytes that the data caches of one of those processors hold, of all levels; of that with the most.
 * 0: it is not told. Local. */
size_t mpib_cached_of(hwloc_topology_t topology, hwloc_const_cpuset_t bound);
#endif

#ifdef __cplusplus
}
#endif

#endif
