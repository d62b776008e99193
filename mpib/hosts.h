/* Which processes of a communicator share a host. */
#ifndef CPM_MPIB_HOSTS_H
#define CPM_MPIB_HOSTS_H

#include <mpi.h>

#include "collectives/hosts.h"

/* As MPI says who can share memory (MPI_COMM_TYPE_SHARED), whatever the hosts are called: in
 * containers all may have one name. CPM_EMPI if MPI cannot tell; CPM_ENOMEM. Collective; errors are
 * everybody's. */
int mpib_hosts(MPI_Comm comm, cpm_hosts *out, cpm_error *e);

#endif
