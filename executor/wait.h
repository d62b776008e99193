/* Waiting for messages whose errors return. */
#ifndef CPM_EXECUTOR_WAIT_H
#define CPM_EXECUTOR_WAIT_H

#include <mpi.h>

/* Waits for count requests of a communicator whose errors return, whatever those of others do.
 * Returns the first error of any; all have ended. statuses: [count], which say for each where it is
 * not MPI_SUCCESS. Thread-safe. */
int mpib_wait_all(MPI_Request *requests, MPI_Status *statuses, int count);

/* Tests requests one after the other, from *ended on, until one has not ended: *ended is its number
 * then, or count. Returns the first error of those that have ended in this call. Thread-safe. */
int mpib_test_each(MPI_Request *requests, int count, int *ended);

#endif
