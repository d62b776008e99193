/* Who takes part in the life of communicators besides those who decide: what adapts, observes and
 * reports. Each has a row in tuned/call/hooks.c, and all are told in that order. */
#ifndef CPM_TUNED_COMM_HOOKS_H
#define CPM_TUNED_COMM_HOOKS_H

#include "tuned/comm/state.h"

/* NULL: it does not matter. All are local. */
typedef struct {
    bool (*makes)(tuned_state *t); /* it is new; false: there is no memory */
    /* It hangs on comm from now on; NULL: nothing is to be decided there. */
    void (*attached)(MPI_Comm comm, tuned_state *t);
    void (*renews)(tuned_state *t); /* somebody else will decide; what was decided is there yet */
    void (*ends)(tuned_state *t);   /* everything is there yet; it may be new and unknown */
    void (*stops)(void);            /* the program ends: calls are reported next */
} tuned_hooks;

extern const tuned_hooks tuned_hooks_of_all[];
extern const int tuned_hooks_count;

#endif
