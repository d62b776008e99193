#include "tuned/adapt/adapt.h"

#include <limits.h>
#include <math.h>

#include "tuned/adapt/epoch.h"
#include "tuned/adapt/exchange.h"
#include "tuned/adapt/memory.h"
#include "tuned/adapt/offer.h"
#include "tuned/adapt/open.h"
#include "tuned/adapt/plan.h"
#include "tuned/adapt/rooted.h"
#include "tuned/adapt/stretch.h"
#include "tuned/environment.h"

/* Of scatterv and gatherv: of these a root may lose a hundred milliseconds each. */
enum { FIRST_ROOTED = 6 };

/* An epoch before the first one where each process has moved so many bytes by then in calls that
 * bring all together: a link of 100 Gbit/s needs 0.3 ms for them and a hundredth of that for a
 * one, one that is slower that much more for either. */
static const double much = 4e6;

/* Seconds of calls that are worth noting before anything is open. */
static const double long_enough = 2e-5;

/* ---- looking ---- */

/* What is decided here is charged when the others have heard of it, so it is counted here, too. */
static void offer_together(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double each = tuned_plan_offer(a);
    double left = cpm_ledger_room(&a->ledger) * tuned_plan_part_for_offers(a), start = PMPI_Wtime();
    bool wished = a->epoch.all.wishes > 0 && !a->epoch.all.common.doubts;
    bool more = wished && left >= each;
    a->poor = wished && !more;
    if (more)
        cpm_ledger_charge(&a->ledger, tuned_plan_drain(a, t->call - a->origin));
    for (int64_t k = 0; more && k < a->epoch.all.wishes && left >= each; k++) {
        const tuned_context *x = t->rank == 0 ? tuned_epoch_most_wished(a, false, false) : NULL;
        more = tuned_offer_make(t, x ? &x->kind : NULL, left);
        left -= each;
    }
    double spent = PMPI_Wtime() - start;
    a->own.costs += spent;
    t->decisions.deciding += spent;
}

void tuned_adapt_epoch(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    long calls = t->call - a->origin;
    bool was_open = a->open;
    if (!a->open && !a->open_now && !a->alike.useful) { /* nor would an epoch be of use */
        tuned_plan_next(t, false);
        return;
    }
    if (a->epoch.request == MPI_REQUEST_NULL) {
        if (tuned_plan_is_better_later(a, calls)) {
            a->next_epoch = t->call + tuned_plan_later(a->alike.put_off++);
            return;
        }
        if (!a->alike.together && tuned_floods_go_on(&a->floods, t->met)) {
            tuned_plan_next(t, false); /* they have meetings of their own */
            return;
        }
        a->alike.put_off = 0;
        if (tuned_plan_is_too_early(t, calls)) {
            a->next_epoch = tuned_plan_first_apart(a, calls);
            return;
        }
        tuned_epoch_begin(t, tuned_plan_is_at_once(t));
        a->next_epoch = t->call + tuned_plan_meanwhile(a, calls);
        if (!tuned_plan_is_at_once(t))
            return;
    }
    tuned_epoch_end(t);
    tuned_stretch_break(a);
    if (a->epoch.at_once)
        a->own.since = PMPI_Wtime();
    if (!was_open && tuned_open_is_time(t) && !tuned_open_together(t)) {
        tuned_adapt_stop(t);
        return;
    }
    if (a->open && !a->named && tuned_open_names_first(t))
        tuned_open_name_hosts(t);
    if (was_open || (a->open && (a->alike.together || a->epoch.all.learnt)))
        offer_together(t);
    if (was_open && !a->named && !a->poor)
        tuned_open_name_hosts(t);
    tuned_plan_next(t, a->open != was_open);
}

void tuned_adapt_open_early(tuned_state *t)
{
    t->adapt->open_now = t->adapt->alike.together = true;
    tuned_adapt_epoch(t);
}

/* ---- calls ---- */

