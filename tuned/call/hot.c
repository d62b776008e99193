/* Calls that were passed on are reckoned in bulk by those that were watched. */
#include "tuned/call/hot.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tuned/adapt/adapt.h"
#include "tuned/call/call.h"
#include "tuned/comm/numbers.h"
#include "tuned/environment.h"
#include "tuned/report/observed.h"

/* Calls that are watched between two stretches; the shortest stretch; calls of the same arguments
 * that are watched before others are passed on; those of a communicator before any is. */
enum { WATCHED = 16, SHORTEST = 64, KNOWN = 4, MANY = 32 };

/* Seconds that watching a call costs, about, with cold caches; the share of the time from call to
 * call that it may be, a half of what is promised. */
static const double cost = 4e-7, share = 0.0025;

tuned_hot tuned_hot_here;
static tuned_hot *const here = &tuned_hot_here;
static const long never = LONG_MAX;

/* What the process knows of its windows. */
static struct {
    bool on;               /* calls may be passed on */
    int watched;           /* calls since the window began, */
    double began;          /* which was then; 0: no window has begun */
    long stretch, granted; /* the length of stretches now, and of the last one */
    unsigned chance;
    double since; /* when the last watched call ended */
    double gap;   /* seconds between calls, mean of the last stretch */
} window = {.stretch = SHORTEST};

/* ---- reckoning ---- */

/* count calls took so many seconds each, and followed so long after others. */
static void reckon(const tuned_slot *s, double seconds, double gap, double end)
{
    tuned_state *t = s->state;
    const cpm_operation *o = &cpm_operations[s->of.operation];
    const tuned_passed passed = {.operation = o,
                                 .root = s->of.root,
                                 .calls = s->passed,
                                 .seconds = seconds,
                                 .gap = gap,
                                 .end = end,
                                 .bytes = s->bytes,
                                 .own = s->own,
                                 .turn = s->turn,
                                 .decision = s->decision};
    tuned_call_passed(t, &passed);
}

/* What all of them would have taken. */
static double expected(long *calls)
{
    double sum = 0;
    *calls = 0;
    for (const tuned_slot *s = here->passed; s; s = s->next) {
        sum += (double)s->passed * s->mean;
        *calls += s->passed;
    }
    return sum;
}

/* Whatever the order in which calls are reckoned, which is each rank's own. */
static void note_last(const tuned_state *t)
{
    if (t->adapt)
        tuned_adapt_passed_last(t->adapt, &cpm_operations[t->slots->last->of.operation]);
}

/* The gap after the last one belongs to the next call. */
static void settle(bool at_end)
{
    long calls;
    const double now = PMPI_Wtime(), elapsed = fmax(0, now - window.since);
    const double sum = expected(&calls), part = sum > elapsed ? elapsed / sum : 1;
    double gap = (elapsed - part * sum) / (double)(calls + 1);
    if (at_end)
        gap = fmin(gap, window.gap);
    window.gap = gap;
    for (tuned_slot *s = here->passed, *next; s; s = next) {
        next = s->next;
        reckon(s, part * s->mean, gap, now - gap);
        s->passed = 0;
        note_last(s->state);
    }
    here->passed = NULL;
    window.since = now;
}

void tuned_hot_settle(void)
{
    if (here->passed)
        settle(false);
}

/* ---- windows ---- */

/* A stretch ends at another call each time, but at the same on all ranks that began together:
 * what calls repeat is not always seen at the same place, and ranks wait once, not in turns. */
static long shaken(long stretch)
{
    window.chance = window.chance * 1664525u + 1013904223u;
    return stretch / 2 + (long)(window.chance >> 8) % stretch;
}

/* As many calls as may pay for the next window, but no more than twice as many as before. */
static long next_stretch(double pace)
{
    const double most = WATCHED * cost / (share * pace);
    long next = SHORTEST;
    while (next < 2 * window.stretch && 2.0 * (double)next <= most)
        next *= 2;
    window.stretch = most < SHORTEST ? SHORTEST : next;
    return most < SHORTEST ? 0 : shaken(next);
}

static pthread_once_t asked = PTHREAD_ONCE_INIT;

static void ask_whether_on(void)
{
#ifndef CPM_SMPI
    int level = MPI_THREAD_MULTIPLE;
    PMPI_Query_thread(&level);
    window.on = level != MPI_THREAD_MULTIPLE && !tuned_environment_get()->compare;
#endif
}

static void begin_window(double now)
{
    window.watched = 0;
    window.began = now;
}

