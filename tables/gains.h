/* What of a decision table is known to gain something. */
#ifndef CPM_TABLES_GAINS_H
#define CPM_TABLES_GAINS_H

#include "tables/decision_table.h"

/* Of rules that name an algorithm. */
typedef struct {
    int rules;
    int predicted; /* that nobody measured */
    int unsure;    /* that were measured, and may gain nothing over the library's own routine */
} cpm_gains;

/* Whether nobody measured it. */
bool cpm_rule_is_predicted(const cpm_rule *r);

/* Leaves to the library what is unsure: where the interval of the gain holds 0, or nobody compared
 * it with the library's own. A rule from a size where winners change on is as sure as the next one,
 * which has the same algorithm. */
cpm_gains cpm_table_keep_gains(cpm_table *t);

#endif
