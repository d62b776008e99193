/* What an MPI library's own routine is. */
#ifndef CPM_TOOLS_PREDICT_NATIVE_H
#define CPM_TOOLS_PREDICT_NATIVE_H

#include "selection/libraries.h"

/* Makes of OP:native, with its placement, what the library (called name) does with blocks of so
 * many bytes; another collective stays. CPM_EUNKNOWN: none of CPM's algorithms; CPM_EINVAL: it does
 * not apply. */
int native_resolve(cpm_library library, const char *name, size_t bytes, cpm_collective *c,
                   cpm_error *e);

/* The library that a version string names: "MPICH Version: 4.0.2", "Open MPI v4.1.4, ...";
 * CPM_LIBRARY_OTHER. NULL is none. */
cpm_library native_library_of(const char *version);

#endif
