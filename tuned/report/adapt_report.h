/* What the program's own calls decided, and what that cost and gained, as tables of the report. */
#ifndef CPM_TUNED_REPORT_ADAPT_REPORT_H
#define CPM_TUNED_REPORT_ADAPT_REPORT_H

#include "base/report_table.h"
#include "tuned/comm/state.h"

/* Counts the kinds of calls and the budget of a state that adapts, before it ends. The caller sees
 * to it that one thread at a time does. */
void tuned_adapt_report_count(const tuned_state *t);

/* Adds what was counted, if anything was. */
void tuned_adapt_report_add(cpm_report_tables *all);

/* Adds to the summary what was saved in all, and by the two choices that saved most. False: nothing
 * was counted. */
bool tuned_adapt_report_summary(cpm_report_tables *all);

/* Forgets it. */
void tuned_adapt_report_clear(void);

#endif
