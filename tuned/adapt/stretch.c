#include "tuned/adapt/stretch.h"

#include <math.h>

#include "tuned/adapt/exchange.h"
#include "tuned/adapt/offer.h"
#include "tuned/comm/progress.h"
#include "tuned/environment.h"

/* Each so manieth call is timed where nothing is tried, at least; of brief ones. */
enum { SELDOM = 16, SELDOM_BRIEF = 128 };

bool tuned_stretch_serves(const tuned_state *t)
{
    const tuned_adapt *a = t->adapt;
    if (!a || a->policy == CPM_ADAPT_THRESHOLD || t->checked)
        return false;
    return a->open ? t->progresses : tuned_progress_known();
}

/* ---- what is seen ---- */

static bool is_tried(const tuned_context *x)
{
    return x && x->engine && !x->ended && !x->held;
}

static bool has_begun(const tuned_context *x)
{
    return is_tried(x) && x->stretch.calls;
}

/* The seconds since the last timed call, of whatever kind, were that call's. */
static void spend(tuned_state *t, double now)
{
    tuned_adapt *a = t->adapt;
    tuned_context *x = a->stretches.last;
    const double seconds = now - a->stretches.since;
    if (!(a->stretches.since > 0) || seconds < 0)
        return;
    if (has_begun(x)) {
        x->stretch.spent += seconds;
        return;
    }
    const double each = seconds / (double)(a->stretches.passed + 1);
    a->stretches.brief = each < tuned_worth_trying;
    a->own.outside += seconds;
    if (!a->open && each >= tuned_worth_trying)
        a->own.worth += seconds;
    if (!x)
        return;
    x->spent += seconds;
    x->noted += a->stretches.passed + 1;
    x->watched++;
    x->lengthy += each >= tuned_worth_trying;
}

/* The stretch that has ended: of one call, or of several that were run the same way. */
static void see(tuned_state *t, tuned_context *x, double now)
{
    const long calls = x->stretch.calls;
    if (!calls)
        return;
    const int64_t each = tuned_ps((now - x->stretch.since) / (double)calls, t->n);
    const int64_t spent = tuned_ps(x->stretch.spent / (double)calls, t->n);
    if (calls > 1)
        tuned_context_pass(x, x->stretch.who, calls - 1, spent * (calls - 1), each * (calls - 1));
    tuned_context_see(x, x->stretch.who, spent, each);
    x->calls += calls;
    x->made += (int)calls;
    x->exchange.meanwhile += (int)calls;
    x->stretch.calls = 0;
    x->stretch.spent = 0;
}

/* ---- whose turn it is ---- */

static bool is_over(const tuned_context *x)
{
    return x->made >= x->period.calls;
}

/* No blocking call has come in which the ranks would have met. */
static bool waits_for_long(const tuned_context *x)
{
    return x->made >= x->period.calls + 2 * SELDOM;
}

/* Calls that all run the same way, of which a period's last ones are timed. */
static long spare_of(const tuned_context *x)
{
    return is_over(x) ? SELDOM : tuned_exchange_spare(x);
}

static tuned_decision *turn_of(tuned_context *x, double now)
{
    const int who = is_over(x) ? x->period.first : cpm_adapt_turn(&x->period, x->made, x->calls);
    const long spare = spare_of(x);
    x->stretch = (tuned_stretch){
        .who = who, .since = now, .calls = 1, .spare = spare, .unlooked = who ? 0 : spare};
    return x->candidates[who];
}

/* Rank 0 notes what may be worth trying. */
static tuned_context *note(const tuned_state *t, const cpm_request *r)
{
    tuned_contexts *known = &t->adapt->contexts;
    const tuned_kind kind = tuned_contexts_kind(known, r);
    return t->rank == 0 && !t->on_device ? tuned_contexts_enter(known, &kind) : NULL;
}

static bool stays_native(const cpm_request *r)
{
    return r->operation->combines && tuned_environment_get()->reproducible;
}

