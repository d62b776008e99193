#include "tuned/call/begun.h"

#include <limits.h>
#include <stdlib.h>

#include "collectives/on_groups.h"
#include "cpm/cpm_mpi.h"
#include "executor/combining.h"
#include "tuned/call/active.h"
#include "tuned/call/background.h"
#include "tuned/call/call.h"
#include "tuned/call/device.h"
#include "tuned/call/meeting.h"
#include "tuned/call/onset.h"
#include "tuned/call/pending.h"
#include "tuned/call/records.h"
#include "tuned/comm/numbers.h"
#include "tuned/comm/plans.h"
#include "tuned/comm/progress.h"
#include "tuned/environment.h"
#include "tuned/report/observed.h"
#include "tuned/report/report.h"

/* A call under way, whose memory ends with its request. */
typedef struct {
    tuned_active active;
    tuned_plan *plan;
    MPI_Request request;
    tuned_pending pending;
    atomic_int users; /* the request, and the run until it is settled */
} run;

tuned_passing tuned_passing_here[TUNED_PASSING];
atomic_ulong tuned_begun_changes;

/* ---- the request ---- */

static int query(void *extra, MPI_Status *status)
{
    const run *r = extra;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return r->active.failed;
}

static void leave(run *r)
{
    if (atomic_fetch_sub(&r->users, 1) == 1)
        free(r);
}

static int release(void *extra)
{
    run *r = extra;
    tuned_pending_leave(&r->pending);
    leave(r);
    return MPI_SUCCESS;
}

/* As MPI says of its own nonblocking collectives. */
static int refuse_to_cancel(void *extra, int complete)
{
    (void)extra;
    return complete ? MPI_SUCCESS : MPI_ERR_REQUEST;
}

/* ---- the end ---- */

/* The decision gets it back, if there still is one. */
static void give_plan_back(run *r)
{
    const bool kept =
        r->active.decision && r->active.types[0] == MPI_DATATYPE_NULL && !r->active.holds_op;
    tuned_plans_give(kept ? &r->active.decision->plans : NULL, r->plan);
    tuned_active_let_types_go(&r->active);
}

/* Its first member is what is active. */
static void complete(tuned_active *active)
{
    PMPI_Grequest_complete(((run *)active)->request);
}

static void settle(tuned_active *active)
{
    run *r = (run *)active;
    give_plan_back(r);
    leave(r);
}

/* ---- deciding ---- */

/* A call decides that is not passed on. */
static void want(tuned_state *t, const cpm_request *r)
{
    for (int k = 0; k < t->wanted_count; k++)
        if (t->wanted[k].operation == r->operation && t->wanted[k].bytes == r->bytes &&
            t->wanted[k].root == r->root && t->wanted[k].combining == r->combining)
            return;
    if (t->wanted_count == TUNED_MOST_WANTED)
        return;
    t->wanted[t->wanted_count++] = *r;
    tuned_hot_doubt(t);
    t->pass_most = -1;
    tuned_begun_changed();
}

/* Each decision has a number as a call has; the call that decides has the last one, of its own. */
void tuned_begun_decide(tuned_state *t)
{
    tuned_onset_settle(t);
    for (int k = 0; k < t->wanted_count; k++) {
        tuned_decide(t, &t->wanted[k], 0, t->call);
        t->call++;
    }
    t->wanted_count = 0;
    t->pass_most = LONG_MAX;
    tuned_begun_changed();
}

void tuned_begun_changed(void)
{
    atomic_fetch_add(&tuned_begun_changes, 1);
}

/* One of the program's own gets a type that cannot be freed meanwhile, and not from a thread that
 * the program does not know. */
static bool takes_operation(const mpib_arguments *a)
{
    return mpib_op_is_predefined(a->op) ||
           (tuned_type_is_named(a->recv.type) && !tuned_background_is_on());
}

bool tuned_begun_takes(const tuned_state *t, const mpib_arguments *a, const tuned_size *size)
{
    const bool several =
        cpm_operation_is_of_neighbours(a->operation) && t->neighbours && t->neighbours->parallel;
    return tuned_size_fits(a->operation, size) && !several &&
           (!a->operation->combines || takes_operation(a));
}

