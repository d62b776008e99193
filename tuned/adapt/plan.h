/* When the next epoch comes, and what fits into the budget until then: reckoned from what all ranks
 * know alike, calls being counted from the communicator's first one. Local, without messages. */
#ifndef CPM_TUNED_ADAPT_PLAN_H
#define CPM_TUNED_ADAPT_PLAN_H

#include "tuned/adapt/adapt.h"

/* Calls before the first epoch, which costs as much as some short ones. */
enum { TUNED_FIRST_EPOCH = 64 };

/* ---- epochs */

/* Whether an epoch before it is open is waited for at once, is rarer, and is the last one where
 * ranks run apart (the next would find them four times as far): a communicator that the program
 * frees while a request of its is open lives on, with the program's attributes. That of all
 * processes is not freed. */
bool tuned_plan_waits(const tuned_state *t);

/* Whether an epoch is waited for at once. */
bool tuned_plan_is_at_once(const tuned_state *t);

/* Whether ranks send to a root and hardly ever wait for it, as in a bcast: they may be a second
 * ahead of it, and an epoch, in which they wait or which goes between what is under way, may make a
 * switch with little memory lose some of that, which takes the root 200 ms. So epochs are rare, and
 * end late. */
bool tuned_plan_floods(const tuned_adapt *a, long calls);

/* Whether the next call is better for an epoch: the last one has not brought all together, and the
 * program makes such calls. */
bool tuned_plan_is_better_later(const tuned_adapt *a, long calls);
/* In how many calls it is to be asked again, after so many times: a program may have ceased to make
 * such calls, and what is asked about is not passed on. */
long tuned_plan_later(long times);

/* Whether a first epoch would come before tuned_plan_first_apart() without a reason of its own. */
bool tuned_plan_is_too_early(const tuned_state *t, long calls);

/* The number of the call before which a first epoch that nobody waits for may cost too much. */
long tuned_plan_first_apart(const tuned_adapt *a, long calls);

/* Calls between the begin and the end of an epoch. A root that sends is far ahead of those that
 * receive: where calls are short, or not known, or all have just come together, it makes as many
 * calls again, so that it does not wait. */
long tuned_plan_meanwhile(const tuned_adapt *a, long calls);

/* Sets the number of the call of the next epoch; opened: this one has opened the communicator. */
void tuned_plan_next(const tuned_state *t, bool opened);

/* ---- times, in seconds */

/* Of a call by MPI's own routines; 0: not known yet. Before it is open: between the last two
 * epochs, as a program's first calls may take twenty times as long as later ones. Then: so far. */
double tuned_plan_call_time(const tuned_adapt *a, long calls);

/* What it costs to interrupt calls that follow at once and are under way together: some of them,
 * and the waiting of those that are ahead. */
double tuned_plan_drain(const tuned_adapt *a, long calls);

/* Whether meeting at once, where a root is behind, fits into the budget: it has no work then. */
bool tuned_plan_may_meet(const tuned_adapt *a);

/* What opening takes: as it was seen in this process, or as so many small collectives; 0: not
 * known. */
double tuned_plan_opening(const tuned_adapt *a);

/* The same of nothing but messages, where a small collective takes sync. */
double tuned_plan_preparing(double sync);

enum { TUNED_OF_OFFER = 3 }; /* small collectives, about */

/* What it takes to work one offer out, and to tell it. */
double tuned_plan_offer(const tuned_adapt *a);

/* ---- the budget */

/* Whether what costs so many seconds leaves enough of what may be lost for trying. */
bool tuned_plan_fits(const tuned_adapt *a, double seconds, long calls);

/* The same of opening, a->heard.needed, and of so many seconds more. */
bool tuned_plan_opening_fits(const tuned_adapt *a, double drain, long calls);

/* Whether a good choice may gain so much in as many calls as there were, each as those of late, or
 * lessons promise it. */
bool tuned_plan_is_worth(const tuned_adapt *a, double seconds);

/* The part of what may be lost that offers may cost at once. */
double tuned_plan_part_for_offers(const tuned_adapt *a);

#endif