/* Calls of which nothing is tried: not where all ranks have to count them. */
static bool may_be_passed(const tuned_adapt *a, long untried)
{
    return (a->open || a->begun || untried >= TUNED_FIRST_BEGUN) && !a->at_once;
}

/* Calls like this one that are only counted after it, at most. */
static long most_passed(const tuned_adapt *a, long untried)
{
    const long most = (a->stretches.brief ? SELDOM_BRIEF : SELDOM) - 2;
    const long left = a->stretches.next - untried - 2;
    return may_be_passed(a, untried) ? (left < most ? left : most) : -1;
}

/* Nothing is tried in this call. */
static void count_untried(tuned_state *t)
{
    tuned_stretches *s = &t->adapt->stretches;
    if (++s->untried < s->next)
        return;
    s->asks = true;
    s->next = 2 * s->untried;
}

/* A stretch of several calls goes on. */
static bool goes_on(tuned_context *x)
{
    if (!x->stretch.calls || x->stretch.calls > x->stretch.spare)
        return false;
    x->stretch.calls++;
    return true;
}

static long count_alone(const tuned_state *t)
{
    const tuned_stretches *s = &t->adapt->stretches;
    return (s->met == t->met ? s->alone : 0) + s->passed + 1;
}

static void begin_anew(tuned_stretches *s, tuned_context *x, double now)
{
    s->last = x;
    s->since = now;
    s->passed = 0;
    s->most = -1;
}

tuned_decision *tuned_stretch_turn(tuned_state *t, const cpm_request *r, const mpib_arguments *with,
                                   tuned_uncounted *like_it)
{
    tuned_adapt *a = t->adapt;
    tuned_context *x = stays_native(r) ? NULL : tuned_contexts_find(&a->contexts, r);
    if (is_tried(x))
        *like_it = (tuned_uncounted){&x->stretch.calls, &x->stretch.unlooked};
    else
        *like_it = (tuned_uncounted){&a->stretches.passed, &a->stretches.most};
    if (is_tried(x) && goes_on(x))
        return x->candidates[x->stretch.who];
    const double now = PMPI_Wtime();
    spend(t, now);
    if (!x && !stays_native(r))
        x = note(t, r);
    tuned_stretches *s = &a->stretches;
    s->alone = is_tried(x) ? 0 : count_alone(t);
    s->met = t->met;
    s->untried += s->passed;
    begin_anew(s, x, now);
    tuned_adapt_begun(t, r);
    if (!is_tried(x)) {
        count_untried(t);
        s->most = most_passed(a, s->untried);
        s->due += a->at_once && a->open; /* of what it ended only rank 0 knows */
        return NULL;
    }
    const bool was_over = is_over(x);
    see(t, x, now);
    s->due += !was_over && is_over(x);
    s->due_alone = s->due_alone || waits_for_long(x);
    tuned_adapt_look_at_sizes(t, x, with);
    return turn_of(x, now);
}

/* A round is to look at starts of which nothing is tried. */
static tuned_decision *start_untried(tuned_started *s)
{
    s->due = ++s->untried >= s->next || s->due;
    return NULL;
}

/* Figures are those of the same starts on all ranks: of a period, and no more. */
static tuned_decision *start_tried(tuned_state *t, tuned_context *x, long start, double now)
{
    x->made = (int)(start - x->from);
    if (x->made <= x->period.calls)
        see(t, x, now);
    x->made = (int)(start - x->from);
    x->calls = start - x->first;
    if (!is_over(x)) {
        tuned_decision *d = turn_of(x, now);
        x->stretch.spare = 0;
        return d;
    }
    t->adapt->started.due = true;
    t->adapt->own.outside += x->stretch.spent;
    x->stretch = (tuned_stretch){.calls = 0};
    return x->candidates[x->period.first];
}

