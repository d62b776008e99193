/* Looks come when the calls have doubled: what they cost is a share of the calls that vanishes. */
#include "tuned/adapt.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tuned/adapt_meeting.h"
#include "tuned/adapt_offer.h"
#include "tuned/environment.h"

/* Calls before the first look: of the program's own communicator, and of others, of which there may
 * be many with few calls each. */
enum { FIRST_OF_WORLD = 8, FIRST = 64, OFTEN = 512, MOST_OFFERS = 8 };

/* Collectives of opening, about. */
enum { OF_OPENING = 16 };

/* The program's, once: the first communicators that open have it. Picoseconds. */
static atomic_llong constant = 1000000000;

/* Seconds that opening takes, as seen last; 0: never seen. */
static _Atomic double opening;

static int64_t ps_of(double seconds)
{
    return (int64_t)(seconds * 1e12);
}

/* ---- its life ---- */

tuned_adapt *tuned_adapt_create(MPI_Comm comm, cpm_adapt_policy policy, bool checked)
{
    tuned_adapt *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->policy = policy;
    a->at_once = policy != CPM_ADAPT_BUDGET;
    a->open_now = checked || a->at_once;
    a->next_look = a->open_now ? 1 : comm == MPI_COMM_WORLD ? FIRST_OF_WORLD : FIRST;
    a->ledger = cpm_ledger_new();
    return a;
}

/* What is under way with ranks that do not come stays in memory. */
void tuned_adapt_free(tuned_adapt *a)
{
    bool ended = true;
    if (!a)
        return;
    for (tuned_context *x = a->contexts.all; x; x = x->next)
        ended = tuned_meeting_end(x) && ended;
    if (!ended)
        return;
    tuned_contexts_clear(&a->contexts);
    free(a);
}

void tuned_adapt_hear(tuned_adapt *a, int n, int64_t outside, int64_t costs)
{
    double share = 1e-12 / n;
    a->ledger.native += (double)outside * share;
    a->ledger.taken += (double)outside * share;
    cpm_ledger_charge(&a->ledger, (double)costs * share);
}

/* ---- looking ---- */

/* What the ranks sum: picoseconds; of rank 0 alone: what opening and an offer take, and how many
 * kinds of calls it would decide on. */
enum { OUTSIDE, COSTS, CONSTANT, OPENING, OFFER, WISHES, LOOK };

static double guess_opening(const tuned_adapt *a)
{
    const tuned_environment *said = tuned_environment_get();
    double known = atomic_load(&opening), reading = said->model || said->table ? 5e-3 : 0;
    return known > 0 ? known : OF_OPENING * a->sync + reading;
}

static bool is_wished(const tuned_context *x)
{
    return !x->engine && !x->ended && x->spent >= tuned_offer_cost();
}

static int count_wishes(const tuned_adapt *a)
{
    int count = 0;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        count += is_wished(x);
    return count < MOST_OFFERS ? count : MOST_OFFERS;
}

/* Ranks that come early would have waited for the others anyway, so that is no cost of looking:
 * what a collective takes when all come at the same time is. */
static void sum(tuned_state *t, int64_t say[LOOK])
{
    tuned_adapt *a = t->adapt;
    MPI_Comm comm = a->open ? t->inside : t->comm;
    double start = PMPI_Wtime();
    PMPI_Allreduce(MPI_IN_PLACE, say, LOOK, MPI_INT64_T, MPI_SUM, comm);
    double seconds = PMPI_Wtime() - start;
    if (!a->sync) {
        start = PMPI_Wtime();
        tuned_all(comm, true);
        a->costs += a->sync = PMPI_Wtime() - start;
    }
    a->costs += seconds < a->sync ? seconds : a->sync;
}

static void look_together(tuned_state *t, int64_t say[LOOK])
{
    tuned_adapt *a = t->adapt;
    say[OUTSIDE] = ps_of(a->outside);
    say[COSTS] = ps_of(a->costs);
    say[CONSTANT] = atomic_load(&constant);
    say[OPENING] = t->rank == 0 ? ps_of(guess_opening(a)) : 0;
    say[OFFER] = t->rank == 0 ? ps_of(tuned_offer_cost()) : 0;
    say[WISHES] = t->rank == 0 ? count_wishes(a) : 0;
    a->outside = a->costs = 0;
    sum(t, say);
    tuned_adapt_hear(a, t->n, say[OUTSIDE], say[COSTS]);
    if (!a->open)
        a->ledger.constant = (double)say[CONSTANT] * 1e-12 / t->n;
}

/* Half of what may be lost is left for trying. */
static bool fits(const tuned_adapt *a, double seconds)
{
    return seconds <= cpm_ledger_room(&a->ledger) / 2;
}

/* expected: picoseconds; 0: nobody knows yet. */
static bool is_time_to_open(const tuned_adapt *a, int64_t expected)
{
    return a->open_now || (expected > 0 && fits(a, (double)expected * 1e-12));
}

