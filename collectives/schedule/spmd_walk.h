/* A walk of ranks that all do the same, one round after the other. */
#ifndef CPM_COLLECTIVES_SCHEDULE_SPMD_WALK_H
#define CPM_COLLECTIVES_SCHEDULE_SPMD_WALK_H

#include "collectives/schedule/walk.h"

/* As cpm_plain_walk without a trace, of schedules whose family says that all ranks are alike and in
 * which every message is received in the round in which it is sent. *walked: whether s is one of
 * them and there is memory for it; if not nothing was done. The numbers are those of the walk rank
 * by rank, to the last bit; blocks are not compared. CPM_ENOMEM. */
double cpm_walk_spmd(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_cost_function *cost,
                     const void *model, const cpm_plain_walking *how, double *finish, bool *walked,
                     cpm_error *e);

#endif
