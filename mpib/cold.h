/* Buffers that are in no cache: before a repetition every rank writes more than its caches hold. */
#ifndef CPM_MPIB_COLD_H
#define CPM_MPIB_COLD_H

#include "mpib/machine_mpi.h"

/* Room for what is written, once for m, whose buffers are cold; nothing for others. CPM_EUNKNOWN:
 * nobody tells how large the caches are; CPM_ENOMEM. Local. */
int mpib_cold_prepare(mpi_machine *m, cpm_error *e);

/* Leaves in the caches of this rank's processor nothing of what was in them, if m's buffers are
 * cold. Local. */
void mpib_cold_make(mpi_machine *m);

#endif
