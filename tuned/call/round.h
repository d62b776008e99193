/* Where the program's calls decide, and they are persistent (adapt/starts.h): processes start them
 * in any order, also about other calls. So the ranks hold rounds, on a communicator that is used
 * for nothing else:
 *
 * 1. Each begins the next round at whichever start it finds that a period is over, or that
 *    something may be worth trying. It says how often it has started each call; nobody waits.
 * 2. Of calls whose period is over on all ranks figures are summed, and rank 0 may offer candidates
 *    for others.
 * 3. All agree from which start of each call on that holds (onset.h).
 *
 * So the rounds follow each other in the same order on all ranks, and with them whatever the ledger
 * of persistent calls depends on.
 *
 * A communicator ends with a round in which a rank says so: none waits for another one then. */
#ifndef CPM_TUNED_CALL_ROUND_H
#define CPM_TUNED_CALL_ROUND_H

#include "tuned/adapt/adapt.h"

/* Rounds may be held from now on, if the communicator is open and persistent calls are judged.
 * Collective, where one of that has just become so. */
void tuned_rounds_prepare(tuned_state *t);

/* A call with that number is about to be started: what has been agreed on is taken. */
void tuned_round_take(tuned_state *t, int number);
static inline void tuned_round_before(tuned_state *t, int number)
{
    if (t->rounds && t->rounds->onset.stage != TUNED_NO_ONSET)
        tuned_round_take(t, number);
}

/* That start was counted: a round may begin. */
void tuned_round_begin(tuned_state *t);
static inline void tuned_round_after(tuned_state *t)
{
    if (t->adapt->started.due && t->rounds)
        tuned_round_begin(t);
}

/* The communicator ends, or somebody else decides, for which all wait. */
void tuned_rounds_end(tuned_state *t);
void tuned_rounds_forget(tuned_state *t);

#endif