static bool stays_native(const cpm_operation *o)
{
    return o->combines && tuned_environment_get()->reproducible;
}

static bool is_left_alone(const tuned_adapt *a, const cpm_request *r)
{
    const cpm_operation *o = r->operation;
    const bool ends = cpm_operation_ends_know_sizes(o);
    bool other = a->policy == CPM_ADAPT_THRESHOLD && (o->sizes != CPM_KNOWN_TO_NOBODY || ends);
    return other || stays_native(o) || (ends && !r->neighbours);
}

double tuned_adapt_bytes(const cpm_request *r)
{
    bool each = !r->operation->rooted &&
                cpm_operation_blocks(r->operation, CPM_RECV_SIDE, false) == CPM_BLOCK_OF_EACH;
    return (double)r->bytes * (each ? r->n : 1);
}

/* Before the first epoch: all count alike. Of others the call may be refused at some ranks only.
 * One that was put off until ranks had run apart need not be where they have come together. */
static void count_bytes(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    if (!a->alike.together)
        return;
    a->alike.moved += a->alike.moving;
    bool put_off = t->call - a->origin >= TUNED_FIRST_EPOCH;
    if ((a->alike.moved >= much || put_off) && a->next_epoch > t->call + 1)
        a->next_epoch = t->call + 1;
}

/* All have counted a call that has brought them together, so all count this one. */
void tuned_adapt_begun(tuned_state *t, const cpm_request *r)
{
    tuned_adapt *a = t->adapt;
    if (a->open || a->begun || !a->alike.met || a->stretches.untried >= TUNED_FIRST_BEGUN)
        return;
    a->alike.moved += tuned_adapt_bytes(r);
    if (a->alike.moved >= much && a->next_epoch > t->call + 1)
        a->next_epoch = t->call + 1;
}

/* What all count alike of a call, whatever a rank knows of it: it decides where an epoch ends. */
static void count_alike(tuned_state *t, cpm_waiting who, bool useful, long calls)
{
    tuned_adapt *a = t->adapt;
    a->alike.together = who == CPM_ALL_WAIT;
    a->alike.met += a->alike.together ? calls : 0;
    if (a->alike.together)
        a->ledger.ahead = 0;
    a->alike.floods += who == CPM_ROOT_WAITS ? calls : 0;
    if (!a->open && useful) {
        if (!a->alike.useful)
            tuned_epoch_together(a);
        a->alike.useful += calls;
        if (!a->begun)
            count_bytes(t);
    }
    a->alike.moving = 0;
}

/* What a root takes long for is everybody's time: who is ahead of it waits in the end. Rank 0,
 * which picks, may be one of these. */
static void note_flood(tuned_state *t, const tuned_flood *f, const cpm_request *r)
{
    tuned_adapt *a = t->adapt;
    const double seconds = f->verdict * (double)f->of;
    const tuned_kind kind = tuned_contexts_kind(&a->contexts, r);
    a->ledger.ahead += seconds * (t->n - 1) / t->n;
    if (t->rank == f->root && !a->open)
        a->own.worth += seconds * (t->n - 1);
    tuned_context *x = t->rank == 0 ? tuned_contexts_enter(&a->contexts, &kind) : NULL;
    if (x) {
        x->spent = fmax(x->spent, seconds);
        x->lengthy = x->watched;
    }
}

/* Calls that take the root long though senders are held back. Returns whether all have come
 * together. */
static bool meet_for_flood(tuned_state *t, tuned_flood *f, const cpm_request *r)
{
    tuned_adapt *a = t->adapt;
    const tuned_context *x = tuned_contexts_find(&a->contexts, r);
    if (x && x->engine)
        return false;
    note_flood(t, f, r);
    if (f->calls < 4 * f->together || a->epoch.request != MPI_REQUEST_NULL ||
        !tuned_plan_may_meet(a))
        return false;
    f->together = f->calls;
    a->alike.together = true; /* nobody is far ahead, and all are about to meet */
    tuned_adapt_epoch(t);
    return true;
}

