/* Info keys and values of communicators, as applications set them (cpm/cpm_mpi.h). */
#ifndef CPM_TUNED_CALL_INFO_H
#define CPM_TUNED_CALL_INFO_H

#include <stdbool.h>

/* Where it is said that calls have to be looked at: 1 if they have for another reason, or when a
 * communicator of this process has been given keys; else 0. Atomic. */
const int *tuned_info_activity(bool otherwise);

#endif
