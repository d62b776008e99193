/* cpm bench coll --guidelines: whether an MPI library keeps self-consistent performance guidelines
 * (adapt/guidelines.h). */
#ifndef CPM_TOOLS_MEASURE_GUIDELINES_H
#define CPM_TOOLS_MEASURE_GUIDELINES_H

#include "tools/frame/command.h"

enum { GUIDELINES_TURNS = 16, GUIDELINES_LEAST_TURNS = 5 };

typedef struct {
    int turns;
    double tolerance;
} guidelines_options;

/* Measures what the guidelines of the operations that are named need (none: of all), or reads it
 * from the file of measurements that is named instead; prints the verdicts and sets the outcome of
 * the call: found, if one is violated. Same status on every rank. */
int guidelines_run(call *c, const guidelines_options *o, cpm_error *e);

#endif
