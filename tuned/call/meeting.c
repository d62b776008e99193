#include "tuned/call/meeting.h"

#include <math.h>

#include "tuned/adapt/epoch.h"
#include "tuned/adapt/exchange.h"
#include "tuned/adapt/offer.h"
#include "tuned/adapt/offers.h"
#include "tuned/adapt/open.h"
#include "tuned/adapt/plan.h"
#include "tuned/adapt/stretch.h"
#include "tuned/call/active.h"
#include "tuned/call/onset.h"

enum { OF_ONSET = 2 }; /* small collectives, about */

/* ---- steps ---- */

static bool is_under_way(const tuned_context *x)
{
    return x->kind.begun && !x->kind.persistent && tuned_exchange_is_under_way(x);
}

static bool is_held(const tuned_context *x)
{
    return x->held && !x->kind.persistent;
}

static bool is_heard(const tuned_state *t)
{
    const tuned_adapt *a = t->adapt;
    bool heard = !a->meeting.epoch || tuned_epoch_is_heard(t);
    for (const tuned_context *x = a->contexts.all; x && heard; x = x->next)
        heard = !is_under_way(x) || tuned_exchange_is_heard(x);
    return heard;
}

static void hear(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    tuned_meeting *m = &a->meeting;
    m->heard = true;
    if (!m->epoch)
        return;
    tuned_epoch_end(t);
    const bool doubt = a->epoch.all.common.doubts > 0;
    m->offers.count = doubt ? 0 : a->at_once ? TUNED_MOST_OFFERS : a->epoch.all.wishes;
    m->offers.each = tuned_plan_offer(a);
    m->offers.left =
        a->at_once ? INFINITY : cpm_ledger_room(&a->ledger) * tuned_plan_part_for_offers(a);
    m->opens = !a->open && m->offers.count > 0 && m->offers.left >= m->offers.each;
}

/* What comes before the barrier. */
static bool gathers(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    if (!a) { /* adapting was stopped, as ranks had not come */
        t->onset.most.failed = 1;
        return true;
    }
    tuned_meeting *m = &a->meeting;
    if (!m->heard && !is_heard(t))
        return false;
    if (!m->heard)
        hear(t);
    if (!tuned_offers_have_ended(t, &m->offers))
        return false;
    if (a->own.doubt || m->offers.failed)
        t->onset.most.failed = 1;
    return true;
}

/* ---- the beginning ---- */

static bool is_possible(const tuned_state *t)
{
    const tuned_adapt *a = t->adapt;
    return !a->stretches.off && (a->open || a->prepared) && t->progresses && !tuned_onset_is_on(t);
}

static bool is_to_begin(const tuned_context *x)
{
    return tuned_stretch_is_over(x) && !tuned_exchange_is_under_way(x);
}

static bool may_have_epoch(const tuned_adapt *a)
{
    return a->stretches.asks && a->epoch.request == MPI_REQUEST_NULL;
}

/* Without a message nobody would know that all take part. What was due a blocking call may have
 * seen to since. */
bool tuned_meeting_is_due(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    tuned_stretches *s = &a->stretches;
    if (!(s->due_alone || s->asks) || !is_possible(t))
        return false;
    if (may_have_epoch(a) || tuned_stretch_first(a, is_to_begin))
        return true;
    s->due_alone = s->asks = false;
    return false;
}

void tuned_meeting_begin(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    tuned_stretches *s = &a->stretches;
    a->meeting =
        (tuned_meeting){.epoch = may_have_epoch(a),
                        .offers = {.comm = t->inside, .one = {.request = MPI_REQUEST_NULL}}};
    s->due_alone = s->asks = false;
    s->numbered = t->onset.begun[0] = 0;
    const bool before = tuned_active_pause();
    if (a->meeting.epoch)
        tuned_epoch_begin(t, false);
    for (tuned_context *x; (x = tuned_stretch_first(a, is_to_begin));)
        tuned_exchange_begin(t, x);
    tuned_onset_begin(t, gathers);
    tuned_active_resume(before);
}

/* ---- the end ---- */

/* Its last stretch has no end yet. */
static void take_exchange(tuned_state *t, tuned_context *x)
{
    t->adapt->own.outside += x->stretch.spent;
    x->stretch = (tuned_stretch){.calls = 0};
    tuned_exchange_take(t, x);
}

static void look_ahead(tuned_state *t, bool offered)
{
    tuned_adapt *a = t->adapt;
    tuned_stretches *s = &a->stretches;
    s->due = 0;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        s->due += tuned_stretch_is_over(x);
    if (offered)
        s->next = s->untried + (a->at_once ? 1 : TUNED_FIRST_EPOCH);
}

/* Where ranks may have counted otherwise what is tried goes on until all wait in a call. */
static void take(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    const bool failed = t->onset.most.failed;
    bool offered = false;
    a->own.costs += OF_ONSET * a->heard.sync;
    a->stretches.off = failed;
    if (a->meeting.opens && !failed) {
        tuned_open_prepared(t);
        tuned_plan_next(t, true);
    }
    for (tuned_context *x; !failed && (x = tuned_stretch_first(a, is_under_way));)
        take_exchange(t, x);
    for (tuned_context *x; (x = tuned_stretch_first(a, is_held));) {
        tuned_offer_let_go(t, x, failed);
        offered = true;
    }
    look_ahead(t, offered);
}

bool tuned_meeting_call(tuned_state *t)
{
    const bool holds = tuned_onset_is_on(t) && tuned_onset_holds(t, ++t->adapt->stretches.numbered);
    if (holds)
        take(t);
    return holds;
}

bool tuned_meeting_settle(tuned_state *t)
{
    const double start = t->adapt && tuned_onset_is_on(t) ? PMPI_Wtime() : 0;
    if (!t->adapt || !tuned_onset_wait(t))
        return false;
    const double spent = PMPI_Wtime() - start;
    t->adapt->own.costs += tuned_adapt_cost(t->adapt, spent);
    tuned_stretch_leave_out(t->adapt, spent);
    take(t);
    return true;
}
