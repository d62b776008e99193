/* What the user forces by its name. */
#ifndef CPM_TABLES_FORCE_H
#define CPM_TABLES_FORCE_H

#include "collectives/collective.h"
#include "selection/selector.h"

/* CPM_EINVAL: it would never be run, as a name does not say all that the algorithm needs (a tree).
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

/* "bcast:chain:segment=8K,gather:split": these operations (and with "scatter" also scatterv, unless
 * it is named itself) by these algorithms where they can be, by the library where they cannot
 * ("bcast:native": never); all others as otherwise says, which is freed with this one, also on
 * failure; NULL: by the library. "bcast:*:segment=8K": whatever algorithm is chosen gets this
 * parameter if it takes it. CPM_EUNKNOWN with the known names, CPM_EINVAL: a parameter, an
 * algorithm that needs a tree, or an operation that is named twice. */
int cpm_selector_forced(const char *text, cpm_selector *otherwise, cpm_selector **out,
                        cpm_error *e);

#endif
