/* What the processors of a host share, as hwloc shows it, and which of it a process is bound to. */
#ifndef CPM_MPIB_INSIDE_H
#define CPM_MPIB_INSIDE_H

#include <hwloc.h>
#include <mpi.h>

#include "collectives/hosts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the processors that processes may use; 0: it is not told. */
typedef struct {
    int sockets, caches; /* caches of the last level */
} mpib_inside;

/* Of the processors in used. Local. */
mpib_inside mpib_inside_of(hwloc_topology_t topology, hwloc_const_cpuset_t used);

/* The socket of a process that is bound to those processors: the number of the package that has
 * them all; on hosts with one package of the NUMA node, or with one of these, too, of the
 * last-level cache. -1: it may run in several, or it is not told. Local. */
int mpib_socket_of(hwloc_topology_t topology, hwloc_const_cpuset_t bound);
/* Of the calling one; of a simulated one -1. Local. */
int mpib_socket_here(void);

/* The most of any host of comm; and at rank 0 sets the sockets of hosts, which are those of comm.
 * CPM_ENOMEM. Collective; errors are everybody's. */
int mpib_inside_find(MPI_Comm comm, cpm_hosts *hosts, mpib_inside *most, cpm_error *e);

#ifdef __cplusplus
}
#endif

#endif
