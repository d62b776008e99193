#include "tuned/adapt/open.h"

#include <math.h>
#include <stdlib.h>

#include "tuned/adapt/epoch.h"
#include "tuned/adapt/memory.h"
#include "tuned/adapt/plan.h"
#include "tuned/adapt/stretch.h"
#include "tuned/comm/numbers.h"
#include "tuned/comm/open.h"

/* Seconds of a small collective to which all come at the same time, the same on all ranks. */
static double measure(tuned_state *t, double drain)
{
    double start = PMPI_Wtime();
    tuned_all(t->comm, true);
    double together = PMPI_Wtime();
    tuned_all(t->comm, true);
    int64_t ps = tuned_ps(PMPI_Wtime() - together, t->n);
    PMPI_Allreduce(MPI_IN_PLACE, &ps, 1, MPI_INT64_T, MPI_SUM, t->comm);
    double waited = together - start, sync = (double)ps * 1e-12 / t->n;
    t->adapt->own.costs += (waited < drain ? waited : drain) + 2 * sync;
    tuned_epoch_together(t->adapt);
    return sync;
}

/* The same, where all have just come to an epoch: the last of them has not waited for anybody. */
static double least_epoch(const tuned_state *t)
{
    int64_t ps = tuned_ps(t->adapt->epoch.waited, t->n);
    PMPI_Allreduce(MPI_IN_PLACE, &ps, 1, MPI_INT64_T, MPI_MIN, t->comm);
    double sync = (double)ps * 1e-12;
    t->adapt->own.costs +=
        2 * sync; /* this one, and what of the epoch was not known to be a cost */
    return sync;
}

/* The same on all ranks: as the last epoch, or by a small collective for the purpose. */
static void note_sync(tuned_state *t, double drain)
{
    tuned_adapt *a = t->adapt;
    double sync = a->alike.together && a->epoch.at_once ? least_epoch(t) : measure(t, drain);
    a->heard.sync = a->heard.sync > 0 ? fmin(a->heard.sync, sync) : sync;
}

/* Whether a small collective was never measured, or seemed to take as long as many calls. */
static bool may_be_odd(const tuned_adapt *a, long calls)
{
    return !(a->heard.sync > 0) || a->heard.sync > 16 * tuned_plan_call_time(a, calls);
}

bool tuned_open_is_time(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    bool known = a->epoch.all.opening > 0;
    long calls = t->call - a->origin;
    double drain = tuned_plan_drain(a, calls);
    if (a->open_now)
        return true;
    if (!known && may_be_odd(a, calls) && tuned_plan_fits(a, drain + 1e-4, calls) &&
        tuned_plan_is_worth(a, drain + 1e-4))
        note_sync(t, drain);
    a->heard.needed = tuned_plan_opening(a);
    drain = tuned_plan_drain(a, calls); /* nobody is ahead who was waited for */
    return a->heard.needed > 0 && tuned_plan_opening_fits(a, drain, calls) &&
           tuned_plan_is_worth(a, a->heard.needed + drain);
}

/* ---- preparing ---- */

/* Seconds that this process may still spend on that. */
static double allowed;
static bool is_of_use;

void tuned_open_may_prepare(double seconds)
{
    is_of_use = seconds > 0;
    allowed = cpm_ledger_new().share * seconds;
}

/* Nanoseconds, which all ranks compare. */
static long may_spend(const tuned_state *t)
{
    const double most = 2, enough = t->adapt->at_once ? most : allowed;
    const double seconds = is_of_use ? fmin(enough, most) : 0;
    return (long)((seconds - (t->rank == 0 ? tuned_epoch_reading() : 0)) * 1e9);
}

/* Whether all ranks may, for up to so many seconds. Collective. */
static bool may_prepare(const tuned_state *t, MPI_Comm comm, tuned_asked *asked, double *seconds)
{
    long least[2 + TUNED_ASKED_WORDS] = {0};
    const bool serves = t && tuned_stretch_serves(t);
    least[0] = serves;
    least[1] = serves ? may_spend(t) : 0;
    tuned_asked_say(t, true, least + 2);
    PMPI_Allreduce(MPI_IN_PLACE, least, 2 + TUNED_ASKED_WORDS, MPI_LONG, MPI_MIN, comm);
    *asked = tuned_asked_by(least + 2);
    *seconds = (double)least[1] * 1e-9;
    return least[0] && asked->room && *seconds > 0;
}

