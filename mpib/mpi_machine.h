/* The machine of an MPI communicator: measures experiments between its processes. */
#ifndef CPM_MPIB_MPI_MACHINE_H
#define CPM_MPIB_MPI_MACHINE_H

#include <mpi.h>

#include "measurements/buffers.h"
#include "measurements/machine.h"
#include "mpib/benchmark.h"
#include "mpib/clock.h"
#include "mpib/watch.h"

/* Fresh if this is not called. Of a machine as below; the same on every rank. */
void mpib_machine_set_buffers(cpm_machine *machine, mpib_buffers buffers);

/* How many calls a batch has (measurements/batch_calls.h) where the timing is one of batches; by
 * size if this is not called. Of a machine made by one of the functions below or
 * mpib_machine_create; the same on every rank. */
void mpib_machine_set_batch(cpm_machine *machine, int batch);

/* mpib_machine_create by another clock, which is copied. */
int mpib_machine_create_by(const mpib_clock *clock, MPI_Comm comm, mpib_timing timing,
                           cpm_machine **out, cpm_error *e);

/* Calls lost when processes of a machine made above die or hang (mpib/watch.h). Collective. */
int mpib_machine_watch(cpm_machine *machine, double patience, mpib_lost *lost, void *context,
                       cpm_error *e);

/* Ranks on this rank's host and processors they may use, the largest ratio over all hosts:
 * *ranks and *cores of the host with the largest, its name in host[size]. Collective. */
int mpib_oversubscription(MPI_Comm comm, int *ranks, int *cores, char *host, int size,
                          cpm_error *e);

#endif
