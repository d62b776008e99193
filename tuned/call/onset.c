#include "tuned/call/onset.h"

#include <limits.h>
#include <sched.h>
#include <string.h>

#include "tuned/adapt/adapt.h"
#include "tuned/attribute.h"
#include "tuned/call/active.h"
#include "tuned/call/background.h"
#include "tuned/comm/progress.h"

enum { MARGIN = 16 };             /* calls */
static const double patience = 2; /* seconds that an end waits for others that have come to it */

static tuned_onset *all; /* under way, or until this thread sees that they have ended */
static bool watching;
static bool all_watch; /* all processes of MPI_COMM_WORLD do */

/* ---- stages ---- */

/* A thread of CPM's may go on meanwhile. */
static bool is_under_way(const tuned_onset *o)
{
    tuned_background_lock();
    const bool is = o->stage != TUNED_NO_ONSET && o->stage != TUNED_AGREED;
    tuned_background_unlock();
    return is;
}

/* That thread, too, may go on with it. */
static bool needs_no_call(const tuned_onset *o)
{
    return is_under_way(o) && o->stage != TUNED_GATHERING;
}

/* Others may not be far enough; this rank has begun too much to go on. */
static bool is_waited_for(const tuned_onset *o, int series)
{
    tuned_background_lock();
    const bool is = o->stage == TUNED_AGREEING && o->begun[series] >= o->next[series] + MARGIN;
    tuned_background_unlock();
    return is;
}

/* It has begun what comes before. */
static void come(tuned_onset *o)
{
    o->stage = TUNED_COMING;
    PMPI_Ibarrier(o->comm, &o->request);
    tuned_background_wake();
}

static void say_numbers(tuned_onset *o)
{
    for (int k = 0; k < o->series; k++)
        o->next[k] = o->most.latest[k] = o->begun[k] + 1;
    o->stage = TUNED_AGREEING;
    PMPI_Iallreduce(MPI_IN_PLACE, &o->most, 1 + o->series, MPI_LONG, MPI_MAX, o->comm, &o->request);
}

static bool has_ended(tuned_onset *o)
{
    int ended = 0;
    PMPI_Test(&o->request, &ended, MPI_STATUS_IGNORE);
    return ended;
}

static void look_at_numbers(tuned_onset *o)
{
    if (!has_ended(o))
        return;
    if (o->stage == TUNED_COMING)
        say_numbers(o);
    else
        o->stage = TUNED_AGREED;
}

static void look(tuned_onset *o)
{
    if (needs_no_call(o))
        look_at_numbers(o);
    else if (!tuned_background_is_here() && o->gathers(o->of))
        come(o);
}

bool tuned_onset_advance_all(void)
{
    bool any = false;
    for (tuned_onset *o = all; o; o = o->after) {
        if (is_under_way(o))
            look(o);
        any = any || needs_no_call(o);
    }
    return any;
}

/* Its communicator may have ended, and then what calls decide ends now, and its state may. */
static void let_go(tuned_onset *o)
{
    tuned_state *t = o->of;
    o->listed = false;
    tuned_progress_want(-1);
    if (t->orphan && !tuned_adapt_goes_on(t))
        tuned_adapt_stop(t);
    tuned_state_let_go(t);
}

/* Another one may begin there. */
static bool goes_on(tuned_onset *o)
{
    if (o->stage == TUNED_AGREED && o->agreed)
        o->agreed(o->of);
    return is_under_way(o);
}

void tuned_onset_look_at_all(void)
{
    tuned_onset_advance_all();
    for (tuned_onset **at = &all, *o = *at; o; o = *at) {
        if (goes_on(o)) {
            at = &o->after;
            continue;
        }
        *at = o->after;
        let_go(o);
    }
}

static void go_on(void)
{
    tuned_active_go_on();
    sched_yield();
}

/* ---- the end of MPI ---- */

/* A process that is late may wait in its calls for this one's number, so that it comes here only if
 * it gets that. */
static void wait_for_late(void)
{
    MPI_Request come;
    PMPI_Ibarrier(MPI_COMM_WORLD, &come);
    for (int have = 0; !have;) {
        go_on();
        PMPI_Test(&come, &have, MPI_STATUS_IGNORE);
    }
}

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    if (all_watch)
        wait_for_late();
    for (double start = PMPI_Wtime(); all && PMPI_Wtime() - start < patience;)
        go_on();
    all = NULL; /* ranks have not come, as they counted otherwise */
    return MPI_SUCCESS;
}

