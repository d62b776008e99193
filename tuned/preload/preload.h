/* Whether the functions of libcpm-tuned.so do anything. */
#ifndef CPM_TUNED_PRELOAD_PRELOAD_H
#define CPM_TUNED_PRELOAD_PRELOAD_H

#include <mpi.h>
#include <stdbool.h>

#include "tuned/collectives.h"

/* Is the MPI library of this process of the kind this was built for? Says so on stderr, once, if
 * not. */
bool preload_fits_library(void);

/* Asked first in every call: where nobody asked for anything, MPI's own routine is next. */
static inline bool preload_is_on(void)
{
    return cpm_tuned_active() && preload_fits_library();
}

#endif
