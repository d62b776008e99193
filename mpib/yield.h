/* Giving the processor away while MPI polls for messages, for ranks that share cores. */
#ifndef CPM_MPIB_YIELD_H
#define CPM_MPIB_YIELD_H

#include <stdbool.h>

#include "base/api.h"

/* Part of an executable (mpib/yield.c must be linked into it and export ucp_worker_progress), not
 * of libmpib. On at the start; switch it off when every rank has a core of its own. */
CPM_API void mpib_yield_when_idle(bool on);

#endif
