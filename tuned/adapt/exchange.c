/* Times are summed as whole picoseconds, so that every rank gets the same, whatever the order of
 * summing, and every engine decides the same. */
#include "tuned/adapt/exchange.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#include "tuned/adapt/rooted.h"

enum { MOST_THROWN = 3, MOST_RENEWED = 3 };
static const double patience = 2; /* seconds that the end of a communicator waits for others */

/* ---- beginning ---- */

/* Persistent calls come in an order of each rank's own. */
static MPI_Comm comm_of(const tuned_state *t, const tuned_context *x)
{
    return x->kind.persistent ? t->aside : t->inside;
}

/* The last calls, in their order. */
static int write_tally(tuned_context *x, int k, int n, int64_t *to)
{
    const tuned_tally *s = &x->seen[k];
    int kept = s->calls < CPM_ADAPT_KEPT ? (int)s->calls : CPM_ADAPT_KEPT;
    for (int i = 0; i < kept; i++)
        to[i] = s->last[(s->calls - kept + i) % CPM_ADAPT_KEPT];
    x->exchange.all.sum[k] = s->sum < INT64_MAX / n ? s->sum : INT64_MAX / n;
    x->exchange.all.spent[k] = s->spent < INT64_MAX / n ? s->spent : INT64_MAX / n;
    x->exchange.own[k] = 1e-12 * (double)s->spent;
    x->exchange.kept[k] = kept;
    x->exchange.calls[k] = s->calls;
    x->exchange.who[k] = s->who;
    return kept;
}

static void write_head(const tuned_state *t, tuned_context *x)
{
    tuned_exchange_sums *to = &x->exchange.all;
    tuned_adapt *a = t->adapt;
    to->changes = x->changed;
    to->calls = x->calls;
    to->took = tuned_ps(x->exchange.cost, t->n);
    x->exchange.told = tuned_adapt_tell(a, &to->common);
    x->exchange.told.costs += x->exchange.cost;
    x->exchange.cost = 0;
    x->changed = false;
}

/* Where calls that take long have brought all together nobody is late, and it is better to know at
 * once. */
static bool is_waited_for(const tuned_state *t, const tuned_context *x)
{
    const tuned_adapt *a = t->adapt;
    return a->policy == CPM_ADAPT_BUDGET && tuned_brings_together(x->kind.operation) &&
           x->each > 4 * a->heard.sync;
}

static void begin(const tuned_state *t, tuned_context *x, bool waits)
{
    double start = PMPI_Wtime();
    int last = 0;
    write_head(t, x);
    for (int k = 0; k < TUNED_TALLIES; k++) {
        last += write_tally(x, k, t->n, x->exchange.all.last + last);
        x->seen[k] = (tuned_tally){.calls = 0};
    }
    x->exchange.meanwhile = 0;
    x->exchange.ended = waits;
    x->exchange.failed = tuned_sum_exchange(&x->exchange.all, last, comm_of(t, x),
                                            x->exchange.ended ? NULL : &x->exchange.request);
    double spent = PMPI_Wtime() - start;
    x->exchange.cost = x->exchange.ended ? tuned_adapt_cost(t->adapt, spent) : spent;
}

/* ---- ending ---- */

/* Whether all have counted alike, so that all go on alike. */
static bool agree(const tuned_state *t, const tuned_context *x, long calls)
{
    return !x->exchange.all.common.doubts && x->exchange.all.calls == (int64_t)t->n * calls;
}

static void feed(tuned_state *t, tuned_context *x)
{
    const double share = 1e-12 / t->n, part = x->of_root ? 1e-12 : share;
    double seconds[TUNED_TALLIES][CPM_ADAPT_KEPT];
    cpm_adapt_figures figures[TUNED_TALLIES];
    const int64_t *at = x->exchange.all.last;
    int count = 0;
    for (int k = 0; k < TUNED_TALLIES; k++) {
        for (int i = 0; i < x->exchange.kept[k]; i++)
            seconds[k][i] = (double)*at++ * part;
        if (x->exchange.calls[k])
            figures[count++] =
                (cpm_adapt_figures){.who = x->exchange.who[k],
                                    .calls = x->exchange.calls[k],
                                    .sum = (double)x->exchange.all.sum[k] * part,
                                    .spent = (double)x->exchange.all.spent[k] * share,
                                    .kept = x->exchange.kept[k],
                                    .seconds = seconds[k]};
    }
    int chosen = cpm_adapt_incumbent(x->engine);
    cpm_adapt_feed(x->engine, figures, count, (double)x->exchange.all.took * share);
    tuned_saved_feed(x->saved, chosen, figures, count);
    memset(x->exchange.own, 0, sizeof x->exchange.own);
}

static void next_period(tuned_context *x)
{
    x->period = cpm_adapt_next(x->engine);
    x->made = 0;
    x->spare = 0;
}

/* Blocks whose sizes change make all figures useless. */
static bool is_of_use(tuned_context *x)
{
    if (!x->exchange.all.changes)
        return true;
    x->made = 0; /* the same again */
    x->ended = ++x->thrown == MOST_THROWN;
    return false;
}

