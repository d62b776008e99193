/* A selection file of MPICH as rules. */
#ifndef CPM_LIBRARIES_MPICH_RULES_H
#define CPM_LIBRARIES_MPICH_RULES_H

#include "base/error.h"

/* The text of such a file as rules, which the caller frees; errors call it where. notes as of
 * cpm_ruleset_read (rules_file.h). Calls are taken to be those of mpich_walk.h, but for operations
 * that do not commute. CPM_EPARSE, also where calls come to no algorithm; CPM_ENOMEM. */
int cpm_rules_of_mpich(const char *text, const char *where, char **rules, char **notes,
                       cpm_error *e);

#endif
