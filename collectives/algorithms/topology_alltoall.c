/* alltoall on switches that make a tree, in phases in which no two messages share a link
 * (link_phases.h). Phases are kept apart by signals between processes whose messages would contend
 * (link_signals.h); or by a barrier between every two phases, if the variant, a bool, says so.
 * With k > 1 so many phases go together, and at most k messages share a link.
 *
 * Both ends of a signal stand between the same two phases, so whatever waits, waits for something
 * earlier. */
#include <stdlib.h>

#include "collectives/algorithms/link_signals.h"
#include "collectives/algorithms/phased.h"
#include "collectives/tries.h"

typedef struct {
    cpm_link_phases *phases;
    cpm_link_signals *signals; /* NULL: barriers */
    int together;              /* phases */
} state;

static void state_free(void *x)
{
    state *y = x;
    cpm_link_phases_free(y->phases);
    cpm_link_signals_free(y->signals);
    free(y);
}

static void exchange(const cpm_schedule *s, int rank, const cpm_link_phase *phase, cpm_steps *out)
{
    if (phase->from >= 0)
        cpm_recv(out, phase->from, (int64_t)phase->from * s->n + rank, 1);
    if (phase->to >= 0)
        cpm_send(out, phase->to, (int64_t)rank * s->n + phase->to, 1);
}

/* What rank does in the phases before end, from busy[k] on. Returns the first that is left. */
static int exchange_until(const cpm_schedule *s, int rank, const cpm_link_phase *busy, int count,
                          int k, int64_t end, cpm_steps *out)
{
    for (; k < count && busy[k].phase < end; k++)
        exchange(s, rank, &busy[k], out);
    cpm_next_round(out);
    return k;
}

/* The end of the phases that go together with this one. */
static int64_t end_of(const state *x, int64_t phase)
{
    return phase - phase % x->together + x->together;
}

/* The signals of rank from *next on that come before the messages of the phases before end. */
static void signal_until(const cpm_link_signals *g, int rank, int64_t end, int64_t *next,
                         cpm_steps *out)
{
    for (; *next < g->first[rank + 1] && g->at[g->of[*next]].phase < end; ++*next) {
        const cpm_link_signal *signal = &g->at[g->of[*next]];
        if (signal->giver == rank)
            cpm_send(out, signal->taker, 0, 0);
        else
            cpm_recv(out, signal->giver, 0, 0);
    }
    cpm_next_round(out);
}

static void signal_and_exchange(const cpm_schedule *s, int rank, const cpm_link_phase *busy,
                                int count, cpm_steps *out)
{
    const state *x = s->state;
    int64_t next = x->signals->first[rank];
    for (int k = 0; k < count;) {
        int64_t end = end_of(x, busy[k].phase);
        signal_until(x->signals, rank, end, &next, out);
        k = exchange_until(s, rank, busy, count, k, end, out);
    }
    signal_until(x->signals, rank, x->phases->count, &next, out);
}

static void exchange_between_barriers(const cpm_schedule *s, int rank, const cpm_link_phase *busy,
                                      int count, cpm_steps *out)
{
    const state *x = s->state;
    int k = 0;
    for (int64_t phase = 0; phase < x->phases->count; phase = end_of(x, phase)) {
        if (phase > 0)
            cpm_empty_barrier(s->n, rank, out);
        k = exchange_until(s, rank, busy, count, k, end_of(x, phase), out);
    }
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const state *x = s->state;
    cpm_link_phase *busy = malloc(2 * (size_t)s->n * sizeof *busy);
    if (!busy) {
        out->failed = 1;
        return;
    }
    int count = cpm_link_phases_of_rank(x->phases, rank, busy);
    (x->signals ? signal_and_exchange : exchange_between_barriers)(s, rank, busy, count, out);
    free(busy);
}

cpm_create cpm_topology_alltoall;
int cpm_topology_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                          cpm_error *e)
{
    const bool *barriers = a->variant;
    state *x = calloc(1, sizeof *x);
    if (!x)
        return cpm_no_memory(e);
    x->together = cpm_library_default_k(a, call);
    s->blocks = (int64_t)call->n * call->n;
    s->build = build;
    s->state = x;
    s->free_state = state_free;
    int status = cpm_link_phases_create(call->topology, call->n, &x->phases, e);
    if (!status && x->together > x->phases->count)
        x->together = x->phases->count > 0 ? (int)x->phases->count : 1;
    if (!status && !*barriers)
        status = cpm_link_signals_create(call->topology, x->phases, x->together, &x->signals, e);
    return status;
}
