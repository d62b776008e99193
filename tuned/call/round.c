#include "tuned/call/round.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "tuned/adapt/epoch.h"
#include "tuned/adapt/exchange.h"
#include "tuned/adapt/offer.h"
#include "tuned/adapt/offers.h"
#include "tuned/adapt/plan.h"
#include "tuned/adapt/stretch.h"
#include "tuned/attribute.h"
#include "tuned/call/active.h"
#include "tuned/call/onset.h"
#include "tuned/comm/inside.h"

enum { OF_ROUND = 3 };                     /* small collectives, about */
static const double part_for_offers = 0.5; /* of what may be lost */

static tuned_rounds *all; /* that have not ended */

/* By their numbers less 1: the same on all ranks, but for those without an engine. */
typedef struct {
    tuned_context *of[TUNED_MOST_STARTED]; /* NULL: none is known */
} calls;

static calls calls_of(const tuned_adapt *a)
{
    calls c = {{NULL}};
    for (tuned_context *x = a->contexts.all; x; x = x->next)
        if (x->kind.persistent)
            c.of[x->kind.persistent - 1] = x;
    return c;
}

/* ---- what is said first ---- */

static void say(const tuned_state *t, tuned_rounds *r)
{
    tuned_adapt *a = t->adapt;
    a->started.told = tuned_adapt_tell(a, &r->all.common);
    for (int k = 0; k < TUNED_MOST_STARTED; k++)
        r->onset.begun[k] = a->started.starts[k];
    if (t->rank != 0)
        return;
    r->all.at_once = a->at_once;
    r->all.wishes = tuned_epoch_wishes(a, true);
    r->all.offer = tuned_ps(tuned_offer_cost(t->n), t->n);
    r->all.room = (int64_t)((cpm_ledger_room(&a->ledger) + a->lent) * 1e12);
}

static void begin(tuned_state *t)
{
    tuned_rounds *r = t->rounds;
    const bool before = tuned_active_pause();
    r->all = (tuned_round_sums){.ends = r->ends};
    if (t->adapt)
        say(t, r);
    for (int k = 0; k < TUNED_MOST_STARTED; k++)
        r->all.fewest[k] = tuned_fewest(r->onset.begun[k]);
    r->heard = false;
    r->offers = (tuned_offers){
        .comm = r->onset.comm, .persistent = true, .one = {.request = MPI_REQUEST_NULL}};
    tuned_sum_round(&r->all, r->onset.comm, &r->combine, &r->request);
    tuned_onset_enter(&r->onset, t);
    tuned_active_resume(before);
}

/* ---- steps ---- */

static bool is_the_last(const tuned_rounds *r)
{
    return r->all.ends || r->all.common.doubts;
}

static bool is_tried(const tuned_context *x)
{
    return x && x->engine && !x->ended && !x->held;
}

static bool is_under_way(const tuned_context *x)
{
    return x && tuned_exchange_is_under_way(x);
}

/* Its calls that are fed next are those until the end of its period. */
static void set_calls(tuned_context *x)
{
    x->calls = x->from + x->period.calls - x->first;
}

static void begin_exchanges(const tuned_state *t, const tuned_rounds *r)
{
    const calls c = calls_of(t->adapt);
    for (int k = 0; k < TUNED_MOST_STARTED; k++) {
        tuned_context *x = c.of[k];
        if (!is_tried(x) || tuned_fewest(r->all.fewest[k]) < x->from + x->period.calls)
            continue;
        set_calls(x);
        tuned_exchange_begin(t, x);
    }
}

static void allow_offers(tuned_adapt *a, tuned_rounds *r)
{
    const double room = cpm_ledger_room(&a->started.ledger) * part_for_offers;
    r->offers.count = r->all.at_once ? TUNED_MOST_OFFERS : r->all.wishes;
    r->offers.left = r->all.at_once ? INFINITY : room;
    r->offers.each = (double)r->all.offer * 1e-12 + TUNED_OF_OFFER * a->heard.sync;
}

