#include "tuned/call/active.h"

#include <stdlib.h>

#include "cpm/cpm_mpi.h"
#include "executor/combining.h"
#include "tuned/attribute.h"
#include "tuned/call/background.h"
#include "tuned/call/held_ops.h"
#include "tuned/call/onset.h"
#include "tuned/call/records.h"
#include "tuned/comm/progress.h"
#include "tuned/environment.h"

static tuned_active *runs;
static tuned_active *unsettled; /* the thread has ended them */
static bool advancing;
static int native_runs; /* of these, by MPI's own routine */

bool tuned_active_pause(void)
{
    tuned_background_lock();
    const bool before = advancing;
    advancing = true;
    return before;
}

void tuned_active_resume(bool before)
{
    advancing = before;
    tuned_background_unlock();
}

/* ---- what is held ---- */

/* Of one side. */
static void hold_types_of_blocks(tuned_active *r, MPI_Datatype *types)
{
    for (int b = 0; b < r->state->n; b++) {
        if (tuned_type_is_named(types[b]))
            continue;
        PMPI_Type_dup(types[b], &types[b]);
        r->block_types[r->block_types_held++] = types[b];
    }
}

static bool hold_op(tuned_active *r, const mpib_arguments *a)
{
    if (!a->operation->combines || mpib_op_is_predefined(a->op))
        return true;
    r->op = a->op;
    r->holds_op = tuned_op_hold(a->op);
    return r->holds_op;
}

/* Functions of operations of the program's own are given the type that the program gave. */
bool tuned_active_hold_types(tuned_active *r, mpib_arguments *a, bool lasting)
{
    mpib_side *of[] = {&a->send, &a->recv};
    r->types[0] = r->types[1] = MPI_DATATYPE_NULL;
    if (!hold_op(r, a))
        return false;
    lasting = lasting || r->holds_op;
    for (int k = 0; k < 2 && !lasting; k++) {
        PMPI_Type_dup(of[k]->type, &r->types[k]);
        of[k]->type = r->types[k];
    }
    if (lasting || (!a->send.types && !a->recv.types))
        return true;
    r->block_types = malloc(2 * (size_t)r->state->n * sizeof *r->block_types);
    for (int k = 0; k < 2 && r->block_types; k++)
        if (of[k]->types)
            hold_types_of_blocks(r, r->state->types[k]);
    return r->block_types;
}

void tuned_active_let_types_go(tuned_active *r)
{
    for (int k = 0; k < 2; k++)
        if (r->types[k] != MPI_DATATYPE_NULL)
            PMPI_Type_free(&r->types[k]);
    for (int k = 0; k < r->block_types_held; k++)
        PMPI_Type_free(&r->block_types[k]);
    free(r->block_types);
    r->block_types = NULL;
    r->block_types_held = 0;
    if (r->holds_op)
        tuned_op_let_go(r->op);
    r->holds_op = false;
}

/* ---- the end ---- */

static void report(const tuned_active *r)
{
    const tuned_count one = {.calls = 1,
                             .bytes = (double)r->bytes,
                             .spent = r->seconds,
                             .expected = -1,
                             .smallest = r->bytes,
                             .largest = r->bytes};
    tuned_count *all = tuned_counts_of(&r->decision->counts, tuned_size_class(r->bytes));
    if (all)
        tuned_count_add(all, &one);
}

/* What is not the thread's to touch. It may not be there afterwards. */
static void settle(tuned_active *r)
{
    tuned_state *t = r->state;
    if (r->decision && tuned_environment_get()->reported)
        report(r);
    if (r->settled)
        r->settled(r);
    tuned_state_let_go(t);
}

static void settle_all(void)
{
    const bool before = tuned_active_pause();
    while (unsettled) {
        tuned_active *r = unsettled;
        unsettled = r->next;
        settle(r);
    }
    tuned_active_resume(before);
}

/* Without the thread, runs settle as they end. */
void tuned_active_settle(void)
{
    if (tuned_background_is_on())
        settle_all();
}

/* Several threads of the program may do that at once: then there are no runs. */
void tuned_active_forget(tuned_state *t)
{
    tuned_active_settle();
    tuned_background_lock();
    for (tuned_active *r = runs; r; r = r->next)
        if (r->state == t)
            r->decision = NULL;
    tuned_background_unlock();
}

static void end(tuned_active *r, int failed)
{
    const int back = r->is_staged ? tuned_unstage(&r->staged, r->state, r->tag) : MPI_SUCCESS;
    r->failed = failed ? failed : back;
    if (tuned_environment_get()->reported)
        r->seconds = PMPI_Wtime() - r->start;
    if (tuned_background_is_here()) {
        r->next = unsettled;
        unsettled = r;
        r->ended(r);
    } else {
        r->ended(r);
        settle(r);
    }
}

