/* An epoch: the calls after which the ranks sum what they have seen (sums.h). The sum
 * begins with one call and is waited for in a later one, or at once. */
#ifndef CPM_TUNED_ADAPT_EPOCH_H
#define CPM_TUNED_ADAPT_EPOCH_H

#include "tuned/adapt/adapt.h"

/* Collective; waited for only if at_once. */
void tuned_epoch_begin(tuned_state *t, bool at_once);

/* Whether others were heard. Local. */
bool tuned_epoch_is_heard(const tuned_state *t);

/* Waits for it, and hears what was said. */
void tuned_epoch_end(tuned_state *t);

/* Frees what it held, when its request has ended or there was none. */
void tuned_epoch_forget(tuned_epoch *l);

/* A communicator was opened: what the program may lose in any case is spent. */
void tuned_epoch_opened(void);

/* What opening needs took so many seconds, which later epochs tell. */
void tuned_epoch_opening_took(double seconds);

/* Seconds to read what the environment names, about; 0: it names nothing. */
double tuned_epoch_reading(void);

/* All have come together: from now on it counts how far they run apart. */
void tuned_epoch_together(tuned_adapt *a);

enum { TUNED_MOST_OFFERS = 8 }; /* at a time */

/* At rank 0: the kind of calls, of nonblocking ones if begun, of persistent ones or of none of
 * these, that is to have candidates next; NULL: none is worth it. Of those that took at least half
 * as long as any the one with the longest calls, of which few tell what of others it would take
 * many to tell. */
const tuned_context *tuned_epoch_most_wished(const tuned_adapt *a, bool begun, bool persistent);

/* So many of them took as long. */
int64_t tuned_epoch_wishes(const tuned_adapt *a, bool persistent);

#endif
