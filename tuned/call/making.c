#include "tuned/call/making.h"

#include <stdlib.h>

#include "cpm/cpm_mpi.h"
#include "tuned/adapt/open.h"
#include "tuned/adapt/plan.h"
#include "tuned/adapt/starts.h"
#include "tuned/call/begun.h"
#include "tuned/call/call.h"
#include "tuned/call/device.h"
#include "tuned/call/meeting.h"
#include "tuned/call/round.h"
#include "tuned/call/started.h"
#include "tuned/comm/notify.h"
#include "tuned/comm/numbers.h"

/* NULL: MPI's own routine. As in a blocking call. */
static tuned_decision *decision_for(tuned_state *t, mpib_arguments *a, const tuned_checked *checked,
                                    const tuned_size *size)
{
    const cpm_request r = tuned_begun_request(t, a, checked, size);
    return tuned_begun_takes(t, a, size) ? tuned_begun_runs(tuned_decide(t, &r, 0, t->call)) : NULL;
}

/* Plans kept by the decision are not used: this one may be started while others run. */
static int plan(tuned_started_call *p, mpib_arguments *a, const tuned_size *size, bool lasting)
{
    int status = tuned_active_hold_types(&p->active, a, lasting) ? CPM_OK : CPM_ENOMEM;
    if (!status)
        status = tuned_begun_plan(&(tuned_plans){0}, p->active.decision, a, p->active.state->n,
                                  size, &p->plan);
    if (status)
        tuned_active_let_types_go(&p->active);
    else
        p->active.collective = tuned_plan_collective(p->plan);
    return tuned_error_of(status);
}

static int make(tuned_state *t, tuned_decision *d, mpib_arguments *a, const tuned_size *size,
                bool lasting, const void *send, void *recv, MPI_Request *request)
{
    tuned_started_call *p = calloc(1, sizeof *p);
    const int tag = tuned_tag_of_begun(t), end_tag = tuned_tag_of_begun(t);
    if (!p)
        return MPI_ERR_NO_MEM;
    *p = (tuned_started_call){.active = {.state = t,
                                         .decision = d,
                                         .native = MPI_REQUEST_NULL,
                                         .tag = tag,
                                         .bytes = size->own,
                                         .ended = tuned_started_complete},
                              .send = send,
                              .recv = recv,
                              .end_comm = t->inside,
                              .end_tag = end_tag,
                              .on_device = t->on_device,
                              .native = MPI_REQUEST_NULL};
    int failed = plan(p, a, size, lasting);
    if (!failed)
        failed = tuned_started_enter(p, request);
    if (failed)
        free(p);
    return failed;
}

/* ---- where calls decide ---- */

/* What all ranks could judge. */
static void look_at_judged(tuned_making *m, tuned_state *t, mpib_arguments *a,
                           const tuned_arrays *arrays, const void *send, void *recv,
                           MPI_Request *request)
{
    if (cpm_operation_ends_know_sizes(a->operation) && !t->neighbours) /* arguments are not kept */
        return;
    t->on_device = tuned_on_device(send, recv);
    m->checked = tuned_check_arguments(t, a, arrays, send, recv);
    if (!m->checked.right || !request) {
        tuned_adapt_refuse(t->adapt);
        return;
    }
    const tuned_size size = tuned_size_of(t, a);
    if (!tuned_begun_takes(t, a, &size))
        return;
    m->judged = t;
    m->arguments = a;
    m->bytes = a->operation->sizes == CPM_KNOWN_TO_ALL ? size.own : 0;
    m->send = send;
    m->recv = recv;
}

/* native: as MPI has made it, the application's so far. */
static tuned_started_call *make_judged(const tuned_making *m, int number, MPI_Request native)
{
    tuned_state *t = m->judged;
    tuned_started_call *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    const tuned_size size = tuned_size_of(t, m->arguments);
    *p = (tuned_started_call){
        .active = {.state = t, .bytes = size.own, .ended = tuned_started_complete},
        .send = m->send,
        .recv = m->recv,
        .end_comm = tuned_started_own_comm(),
        .end_tag = tuned_started_own_tag(),
        .native = native,
        .number_of_tag = t->begun,
        .checked = m->checked,
        .on_device = t->on_device,
        .function = m->function};
    tuned_active_hold_types(&p->active, m->arguments, m->checked.lasting);
    p->asked = tuned_plan_of_arguments(m->arguments, t->n);
    p->kind = tuned_begun_request(t, m->arguments, &m->checked, &size);
    p->kind.persistent = number;
    return p;
}

