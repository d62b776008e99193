/* MPI's own routines and chosen algorithms in turns, and what the one gains over the other: cpm run
 * --compare. */
#ifndef CPM_TUNED_REPORT_AB_COMPARISON_H
#define CPM_TUNED_REPORT_AB_COMPARISON_H

#include "base/report_table.h"
#include "selection/choice.h"
#include "tuned/report/observed.h"

/* Whose turn the call of that operation and root is, the same at all ranks of a communicator. Of
 * two consecutive ones one is the library's; which one is drawn, so that a program that repeats
 * itself has both of each kind of call. number: among the calls of that operation and root, so that
 * a rank that did not take part in one is out of step with these alone. */
tuned_by tuned_ab_side(const cpm_operation *o, int root, unsigned number);

/* Adds what was gained: of each kind of calls, and of the program. On a busy host that is not
 * known. */
void tuned_ab_report(cpm_report_tables *out, const tuned_account *a);

/* Adds the same to the summary: of the program, and of the kinds of calls that gain or lose most.
 */
void tuned_ab_summary(cpm_report_tables *out, const tuned_account *a);

/* "chain:segment=8192", "binomial (mapped)", "native". */
void tuned_choice_print(const cpm_choice *c, char *text, size_t size);

#endif
