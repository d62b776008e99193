/* What a collective takes at least, without walking it. */
#ifndef CPM_SELECTION_BOUND_H
#define CPM_SELECTION_BOUND_H

#include "models/model.h"

/* Seconds below which no flow walk of s can end: the most that the processor of any process has to
 * send and receive, or that any resource (a link end of a host, memory, a trunk) has to carry. The
 * model's messages share resources (its type has flow). Costs a look at each message. CPM_ENOMEM,
 * CPM_EWRONG. */
int cpm_least_time(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                   double *seconds, cpm_error *e);

#endif
