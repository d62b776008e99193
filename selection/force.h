/* What the user forces by its name. */
#ifndef CPM_SELECTION_FORCE_H
#define CPM_SELECTION_FORCE_H

#include "collectives/collective.h"

/* CPM_EINVAL: a name does not say all that the algorithm needs (a tree), so it would never be run.
 */
int cpm_forced_check(const cpm_collective *c, cpm_error *e);

/* Whether a list as CPM_FORCE has it (NULL: empty) names an algorithm for o, or for the operation
 * whose algorithms it has. */
bool cpm_forced_names(const char *list, const cpm_operation *o);

#endif