static void hear(const tuned_state *t, tuned_rounds *r)
{
    tuned_adapt *a = t->adapt;
    r->heard = true;
    PMPI_Op_free(&r->combine);
    if (!a)
        return;
    tuned_adapt_hear(a, &r->all.common, true);
    a->started.told = (tuned_told){0};
    if (is_the_last(r))
        return;
    a->started.ledger.constant = (double)r->all.room * 1e-12;
    allow_offers(a, r);
    begin_exchanges(t, r);
}

static bool have_exchanged(const tuned_adapt *a)
{
    const calls c = calls_of(a);
    bool all_have = true;
    for (int k = 0; k < TUNED_MOST_STARTED && all_have; k++)
        all_have = !is_under_way(c.of[k]) || tuned_exchange_is_heard(c.of[k]);
    return all_have;
}

/* Without adapting the ranks have not come for long. */
static bool gathers(tuned_state *t)
{
    tuned_rounds *r = t->rounds;
    int ended = 1;
    if (!r->heard)
        PMPI_Test(&r->request, &ended, MPI_STATUS_IGNORE);
    if (!ended)
        return false;
    if (!r->heard)
        hear(t, r);
    if (!t->adapt || is_the_last(r))
        return true;
    if (!have_exchanged(t->adapt) || !tuned_offers_have_ended(t, &r->offers))
        return false;
    r->onset.most.failed = r->offers.failed;
    return true;
}

/* ---- the end of a round ---- */

/* The stretch of its last start has no end. From that start on something else holds. */
static void take_exchange(tuned_state *t, tuned_context *x, long from)
{
    x->until = x->candidates[x->period.first];
    t->adapt->own.outside += x->stretch.spent;
    x->stretch = (tuned_stretch){.calls = 0};
    set_calls(x);
    tuned_exchange_take(t, x);
    x->from = from;
}

static void begin_trying(tuned_state *t, tuned_context *x, bool failed, long from)
{
    tuned_offer_let_go(t, x, failed);
    x->until = NULL;
    x->first = x->from = from;
}

/* Whether something was offered. */
static bool take_all(tuned_state *t, const tuned_rounds *r)
{
    const calls c = calls_of(t->adapt);
    bool offered = false;
    for (int k = 0; k < TUNED_MOST_STARTED; k++) {
        const long from = tuned_onset_from(&r->onset, k);
        offered = offered || (c.of[k] && c.of[k]->held);
        if (is_under_way(c.of[k]))
            take_exchange(t, c.of[k], from);
        else if (c.of[k] && c.of[k]->held)
            begin_trying(t, c.of[k], r->onset.most.failed, from);
    }
    return offered;
}

static void look_ahead(tuned_adapt *a, bool offered)
{
    tuned_started *s = &a->started;
    s->due = false;
    if (offered)
        s->next = s->untried + (a->at_once ? 1 : TUNED_FIRST_EPOCH);
    else if (s->untried >= s->next)
        s->next = 2 * s->untried;
}

/* A start may have to wait for that, which is no time of the program's. */
static bool have_agreed(tuned_state *t, int number)
{
    tuned_adapt *a = t->adapt;
    const double start = PMPI_Wtime();
    const bool agreed =
        tuned_onset_is_agreed(&t->rounds->onset, number - 1, a->started.starts[number - 1] + 1);
    const double spent = PMPI_Wtime() - start;
    a->own.costs += tuned_adapt_cost(a, spent);
    tuned_stretch_leave_out(a, spent);
    return agreed;
}

void tuned_round_take(tuned_state *t, int number)
{
    tuned_adapt *a = t->adapt;
    tuned_rounds *r = t->rounds;
    if (!have_agreed(t, number))
        return;
    const double start = PMPI_Wtime();
    const bool offered = take_all(t, r);
    tuned_onset_end(&r->onset);
    a->own.costs += OF_ROUND * a->heard.sync;
    look_ahead(a, offered);
    t->decisions.deciding += PMPI_Wtime() - start;
}

