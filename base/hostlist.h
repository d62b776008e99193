/* Lists of names as Slurm writes them: "tux[0-3,12],fs1". */
#ifndef CPM_BASE_HOSTLIST_H
#define CPM_BASE_HOSTLIST_H

#include "base/error.h"

/* Calls each(name, data) of every name in order, until one is not CPM_OK, and returns that.
 * "rack[1-2]n[08-10]" is rack1n08, rack1n09, rack1n10, rack2n08 and so on. CPM_EPARSE, saying what
 * is wrong: a bracket without its other one, no number or range in brackets, more than 2^20 names;
 * CPM_ENOMEM. */
int cpm_hostlist(const char *text, int (*each)(const char *name, void *data), void *data,
                 cpm_error *e);

#endif
