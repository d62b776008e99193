/* What computing hides of nonblocking collectives, measured. */
#ifndef CPM_TOOLS_MEASURE_OVERLAP_H
#define CPM_TOOLS_MEASURE_OVERLAP_H

#include "tools/frame/choices.h"
#include "tools/frame/command.h"

/* Measures all choices at all sizes of the call and prints them. computing: seconds, 0: as long as
 * each call takes alone. The machine has overlap. Collective; same status on every rank. */
int overlap_measure(call *c, const choices *which, double computing, cpm_error *e);

#endif
