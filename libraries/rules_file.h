/* Files that say what runs: whatever form they have, they are read as rules. */
#ifndef CPM_LIBRARIES_RULES_FILE_H
#define CPM_LIBRARIES_RULES_FILE_H

#include "tables/ruleset.h"

/* Rules, a decision table, or the rules of Open MPI or MPICH, whatever is in the file. notes, if
 * not NULL, gets what of these has no counterpart, a sentence a line, the caller's to free. The
 * caller frees *out. CPM_EIO, CPM_ENOMEM; CPM_EPARSE "FILE:LINE: what": also rules that can never
 * hold, because others contradict them or always hold before. */
int cpm_ruleset_read(const char *path, cpm_ruleset **out, char **notes, cpm_error *e);
/* The same of a text in memory; errors call it where. */
int cpm_ruleset_unpack(const char *text, const char *where, cpm_ruleset **out, char **notes,
                       cpm_error *e);

#endif
