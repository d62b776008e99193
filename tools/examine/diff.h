/* What cpm diff compares and says, for others to say too. */
#ifndef CPM_TOOLS_EXAMINE_DIFF_H
#define CPM_TOOLS_EXAMINE_DIFF_H

#include "base/sizes.h"
#include "diagnose/diff.h"

/* Sizes of messages whose times are shown. */
#define DIFF_SIZES "0,1K,64K,1M"

/* Models as they are compared. If both know the inside of hosts, whatever processes are on them:
 * with two processes on each, and if both tell its sockets apart a third on another one. */
typedef struct {
    cpm_model *a, *b; /* owned */
    bool hosts, sockets;
} diff_pair;

/* Makes of both models what is compared. CPM_ENOMEM, and as cpm_model_place. */
int diff_settle(diff_pair *of, cpm_error *e);

/* Prints what changed: the verdict, how many values of each parameter, which, and how much longer
 * messages take. full: all of them, however many. CPM_ENOMEM. */
int diff_print(const diff_pair *of, const cpm_diff_result *r, double least_effect, bool full,
               const cpm_sizes *sizes, cpm_error *e);

#endif
