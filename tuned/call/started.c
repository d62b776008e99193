#include "tuned/call/started.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "cpm/cpm_mpi.h"
#include "tuned/adapt/stretch.h"
#include "tuned/attribute.h"
#include "tuned/call/begun.h"
#include "tuned/call/call.h"
#include "tuned/call/round.h"
#include "tuned/comm/notify.h"
#include "tuned/report/observed.h"

static tuned_started_call *all;
static tuned_started_call *latest; /* that was asked for, as it often is again; NULL: none */
static cpm_hash by_request;
static bool hides; /* who completes requests tells us before */
static int hidden; /* so many are */

/* ---- which one it is ---- */

static uint64_t key_of(MPI_Request request)
{
    return cpm_hash_mix(0, (uint64_t)(uintptr_t)request) | 1;
}

static cpm_slot *slot_of(MPI_Request request)
{
    cpm_slot *slot = cpm_hash_find(&by_request, key_of(request));
    while (slot && ((tuned_started_call *)slot->pointer)->request != request)
        slot = cpm_hash_next(&by_request, slot);
    return slot;
}

static tuned_started_call *find(const MPI_Request *request)
{
    if (!all || !request)
        return NULL;
    if (!latest || latest->request != *request) {
        cpm_slot *slot = slot_of(*request);
        latest = slot ? slot->pointer : NULL;
    }
    return latest;
}

void tuned_persistent_forget(tuned_state *t)
{
    tuned_active_settle();
    for (tuned_started_call *p = all; p; p = p->next)
        if (p->active.state == t) {
            p->active.decision = p->planned = NULL;
            p->kind.persistent = 0;
        }
}

/* ---- running ---- */

/* The decision gets the plan back, if there still is one. */
static void give_plan_back(tuned_started_call *p)
{
    const bool kept = p->planned && p->active.types[0] == MPI_DATATYPE_NULL;
    if (p->plan)
        tuned_plans_give(kept ? &p->planned->plans : NULL, p->plan);
    p->plan = NULL;
    p->planned = NULL;
}

/* That of the last start serves again. */
static int plan_by(tuned_started_call *p, tuned_decision *d)
{
    tuned_state *t = p->active.state;
    mpib_arguments a = *tuned_plan_arguments(p->asked);
    if (p->plan && p->planned == d)
        return MPI_SUCCESS;
    give_plan_back(p);
    tuned_request_of(t, &a, &p->checked, p->kind.bytes);
    const tuned_size size = tuned_size_of(t, &a);
    const int status = tuned_begun_plan(&d->plans, d, &a, t->n, &size, &p->plan);
    if (status)
        return tuned_error_of(status);
    p->planned = d;
    p->active.tag = tuned_tag_of_begun_at(t, p->number_of_tag);
    p->active.collective = tuned_plan_collective(p->plan);
    return MPI_SUCCESS;
}

/* NULL: MPI's own routine. */
static tuned_decision *turn_of(tuned_started_call *p)
{
    tuned_state *t = p->active.state;
    const mpib_arguments *a = tuned_plan_arguments(p->asked);
    if (!p->kind.persistent || !t->adapt)
        return NULL;
    t->on_device = p->on_device;
    tuned_round_before(t, p->kind.persistent);
    tuned_decision *d = tuned_stretch_start(t, &p->kind);
    tuned_round_after(t);
    return tuned_begun_takes(t, a, &(tuned_size){.own = p->kind.bytes}) ? tuned_begun_runs(d)
                                                                        : NULL;
}

static int begin_judged(tuned_started_call *p)
{
    tuned_decision *d = turn_of(p);
    const int failed = d ? plan_by(p, d) : MPI_SUCCESS;
    if (failed)
        tuned_call_failed(p->active.state, p->kind.operation, failed);
    p->active.decision = d;
    p->active.native = d ? MPI_REQUEST_NULL : p->native;
    return failed;
}

static void hide(tuned_started_call *p, bool hide)
{
    hidden += hide - p->hidden;
    p->hidden = hide;
}