tuned_decision *tuned_begun_runs(tuned_decision *d)
{
    const cpm_collective *what = d ? &d->choice.what : NULL;
    if (!what || !what->algorithm || cpm_is_on_groups(what))
        return NULL;
    const bool known = d->operation->sizes == CPM_KNOWN_TO_ALL;
    return known || cpm_choice_needs_own_sizes(&d->choice) ? d : NULL;
}

/* Sizes that not all know are no part of it. */
cpm_request tuned_begun_request(tuned_state *t, mpib_arguments *a, const tuned_checked *checked,
                                const tuned_size *size)
{
    const bool known = a->operation->sizes == CPM_KNOWN_TO_ALL;
    cpm_request r = tuned_request_of(t, a, checked, known ? size->own : 0);
    r.begun = true;
    return r;
}

/* All ranks know the same, as they do not wait for it: NULL: MPI's own routine. Sizes that not all
 * know would be compared when it is planned, which waits. */
static tuned_decision *decision_for(tuned_state *t, mpib_arguments *a, const tuned_checked *checked,
                                    const tuned_size *size)
{
    const cpm_request r = tuned_begun_request(t, a, checked, size);
    const bool compares = t->checked && a->operation->sizes != CPM_KNOWN_TO_ALL;
    if (compares || !tuned_begun_takes(t, a, size))
        return NULL;
    tuned_decision *d = tuned_find(&t->decisions, &r, 0, t->call);
    if (!d)
        want(t, &r);
    return tuned_begun_runs(d);
}

void tuned_begun_forget(tuned_state *t)
{
    tuned_active_forget(t);
    t->wanted_count = 0;
    tuned_begun_changed();
}

/* ---- the beginning ---- */

int tuned_begun_plan(tuned_plans *plans, const tuned_decision *d, const mpib_arguments *a, int n,
                     const tuned_size *size, tuned_plan **out)
{
    const cpm_block_sizes sizes = {.bytes = size->each ? 0 : size->own, .each = size->each};
    return tuned_plans_take(plans, &d->choice, a, n,
                            a->operation->sizes == CPM_KNOWN_TO_ALL ? &sizes : NULL, out, NULL);
}

static int begin_planned(run *r, const void *send, void *recv, MPI_Request *request)
{
    int failed = PMPI_Grequest_start(query, release, refuse_to_cancel, r, &r->request);
    if (failed) {
        give_plan_back(r);
        free(r);
        return failed;
    }
    if (r->active.state->checked)
        tuned_pending_enter(&r->pending, tuned_plan_arguments(r->plan)->operation);
    *request = r->request; /* r may end now, but not before the program has its request */
    failed = tuned_active_begin(&r->active, tuned_plan_arguments(r->plan), send, recv, false);
    if (failed) {
        PMPI_Grequest_complete(r->request);
        PMPI_Request_free(request);
        settle(&r->active);
    }
    return failed;
}

static int start(tuned_state *t, tuned_decision *d, mpib_arguments *a, bool lasting,
                 const tuned_size *size, const void *send, void *recv, MPI_Request *request)
{
    run *r = calloc(1, sizeof *r);
    int tag = tuned_tag_of_begun(t);
    if (!r)
        return MPI_ERR_NO_MEM;
    r->active = (tuned_active){.state = t,
                               .decision = d,
                               .native = MPI_REQUEST_NULL,
                               .tag = tag,
                               .bytes = size->own,
                               .ended = complete,
                               .settled = settle};
    atomic_init(&r->users, 2);
    int status = tuned_active_hold_types(&r->active, a, lasting) ? CPM_OK : CPM_ENOMEM;
    if (!status)
        status = tuned_begun_plan(&d->plans, d, a, t->n, size, &r->plan);
    if (status) {
        tuned_active_let_types_go(&r->active);
        free(r);
        return tuned_error_of(status);
    }
    r->active.collective = tuned_plan_collective(r->plan);
    return begin_planned(r, send, recv, request);
}

