#include "tuned/adapt/epoch.h"

#include <math.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "tuned/adapt/memory.h"
#include "tuned/adapt/offer.h"
#include "tuned/adapt/plan.h"
#include "tuned/adapt/rooted.h"
#include "tuned/comm/open.h"
#include "tuned/environment.h"

/* The program's, once: the first communicators that open have it. Picoseconds. */
static atomic_llong constant = 1000000000;

/* Seconds that opening took the last time; 0: never seen. */
static _Atomic double opening;

void tuned_epoch_opened(void)
{
    atomic_store(&constant, 0);
}

void tuned_epoch_opening_took(double seconds)
{
    atomic_store(&opening, seconds);
}

void tuned_epoch_forget(tuned_epoch *l)
{
    if (l->combine != MPI_OP_NULL)
        PMPI_Op_free(&l->combine);
}

/* Persistent calls have wishes of their own. */
static bool is_wished(const tuned_adapt *a, const tuned_context *x, bool persistent)
{
    return persistent == (x->kind.persistent > 0) && !x->engine && !x->ended &&
           x->spent >= tuned_offer_cost(a->n) && 2 * x->lengthy >= x->watched;
}

static bool has_known_sizes(const tuned_context *x)
{
    return !tuned_is_told_by_root(&x->kind) || x->noted_by_root;
}

/* Took at least half as long so far as any that has no candidates yet. A root notes sizes once it
 * is open: until then the room is kept for such calls, and then for those that come again. */
static bool is_wished_first(const tuned_adapt *a, const tuned_context *x, bool persistent)
{
    double most = 0;
    for (const tuned_context *y = a->contexts.all; y; y = y->next)
        if (is_wished(a, y, persistent) && (has_known_sizes(y) || !a->open))
            most = fmax(most, y->spent);
    return is_wished(a, x, persistent) && has_known_sizes(x) && 2 * x->spent >= most;
}

const tuned_context *tuned_epoch_most_wished(const tuned_adapt *a, bool begun, bool persistent)
{
    const tuned_context *most = NULL;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        if (is_wished_first(a, x, persistent) && (x->kind.begun || !begun) &&
            (!most || x->spent * (double)most->noted > most->spent * (double)x->noted))
            most = x;
    return most;
}

int64_t tuned_epoch_wishes(const tuned_adapt *a, bool persistent)
{
    int count = 0;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        count += is_wished_first(a, x, persistent);
    return count < TUNED_MOST_OFFERS ? count : TUNED_MOST_OFFERS;
}

/* Seconds of this rank that lessons would have saved so far. */
static double promised(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double seconds = 0;
    if (!a->open && !a->hosts && a->policy == CPM_ADAPT_BUDGET)
        a->hosts = tuned_memory_known_hosts(t->comm);
    for (const tuned_context *x = a->contexts.all; x && a->hosts && !a->open; x = x->next)
        seconds += x->spent * tuned_memory_promise(a->hosts, t->n, &x->kind);
    return seconds;
}

/* Seconds to read what the environment names, by its size; an ordinary file of 10 KB took 0.5 to 2
 * ms, one of 9 MB 0.2 to 0.3 s. */
double tuned_epoch_reading(void)
{
    const tuned_environment *said = tuned_environment_get();
    const char *path = said->table ? said->table : said->model;
    struct stat of;
    if (!path)
        return 0;
    return 1e-3 + (stat(path, &of) ? 4e-3 : 6e-8 * (double)of.st_size);
}

/* Its constant is what others have lent. */
static double overdrawn(const cpm_ledger *l)
{
    return l->constant - cpm_ledger_room(l);
}

/* What has been lent is no longer there. */
static void note_lent(tuned_adapt *a, double seconds)
{
    a->ledger.constant += a->lent - seconds;
    a->lent = seconds;
}

void tuned_epoch_begin(tuned_state *t, bool at_once)
{
    tuned_adapt *a = t->adapt;
    bool first = t->rank == 0;
    double start = PMPI_Wtime();
    a->epoch.told = tuned_adapt_tell(a, &a->epoch.all.common);
    a->epoch.all.worth = tuned_ps(a->own.worth, t->n);
    a->epoch.all.constant = atomic_load(&constant);
    a->epoch.all.opening = first ? tuned_ps(atomic_load(&opening), t->n) : 0;
    a->epoch.all.reading = first ? tuned_ps(tuned_epoch_reading(), t->n) : 0;
    a->epoch.all.offer = first ? tuned_ps(tuned_offer_cost(t->n), t->n) : 0;
    a->epoch.all.wishes = first ? tuned_epoch_wishes(a, false) : 0;
    a->epoch.all.names = first && tuned_memory_has_any();
    a->epoch.all.learnt = first ? tuned_ps(promised(t), t->n) : 0;
    a->begun = t->call - a->origin;
    a->epoch.all.lent = first ? tuned_ps(overdrawn(&a->started.ledger), t->n) : 0;
    a->epoch.all.elapsed = tuned_ps(start - a->own.since, t->n);
    a->epoch.all.no_longer = tuned_longest(a->epoch.all.elapsed);
    a->epoch.all.late = a->rooted[0].late + a->rooted[1].late;
    const tuned_asked own = tuned_asked_here(t, true);
    a->epoch.all.idle = !own.progresses;
    a->epoch.all.full = !own.room;
    a->epoch.all.checks = own.checks;
    a->epoch.all.model = own.model;
    a->epoch.all.layout = own.layout;
    a->epoch.at_once = at_once;
    tuned_sum_epoch(&a->epoch.all, a->open || a->prepared ? t->inside : t->comm, &a->epoch.combine,
                    a->epoch.at_once ? NULL : &a->epoch.request);
    a->epoch.waited = PMPI_Wtime() - start;
    a->own.costs += a->epoch.at_once ? tuned_adapt_cost(a, a->epoch.waited) : a->epoch.waited;
}

