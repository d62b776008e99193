/* Doing many things that do not depend on each other, in threads. */
#ifndef CPM_BASE_PARALLEL_H
#define CPM_BASE_PARALLEL_H

#include "base/error.h"

/* The k-th thing, k in 0..count-1. Called by several threads at once, each k once. */
typedef int cpm_parallel_function(void *context, int k, cpm_error *e);

/* Does count things in that many threads (0: one for each processor that this process may use;
 * fewer where the system refuses). Where some fail, the status and error are those of the least k,
 * as if they had been done in order, and what comes behind it may be left out. */
int cpm_parallel(int count, int threads, cpm_parallel_function *do_one, void *context,
                 cpm_error *e);

/* How many that are: threads, or one for each processor where they are 0. */
int cpm_threads(int threads);

#endif
