/* Which receives of a rank go to where it sends from, and which of its sends come from where it
 * receives. Whoever fetches from there has what lay there in its cache, so that writing there again
 * takes longer; and what a rank has received lies in its own cache, from which others fetch. */
#ifndef CPM_COLLECTIVES_SCHEDULE_SEEN_RUNS_H
#define CPM_COLLECTIVES_SCHEDULE_SEEN_RUNS_H

#include "collectives/schedule/schedule.h"

/* Runs that a rank sends, or receives; reused from rank to rank. */
typedef struct {
    cpm_run *seen; /* disjoint, in order */
    int64_t count, capacity;
} cpm_seen_runs;

/* Looks at all that steps send, or (not sends) at all that they receive and combine, whenever that
 * is: calls follow each other. Linear in runs if they are in order, else they are sorted.
 * CPM_ENOMEM. */
int cpm_seen_runs_see(cpm_seen_runs *o, bool sends, const cpm_steps *steps, cpm_error *e);
/* Whether what a step sends or receives has something of what was seen; contributions are received
 * in space. */
bool cpm_seen_runs_hold(const cpm_seen_runs *o, const cpm_steps *steps, const cpm_step *step);
void cpm_seen_runs_free(cpm_seen_runs *o);

#endif