/* Ranks differ by a call or two wherever they are: what is more than that they have run apart. */
static void note_distance(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double mean = (double)a->epoch.all.elapsed * 1e-12 / t->n;
    double longest = (double)tuned_longest(a->epoch.all.no_longer) * 1e-12;
    a->heard.apart = fmax(0, longest - mean - 2 * tuned_plan_call_time(a, t->call - a->origin));
}

void tuned_epoch_together(tuned_adapt *a)
{
    a->own.since = PMPI_Wtime();
    a->heard.apart = 0;
}

/* The epoch before has told of a->told calls. */
static void note_calls_of_late(tuned_adapt *a)
{
    const double share = 1e-12 / a->n, worth = (double)a->epoch.all.worth * share;
    const double calls = (double)(a->begun - a->told);
    if (calls > 0) {
        a->heard.each = (double)a->epoch.all.common.outside * share / calls;
        a->heard.worth_each = (worth - a->heard.worth) / calls;
    }
    a->heard.worth = worth;
}

bool tuned_epoch_is_heard(const tuned_state *t)
{
    int ended = 1;
    if (t->adapt->epoch.request != MPI_REQUEST_NULL)
        PMPI_Request_get_status(t->adapt->epoch.request, &ended, MPI_STATUS_IGNORE);
    return ended;
}

void tuned_epoch_end(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double start = PMPI_Wtime();
    if (a->epoch.request != MPI_REQUEST_NULL) {
        PMPI_Wait(&a->epoch.request, MPI_STATUS_IGNORE);
        a->own.costs += tuned_adapt_cost(a, PMPI_Wtime() - start);
    }
    a->epoch.request = MPI_REQUEST_NULL;
    tuned_epoch_forget(&a->epoch);
    if (!a->open)
        note_calls_of_late(a);
    a->told = a->begun;
    a->heard.lost = a->epoch.all.late > 0 && !tuned_plan_floods(a, t->call - a->origin);
    tuned_adapt_hear(a, &a->epoch.all.common, false);
    a->epoch.told = (tuned_told){0};
    if (!a->open)
        a->ledger.constant = (double)a->epoch.all.constant * 1e-12 / t->n;
    else
        note_lent(a, (double)a->epoch.all.lent * 1e-12);
    note_distance(t);
}

double tuned_adapt_cost(const tuned_adapt *a, double waited)
{
    const double most = a->heard.sync > 0 ? a->heard.sync : 1e-4;
    return waited < most ? waited : most;
}

tuned_told tuned_adapt_tell(tuned_adapt *a, tuned_common_sums *to)
{
    const tuned_told told = {a->own.outside, a->own.costs};
    to->doubts = a->own.doubt;
    to->outside = tuned_ps(told.outside, a->n);
    to->costs = tuned_ps(told.costs, a->n);
    a->own.outside = a->own.costs = 0;
    return told;
}

void tuned_adapt_hear(tuned_adapt *a, const tuned_common_sums *all, bool persistent)
{
    cpm_ledger *l = persistent ? &a->started.ledger : &a->ledger;
    const double share = 1e-12 / a->n, outside = (double)all->outside * share;
    a->heard.outside += outside;
    l->native += outside;
    l->taken += outside;
    cpm_ledger_charge(l, (double)all->costs * share);
}

tuned_told tuned_adapt_outside(const tuned_adapt *a)
{
    tuned_told sum = {a->heard.outside + a->own.outside + a->epoch.told.outside +
                          a->started.told.outside,
                      a->ledger.charged + a->started.ledger.charged + a->own.costs +
                          a->epoch.told.costs + a->started.told.costs};
    for (const tuned_context *x = a->contexts.all; x; x = x->next) {
        sum.outside += x->exchange.told.outside;
        sum.costs += x->exchange.told.costs + x->exchange.cost;
    }
    return sum;
}
