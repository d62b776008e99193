/* What comes into question for calls of one kind: rank 0 works it out and tells all. */
#ifndef CPM_TUNED_ADAPT_OFFER_H
#define CPM_TUNED_ADAPT_OFFER_H

#include "tuned/adapt/adapt.h"

/* Seconds that working one out for n processes takes, as seen so far in this process, or about. */
double tuned_offer_cost(int n);

/* kind: at rank 0, for which an engine is made on all ranks; NULL: for none. A model predicts for
 * about so many seconds at most. False: none was made. Collective on the private communicator. */
bool tuned_offer_make(tuned_state *t, const tuned_kind *kind, double seconds);

/* The same in steps, of calls whose sizes no root tells, on a communicator of the same ranks. It
 * begins; it goes on as far as messages have come, and ends; then engines are held, and all are let
 * go, or none where a rank has none. */
void tuned_offer_begin(tuned_state *t, tuned_offering *o, MPI_Comm comm, const tuned_kind *kind,
                       double seconds);
bool tuned_offer_has_ended(tuned_state *t, tuned_offering *o);
void tuned_offer_let_go(tuned_state *t, tuned_context *x, bool failed);

#endif
