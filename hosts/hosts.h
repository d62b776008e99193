/* Which processes of a communicator share a host. */
#ifndef CPM_HOSTS_HOSTS_H
#define CPM_HOSTS_HOSTS_H

#include <mpi.h>

#include "collectives/hosts.h"

/* As MPI says who can share memory (MPI_COMM_TYPE_SHARED), whatever the hosts are called: in
 * containers all may have one name. CPM_EMPI if MPI cannot tell; CPM_ENOMEM. Collective; errors are
 * everybody's. */
int mpib_hosts(MPI_Comm comm, cpm_hosts *out, cpm_error *e);

/* The same, but a rank that has no memory for it fails alone. space: as many as there are
 * processes. */
int mpib_hosts_apart(MPI_Comm comm, int *space, cpm_hosts *out, cpm_error *e);

/* As a layout of the processes of MPI_COMM_WORLD has it. CPM_EPROCESS: it has not all of them;
 * CPM_ENOMEM. Local. */
int mpib_hosts_within(MPI_Comm comm, const cpm_hosts *world, cpm_hosts *out, cpm_error *e);

#endif
