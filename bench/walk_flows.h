/* The rows of bench_walk that are about link ends that messages share. */
#ifndef CPM_BENCH_WALK_FLOWS_H
#define CPM_BENCH_WALK_FLOWS_H

#include "bench/walk_goals.h"
#include "models/model.h"

/* Processor time of this process, in seconds: others do not count. */
double bench_now(void);

/* lmo2 of hosts with one process each, whose messages share link ends. */
cpm_model *bench_unlike_hosts(int hosts);

/* Prints what the flow walk takes, beside SMPI executing the same on the exported platform where
 * simulator, bench/walk_smpi.c compiled with smpicc, is given (else NULL). 0, or 1 where a row
 * failed. */
int bench_flows(const char *simulator, bench_found *found);

#endif
