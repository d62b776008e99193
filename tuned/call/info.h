/* Info keys and values of communicators, as applications set them (cpm/cpm_mpi.h). */
#ifndef CPM_TUNED_CALL_INFO_H
#define CPM_TUNED_CALL_INFO_H

#include <stdbool.h>

/* Whether a communicator of this process was given keys, so that calls have to be looked at. */
bool tuned_info_active(void);

#endif
