/* Opening a communicator when that pays: from then on there are candidates for its calls. */
#ifndef CPM_TUNED_ADAPT_OPEN_H
#define CPM_TUNED_ADAPT_OPEN_H

#include "tuned/adapt/adapt.h"

/* Whether it fits into the budget and is worth it by what the last epoch told. Collective: it may
 * measure a small collective first. */
bool tuned_open_is_time(tuned_state *t);

/* Collective. False: it cannot be opened, and nothing is adapted. */
bool tuned_open_together(tuned_state *t);

/* The application asked for it, and all is there: its calls pay for nothing. All adapt, or nobody:
 * MPI's own routines remain. Collective. CPM_ENOMEM. */
int tuned_open_asked(tuned_state *t, cpm_error *e);

/* Learns which hosts these are, for which what is shown is remembered. Collective. */
void tuned_open_name_hosts(tuned_state *t);

/* Whether hosts come before candidates: something may be recalled, or what is shown is of use
 * soon. That of all processes lives for long, and candidates come first. */
bool tuned_open_names_first(const tuned_state *t);

#endif
