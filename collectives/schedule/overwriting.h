/* Which receives of a rank go to where it sends from, and which of its sends come from where it
 * receives. Whoever fetches from there has what lay there in its cache, so that writing there again
 * takes longer; and what a rank has received lies in its own cache, from which others fetch. */
#ifndef CPM_COLLECTIVES_SCHEDULE_OVERWRITING_H
#define CPM_COLLECTIVES_SCHEDULE_OVERWRITING_H

#include "collectives/schedule/schedule.h"

/* Runs that a rank sends, or receives; reused from rank to rank. */
typedef struct {
    cpm_run *seen; /* disjoint, in order */
    int64_t count, capacity;
} cpm_overwriting;

/* Looks at all that steps send, or else receive and combine, before or behind the others: calls
 * follow each other. Linear in runs if they are in order, else they are sorted. CPM_ENOMEM. */
int cpm_overwriting_see(cpm_overwriting *o, bool sends, const cpm_steps *steps, cpm_error *e);
/* Whether a step has something of what was seen; contributions are received in space. */
bool cpm_overwriting_is(const cpm_overwriting *o, const cpm_steps *steps, const cpm_step *step);
void cpm_overwriting_free(cpm_overwriting *o);

#endif
