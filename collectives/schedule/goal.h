/* Writing a schedule for LogGOPSim, in its language GOAL (T. Hoefler, C. Siebert, A. Lumsdaine:
 * Group Operation Assembly Language, ICPP 2009). See doc/export.md. */
#ifndef CPM_COLLECTIVES_SCHEDULE_GOAL_H
#define CPM_COLLECTIVES_SCHEDULE_GOAL_H

#include <stdio.h>

#include "collectives/schedule/schedule.h"

/* Every message with its bytes, an operation at each of its ends. What a rank does in a round
 * requires what it did in the round before; sends of a round begin in their order. The k-th message
 * from one rank to another has tag k, so that ends are matched as here. Marks of experiments are
 * left out. CPM_EWRONG, CPM_ENOMEM; that out cannot be written is for the caller to find. */
int cpm_goal_write(const cpm_schedule *s, const cpm_block_sizes *sizes, FILE *out, cpm_error *e);

#endif