void tuned_hot_watched(double end)
{
    pthread_once(&asked, ask_whether_on);
    if (!window.on)
        return;
    if (end < 0) {
        here->left = window.began > 0 ? here->left : LONG_MAX;
        return;
    }
    window.since = end;
    if (!(window.began > 0)) {
        here->left = 0;
        begin_window(end);
        return;
    }
    if (++window.watched < WATCHED)
        return;
    const long calls = window.watched + window.granted - here->left;
    here->left = window.granted = next_stretch((end - window.began) / (double)calls);
    begin_window(end);
}

/* ---- what is passed on ---- */

/* Not of communicators that end after a few calls. */
static bool has_slots(tuned_state *t)
{
    if (!t->slots && t->call - t->since > MANY) {
        t->slots = aligned_alloc(_Alignof(tuned_slots), sizeof *t->slots);
        if (t->slots)
            memset(t->slots, 0, sizeof *t->slots);
    }
    return t->slots;
}

/* Its own, or a new one at a free place, or at one of the others by chance. */
static tuned_slot *slot_for(tuned_state *t, const tuned_signature *s)
{
    const unsigned mark = tuned_mark(s), first = tuned_place(mark);
    tuned_slot *own = tuned_slot_of(t->slots, s, mark);
    unsigned k = first;
    if (own)
        return own;
    while (k < first + TUNED_PLACES && t->slots->mark[k])
        k++;
    if (k == first + TUNED_PLACES)
        k = first + window.chance++ % TUNED_PLACES;
    t->slots->mark[k] = mark;
    t->slots->at[k] = (tuned_slot){.of = *s, .state = t};
    return &t->slots->at[k];
}

static void enter(tuned_state *t)
{
    tuned_hot_comm *of = tuned_hot_comm_of(t->comm);
    if (of->comm != t->comm || of->state != t)
        *of = (tuned_hot_comm){.comm = t->comm, .state = t, .slots = t->slots};
    of->due = t->adapt ? &t->adapt->next_epoch : &never;
}

static tuned_run run_of(const tuned_state *t, const tuned_signature *s, const tuned_watched *w)
{
    const cpm_operation *o = &cpm_operations[s->operation];
    return (tuned_run){.plan = w->plan,
                       .dropped = atomic_load(&tuned_plans_dropped),
                       .stream = tuned_numbers_stream(t, o, s->root),
                       .nulls = {!w->send, !w->recv},
                       .place = o->combines ? 0 : t->rank * (ptrdiff_t)w->own};
}

void tuned_hot_learn(const tuned_signature *s, const tuned_watched *w)
{
    tuned_state *t = w->state;
    if (!window.on || !has_slots(t))
        return;
    tuned_slot *slot = slot_for(t, s);
    slot->run = tuned_numbers_place(t, &cpm_operations[s->operation], s->root);
    slot->turn = w->turn;
    slot->meets = tuned_waiting(&cpm_operations[s->operation]) != CPM_ROOT_WAITS;
    slot->decision = w->decision;
    slot->by = run_of(t, s, w);
    slot->bytes = w->bytes;
    slot->own = w->own;
    slot->watched += slot->watched < 256;
    slot->mean += (w->seconds - slot->mean) / (double)slot->watched;
    slot->quiet = slot->watched >= KNOWN;
    enter(t);
}

int tuned_hot_run(const tuned_slot *slot, const void *send, void *recv)
{
    tuned_state *t = slot->state;
    t->stream = tuned_numbers_in(slot->by.stream, (uint16_t)(*slot->run - 1));
    const int failed = mpib_collective_run(slot->by.plan, send, recv, tuned_tag(t, false));
    if (failed)
        tuned_call_failed(t, &cpm_operations[slot->of.operation], failed);
    return failed;
}

/* What MPI refuses was no call. */
int tuned_hot_failed(tuned_slot *slot, int status)
{
    tuned_state *t = slot->state;
    const cpm_operation *o = &cpm_operations[slot->of.operation];
    if (tuned_call_is_refusal(status)) {
        slot->passed--;
        t->call--;
        --*slot->run;
        t->met -= slot->meets;
        if (slot->turn.flood)
            slot->turn.flood->calls--;
        tuned_hot_settle();
        tuned_call_refused(t, o, slot->of.root);
    }
    return status;
}

void tuned_hot_doubt(tuned_state *t)
{
    tuned_hot_comm *of = tuned_hot_comm_of(t->comm);
    tuned_hot_settle();
    if (of->state == t)
        *of = (tuned_hot_comm){.state = NULL};
    for (int k = 0; t->slots && k < TUNED_SLOTS; k++)
        t->slots->at[k].quiet = false;
}

void tuned_hot_leave(tuned_state *t)
{
    tuned_hot_doubt(t);
    free(t->slots);
    t->slots = NULL;
}

void tuned_hot_stop(void)
{
    if (here->passed)
        settle(true);
    here->left = 0;
    window.on = false;
}
