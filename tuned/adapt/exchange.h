/* How the ranks hear of each other's figures: a sum that is begun after a period's last call and
 * waited for some calls later, so that nobody waits for those who are late. */
#ifndef CPM_TUNED_ADAPT_EXCHANGE_H
#define CPM_TUNED_ADAPT_EXCHANGE_H

#include "tuned/comm/state.h"

typedef struct tuned_context tuned_context;

/* Whose turn the next call is, after the ranks have met if they must have by now. Never fails; what
 * it waits is added to the context's costs. */
int tuned_exchange_turn(tuned_state *t, tuned_context *x);

/* A call by who has ended; after a period's last one the ranks begin to exchange statistics. */
void tuned_exchange_count(tuned_state *t, tuned_context *x, int who, double seconds);

/* A period of nonblocking calls is over: the ranks meet at once. */
void tuned_exchange_meet(tuned_state *t, tuned_context *x);

/* The same in steps: it begins, others may have been heard, and what was said is taken. */
void tuned_exchange_begin(const tuned_state *t, tuned_context *x);
bool tuned_exchange_is_under_way(const tuned_context *x);
bool tuned_exchange_is_heard(const tuned_context *x);
void tuned_exchange_take(tuned_state *t, tuned_context *x);

/* How many calls, all run by the same, may follow that need not be timed; 0: none. */
long tuned_exchange_spare(const tuned_context *x);

/* So many of these were made, in so many seconds each. */
void tuned_exchange_pass(const tuned_state *t, tuned_context *x, long calls, double seconds);

/* The communicator ends: what is under way ends, too. False: ranks have not come, as they counted
 * otherwise; what is summed must stay in memory. */
bool tuned_exchange_end(MPI_Request *request);

#endif
