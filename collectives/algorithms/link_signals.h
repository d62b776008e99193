/* Signals that keep phases apart: who tells whom, with an empty message, that a link is free.
 *
 * A message waits until the message before it on each link of its way has been received: that
 * one's receiver signals to its sender ("light barrier" of Faraj and Yuan, IPDPS 2005). What
 * follows without a signal gets none: a process's own messages are in order, and a message needs
 * not wait for one that another, for which it waits, had to wait for.
 *
 * Where k phases go together the messages of a link make k lines, and each waits for the one before
 * it in its own: at most k share a link, and a link is not idle while signals are under way. */
#ifndef CPM_COLLECTIVES_ALGORITHMS_LINK_SIGNALS_H
#define CPM_COLLECTIVES_ALGORITHMS_LINK_SIGNALS_H

#include "collectives/algorithms/link_phases.h"

/* A signal comes before the messages of phase, and of those that go together with it, and after
 * those of earlier ones, at both ends. */
typedef struct {
    int64_t phase;
    int giver, taker; /* taker sends a message in that phase */
} cpm_link_signal;

typedef struct {
    cpm_link_signal *at; /* [count] by phase */
    int64_t count;
    int64_t *first; /* [n + 1] those of a rank are at[of[first[rank]]] .. at[of[first[rank+1]-1]] */
    int64_t *of;    /* [2 count] by rank, in the order of phases */
} cpm_link_signals;

/* The signals between the phases of p, a topology t's, of which together (1 at least) go at a time:
 * the first so many, the next, and so on. CPM_ENOMEM. */
int cpm_link_signals_create(const cpm_topology *t, const cpm_link_phases *p, int together,
                            cpm_link_signals **out, cpm_error *e);
void cpm_link_signals_free(cpm_link_signals *s);

#endif
