/* Agreement: what fails on one rank fails on all, so nobody waits for a rank that has given up. */
#ifndef CPM_EXECUTOR_AGREE_H
#define CPM_EXECUTOR_AGREE_H

#include <mpi.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every rank gets the status and the sentence of the lowest rank whose status is not CPM_OK.
 * Returns that status, or CPM_OK if nobody failed. e may be NULL. Collective. */
CPM_API int mpib_agree(MPI_Comm comm, int status, cpm_error *e);

#ifdef __cplusplus
}
#endif

#endif
