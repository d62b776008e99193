/* Which of the repository's algorithms an MPI library's own routine is. */
#ifndef CPM_SELECTION_LIBRARY_DEFAULTS_H
#define CPM_SELECTION_LIBRARY_DEFAULTS_H

#include "selection/choice.h"
#include "selection/libraries.h"

enum { CPM_MOST_USUAL = 8 };

/* Fills out, without placements, and returns how many: one where the library's decisions are known
 * (MPICH 4.0 and 4.2, Open MPI 4.1 and 5.0), else those that libraries commonly use; 0 if nothing
 * is known. */
int cpm_library_default(cpm_library library, const cpm_request *r,
                        cpm_collective out[CPM_MOST_USUAL]);

#endif