static void take(tuned_state *t, tuned_context *x)
{
    tuned_adapt_hear(t->adapt, &x->exchange.all.common, x->kind.persistent);
    x->exchange.told = (tuned_told){0};
    if (!is_of_use(x))
        return;
    feed(t, x);
    x->each = cpm_adapt_look(x->engine, cpm_adapt_incumbent(x->engine)).mean;
    next_period(x);
}

/* Its calls are MPI's own routine from now on: others may have their turn. Where the root may tell
 * other sizes it can have candidates again. */
static void stop(tuned_context *x)
{
    bool anew =
        tuned_is_told_by_root(&x->kind) && x->thrown == MOST_THROWN && x->renewed++ < MOST_RENEWED;
    tuned_context_stop(x);
    x->thrown = 0;
    x->spent = 0;
    x->noted = x->watched = x->lengthy = 0;
    x->ended = !anew;
}

/* What nobody waits for is no less work: its messages are sent and received in the program's calls
 * meanwhile, which take longer. */
static double whole_cost(const tuned_adapt *a, double seen)
{
    return fmax(seen, a->heard.sync);
}

static void end(tuned_state *t, tuned_context *x)
{
    double start = PMPI_Wtime();
    long calls = x->calls - x->exchange.meanwhile;
    if (!x->exchange.ended)
        x->exchange.failed = PMPI_Wait(&x->exchange.request, MPI_STATUS_IGNORE);
    if (x->exchange.ended)
        cpm_adapt_tell_all(x->engine);
    x->exchange.ended = false;
    if (x->exchange.failed != MPI_SUCCESS || !agree(t, x, calls))
        x->ended = true;
    else
        take(t, x);
    x->exchange.request = MPI_REQUEST_NULL;
    tuned_context_keep_own(x);
    if (x->ended)
        stop(x);
    double spent = PMPI_Wtime() - start;
    x->exchange.cost = whole_cost(t->adapt, x->exchange.cost + tuned_adapt_cost(t->adapt, spent));
    t->decisions.deciding += spent;
}

/* ---- calls ---- */

int tuned_exchange_turn(tuned_state *t, tuned_context *x)
{
    bool under_way = x->exchange.request != MPI_REQUEST_NULL;
    if (under_way && x->exchange.meanwhile < CPM_ADAPT_MEANWHILE)
        return x->period.first;
    if (under_way || x->exchange.ended)
        end(t, x);
    return x->engine ? cpm_adapt_turn(&x->period, x->made, x->calls) : 0;
}

void tuned_exchange_count(tuned_state *t, tuned_context *x, int who, double seconds)
{
    int64_t ps = tuned_ps(seconds, t->n);
    bool counts = !x->of_root || t->rank == x->kind.root;
    x->calls++;
    tuned_context_see(x, who, ps, counts ? ps : 0);
    if (x->exchange.request != MPI_REQUEST_NULL)
        x->exchange.meanwhile++;
    else if (++x->made >= x->period.calls)
        begin(t, x, is_waited_for(t, x));
}

void tuned_exchange_meet(tuned_state *t, tuned_context *x)
{
    begin(t, x, true);
    end(t, x);
}

void tuned_exchange_begin(const tuned_state *t, tuned_context *x)
{
    begin(t, x, false);
}

bool tuned_exchange_is_under_way(const tuned_context *x)
{
    return x->exchange.request != MPI_REQUEST_NULL;
}

bool tuned_exchange_is_heard(const tuned_context *x)
{
    int ended = 1;
    if (tuned_exchange_is_under_way(x))
        PMPI_Request_get_status(x->exchange.request, &ended, MPI_STATUS_IGNORE);
    return ended;
}

void tuned_exchange_take(tuned_state *t, tuned_context *x)
{
    end(t, x);
}

long tuned_exchange_spare(const tuned_context *x)
{
    const bool alone = x->period.first == x->period.second;
    const bool exchanging = x->exchange.ended || x->exchange.request != MPI_REQUEST_NULL;
    const long left = (long)x->period.calls - x->made - CPM_ADAPT_KEPT;
    return alone && !exchanging && left > 0 ? left : 0;
}

void tuned_exchange_pass(const tuned_state *t, tuned_context *x, long calls, double seconds)
{
    const int64_t ps = tuned_ps((double)calls * seconds, t->n);
    const bool counts = !x->of_root || t->rank == x->kind.root;
    x->calls += calls;
    x->made += (int)calls;
    tuned_context_pass(x, x->period.first, calls, ps, counts ? ps : 0);
}

bool tuned_exchange_end(MPI_Request *request)
{
    int ended = *request == MPI_REQUEST_NULL;
    for (double start = PMPI_Wtime(); !ended && PMPI_Wtime() - start < patience;) {
        PMPI_Test(request, &ended, MPI_STATUS_IGNORE);
        sched_yield();
    }
    return ended;
}
