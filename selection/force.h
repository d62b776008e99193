/* What the user forces by its name. */
#ifndef CPM_SELECTION_FORCE_H
#define CPM_SELECTION_FORCE_H

#include "collectives/collective.h"

/* CPM_EINVAL: a name does not say all that the algorithm needs (a tree), so it would never be run.
 */
int cpm_forced_check(const cpm_collective *c, cpm_error *e);

/* Whether it is not an algorithm, but parameters for any: "*:k=2"; more of a list may follow. */
bool cpm_forced_is_of_any(const char *algorithm);

/* Whether it can be forced of o: an algorithm by its name, or parameters for any. CPM_EUNKNOWN,
 * CPM_EPARSE, CPM_EINVAL. */
int cpm_forced_check_value(const cpm_operation *o, const char *value, cpm_error *e);

/* Whether a list as CPM_FORCE has it (NULL: empty) names an algorithm for o, or for the operation
 * whose algorithms it has; any: parameters for any algorithm. */
bool cpm_forced_names(const char *list, const cpm_operation *o, bool any);

#endif
