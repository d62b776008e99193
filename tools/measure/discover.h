/* Which hosts are at the same switch, measured and written into a topology file. */
#ifndef CPM_TOOLS_MEASURE_DISCOVER_H
#define CPM_TOOLS_MEASURE_DISCOVER_H

#include "tools/frame/command.h"

/* Writes the file of --discover, and makes it that of --topology. Collective; same status on every
 * rank. */
int discover_switches(call *c, cpm_error *e);

#endif