static int start_paused(tuned_started_call *p)
{
    const bool native = p->active.native != MPI_REQUEST_NULL, hiding = hides && !native;
    int failed = hiding ? MPI_SUCCESS : PMPI_Start(&p->request);
    if (failed)
        return failed;
    hide(p, hiding);
    p->done = false;
    p->active.state->on_device = p->on_device;
    failed = native ? tuned_active_begin_native(&p->active)
                    : tuned_active_begin(&p->active, tuned_plan_arguments(p->plan), p->send,
                                         p->recv, hiding);
    if (failed)
        hide(p, false);
    return failed;
}

static int start(tuned_started_call *p)
{
    int failed = p->asked ? begin_judged(p) : MPI_SUCCESS;
    if (failed)
        return failed;
    const bool before = tuned_active_pause();
    failed = start_paused(p);
    tuned_active_resume(before);
    if (failed && p->kind.persistent && p->active.state->adapt)
        tuned_stretch_start_failed(p->active.state->adapt, &p->kind);
    if (!failed && !p->hidden)
        tuned_active_go_on();
    return failed;
}

static int start_counted(const tuned_started_call *p, MPI_Request *request)
{
    char name[TUNED_NAME];
    const double begun = cpm_tuned_other_begin();
    const int failed = PMPI_Start(request);
    snprintf(name, sizeof name, "starts of %s", p->function);
    cpm_tuned_other_end(name, begun);
    return failed;
}

int cpm_start(MPI_Request *request)
{
    tuned_started_call *p = find(request);
    if (p && p->counted)
        return start_counted(p, request);
    return p ? start(p) : PMPI_Start(request);
}

int cpm_startall(int count, MPI_Request *requests)
{
    int failed = MPI_SUCCESS;
    if (!all || count < 0 || !requests)
        return PMPI_Startall(count, requests);
    for (int k = 0; k < count && !failed; k++)
        failed = cpm_start(&requests[k]);
    return failed;
}

/* ---- the end ---- */

static void end_request(const tuned_started_call *p)
{
    int rank;
    PMPI_Comm_rank(p->end_comm, &rank);
    PMPI_Send(NULL, 0, MPI_BYTE, rank, p->end_tag, p->end_comm);
}

/* From now on MPI's request says whether it has ended. */
static void show(tuned_started_call *p)
{
    const bool before = tuned_active_pause();
    hide(p, false);
    if (!PMPI_Start(&p->request) && p->done)
        end_request(p);
    tuned_active_resume(before);
}

static tuned_started_call *find_hidden(const MPI_Request *request)
{
    tuned_started_call *p = hidden ? find(request) : NULL;
    return p && p->hidden ? p : NULL;
}

/* Whether it was one of these. */
static bool wait_for(const MPI_Request *request)
{
    tuned_started_call *p = find_hidden(request);
    if (!p)
        return false;
    tuned_active_wait(&p->active);
    hide(p, false);
    return true;
}

int cpm_wait(MPI_Request *request, MPI_Status *status)
{
    const bool ended = wait_for(request);
    return ended && status == MPI_STATUS_IGNORE ? MPI_SUCCESS : PMPI_Wait(request, status);
}

/* MPICH ends the program where a null request stands beside a generalized one that has not ended.
 */
static int wait_for_null_ones_apart(int count, MPI_Request *requests, MPI_Status *statuses)
{
    int failed = MPI_SUCCESS;
    for (int first = 0, end; first < count; first = end) {
        const bool null = requests[first] == MPI_REQUEST_NULL;
        for (end = first + 1; end < count && (requests[end] == MPI_REQUEST_NULL) == null;)
            end++;
        const int status =
            PMPI_Waitall(end - first, requests + first,
                         statuses == MPI_STATUSES_IGNORE ? statuses : statuses + first);
        if (!failed)
            failed = status;
    }
    return failed;
}

int cpm_waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    for (int k = 0; k < count && requests && hidden; k++)
        wait_for(&requests[k]);
    if (count > 0 && requests && tuned_active_any())
        return wait_for_null_ones_apart(count, requests, statuses);
    return PMPI_Waitall(count, requests, statuses);
}

void cpm_tuned_completes(void)
{
    hides = true;
}