/* ---- the last round ---- */

/* Ranks may have counted otherwise: MPI's own routine runs what comes. Starts until then may have
 * begun on some ranks. */
static void end_trying(tuned_adapt *a, const tuned_rounds *r)
{
    const calls c = calls_of(a);
    for (int k = 0; k < TUNED_MOST_STARTED; k++)
        if (is_tried(c.of[k]))
            c.of[k]->to = tuned_onset_from(&r->onset, k);
}

static void leave(tuned_rounds *r)
{
    tuned_rounds **at = &all;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    r->ended = true;
}

/* What else was agreed on is taken where a call is started. */
static void agreed(tuned_state *t)
{
    tuned_rounds *r = t->rounds;
    if (!is_the_last(r) && !r->ends)
        return;
    tuned_onset_end(&r->onset);
    if (!is_the_last(r)) {
        begin(t);
        return;
    }
    if (t->adapt && r->all.common.doubts)
        end_trying(t->adapt, r);
    leave(r);
}

void tuned_rounds_end(tuned_state *t)
{
    tuned_rounds *r = t->rounds;
    if (!r || r->ended || r->ends)
        return;
    r->ends = true;
    if (r->onset.stage == TUNED_AGREED)
        agreed(t);
    else if (!tuned_onset_is_open(&r->onset))
        begin(t);
}

static void go_on(void)
{
    tuned_active_go_on();
    sched_yield();
}

void tuned_rounds_forget(tuned_state *t)
{
    tuned_rounds_end(t);
    while (t->rounds && !t->rounds->ended)
        go_on();
}

/* All ranks of a communicator end its rounds, here or before. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    for (tuned_rounds *r = all, *next; r; r = next) {
        next = r->next;
        tuned_rounds_end(r->onset.of);
    }
    while (all)
        go_on();
    return MPI_SUCCESS;
}

/* ---- the beginning ---- */

void tuned_round_begin(tuned_state *t)
{
    const tuned_rounds *r = t->rounds;
    if (!r->ended && !r->ends && !tuned_onset_is_open(&r->onset))
        begin(t);
}

static void watch(void)
{
    static bool watching;
    if (watching)
        return;
    watching = true;
    tuned_onset_watch_end();
    tuned_attribute_at_end(at_end);
}

static void enter(tuned_state *t)
{
    watch();
    *t->rounds = (tuned_rounds){.onset = {.of = t,
                                          .comm = t->aside,
                                          .gathers = gathers,
                                          .agreed = agreed,
                                          .series = TUNED_MOST_STARTED},
                                .next = all};
    all = t->rounds;
}

/* What belongs to several programs may outlive one of them, which would wait for it at its end. */
static bool is_of_program(const tuned_state *t)
{
    MPI_Group program, own, both;
    int shared = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &program);
    PMPI_Comm_group(t->comm, &own);
    PMPI_Group_intersection(program, own, &both);
    PMPI_Group_size(both, &shared);
    PMPI_Group_free(&program);
    PMPI_Group_free(&own);
    PMPI_Group_free(&both);
    return shared == t->n;
}

/* Whether all ranks have memory and a communicator for it. */
static bool make(tuned_state *t)
{
    tuned_rounds *r = calloc(1, sizeof *r);
    if (!tuned_inside_another(t, r != NULL)) {
        free(r);
        return false;
    }
    t->rounds = r;
    enter(t);
    return true;
}

void tuned_rounds_prepare(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    if (!a || !a->open || !a->started.count)
        return;
    if (!t->rounds && !(is_of_program(t) && make(t)))
        a->started.least = -1; /* there will be none */
    else if (t->rounds->ended && !t->rounds->all.common.doubts)
        enter(t);
}
