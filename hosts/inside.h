/* What the processors of a host share, and which of it a process is bound to. */
#ifndef CPM_HOSTS_INSIDE_H
#define CPM_HOSTS_INSIDE_H

#include <mpi.h>

#include "collectives/hosts.h"
#include "hosts/hwloc_view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The socket of the calling process, as mpib_socket_of says; of a simulated one, or where it is not
 * told, -1. Local. */
int mpib_socket_here(void);

/* Bytes that the caches of one processor hold, the most of those that the calling process may run
 * on; 0: it is not told, or simulated. Local. */
size_t mpib_cached_here(void);

/* The most of any host of comm; and at rank 0 sets the sockets of hosts, which are those of comm.
 * CPM_ENOMEM. Collective; errors are everybody's. */
int mpib_inside_find(MPI_Comm comm, cpm_hosts *hosts, mpib_inside *most, cpm_error *e);

#ifdef __cplusplus
}
#endif

#endif
