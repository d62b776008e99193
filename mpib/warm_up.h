/* Before anything is measured. */
#ifndef CPM_MPIB_WARM_UP_H
#define CPM_MPIB_WARM_UP_H

#include <mpi.h>

#include "base/error.h"

/* Messages between all processes of a host, so that the buffers through which messages pass there
 * have been used. MPI libraries take these in turn (UCX 64 of 8 KB for each receiver), and the
 * first use of each waits for its pages: the first 50 broadcasts of 4 KB between two processes took
 * 11 us, the later ones 2 us. Collective. CPM_EMPI, CPM_ENOMEM. */
int mpib_warm_up(MPI_Comm comm, cpm_error *e);

#endif
