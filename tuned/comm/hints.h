/* What an application says itself of a communicator: algorithms, by info keys ("cpm_bcast"), and
 * values that rules ask for. MPI libraries forget keys that they do not know, so it is kept with
 * the state. */
#ifndef CPM_TUNED_COMM_HINTS_H
#define CPM_TUNED_COMM_HINTS_H

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
} tuned_hints;

/* Who decides at rank 0; NULL: nobody. */
cpm_selector *tuned_hints_selector(const tuned_state *t);

/* Rank 0: makes t->hints.selector of the algorithms and what is forced. */
void tuned_hints_select(tuned_state *t);

void tuned_hints_clear(tuned_hints *h);

#endif
