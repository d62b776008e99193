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

enum { MOST_OFFERS = 8 };

/* The program's, once: the first communicators that open have it. Picoseconds. */
static atomic_llong constant = 1000000000;

/* Seconds that opening took the last time; 0: never seen. */
static _Atomic double opening;

void tuned_epoch_opened(double seconds)
{
    atomic_store(&constant, 0);
    atomic_store(&opening, seconds);
}

/* Adds, but of what is below 0 the least counts: libraries may reduce parts of an array apart, so
 * no place tells what a word is. */
static void combine_words(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const int64_t *from = in;
    int64_t *to = inout;
    for (int k = 0; k < *count; k++)
        if (from[k] >= 0 && to[k] >= 0)
            to[k] += from[k];
        else if (from[k] < to[k])
            to[k] = from[k];
}

static void begin_reduction(const tuned_state *t, tuned_epoch *l)
{
    MPI_Comm comm = t->adapt->open ? t->inside : t->comm;
    PMPI_Op_create(combine_words, 1, &l->combine);
    if (l->at_once)
        PMPI_Allreduce(MPI_IN_PLACE, l->say, TUNED_EPOCH_WORDS, MPI_INT64_T, l->combine, comm);
    else
        PMPI_Iallreduce(MPI_IN_PLACE, l->say, TUNED_EPOCH_WORDS, MPI_INT64_T, l->combine, comm,
                        &l->request);
}

void tuned_epoch_forget(tuned_epoch *l)
{
    if (l->combine != MPI_OP_NULL)
        PMPI_Op_free(&l->combine);
}

static bool is_wished(const tuned_adapt *a, const tuned_context *x)
{
    return !x->engine && !x->ended && x->spent >= tuned_offer_cost(a->n);
}

static bool has_known_sizes(const tuned_context *x)
{
    return !tuned_is_rooted(x->kind.operation) || x->noted_by_root;
}

/* Took at least half as long so far as any that has no candidates yet. A root notes sizes once it
 * is open: until then the room is kept for such calls, and then for those that come again. */
static bool is_wished_first(const tuned_adapt *a, const tuned_context *x)
{
    double most = 0;
    for (const tuned_context *y = a->contexts.all; y; y = y->next)
        if (is_wished(a, y) && (has_known_sizes(y) || !a->open))
            most = fmax(most, y->spent);
    return is_wished(a, x) && has_known_sizes(x) && 2 * x->spent >= most;
}

const tuned_context *tuned_epoch_most_wished(const tuned_adapt *a)
{
    const tuned_context *most = NULL;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        if (is_wished_first(a, x) &&
            (!most || x->spent * (double)most->noted > most->spent * (double)x->noted))
            most = x;
    return most;
}

static int count_wishes(const tuned_adapt *a)
{
    int count = 0;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        count += is_wished_first(a, x);
    return count < MOST_OFFERS ? count : MOST_OFFERS;
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
static double reading(void)
{
    const tuned_environment *said = tuned_environment_get();
    const char *path = said->table ? said->table : said->model;
    struct stat of;
    if (!path)
        return 0;
    return 1e-3 + (stat(path, &of) ? 4e-3 : 6e-8 * (double)of.st_size);
}

void tuned_epoch_begin(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    bool first = t->rank == 0;
    double start = PMPI_Wtime();
    a->epoch.say[TUNED_EPOCH_OUTSIDE] = tuned_ps(a->outside, t->n);
    a->epoch.say[TUNED_EPOCH_WORTH] = tuned_ps(a->worth, t->n);
    a->epoch.say[TUNED_EPOCH_COSTS] = tuned_ps(a->costs, t->n);
    a->epoch.say[TUNED_EPOCH_CONSTANT] = atomic_load(&constant);
    a->epoch.say[TUNED_EPOCH_OPENING] = first ? tuned_ps(atomic_load(&opening), t->n) : 0;
    a->epoch.say[TUNED_EPOCH_READING] = first ? tuned_ps(reading(), t->n) : 0;
    a->epoch.say[TUNED_EPOCH_OFFER] = first ? tuned_ps(tuned_offer_cost(t->n), t->n) : 0;
    a->epoch.say[TUNED_EPOCH_WISHES] = first ? count_wishes(a) : 0;
    a->epoch.say[TUNED_EPOCH_NAMES] = first && tuned_memory_has_any();
    a->epoch.say[TUNED_EPOCH_LEARNT] = first ? tuned_ps(promised(t), t->n) : 0;
    a->outside = a->costs = 0;
    a->begun = t->call - a->origin;
    a->epoch.say[TUNED_EPOCH_DOUBTS] = a->doubt;
    a->epoch.say[TUNED_EPOCH_ELAPSED] = tuned_ps(start - a->since, t->n);
    a->epoch.say[TUNED_EPOCH_LONGEST] = -1 - a->epoch.say[TUNED_EPOCH_ELAPSED];
    a->epoch.say[TUNED_EPOCH_LATE] = a->rooted[0].late + a->rooted[1].late;
    const tuned_asked own = tuned_asked_here(t, true);
    a->epoch.say[TUNED_EPOCH_FULL] = !own.room;
    a->epoch.say[TUNED_EPOCH_CHECKS] = own.checks;
    a->epoch.say[TUNED_EPOCH_MODEL] = own.model;
    a->epoch.say[TUNED_EPOCH_LAYOUT] = own.layout;
    a->epoch.at_once = tuned_plan_is_at_once(t);
    begin_reduction(t, &a->epoch);
    a->epoch.waited = PMPI_Wtime() - start;
    a->costs += a->epoch.at_once ? tuned_adapt_cost(a, a->epoch.waited) : a->epoch.waited;
}

/* Ranks differ by a call or two wherever they are: what is more than that they have run apart. */
static void note_distance(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double mean = (double)a->epoch.say[TUNED_EPOCH_ELAPSED] * 1e-12 / t->n;
    double longest = (double)-a->epoch.say[TUNED_EPOCH_LONGEST] * 1e-12;
    a->apart = fmax(0, longest - mean - 2 * tuned_plan_call_time(a, t->call - a->origin));
}

void tuned_epoch_together(tuned_adapt *a)
{
    a->since = PMPI_Wtime();
    a->apart = 0;
}

void tuned_epoch_end(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double start = PMPI_Wtime();
    if (a->epoch.request != MPI_REQUEST_NULL) {
        PMPI_Wait(&a->epoch.request, MPI_STATUS_IGNORE);
        a->costs += tuned_adapt_cost(a, PMPI_Wtime() - start);
    }
    a->epoch.request = MPI_REQUEST_NULL;
    tuned_epoch_forget(&a->epoch);
    a->told = a->begun;
    a->lost = a->epoch.say[TUNED_EPOCH_LATE] > 0 && !tuned_plan_floods(a, t->call - a->origin);
    tuned_adapt_hear(a, t->n, a->epoch.say[TUNED_EPOCH_OUTSIDE], a->epoch.say[TUNED_EPOCH_COSTS]);
    if (!a->open)
        a->ledger.constant = (double)a->epoch.say[TUNED_EPOCH_CONSTANT] * 1e-12 / t->n;
    note_distance(t);
}

double tuned_adapt_cost(const tuned_adapt *a, double waited)
{
    const double most = a->sync > 0 ? a->sync : 1e-4;
    return waited < most ? waited : most;
}

void tuned_adapt_hear(tuned_adapt *a, int n, int64_t outside, int64_t costs)
{
    double share = 1e-12 / n;
    a->ledger.native += (double)outside * share;
    a->ledger.taken += (double)outside * share;
    cpm_ledger_charge(&a->ledger, (double)costs * share);
}