/* Only what it costs the root is a cost: the others wait for it, sooner or later. */
static bool step_flood(tuned_state *t, tuned_flood *f, const cpm_request *r)
{
    tuned_adapt *a = t->adapt;
    const MPI_Comm comm = a->open ? t->inside : t->comm;
    const double now = PMPI_Wtime();
    tuned_flood_step(f, comm, tuned_plan_waits(t), t->rank, now);
    if (t->rank == f->root)
        a->own.costs += (PMPI_Wtime() - now) * t->n;
    return !f->asked && f->state == TUNED_FLOOD_HELD && meet_for_flood(t, f, r);
}

tuned_flood *tuned_adapt_flood(tuned_state *t, const cpm_request *r, bool *met)
{
    tuned_adapt *a = t->adapt;
    const bool never = a->policy != CPM_ADAPT_BUDGET || stays_native(r->operation) || t->n < 2;
    tuned_flood *f = never ? NULL : tuned_flood_of(&a->floods, r->operation, r->root, r->bytes);
    const bool due = f && tuned_flood_is_due(f, t->met);
    if (f && !(f->since > 0))
        tuned_flood_start(f, PMPI_Wtime());
    *met = due && step_flood(t, f, r);
    if (!t->adapt) /* it ended when all had come together */
        return NULL;
    if (f)
        f->calls++;
    return f;
}

bool tuned_adapt_expects(const tuned_state *t)
{
    const tuned_adapt *a = t->adapt;
    if (!a || a->open || a->at_once)
        return false;
    return !a->told ||
           (t->rank == 0 &&
            (tuned_plan_call_time(a, t->call - a->origin) > long_enough || tuned_memory_has_any()));
}

void tuned_adapt_note(tuned_state *t, const cpm_request *r, tuned_turn *out)
{
    tuned_contexts *known = &t->adapt->contexts;
    bool alone = is_left_alone(t->adapt, r);
    t->adapt->alike.moving = alone ? 0 : tuned_adapt_bytes(r);
    if (alone || t->rank != 0 || t->on_device)
        return;
    const tuned_kind kind = tuned_contexts_kind(known, r);
    out->context = tuned_contexts_find(known, r);
    if (!out->context)
        out->context = tuned_contexts_enter(known, &kind);
}

/* A kind of calls that is new: rank 0 notes it, or all decide on it. */
static tuned_context *meet_new(tuned_state *t, const cpm_request *r)
{
    tuned_adapt *a = t->adapt;
    const tuned_kind kind = tuned_contexts_kind(&a->contexts, r);
    if (!a->at_once)
        return t->rank == 0 && !t->on_device ? tuned_contexts_enter(&a->contexts, &kind) : NULL;
    double start = PMPI_Wtime();
    a->at_once = tuned_offer_make(t, t->rank == 0 && !t->on_device ? &kind : NULL, INFINITY);
    a->own.costs += PMPI_Wtime() - start;
    t->decisions.deciding += PMPI_Wtime() - start;
    return tuned_contexts_find(&a->contexts, r);
}

static uint64_t hash_of_side(const mpib_side *s, int n)
{
    return s->counts ? tuned_hash(s->counts, n) : s->count;
}

void tuned_adapt_look_at_sizes(const tuned_state *t, tuned_context *x, const mpib_arguments *a)
{
    const tuned_kind *k = &x->kind;
    const bool told = k->operation->sizes == CPM_KNOWN_TO_ALL || tuned_is_told_by_root(k);
    if (told || t->adapt->policy == CPM_ADAPT_THRESHOLD)
        return;
    uint64_t now = a->in_place ? 1 : hash_of_side(&a->send, t->n);
    now = cpm_hash_mix(now, hash_of_side(&a->recv, t->n));
    x->changed = x->changed || (x->sizes && x->sizes != now);
    x->sizes = now;
}