static void leave(tuned_active **at)
{
    native_runs -= (*at)->native != MPI_REQUEST_NULL;
    *at = (*at)->next;
    tuned_progress_want(-1);
}

/* Whether it has ended. */
static bool advance(const tuned_active *r, int *failed)
{
    int ended = 0;
    if (r->native == MPI_REQUEST_NULL)
        return mpib_collective_advance(r->collective, failed);
    MPI_Request native = r->native; /* as it is persistent it stays */
    *failed = PMPI_Test(&native, &ended, MPI_STATUS_IGNORE);
    return ended || *failed;
}

static void advance_all(void)
{
    for (tuned_active **at = &runs, *r = *at; r; r = *at) {
        int failed;
        if (advance(r, &failed)) {
            leave(at);
            end(r, failed);
        } else {
            at = &r->next;
        }
    }
}

void tuned_active_go_on(void)
{
    tuned_background_lock();
    if (!advancing) {
        advancing = true;
        advance_all();
        tuned_records_look_at_all();
        tuned_onset_look_at_all();
        advancing = false;
    }
    tuned_background_unlock();
}

/* What has come may be some run's; other ends of messages are looked for now and then. Of MPI's own
 * runs nobody says that they have ended; to ask MPI is to look for messages, which it does anyway.
 * MPI may hold a lock of its own that the thread waits for. */
void cpm_tuned_advance(bool something_came)
{
    enum { PATIENCE = 16 };
    static unsigned in_vain;
    tuned_progress_heard();
    if (tuned_background_is_on())
        tuned_background_hear();
    else if (something_came || native_runs || ++in_vain % PATIENCE == 0)
        tuned_active_go_on();
}

/* Out of the list; false: it has ended. */
static bool take(const tuned_active *r)
{
    tuned_active **at = &runs;
    while (*at && *at != r)
        at = &(*at)->next;
    if (!*at)
        return false;
    leave(at);
    return true;
}

/* Others go on meanwhile, as MPI looks for messages. */
bool tuned_active_any(void)
{
    const bool before = tuned_active_pause(), any = runs;
    tuned_active_resume(before);
    return any;
}

void tuned_active_wait(tuned_active *r)
{
    bool before = tuned_active_pause();
    const bool found = take(r);
    tuned_active_resume(before);
    if (!found)
        return;
    const int failed = mpib_collective_finish(r->collective);
    before = tuned_active_pause();
    end(r, failed);
    tuned_active_resume(before);
}

/* ---- the thread ---- */

static bool look(void)
{
    advancing = true;
    advance_all();
    const bool any = tuned_onset_advance_all();
    advancing = false;
    return runs || any;
}

bool cpm_tuned_wants_thread(void)
{
    return tuned_environment_get()->progress;
}

/* For who ends MPI by another name than MPI_Finalize. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    cpm_tuned_thread_end();
    return MPI_SUCCESS;
}

bool cpm_tuned_thread_begin(void)
{
    const bool is_there = tuned_background_begin(look);
    if (is_there) {
        tuned_progress_by_thread();
        tuned_attribute_at_end(at_end);
    }
    return is_there;
}

void cpm_tuned_thread_end(void)
{
    tuned_background_end();
    settle_all();
}

/* ---- the beginning ---- */

static void enter(tuned_active *r)
{
    tuned_active **last = &runs;
    while (*last)
        last = &(*last)->next;
    r->next = NULL;
    *last = r;
    tuned_state_hold(r->state);
    tuned_progress_want(1);
    native_runs += r->native != MPI_REQUEST_NULL;
    tuned_background_wake();
}

static int begin(tuned_active *r, const mpib_arguments *a, const void *send, void *recv,
                 bool finishes)
{
    r->is_staged = r->state->on_device;
    const int failed =
        r->is_staged ? tuned_stage(&r->staged, r->state, a, r->tag, &send, &recv) : MPI_SUCCESS;
    if (failed) {
        tuned_unstage(&r->staged, r->state, r->tag);
        return failed;
    }
    if (tuned_environment_get()->reported)
        r->start = PMPI_Wtime();
    mpib_collective_begin(r->collective, send, recv, finishes, r->tag);
    enter(r);
    return MPI_SUCCESS;
}

int tuned_active_begin(tuned_active *r, const mpib_arguments *a, const void *send, void *recv,
                       bool finishes)
{
    if (tuned_background_is_on())
        tuned_active_settle();
    const bool before = tuned_active_pause();
    const int failed = begin(r, a, send, recv, finishes);
    tuned_active_resume(before);
    return failed;
}

int tuned_active_begin_native(tuned_active *r)
{
    if (tuned_background_is_on())
        tuned_active_settle();
    const bool before = tuned_active_pause();
    const int failed = PMPI_Start(&r->native);
    r->is_staged = false;
    if (!failed)
        enter(r);
    tuned_active_resume(before);
    return failed;
}
