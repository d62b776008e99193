/* The first processes of a machine as a machine of their own: the others take part in what is
 * agreed and told, and wait while these measure. */
#ifndef CPM_MPIB_SUB_CLUSTER_H
#define CPM_MPIB_SUB_CLUSTER_H

#include "mpib/mpi_machine.h"

/* Of the first n processes of whole (borrowed), whose processes are those of comm: collectives are
 * timed by timing, in batches of so many calls (measurements/batch_calls.h). Every process of whole
 * has to make every call; those that are not among the n get no results. CPM_ENOMEM, CPM_EMPI.
 * Collective. */
int mpib_sub_cluster_create(cpm_machine *whole, MPI_Comm comm, int n, mpib_timing timing, int batch,
                            cpm_machine **out, cpm_error *e);

#endif
