/* Which ranks share a host, where the environment says so (CPM_LAYOUT). */
#ifndef CPM_TUNED_COMM_LAYOUT_H
#define CPM_TUNED_COMM_LAYOUT_H

#include "tuned/comm/state.h"

/* Which processes of MPI_COMM_WORLD share a host. CPM_EPROCESS: it is of another number of
 * processes. Local. */
int tuned_layout_read(cpm_hosts *world, cpm_error *e);

/* Makes t->hosts, as rank 0 reads it. Errors are everybody's, their text rank 0's. Collective on
 * the private communicator. */
int tuned_layout_take(tuned_state *t, cpm_error *e);

#endif
