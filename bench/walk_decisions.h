/* The rows of bench_walk that are about decisions. */
#ifndef CPM_BENCH_WALK_DECISIONS_H
#define CPM_BENCH_WALK_DECISIONS_H

#include "bench/walk_goals.h"

/* Prints what decisions take, by the plain walk and by the flow walk. 0, or 1 where one failed. */
int bench_decisions(bench_found *found);

#endif