/* All ranks know that there is something to decide, and that it can go on. */
bool tuned_begun_serves(const tuned_state *t)
{
    return t && !t->native && !t->adapt && t->progresses;
}

static tuned_state *state_for(MPI_Comm comm)
{
    tuned_state *t = NULL;
    return tuned_state_known(comm, &t) && tuned_begun_serves(t) ? t : NULL;
}

/* MPI says what is wrong; the others may make the call. */
static void note_refusal(tuned_state *t)
{
    t->refused = t->call + 1;
    t->behind = true;
    tuned_hot_doubt(t);
    tuned_begun_changed();
}

static void run_by(tuned_beginning *b, tuned_state *t, tuned_decision *d, mpib_arguments *a,
                   const tuned_size *size, const void *send, void *recv, MPI_Request *request)
{
    const bool before = tuned_active_pause();
    b->failed = start(t, d, a, b->lasting, size, send, recv, request);
    tuned_active_resume(before);
    if (b->failed)
        tuned_call_failed(t, a->operation, b->failed);
    else
        tuned_active_go_on();
}

static void begin_meeting(tuned_state *t)
{
    tuned_hot_settle();
    tuned_hot_doubt(t);
    tuned_meeting_begin(t);
    tuned_begun_changed();
}

/* Where the program's calls decide. */
static bool begin_judged(tuned_beginning *b, tuned_state *t, mpib_arguments *a,
                         const tuned_arrays *arrays, const void *send, void *recv,
                         MPI_Request *request)
{
    if (!tuned_stretch_serves(t) || tuned_lacks_graph(t, a->operation))
        return false;
    t->on_device = tuned_on_device(send, recv);
    const tuned_checked checked = tuned_check_arguments(t, a, arrays, send, recv);
    if (!checked.right || !request) {
        tuned_adapt_refuse(t->adapt);
        return false;
    }
    const tuned_size size = tuned_size_of(t, a);
    if (!tuned_begun_takes(t, a, &size))
        return false;
    const cpm_request r = tuned_begun_request(t, a, &checked, &size);
    const bool was_due = tuned_stretch_is_due(t->adapt);
    b->judged = t;
    b->lasting = checked.lasting;
    if (tuned_meeting_call(t))
        tuned_begun_changed();
    tuned_decision *d = tuned_stretch_turn(t, &r, a, &b->like_it);
    if (tuned_meeting_is_due(t))
        begin_meeting(t);
    if (tuned_onset_is_on(t))
        b->numbered = &t->adapt->stretches.numbered;
    if (!was_due && tuned_stretch_is_due(t->adapt))
        tuned_hot_doubt(t);
    if (!tuned_begun_runs(d))
        return false;
    run_by(b, t, d, a, &size, send, recv, request);
    return true;
}

static bool begin_decided(tuned_beginning *b, tuned_state *t, mpib_arguments *a,
                          const tuned_arrays *arrays, const void *send, void *recv,
                          MPI_Request *request)
{
    tuned_hot_settle();
    t->on_device = tuned_on_device(send, recv);
    const tuned_checked checked = tuned_check_arguments(t, a, arrays, send, recv);
    if (!checked.right || !request) {
        note_refusal(t);
        return false;
    }
    b->state = t;
    b->like_it = (tuned_uncounted){&t->call, &t->pass_most};
    b->lasting = checked.lasting;
    tuned_numbers_count(t, a->operation, a->root);
    if (tuned_onset_call(t))
        tuned_begun_changed();
    const tuned_size size = tuned_size_of(t, a);
    tuned_decision *d = decision_for(t, a, &checked, &size);
    if (!d)
        return false;
    run_by(b, t, d, a, &size, send, recv, request);
    return true;
}

/* Before it begins: then its types are there. */
static void record(tuned_beginning *b, tuned_state *t, mpib_arguments *a,
                   const tuned_arrays *arrays, const void *send, const void *recv)
{
    b->checked = t;
    t->on_device = tuned_on_device(send, recv);
    if (tuned_check_arguments(t, a, arrays, send, recv).right)
        b->record = tuned_record_make(a, t->n, t->rank);
}

