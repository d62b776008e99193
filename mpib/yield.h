/* Giving the processor away while MPI polls for messages, for ranks that share cores. */
#ifndef CPM_MPIB_YIELD_H
#define CPM_MPIB_YIELD_H

#include <stdbool.h>

/* Part of an executable (mpib/yield.c must be linked into it and its symbols exported), not of
 * libmpib. On at the start; switch it off when every rank has a core of its own. */
void mpib_yield_when_idle(bool on);

#endif
