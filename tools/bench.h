/* What the two benchmarks share. */
#ifndef CPM_TOOLS_BENCH_H
#define CPM_TOOLS_BENCH_H

#include "tools/command.h"
#include "tools/sweep.h"

extern const option bench_options[];

/* Gives sizes their default. CPM_ENOMEM. */
int bench_sizes(settings *s, const char *otherwise, cpm_error *e);

/* Prints the head of a table: "# cpm bench p2p ..." and what the columns are. */
void bench_head(const call *c, const cpm_measurements *m, const char *what);

#endif
