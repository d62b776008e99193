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

static tuned_state *all; /* with an onset under way, or until this thread sees that it has ended */
static bool watching;
static bool all_watch; /* all processes of MPI_COMM_WORLD do */

/* ---- stages ---- */

/* A thread of CPM's may go on meanwhile. */
static bool is_under_way(const tuned_state *t)
{
    tuned_background_lock();
    const bool is = t->onset.stage != TUNED_NO_ONSET && t->onset.stage != TUNED_AGREED;
    tuned_background_unlock();
    return is;
}

/* That thread, too, may go on with it. */
static bool needs_no_call(const tuned_state *t)
{
    return is_under_way(t) && t->onset.stage != TUNED_GATHERING;
}

/* Others may not be far enough; this rank has begun too much to go on. */
static bool is_waited_for(const tuned_state *t)
{
    const tuned_onset *o = &t->onset;
    tuned_background_lock();
    const bool is = o->stage == TUNED_AGREEING && o->begun >= o->next + MARGIN;
    tuned_background_unlock();
    return is;
}

/* It has begun what comes before. */
static void come(tuned_state *t)
{
    t->onset.stage = TUNED_COMING;
    PMPI_Ibarrier(t->inside, &t->onset.request);
    tuned_background_wake();
}

static void say_number(tuned_state *t)
{
    tuned_onset *o = &t->onset;
    o->next = o->most.latest = o->begun + 1;
    o->stage = TUNED_AGREEING;
    PMPI_Iallreduce(MPI_IN_PLACE, &o->most, sizeof o->most / sizeof(long), MPI_LONG, MPI_MAX,
                    t->inside, &o->request);
}

static bool has_ended(tuned_state *t)
{
    int ended = 0;
    PMPI_Test(&t->onset.request, &ended, MPI_STATUS_IGNORE);
    return ended;
}

static void look_at_number(tuned_state *t)
{
    if (!has_ended(t))
        return;
    if (t->onset.stage == TUNED_COMING)
        say_number(t);
    else
        t->onset.stage = TUNED_AGREED;
}

static void look(tuned_state *t)
{
    if (needs_no_call(t))
        look_at_number(t);
    else if (!tuned_background_is_here() && t->onset.gathers(t))
        come(t);
}

bool tuned_onset_advance_all(void)
{
    bool any = false;
    for (tuned_state *t = all; t; t = t->onset.after) {
        if (is_under_way(t))
            look(t);
        any = any || needs_no_call(t);
    }
    return any;
}

/* Its communicator may have ended, and then what calls decide ends now, and its state may. */
static void let_go(tuned_state *t)
{
    t->onset.listed = false;
    tuned_progress_want(-1);
    if (t->orphan)
        tuned_adapt_stop(t);
    tuned_state_let_go(t);
}

void tuned_onset_look_at_all(void)
{
    tuned_onset_advance_all();
    for (tuned_state **at = &all, *t = *at; t; t = *at) {
        if (is_under_way(t)) {
            at = &t->onset.after;
            continue;
        }
        *at = t->onset.after;
        let_go(t);
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
static void watch(void)
{
    if (watching)
        return;
    watching = true;
    tuned_adapt_watch();
    tuned_attribute_at_end(at_end);
}

void tuned_onset_watch(void)
{
    watch();
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
static void enter(tuned_state *t)
{
    if (t->onset.listed)
        return;
    t->onset.listed = true;
    t->onset.after = all;
    all = t;
    tuned_state_hold(t);
    tuned_progress_want(1);
}

void tuned_onset_begin(tuned_state *t, bool (*gathers)(tuned_state *t))
{
    watch();
    const bool before = tuned_active_pause();
    t->onset.gathers = gathers;
    t->onset.most.failed = 0;
    t->onset.stage = TUNED_GATHERING;
    if (!gathers)
        come(t);
    enter(t);
    tuned_active_resume(before);
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
static void note_begun(tuned_state *t, long call)
{
    tuned_background_lock();
    t->onset.begun = call;
    tuned_background_unlock();
}

static void end(tuned_state *t)
{
    tuned_background_lock();
    t->onset.stage = TUNED_NO_ONSET;
    tuned_background_unlock();
}

bool tuned_onset_is_on(const tuned_state *t)
{
    return is_under_way(t) || t->onset.stage == TUNED_AGREED;
}

bool tuned_onset_holds(tuned_state *t, long call)
{
    tuned_onset *o = &t->onset;
    note_begun(t, call);
    if (is_under_way(t))
        tuned_active_go_on();
    while (is_waited_for(t))
        go_on();
    if (is_under_way(t) || o->stage != TUNED_AGREED || call < o->most.latest + MARGIN)
        return false;
    end(t);
    return true;
}

bool tuned_onset_wait(tuned_state *t)
{
    const bool was_on = tuned_onset_is_on(t);
    while (is_under_way(t))
        go_on();
    end(t);
    return was_on;
}

bool tuned_onset_call(tuned_state *t)
{
    const bool holds = tuned_onset_holds(t, t->call);
    if (holds)
        hold_from(t, t->onset.most.latest + MARGIN);
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
    for (double start = PMPI_Wtime(); is_under_way(t) && PMPI_Wtime() - start < patience;)
        go_on();
    t->onset.count = 0;
    if (!is_under_way(t))
        end(t);
}
