/* What sending and receiving do to the clocks of a rank: the rules of the plain walk (walk.h). */
#ifndef CPM_COLLECTIVES_SCHEDULE_CLOCKS_H
#define CPM_COLLECTIVES_SCHEDULE_CLOCKS_H

#include <math.h>
#include <stdbool.h>

#include "collectives/schedule/walk.h"

typedef struct {
    double processor, in, out; /* free from then on */
    double held;               /* no round in which it has sent ends before */
    double computing;          /* the processor does so for so long where it would wait first */
} cpm_clocks;

/* A message on its way, as its receiver will need it. */
typedef struct {
    double arrival;   /* of the last byte if the receiver's link end is free */
    double gap, recv; /* as in cpm_cost */
} cpm_incoming;

static const cpm_clocks cpm_clocks_at_zero = {.in = -INFINITY};

static inline double cpm_clocks_next_start(const cpm_clocks *c)
{
    return c->processor > c->out ? c->processor : c->out;
}

/* Sends what was priced, at cpm_clocks_next_start. */
static inline cpm_incoming cpm_clocks_send(cpm_clocks *c, const cpm_cost *cost, bool deferred)
{
    double start = cpm_clocks_next_start(c);
    c->processor = start + cost->send;
    c->out = start + cost->gap;
    if (!deferred && c->processor + cost->hold > c->held)
        c->held = c->processor + cost->hold;
    return (cpm_incoming){c->processor + cost->wire, cost->gap, cost->recv};
}

/* The program's own work, before the processor would wait until then. */
static inline void cpm_clocks_compute_first(cpm_clocks *c, double until)
{
    if (until > c->processor) {
        c->processor += c->computing;
        c->computing = 0;
    }
}

/* Returns when the processor begins with it. */
static inline double cpm_clocks_receive(cpm_clocks *c, const cpm_incoming *m)
{
    double link = c->in + m->gap;
    c->in = m->arrival > link ? m->arrival : link;
    cpm_clocks_compute_first(c, c->in);
    double begin = c->processor > c->in ? c->processor : c->in;
    c->processor = begin + m->recv;
    return begin;
}

/* What is no number stays none. */
static inline void cpm_clocks_wait_for_sends(cpm_clocks *c)
{
    cpm_clocks_compute_first(c, c->held);
    if (c->held > c->processor)
        c->processor = c->held;
}

#endif