/* False: it cannot be opened, and nothing is adapted. */
static bool open_together(tuned_state *t)
{
    double start = PMPI_Wtime();
    tuned_adapt *a = t->adapt;
    long calls = t->call - a->origin;
    a->open = tuned_state_open(t);
    a->origin = t->call - calls;
    atomic_store(&constant, 0);
    atomic_store(&opening, PMPI_Wtime() - start);
    return a->open;
}

/* What took the longest so far; NULL: nothing is worth it. */
static const tuned_kind *most_wished(const tuned_adapt *a)
{
    const tuned_context *most = NULL;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        if (is_wished(x) && (!most || x->spent > most->spent))
            most = x;
    return most ? &most->kind : NULL;
}

/* What is decided here is charged when the others have heard of it, so it is counted here, too. */
static void offer_together(tuned_state *t, const int64_t say[LOOK])
{
    double each = (double)say[OFFER] * 1e-12, left = cpm_ledger_room(&t->adapt->ledger) / 2;
    for (int64_t k = 0; k < say[WISHES] && left >= each; k++, left -= each)
        if (!tuned_offer_make(t, t->rank == 0 ? most_wished(t->adapt) : NULL))
            return;
}

/* Soon after it was opened: then it is known what calls there are. */
static void plan_next(tuned_adapt *a, long call, bool opened)
{
    long calls = call - a->origin, often = calls < OFTEN ? calls : calls / 2;
    if (opened)
        often = calls / 4 > FIRST_OF_WORLD ? calls / 4 : FIRST_OF_WORLD;
    a->next_look = a->at_once ? LONG_MAX : call + often;
}

void tuned_adapt_look(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    int64_t say[LOOK];
    bool was_open = a->open;
    look_together(t, say);
    double start = PMPI_Wtime();
    if (was_open)
        offer_together(t, say);
    else if (is_time_to_open(a, say[OPENING]) && !open_together(t)) {
        tuned_adapt_free(a);
        t->adapt = NULL;
        return;
    }
    plan_next(a, t->call, a->open != was_open);
    a->costs += PMPI_Wtime() - start;
}

/* ---- calls ---- */

static bool is_left_alone(const cpm_request *r)
{
    const cpm_operation *o = r->operation;
    bool sized = o->sizes == CPM_KNOWN_TO_ALL && !o->dataless;
    return o->sizes == CPM_KNOWN_TO_ROOT || (sized && (!r->bytes || r->bytes > INT_MAX)) ||
           (o->combines && tuned_environment_get()->reproducible);
}

/* A kind of calls that is new: rank 0 notes it, or all decide on it. */
static tuned_context *meet_new(tuned_state *t, const cpm_request *r)
{
    tuned_adapt *a = t->adapt;
    const tuned_kind kind = tuned_contexts_kind(&a->contexts, r);
    if (!a->at_once)
        return t->rank == 0 ? tuned_contexts_enter(&a->contexts, &kind) : NULL;
    double start = PMPI_Wtime();
    a->at_once = tuned_offer_make(t, t->rank == 0 ? &kind : NULL);
    a->costs += PMPI_Wtime() - start;
    t->decisions.deciding += PMPI_Wtime() - start;
    return tuned_contexts_find(&a->contexts, r);
}

/* Where the others do not know how much a rank gives and gets. */
static void look_at_sizes(const tuned_state *t, tuned_context *x, const mpib_arguments *a)
{
    if (x->kind.operation->sizes != CPM_KNOWN_TO_NOBODY)
        return;
    uint64_t now = a->in_place ? 1 : tuned_hash(a->send.counts, t->n);
    now = cpm_hash_mix(now, tuned_hash(a->recv.counts, t->n));
    x->changed = x->changed || (x->sizes && x->sizes != now);
    x->sizes = now;
}

tuned_decision *tuned_adapt_turn(tuned_state *t, const cpm_request *r, const mpib_arguments *a,
                                 tuned_turn *out)
{
    *out = (tuned_turn){0};
    if (is_left_alone(r))
        return NULL;
    tuned_context *x = tuned_contexts_find(&t->adapt->contexts, r);
    if (!x)
        x = meet_new(t, r);
    *out = (tuned_turn){.context = x};
    if (!x || !x->engine)
        return NULL;
    out->who = tuned_meeting_turn(t, x);
    look_at_sizes(t, x, a);
    return x->candidates[out->who];
}

void tuned_adapt_count(tuned_state *t, const tuned_turn *turn, double seconds)
{
    tuned_context *x = turn->context;
    if (!x || !x->engine || x->ended)
        t->adapt->outside += seconds;
    if (x && x->engine && !x->ended)
        tuned_meeting_count(t, x, turn->who, seconds);
    else if (x)
        x->spent += seconds;
}

/* The kind of the call is not known, as its arguments are wrong: most likely it was that of the
 * last one. If all refuse it alike they still count alike; if not, what was counted wrong ends with
 * the next meeting. */
void tuned_adapt_refuse(tuned_state *t, const cpm_operation *o)
{
    tuned_adapt *a = t->adapt;
    tuned_context *x = a->contexts.last[o - cpm_operations].context;
    a->doubt = true;
    if (!x || !x->engine || x->ended)
        return;
    int who = tuned_meeting_turn(t, x);
    if (!x->ended)
        tuned_meeting_count(t, x, who, 0);
}
