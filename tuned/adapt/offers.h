/* Offers in steps (offer.h), one after the other, for kinds of calls that rank 0 picks: those that
 * took the longest. */
#ifndef CPM_TUNED_ADAPT_OFFERS_H
#define CPM_TUNED_ADAPT_OFFERS_H

#include "tuned/adapt/adapt.h"

/* They go on as far as messages have come, the first one begins, and all end. */
bool tuned_offers_have_ended(tuned_state *t, tuned_offers *o);

#endif