void cpm_tuned_before_completion(int count, const MPI_Request *requests)
{
    for (int k = 0; k < count && requests && hidden; k++) {
        tuned_started_call *p = find_hidden(&requests[k]);
        if (p)
            show(p);
    }
}

void tuned_started_give_up(tuned_started_call *p)
{
    if (p->plan)
        tuned_plans_give(NULL, p->plan);
    if (p->asked)
        tuned_plans_give(NULL, p->asked);
    if (p->native != MPI_REQUEST_NULL)
        PMPI_Request_free(&p->native);
    tuned_active_let_types_go(&p->active);
}

static void drop(tuned_started_call *p)
{
    tuned_active_settle();
    if (latest == p)
        latest = NULL;
    hide(p, false);
    tuned_started_call **at = &all;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    cpm_hash_remove(&by_request, slot_of(p->request));
    tuned_started_give_up(p);
    if (p->active.state)
        tuned_state_let_go(p->active.state);
    free(p);
}

int cpm_request_free(MPI_Request *request)
{
    tuned_started_call *p = find(request);
    if (p)
        drop(p);
    return PMPI_Request_free(request);
}

/* ---- new ones ---- */

/* Its own errors are the communicator's: the request has none. */
void tuned_started_complete(tuned_active *active)
{
    tuned_started_call *p = (tuned_started_call *)active; /* its first member */
    const tuned_state *t = active->state;
    p->done = true;
    if (!p->hidden)
        end_request(p);
    if (active->failed && active->native == MPI_REQUEST_NULL && !t->orphan)
        tuned_call_failed(t, tuned_plan_arguments(p->plan)->operation, active->failed);
}

static int insert(tuned_started_call *p)
{
    cpm_slot *slot = cpm_hash_add(&by_request, key_of(p->request));
    if (!slot)
        return MPI_ERR_NO_MEM;
    slot->pointer = p;
    p->next = all;
    all = p;
    return MPI_SUCCESS;
}

int tuned_started_enter(tuned_started_call *p, MPI_Request *request)
{
    int rank;
    PMPI_Comm_rank(p->end_comm, &rank);
    int failed = PMPI_Recv_init(NULL, 0, MPI_BYTE, rank, p->end_tag, p->end_comm, &p->request);
    if (!failed && (failed = insert(p)))
        PMPI_Request_free(&p->request);
    if (failed) {
        tuned_started_give_up(p);
        return failed;
    }
    tuned_state_hold(p->active.state);
    *request = p->request;
    return MPI_SUCCESS;
}

/* Of messages to oneself. */
static MPI_Comm own = MPI_COMM_NULL;

static int free_own(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    return PMPI_Comm_free(&own);
}

MPI_Comm tuned_started_own_comm(void)
{
    static bool tried;
    if (tried)
        return own;
    tried = true;
    if (PMPI_Comm_dup(MPI_COMM_SELF, &own) == MPI_SUCCESS)
        tuned_attribute_at_end(free_own);
    return own;
}

int tuned_started_own_tag(void)
{
    enum { LEAST_UPPER_BOUND = 32767 }; /* of tags, that MPI guarantees */
    static int next;
    int *bound = NULL, found = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
    next = next < (found ? *bound : LEAST_UPPER_BOUND) ? next + 1 : 0;
    return next;
}

/* Several threads at once would meet in the list of all. */
static bool counts_starts(void)
{
    int level = MPI_THREAD_MULTIPLE;
    return tuned_observes() && PMPI_Query_thread(&level) == MPI_SUCCESS &&
           level != MPI_THREAD_MULTIPLE;
}

/* Without memory its starts are not counted. */
int cpm_tuned_other_made(const char *function, int status, const MPI_Request *request)
{
    tuned_started_call *p = status == MPI_SUCCESS && counts_starts() ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return status;
    *p = (tuned_started_call){.active = {.types = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}},
                              .request = *request,
                              .native = MPI_REQUEST_NULL,
                              .counted = true,
                              .function = function};
    if (insert(p) != MPI_SUCCESS)
        free(p);
    return status;
}
