/* Which file MPICH's library is. */
#ifndef CPM_TOOLS_CHOOSE_MPICH_LIBRARY_H
#define CPM_TOOLS_CHOOSE_MPICH_LIBRARY_H

#include "base/error.h"

/* What --mpich-library names or, if that is NULL, the MPI library that runs here. CPM_EIO: none
 * does. *out is borrowed. */
int mpich_library(const char *named, const char **out, cpm_error *e);

#endif