tuned_decision *tuned_adapt_turn(tuned_state *t, const cpm_request *r, const mpib_arguments *a,
                                 tuned_turn *out)
{
    if (is_left_alone(t->adapt, r))
        return NULL;
    tuned_context *x = tuned_contexts_find(&t->adapt->contexts, r);
    if (tuned_is_rooted(r->operation))
        tuned_rooted_note(t, x, a);
    if (!x)
        x = meet_new(t, r);
    if (x) {
        x->noted_by_root = tuned_is_rooted(r->operation);
        x->spare = 0; /* calls may be of it that are never passed on */
    }
    out->context = x;
    if (!x || !x->engine)
        return NULL;
    out->who = tuned_exchange_turn(t, x);
    tuned_adapt_look_at_sizes(t, x, a);
    return x->engine ? x->candidates[out->who] : NULL;
}

/* Before it is open: all count alike. */
static void count_rooted(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    if (++a->alike.rooted == FIRST_ROOTED && !tuned_plan_floods(a, t->call - a->origin) &&
        !tuned_plan_waits(t) && t->call < a->origin + TUNED_FIRST_EPOCH)
        a->next_epoch = t->call + 1;
}

/* Before it is open: calls that are too short to gain anything are worth nothing. */
static void add_worth(tuned_adapt *a, const cpm_operation *o, double seconds, long calls)
{
    if (!a->open && !stays_native(o) && seconds >= tuned_worth_trying)
        a->own.worth += seconds * (double)calls;
}

void tuned_adapt_count(tuned_state *t, const cpm_operation *o, int root, const tuned_turn *turn,
                       double seconds)
{
    tuned_context *x = turn->context;
    count_alike(t, tuned_waiting(o), !stays_native(o), 1);
    if (turn->flood)
        tuned_flood_time(turn->flood, seconds, 1);
    add_worth(t->adapt, o, seconds, 1);
    if (tuned_is_rooted(o)) {
        if (root == t->rank && !turn->who)
            tuned_rooted_count(t->adapt, o, seconds);
        count_rooted(t);
    }
    if (!x || !x->engine || x->ended)
        t->adapt->own.outside += seconds;
    if (x && x->engine && !x->ended)
        tuned_exchange_count(t, x, turn->who, seconds);
    else if (x) {
        x->spent += seconds;
        x->noted++;
        x->watched++;
        x->lengthy += seconds >= tuned_worth_trying;
    }
}

void tuned_adapt_pass(tuned_state *t, cpm_waiting who)
{
    count_alike(t, who, true, 1);
}

long tuned_adapt_spare(const tuned_state *t, const tuned_turn *turn)
{
    const tuned_adapt *a = t->adapt;
    const tuned_context *x = turn->context;
    const bool heard = turn->flood && turn->flood->heard;
    const bool early = !a->open && !a->begun && t->call - a->origin < TUNED_FIRST_EPOCH;
    if (early && !heard)
        return 0;
    return x && x->engine ? tuned_exchange_spare(x) : LONG_MAX;
}

void tuned_adapt_passed(tuned_state *t, const cpm_operation *o, const tuned_turn *turn, long calls,
                        double seconds)
{
    tuned_context *x = turn->context;
    if (turn->flood)
        tuned_flood_time(turn->flood, seconds, calls);
    count_alike(t, tuned_waiting(o), !stays_native(o), calls);
    add_worth(t->adapt, o, seconds, calls);
    if (x && x->engine) {
        tuned_exchange_pass(t, x, calls, seconds);
        return;
    }
    t->adapt->own.outside += seconds * (double)calls;
    if (x) {
        x->spent += seconds * (double)calls;
        x->noted += calls;
    }
}

void tuned_adapt_passed_last(tuned_adapt *a, const cpm_operation *o)
{
    a->alike.together = tuned_brings_together(o);
}

void tuned_adapt_refuse(tuned_adapt *a)
{
    a->own.doubt = true;
}
