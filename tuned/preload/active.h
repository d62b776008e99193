/* Whether there is anything to be done with a collective. */
#ifndef CPM_TUNED_PRELOAD_ACTIVE_H
#define CPM_TUNED_PRELOAD_ACTIVE_H

#include "cpm/cpm_mpi.h"

#pragma GCC visibility push(hidden)

/* cpm_tuned_activity, since MPI has begun. */
extern const int *cpm_activity;

#pragma GCC visibility pop

/* Calls that are passed on take nanoseconds: a look instead of a call of another library. */
static inline bool is_active(void)
{
    return cpm_activity ? __atomic_load_n(cpm_activity, __ATOMIC_RELAXED) : cpm_tuned_active();
}

#endif
