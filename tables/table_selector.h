/* Deciding by a decision table. */
#ifndef CPM_TABLES_TABLE_SELECTOR_H
#define CPM_TABLES_TABLE_SELECTOR_H

#include "selection/selector.h"
#include "tables/decision_table.h"

/* Chooses as the table, which is borrowed, says; by the library what it does not say and what
 * cannot be run. CPM_ENOMEM. */
int cpm_selector_of_table(const cpm_table *t, cpm_selector **out, cpm_error *e);

#endif