/* What MPI has refused was no call. */
static void give_record(tuned_beginning *b, int status)
{
    if (b->checked && !tuned_call_is_refusal(status))
        tuned_records_give(b->checked, b->record);
    else
        free(b->record);
    b->record = NULL;
}

/* Until its communicator has a state. */
static void pass_unknown(tuned_beginning *b)
{
    static const long always = LONG_MAX;
    b->unknown = true;
    b->like_it = (tuned_uncounted){tuned_report_unknown(), &always};
}

bool tuned_begin(tuned_beginning *b, const char *function, MPI_Comm comm, mpib_arguments *a,
                 const tuned_arrays *arrays, const void *send, void *recv, MPI_Request *request)
{
    tuned_state *known = NULL, *t = state_for(comm);
    bool runs = false;
    *b = (tuned_beginning){.function = function,
                           .comm = comm,
                           .operation = a->operation,
                           .root = a->root,
                           .start = t ? -1 : cpm_tuned_other_begin()};
    if (!tuned_state_known(comm, &known))
        pass_unknown(b);
    if (known && known->checked)
        record(b, known, a, arrays, send, recv);
    if (t && tuned_lacks_graph(t, a->operation))
        tuned_say_graph_is_lacking(t, a->operation);
    else if (t)
        runs = begin_decided(b, t, a, arrays, send, recv, request);
    else if (known && known->adapt)
        runs = begin_judged(b, known, a, arrays, send, recv, request);
    if (runs)
        give_record(b, b->failed);
    return runs;
}

void cpm_tuned_pass_begun(MPI_Comm comm)
{
    tuned_state *known = NULL, *t = state_for(comm);
    tuned_state_known(comm, &known);
    if (known && known->checked)
        tuned_records_give(known, NULL);
    if (!t)
        return;
    tuned_hot_settle();
    t->call++;
}

/* What MPI has refused was no call. */
static void uncount_refused(tuned_state *t, const cpm_operation *o, int root, long *counted,
                            int status)
{
    if (status == MPI_SUCCESS || !tuned_call_is_refusal(status))
        return;
    if (t->adapt) {
        *counted -= *counted > 0;
        tuned_adapt_refuse(t->adapt);
        return;
    }
    tuned_numbers_uncount(t, o, root);
    note_refusal(t);
}

/* One thread at a time is in MPI, and nobody counts calls. */
static bool may_be_passed(const tuned_beginning *b)
{
    return b->unknown && !tuned_observes() && tuned_progress_known();
}

static void keep(const tuned_beginning *b, tuned_state *t, const tuned_signature *s)
{
    static uint16_t nobodys;
    tuned_passing_here[(tuned_mark(s) >> 8) % TUNED_PASSING] =
        (tuned_passing){.of = *s,
                        .comm = b->comm,
                        .changes = atomic_load(&tuned_begun_changes),
                        .state = t,
                        .like_it = b->like_it,
                        .run = b->state ? tuned_numbers_place(t, b->operation, b->root) : &nobodys};
}

int tuned_begin_native(tuned_beginning *b, const tuned_signature *s, int status)
{
    tuned_state *t = b->state ? b->state : b->judged;
    if (t)
        uncount_refused(t, b->operation, b->root, b->like_it.counted, status);
    if (b->numbered && tuned_call_is_refusal(status))
        *b->numbered -= *b->numbered > 0;
    give_record(b, status);
    const bool lasts = t ? !b->checked && !b->numbered && b->lasting : may_be_passed(b);
    if (s && lasts && status == MPI_SUCCESS)
        keep(b, t, s);
    cpm_tuned_other_end(b->function, b->start);
    return status;
}

int tuned_pass_end(const tuned_passing *p, int status)
{
    if (status != MPI_SUCCESS && p->state)
        uncount_refused(p->state, &cpm_operations[p->of.operation], p->of.root, p->like_it.counted,
                        status);
    return status;
}
