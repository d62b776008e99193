/* What an application says itself of a communicator: algorithms, by info keys ("cpm_bcast"), and
 * values that rules ask for. */
#ifndef CPM_TUNED_OWN_H
#define CPM_TUNED_OWN_H

#include "selection/selector.h"

typedef struct tuned_state tuned_state;

/* Asks whoever decides besides, if anybody. */
typedef struct {
    cpm_selector base;
    const tuned_state *state;
} tuned_lent;

typedef struct {
    char *algorithm[CPM_OPERATIONS]; /* the same on all ranks; NULL: it says nothing */
    cpm_selector *selector;          /* rank 0: by these and what is forced, else as lent says */
    tuned_lent lent;
    cpm_named_value *named; /* [named_count] at rank 0 */
    int named_count;
} tuned_own;

/* Who decides at rank 0; NULL: nobody. */
cpm_selector *tuned_own_selector(const tuned_state *t);

void tuned_own_clear(tuned_own *own);

/* Whether a communicator of this process was given keys, so that calls have to be looked at. */
bool tuned_own_active(void);

#endif