/* The same on all ranks: the last that comes to a collective waits for nobody. */
static double least_of(MPI_Comm comm, double seconds)
{
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MIN, comm);
    return seconds;
}

/* Seconds of a small collective. first: of one, which may have had to make connections. */
static double sync_of(MPI_Comm comm, double first, double seconds)
{
    const double start = PMPI_Wtime(), sync = least_of(comm, first), again = PMPI_Wtime() - start;
    const bool fits = tuned_plan_preparing(sync) <= seconds;
    return fits || sync > seconds ? sync : fmin(sync, least_of(comm, again));
}

/* As for a first call; but calls stay MPI's own. */
static void prepare(tuned_state *t, const tuned_asked *asked, double sync)
{
    tuned_adapt *a = t->adapt;
    const long before = t->call;
    const double start = PMPI_Wtime();
    tuned_open_environment(t, asked);
    a->prepared = !t->native;
    t->native = true;
    a->heard.sync = sync;
    a->origin += t->call - before;
    a->next_epoch += t->call - before;
    tuned_epoch_opening_took(PMPI_Wtime() - start);
}

/* A program's first communicator takes MPI longer, once: another one would have if not this. */
void tuned_open_prepare(tuned_state *t, MPI_Comm comm, double sync)
{
    const double start = PMPI_Wtime();
    double seconds;
    tuned_asked asked;
    if (may_prepare(t, comm, &asked, &seconds)) {
        if (!(sync > 0))
            sync = sync_of(comm, PMPI_Wtime() - start, seconds);
        if (tuned_plan_preparing(sync) <= seconds)
            prepare(t, &asked, sync);
    }
    const double spent = PMPI_Wtime() - start;
    allowed -= comm == MPI_COMM_WORLD ? fmin(spent, tuned_plan_preparing(sync)) : spent;
    if (t)
        t->decisions.deciding += spent;
}

void tuned_open_prepared(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    t->native = false;
    a->open = true;
    a->opened = t->call - a->origin;
    tuned_epoch_opened();
}

/* ---- opening ---- */

/* Ranks may have counted otherwise: all go on with the highest number. */
static void open_prepared(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    const double start = PMPI_Wtime();
    long most[2] = {t->call, t->call - a->origin};
    PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_LONG, MPI_MAX, t->inside);
    tuned_numbers_from(t, most[0]);
    a->origin = most[0] - most[1];
    tuned_open_prepared(t);
    a->own.costs += tuned_adapt_cost(a, PMPI_Wtime() - start);
}

bool tuned_open_together(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    if (a->prepared) {
        open_prepared(t);
        return true;
    }
    const tuned_epoch_sums *said = &a->epoch.all;
    const tuned_asked asked = {.room = !said->full,
                               .progresses = !said->idle,
                               .chooses = true,
                               .checks = said->checks > 0,
                               .model = said->model > 0,
                               .layout = said->layout > 0};
    long calls = t->call - a->origin;
    if (!(a->heard.sync > 0) || !a->alike.together)
        note_sync(t, tuned_plan_drain(a, calls));
    double start = PMPI_Wtime();
    double longest = tuned_open_environment(t, &asked);
    a->open = !t->native;
    a->origin = t->call - calls;
    a->opened = calls;
    cpm_ledger_charge(&a->ledger, longest + a->heard.sync); /* and of their agreement */
    tuned_epoch_opened();
    tuned_epoch_opening_took(PMPI_Wtime() - start);
    return a->open;
}

int tuned_open_asked(tuned_state *t, cpm_error *e)
{
    enum { SOON = 8 };
    if (!t->native)
        t->adapt = tuned_adapt_create(t->comm, CPM_ADAPT_BUDGET, false);
    if (!tuned_all(t->comm, t->adapt != NULL)) {
        tuned_adapt_stop(t);
        t->native = true;
        return cpm_no_memory(e);
    }
    tuned_adapt *a = t->adapt;
    a->open = a->asked = true;
    a->origin = t->call;
    a->heard.sync = measure(t, 0);
    a->own.costs = 0;
    a->next_epoch = t->call + SOON;
    return CPM_OK;
}

void tuned_open_name_hosts(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double start = PMPI_Wtime();
    free(a->hosts);
    a->hosts = tuned_memory_hosts(t);
    a->named = true; /* or there is no memory */
    a->own.costs += PMPI_Wtime() - start;
}

bool tuned_open_names_first(const tuned_state *t)
{
    return t->adapt->epoch.all.names || t->comm != MPI_COMM_WORLD;
}
