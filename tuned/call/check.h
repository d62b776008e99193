/* The checked mode (CPM_CHECK=1): before each call the ranks compare what they say. */
#ifndef CPM_TUNED_CALL_CHECK_H
#define CPM_TUNED_CALL_CHECK_H

#include "executor/collective.h"

/* CPM_EINVAL on every rank, with a sentence that names who differs, if the ranks of a->comm differ
 * in operation, root, MPI operation or sizes, or if only some have arguments that MPI takes
 * (sound); if none has it is CPM_OK. CPM_ENOMEM on every rank. Collective. */
int tuned_check(const mpib_arguments *a, bool sound, cpm_error *e);

#endif
