#include "tuned/adapt/starts.h"

#include <math.h>
#include <string.h>

#include "tuned/adapt/exchange.h"
#include "tuned/adapt/stretch.h"

enum { LONGEST_PAUSE = 1024 };

/* ---- making ---- */

/* Of which 0.7 us are 2 %. */
static const double long_enough = 3.5e-5;
static const double bytes_per_second = 1e10; /* that hardly any process moves */

/* Seconds of a small collective; below 0: on some rank calls cannot go on by themselves. */
static double time_small_one(const tuned_state *t)
{
    enum { TIMES = 4 };
    double least = INFINITY;
    for (int k = 0; k < TIMES; k++) {
        const double start = PMPI_Wtime();
        PMPI_Barrier(t->comm);
        least = fmin(least, PMPI_Wtime() - start);
    }
    if (!tuned_stretch_serves(t))
        least = -1;
    PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, t->comm);
    return least;
}

/* STAR's policies judge everything. */
static bool is_long(const tuned_state *t, const cpm_request *r)
{
    const tuned_adapt *a = t->adapt;
    const double least = a->started.least + tuned_adapt_bytes(r) / bytes_per_second;
    return a->at_once || least >= long_enough;
}

int tuned_starts_enter(tuned_state *t, const cpm_request *r)
{
    tuned_started *s = &t->adapt->started;
    if (s->count == TUNED_MOST_STARTED)
        return 0;
    if (s->least == 0)
        s->least = time_small_one(t);
    return s->least >= 0 && is_long(t, r) ? ++s->count : 0;
}

/* ---- when ranks compare ---- */

/* STAR's policies wait for no budget. */
static bool is_affordable(const tuned_adapt *a)
{
    return a->at_once || cpm_ledger_room(&a->ledger) > a->heard.sync;
}

bool tuned_starts_are_due(const tuned_state *t)
{
    tuned_started *s = &t->adapt->started;
    if (!tuned_starts_are_judged(t->adapt))
        return false;
    s->passed++;
    return (s->passed > s->pause || s->decided != t->decisions.made) && is_affordable(t->adapt);
}

/* ---- comparing ---- */

/* What of a persistent call has to be the same on all ranks. */
typedef struct {
    int64_t starts, seen;
} said;

typedef struct {
    tuned_context *of[TUNED_MOST_STARTED]; /* [count] by their numbers: the same on all ranks */
    said own[TUNED_MOST_STARTED];
    bool as_often[TUNED_MOST_STARTED], alike[TUNED_MOST_STARTED]; /* on all ranks */
    int count;
} comparison;

/* Of which candidates there are how many figures. */
static int64_t hash_of_seen(const tuned_context *x)
{
    uint64_t hash = 0;
    for (int k = 0; k < TUNED_TALLIES; k++)
        if (x->seen[k].calls)
            hash = cpm_hash_mix(cpm_hash_mix(hash, (uint64_t)x->seen[k].who + 1),
                                (uint64_t)x->seen[k].calls);
    return (int64_t)(hash >> 1);
}

/* The stretch of the last start has no end yet. */
static void collect(const tuned_adapt *a, comparison *c)
{
    tuned_context *by_number[TUNED_MOST_STARTED] = {NULL};
    for (tuned_context *x = a->contexts.all; x; x = x->next)
        if (x->kind.persistent && x->engine && !x->ended)
            by_number[x->kind.persistent - 1] = x;
    c->count = 0;
    for (int k = 0; k < TUNED_MOST_STARTED; k++) {
        if (!by_number[k])
            continue;
        c->of[c->count] = by_number[k];
        c->own[c->count++] = (said){a->started.starts[k], hash_of_seen(by_number[k])};
    }
}

/* False: ranks may have made other calls than others. Collective. */
static bool compare(const tuned_state *t, comparison *c)
{
    enum { EACH = 4 };
    struct {
        int64_t doubts, of[TUNED_MOST_STARTED][EACH];
    } most = {.doubts = t->adapt->own.doubt};
    for (int k = 0; k < c->count; k++) {
        const said *own = &c->own[k];
        const int64_t values[EACH] = {own->starts, ~own->starts, own->seen, ~own->seen};
        memcpy(most.of[k], values, sizeof values);
    }
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1 + EACH * c->count, MPI_INT64_T, MPI_MAX, t->inside);
    for (int k = 0; k < c->count; k++) {
        c->as_often[k] = most.of[k][0] == ~most.of[k][1];
        c->alike[k] = most.of[k][2] == ~most.of[k][3];
    }
    return !most.doubts;
}

/* ---- what follows ---- */

static bool is_over(const tuned_context *x, long starts)
{
    return x->from && starts - x->from >= x->period.calls;
}

static void exchange(tuned_state *t, tuned_context *x, long starts, bool alike)
{
    x->calls = starts - x->first;
    t->adapt->own.outside += x->stretch.spent;
    x->stretch = (tuned_stretch){.calls = 0};
    if (alike)
        tuned_exchange_meet(t, x);
    else
        memset(x->seen, 0, sizeof x->seen);
}

/* Whether something begins or changes. All were started as often on all ranks. */
static bool go_on(tuned_state *t, tuned_context *x, long starts, bool alike)
{
    if (x->from && !is_over(x, starts))
        return false;
    if (x->from)
        exchange(t, x, starts, alike);
    else
        x->first = starts + 1;
    x->from = starts + 1;
    return true;
}

static bool go_on_with_all(tuned_state *t, const comparison *c)
{
    bool changed = false;
    for (int k = 0; k < c->count; k++)
        if (c->as_often[k] && go_on(t, c->of[k], (long)c->own[k].starts, c->alike[k]))
            changed = true;
    return changed;
}

void tuned_starts_meet(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    const double start = PMPI_Wtime(), deciding = t->decisions.deciding;
    comparison c;
    bool changed = false;
    collect(a, &c);
    if (c.count && compare(t, &c)) {
        a->own.costs += tuned_adapt_cost(a, PMPI_Wtime() - start);
        changed = go_on_with_all(t, &c);
    }
    tuned_stretch_offer(t);
    a->started.passed = 0;
    a->started.pause = changed ? 0 : 2 * a->started.pause + 1;
    if (a->started.pause > LONGEST_PAUSE)
        a->started.pause = LONGEST_PAUSE;
    a->started.decided = t->decisions.made;
    const double spent = PMPI_Wtime() - start;
    tuned_stretch_leave_out(a, spent);
    t->decisions.deciding = deciding + spent;
}
