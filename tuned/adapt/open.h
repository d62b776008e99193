/* Opening a communicator when that pays: from then on there are candidates for its calls. */
#ifndef CPM_TUNED_ADAPT_OPEN_H
#define CPM_TUNED_ADAPT_OPEN_H

#include "tuned/adapt/adapt.h"

/* Whether it fits into the budget and is worth it by what the last epoch told. Collective: it may
 * measure a small collective first. */
bool tuned_open_is_time(tuned_state *t);

/* Collective. False: it cannot be opened, and nothing is adapted. */
bool tuned_open_together(tuned_state *t);

/* Preparing: what opening needs all for is done where all wait anyway, as MPI begins or a
 * communicator is made, so that calls that do not block can open it. It may take 2 % of what MPI's
 * own beginning took in this process, and with STAR's policies whatever it takes.
 *
 * MPI has begun in so many seconds; 0: it is of no use in this process. Local. */
void tuned_open_may_prepare(double seconds);

/* t: of comm, of several processes, new; NULL: no memory. sync: seconds of a small collective, the
 * same on all ranks; 0: not known. Nothing is prepared where that takes too long on a rank, or
 * nonblocking calls are not judged. Collective over comm: at least one small collective. */
void tuned_open_prepare(tuned_state *t, MPI_Comm comm, double sync);

/* What was prepared is open. All ranks have made the same calls so far. Local. */
void tuned_open_prepared(tuned_state *t);

/* The application asked for it, and all is there: its calls pay for nothing. All adapt, or nobody:
 * MPI's own routines remain. Collective. CPM_ENOMEM. */
int tuned_open_asked(tuned_state *t, cpm_error *e);

/* Learns which hosts these are, for which what is shown is remembered. Collective. */
void tuned_open_name_hosts(tuned_state *t);

/* Whether hosts come before candidates: something may be recalled, or what is shown is of use
 * soon. That of all processes lives for long, and candidates come first. */
bool tuned_open_names_first(const tuned_state *t);

#endif