/* What is under way may still begin what others wait for: it ends first. */
void tuned_onset_watch_end(void)
{
    if (watching)
        return;
    watching = true;
    tuned_adapt_watch();
    tuned_attribute_at_end(at_end);
}

void tuned_onset_watch(void)
{
    tuned_onset_watch_end();
    all_watch = true;
}

/* ---- calls ---- */

static void tell(tuned_state *t)
{
    tuned_onset *o = &t->onset;
    o->count = t->wanted_count;
    o->first = t->call;
    for (int k = 0; k < o->count; k++) {
        if (t->rank == 0)
            tuned_decide_for_later(t, &t->wanted[k]);
        t->call++;
    }
}

/* It may be there yet. */
static void list(tuned_onset *o)
{
    if (o->listed)
        return;
    o->listed = true;
    o->after = all;
    all = o;
    tuned_state_hold(o->of);
    tuned_progress_want(1);
}

void tuned_onset_enter(tuned_onset *o, tuned_state *t)
{
    tuned_onset_watch_end();
    const bool before = tuned_active_pause();
    o->of = t;
    o->most.failed = 0;
    o->stage = TUNED_GATHERING;
    if (!o->gathers)
        come(o);
    list(o);
    tuned_active_resume(before);
}

void tuned_onset_begin(tuned_state *t, bool (*gathers)(tuned_state *t))
{
    t->onset.comm = t->inside;
    t->onset.gathers = gathers;
    t->onset.series = 1;
    tuned_onset_enter(&t->onset, t);
}

static void begin(tuned_state *t)
{
    tell(t);
    tuned_onset_begin(t, NULL);
}

static void hold_from(tuned_state *t, long call)
{
    tuned_onset *o = &t->onset;
    for (int k = 0; k < o->count; k++) {
        tuned_decision *d = tuned_decided_for_later(t, &t->wanted[k], o->first + k);
        if (d && d->from > call)
            d->from = call;
    }
    t->wanted_count -= o->count;
    memmove(t->wanted, t->wanted + o->count, (size_t)t->wanted_count * sizeof *t->wanted);
}

/* Calls that are passed on are not counted here: so none is while it matters. */
static void note_begun(tuned_onset *o, int series, long call)
{
    tuned_background_lock();
    o->begun[series] = call;
    tuned_background_unlock();
}

void tuned_onset_end(tuned_onset *o)
{
    tuned_background_lock();
    o->stage = TUNED_NO_ONSET;
    tuned_background_unlock();
}

bool tuned_onset_is_open(const tuned_onset *o)
{
    return is_under_way(o) || o->stage == TUNED_AGREED;
}

bool tuned_onset_is_on(const tuned_state *t)
{
    return tuned_onset_is_open(&t->onset);
}

long tuned_onset_from(const tuned_onset *o, int series)
{
    return o->most.latest[series] + MARGIN;
}

bool tuned_onset_is_agreed(tuned_onset *o, int series, long call)
{
    note_begun(o, series, call);
    if (is_under_way(o))
        tuned_active_go_on();
    while (is_waited_for(o, series))
        go_on();
    return !is_under_way(o) && o->stage == TUNED_AGREED;
}

bool tuned_onset_holds(tuned_state *t, long call)
{
    tuned_onset *o = &t->onset;
    if (!tuned_onset_is_agreed(o, 0, call) || call < tuned_onset_from(o, 0))
        return false;
    tuned_onset_end(o);
    return true;
}

bool tuned_onset_wait(tuned_state *t)
{
    const bool was_on = tuned_onset_is_on(t);
    while (is_under_way(&t->onset))
        go_on();
    tuned_onset_end(&t->onset);
    return was_on;
}

bool tuned_onset_call(tuned_state *t)
{
    const bool holds = tuned_onset_holds(t, t->call);
    if (holds)
        hold_from(t, tuned_onset_from(&t->onset, 0));
    if (t->wanted_count && !tuned_onset_is_on(t))
        begin(t);
    t->pass_most = tuned_onset_is_on(t) ? -1 : LONG_MAX;
    return holds;
}

void tuned_onset_settle(tuned_state *t)
{
    if (tuned_onset_wait(t))
        hold_from(t, t->call);
}

/* ---- the end ---- */

void tuned_onset_forget(tuned_state *t)
{
    for (double start = PMPI_Wtime(); is_under_way(&t->onset) && PMPI_Wtime() - start < patience;)
        go_on();
    t->onset.count = 0;
    if (!is_under_way(&t->onset))
        tuned_onset_end(&t->onset);
}
