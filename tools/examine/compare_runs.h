/* cpm compare A.meas B.meas: whether the same collectives took another time in another run. */
#ifndef CPM_TOOLS_EXAMINE_COMPARE_RUNS_H
#define CPM_TOOLS_EXAMINE_COMPARE_RUNS_H

#include "tools/frame/command.h"

/* Whether the operands are two files of measurements, and collectives at most besides. */
bool compare_is_of_runs(const call *c);

/* Tests each collective that is in both files by all its repetitions (base/rank_tests.h), prints a
 * table and how many differ at a level of 5 % by Holm's correction for all of them. CPM_EIO,
 * CPM_EPARSE, CPM_EPROCESS (of different numbers of processes), CPM_EINVAL (timed or placed
 * differently; options that are about models), CPM_EDATA (nothing in common, or measured without
 * --raw), CPM_EUNKNOWN, CPM_ENOMEM. */
int compare_runs(const call *c, cpm_error *e);

#endif
