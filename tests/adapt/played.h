/* The calls of a context as the run time makes them, played: periods, meetings, figures. */
#ifndef TESTS_SELECTION_PLAYED_H
#define TESTS_SELECTION_PLAYED_H

#include <string.h>

#include "adapt/adapt.h"

enum { PLAYED_AT_ONCE = 3 }; /* candidates between two meetings */

typedef struct {
    cpm_adapt *engine;
    double meeting; /* seconds */
    cpm_adapt_period period;
    int made,
        meanwhile; /* calls of the period; calls until the ranks have met, 0: they do not meet */
    cpm_adapt_figures before[PLAYED_AT_ONCE], now[PLAYED_AT_ONCE];
    double seconds[2][PLAYED_AT_ONCE][CPM_ADAPT_KEPT];
    long meetings, calls;
} played;

/* Seconds of the world's next call if who runs it. */
typedef double played_call(void *world, int who);

static inline void played_begin(played *p, cpm_adapt *engine, double meeting)
{
    memset(p, 0, sizeof *p);
    p->engine = engine;
    p->meeting = meeting;
    p->period = cpm_adapt_next(engine);
}

static inline void played_note(played *p, int who, double seconds)
{
    int k = 0;
    while (p->now[k].calls && p->now[k].who != who)
        k++;
    cpm_adapt_figures *f = &p->now[k];
    double *kept = p->seconds[1][k];
    if (f->kept == CPM_ADAPT_KEPT)
        memmove(kept, kept + 1, (CPM_ADAPT_KEPT - 1) * sizeof *kept);
    else
        f->kept++;
    f->who = who;
    f->calls++;
    f->sum += seconds;
    kept[f->kept - 1] = seconds;
}

/* What was noted so far is told; what comes meanwhile is for the next time. */
static inline void played_begin_meeting(played *p)
{
    memcpy(p->before, p->now, sizeof p->now);
    memcpy(p->seconds[0], p->seconds[1], sizeof p->seconds[0]);
    for (int k = 0; k < PLAYED_AT_ONCE; k++)
        p->before[k].seconds = p->seconds[0][k];
    memset(p->now, 0, sizeof p->now);
    p->meanwhile = CPM_ADAPT_MEANWHILE;
}

static inline void played_end_meeting(played *p)
{
    int count = 0;
    while (count < PLAYED_AT_ONCE && p->before[count].calls)
        count++;
    cpm_adapt_feed(p->engine, p->before, count, p->meeting);
    p->period = cpm_adapt_next(p->engine);
    p->made = 0;
    p->meetings++;
}

/* Whose turn it is. */
static inline int played_who(const played *p)
{
    return p->meanwhile ? p->period.first : cpm_adapt_turn(&p->period, p->made, p->calls);
}

/* One call, and the meeting that ends with it. Seconds of both. */
static inline double played_step(played *p, played_call *call, void *world)
{
    int who = played_who(p);
    double seconds = call(world, who);
    played_note(p, who, seconds);
    p->calls++;
    if (p->meanwhile == 0) {
        if (++p->made >= p->period.calls)
            played_begin_meeting(p);
        return seconds;
    }
    if (--p->meanwhile > 0)
        return seconds;
    played_end_meeting(p);
    return seconds + p->meeting;
}

#endif