/* What was prepared: all are here, and may wait. */
static void open_together(tuned_state *t)
{
    if (!t->adapt->prepared || t->adapt->open)
        return;
    if (tuned_meeting_settle(t))
        tuned_begun_changed();
    if (t->adapt->open) /* by that meeting */
        return;
    tuned_open_together(t);
    tuned_plan_next(t, true);
}

/* Returns MPI's error code. */
static int judge(const tuned_making *m)
{
    const cpm_request r = {.operation = m->operation, .n = m->judged->n, .bytes = m->bytes};
    const int number = tuned_starts_enter(m->judged, &r);
    if (!number)
        return MPI_SUCCESS;
    open_together(m->judged);
    tuned_rounds_prepare(m->judged);
    if (tuned_started_own_comm() == MPI_COMM_NULL)
        return MPI_SUCCESS;
    tuned_started_call *p = make_judged(m, number, *m->request);
    m->judged->begun++;
    int failed = p && p->asked ? tuned_started_enter(p, m->request) : MPI_ERR_NO_MEM;
    if (!failed)
        return MPI_SUCCESS;
    if (p && !p->asked)
        tuned_started_give_up(p);
    if (!p)
        PMPI_Request_free(m->request);
    free(p);
    tuned_call_failed(m->judged, m->operation, failed);
    return failed;
}

/* ---- MPI's functions, first and last ---- */

/* In the checked mode. Whether the ranks differ: then they have heard of it. */
static bool differs(tuned_making *m, tuned_state *t, mpib_arguments *a, const tuned_arrays *arrays,
                    const void *send, const void *recv)
{
    t->on_device = tuned_on_device(send, recv);
    const bool right = tuned_check_arguments(t, a, arrays, send, recv).right;
    m->failed = tuned_call_check(t, a, TUNED_PERSISTENT, right);
    if (m->failed && right)
        tuned_call_failed(t, a->operation, m->failed);
    return m->failed && right;
}

bool tuned_makes(tuned_making *m, const char *function, MPI_Comm comm, mpib_arguments *a,
                 const tuned_arrays *arrays, const void *send, void *recv, MPI_Request *request)
{
    *m = (tuned_making){.function = function,
                        .operation = a->operation,
                        .root = a->root,
                        .start = -1,
                        .request = request};
    tuned_hot_settle();
    tuned_state *t = tuned_call_state(comm, a, arrays, send, recv);
    if (t && t->checked && differs(m, t, a, arrays, send, recv))
        return true;
    const bool lacks_graph = t && tuned_lacks_graph(t, a->operation);
    if (lacks_graph)
        tuned_say_graph_is_lacking(t, a->operation);
    else if (t && t->adapt && tuned_starts_serve(t))
        look_at_judged(m, t, a, arrays, send, recv, request);
    if (m->failed || lacks_graph || !tuned_begun_serves(t)) {
        m->start = cpm_tuned_other_begin();
        return false;
    }
    t->on_device = tuned_on_device(send, recv);
    const tuned_checked checked = tuned_check_arguments(t, a, arrays, send, recv);
    if (!checked.right || !request) {
        tuned_call_refused(t, a->operation, a->root);
        return false;
    }
    m->state = t;
    tuned_numbers_count(t, a->operation, a->root);
    const tuned_size size = tuned_size_of(t, a);
    tuned_decision *d = decision_for(t, a, &checked, &size);
    if (!d)
        return false;
    m->failed = make(t, d, a, &size, checked.lasting, send, recv, request);
    if (m->failed)
        tuned_call_failed(t, a->operation, m->failed);
    return true;
}

int tuned_made_native(const tuned_making *m, int status)
{
    if (m->judged && status == MPI_SUCCESS)
        status = judge(m);
    else if (m->judged && tuned_call_is_refusal(status))
        tuned_adapt_refuse(m->judged->adapt);
    else
        cpm_tuned_other_made(m->function, status, m->request);
    if (m->state && status != MPI_SUCCESS && tuned_call_is_refusal(status)) {
        tuned_numbers_uncount(m->state, m->operation, m->root);
        tuned_call_refused(m->state, m->operation, m->root);
    }
    cpm_tuned_other_end(m->function, m->start);
    return status;
}
