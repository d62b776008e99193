/* Waiting for messages whose errors return. */
#ifndef CPM_EXECUTOR_WAIT_H
#define CPM_EXECUTOR_WAIT_H

#include <mpi.h>
#include <stdbool.h>

/* Waits for count requests of a communicator whose errors return, whatever those of others do.
 * Returns the first error of any; all have ended. statuses: [count], which say for each where it is
 * not MPI_SUCCESS. Thread-safe. */
int mpib_wait_all(MPI_Request *requests, MPI_Status *statuses, int count);

/* Whether all have ended by now. Returns the first error of those that have ended in this call;
 * these are MPI_REQUEST_NULL then. Thread-safe. */
int mpib_test_all(MPI_Request *requests, MPI_Status *statuses, int count, bool *all);

#endif
