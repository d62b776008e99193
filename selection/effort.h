/* What predicting costs. */
#ifndef CPM_SELECTION_EFFORT_H
#define CPM_SELECTION_EFFORT_H

#include "collectives/schedule/schedule.h"
#include "collectives/schedule/timeline.h"

/* Seconds of processor time that the plain walk of s takes, about. A few ranks stand for all.
 * CPM_ENOMEM. */
int cpm_walk_effort(const cpm_schedule *s, const cpm_block_sizes *sizes, double *seconds,
                    cpm_error *e);

/* What a flow walk has taken, about: of run's messages, and so many looks at messages under way.
 * How many looks it takes only the walk itself shows; it takes no less than with none. */
double cpm_flow_walk_taken(const cpm_timeline *run, double looks);

#endif
