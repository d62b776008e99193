/* What predicting costs. */
#ifndef CPM_SELECTION_EFFORT_H
#define CPM_SELECTION_EFFORT_H

#include "collectives/schedule/schedule.h"

/* Seconds of processor time that the plain walk of s takes, and the messages of s, about. */
typedef struct {
    double seconds, messages;
} cpm_effort;

/* A few ranks stand for all. CPM_ENOMEM. */
int cpm_walk_effort(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_effort *out,
                    cpm_error *e);

/* The same of a walk of so many messages of n processes, with so many runs of positions, in which
 * all have their ways for themselves. */
double cpm_lone_walk_taken(int n, double messages, double runs);

/* The same of the plain walk of s that is the prediction. */
double cpm_plain_walk_taken(const cpm_schedule *s, const cpm_block_sizes *sizes, double messages,
                            double runs);

/* What a flow walk has taken, about: of so many messages and runs, and looks at messages under way.
 * How many looks it takes only the walk itself shows; it takes no less than with none. */
double cpm_flow_walk_taken(int n, double messages, double runs, double looks);

#endif
