/* Deciding by rules. */
#ifndef CPM_TABLES_RULESET_SELECTOR_H
#define CPM_TABLES_RULESET_SELECTOR_H

#include "selection/selector.h"
#include "tables/ruleset.h"

/* Chooses as the rules, which are borrowed, say, by the library where that cannot be run; where no
 * rule holds as otherwise says, which is freed with this one, also on failure; NULL: by the
 * library. CPM_ENOMEM. */
int cpm_selector_of_rules(const cpm_ruleset *rules, cpm_selector *otherwise, cpm_selector **out,
                          cpm_error *e);

#endif