tuned_decision *tuned_stretch_start(tuned_state *t, const cpm_request *r)
{
    tuned_adapt *a = t->adapt;
    const double now = PMPI_Wtime();
    const long start = ++a->started.starts[r->persistent - 1];
    tuned_context *x = stays_native(r) ? NULL : tuned_contexts_find(&a->contexts, r);
    spend(t, now);
    if (!x && !stays_native(r))
        x = note(t, r);
    a->stretches.untried += a->stretches.passed;
    a->stretches.alone = 0;
    begin_anew(&a->stretches, x, now);
    if (x && x->to && start >= x->to)
        return NULL;
    if (x && start < x->from)
        return x->until;
    return is_tried(x) ? start_tried(t, x, start, now) : start_untried(&a->started);
}

void tuned_stretch_start_failed(tuned_adapt *a, const cpm_request *r)
{
    tuned_context *x = tuned_contexts_find(&a->contexts, r);
    a->started.starts[r->persistent - 1]--;
    if (x)
        x->stretch.calls = 0;
}

/* ---- meeting ---- */

bool tuned_stretch_is_due(const tuned_adapt *a)
{
    return a->stretches.due > 0;
}

void tuned_stretch_break(tuned_adapt *a)
{
    a->stretches.last = NULL;
    a->stretches.since = 0;
    a->stretches.most = -1;
    for (tuned_context *x = a->contexts.all; x; x = x->next) {
        if (x->kind.persistent)
            continue;
        a->own.outside += x->stretch.spent;
        x->stretch = (tuned_stretch){.calls = 0};
    }
}

static bool comes_before(const tuned_kind *a, const tuned_kind *b)
{
    if (a->operation != b->operation)
        return a->operation < b->operation;
    if (a->root != b->root)
        return a->root < b->root;
    if (a->persistent != b->persistent)
        return a->persistent < b->persistent;
    if (a->ordered != b->ordered)
        return a->ordered < b->ordered;
    return a->least != b->least ? a->least < b->least : a->most < b->most;
}

void tuned_stretch_leave_out(tuned_adapt *a, double seconds)
{
    if (a->stretches.since > 0)
        a->stretches.since += seconds;
    for (tuned_context *x = a->contexts.all; x; x = x->next)
        x->stretch.since += seconds;
}

/* Rank 0 knows more kinds than others, and in another order. */
tuned_context *tuned_stretch_first(const tuned_adapt *a, bool (*is)(const tuned_context *))
{
    tuned_context *first = NULL;
    for (tuned_context *x = a->contexts.all; x; x = x->next)
        if (is(x) && (!first || comes_before(&x->kind, &first->kind)))
            first = x;
    return first;
}

bool tuned_stretch_is_over(const tuned_context *x)
{
    return x->kind.begun && !x->kind.persistent && is_tried(x) && is_over(x);
}

const tuned_context *tuned_stretch_without_candidates(const tuned_adapt *a, bool persistent)
{
    for (tuned_context *x = a->contexts.all; x; x = x->next)
        if (x->kind.begun && persistent == (x->kind.persistent > 0) && !x->engine && !x->ended)
            return x;
    return NULL;
}

/* STAR's policies wait for no budget. */
void tuned_stretch_offer(tuned_state *t)
{
    bool more = t->adapt->at_once;
    while (more) {
        const tuned_context *x = tuned_stretch_without_candidates(t->adapt, false);
        more = tuned_offer_make(t, x && t->rank == 0 ? &x->kind : NULL, INFINITY);
    }
}

/* What was begun in calls that do not block is taken. */
static void exchange(tuned_state *t, tuned_context *x)
{
    if (tuned_exchange_is_under_way(x))
        tuned_exchange_take(t, x);
    else
        tuned_exchange_meet(t, x);
}

void tuned_stretch_meet(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    const double start = PMPI_Wtime(), deciding = t->decisions.deciding;
    tuned_stretch_break(a);
    for (tuned_context *x; (x = tuned_stretch_first(a, tuned_stretch_is_over));)
        exchange(t, x);
    a->stretches.due = 0;
    tuned_stretch_offer(t);
    t->decisions.deciding = deciding + PMPI_Wtime() - start;
}
