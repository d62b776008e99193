#include "tuned/call/persistent.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "cpm/cpm_mpi.h"
#include "tuned/adapt/starts.h"
#include "tuned/adapt/stretch.h"
#include "tuned/call/active.h"
#include "tuned/call/begun.h"
#include "tuned/call/call.h"
#include "tuned/call/device.h"
#include "tuned/call/sides.h"
#include "tuned/comm/numbers.h"
#include "tuned/comm/plans.h"
#include "tuned/report/observed.h"

typedef struct persistent {
    tuned_active active;
    tuned_plan *plan;        /* NULL: MPI's own routine has run it so far */
    tuned_decision *planned; /* by which; NULL: it was forgotten */
    const void *send;
    void *recv;
    MPI_Request request; /* the application's */
    MPI_Comm end_comm;   /* of the message to oneself */
    int end_tag;
    /* Where calls decide: */
    MPI_Request native; /* MPI's own, the application's where starts are only counted; else
                           MPI_REQUEST_NULL */
    tuned_plan *asked;  /* its arguments alone; NULL: it was decided where it was made */
    uint64_t number_of_tag;
    cpm_request kind;
    tuned_checked checked;
    bool on_device;
    bool counted;            /* it is MPI's own, and a profile counts its starts */
    const char *function;    /* "MPI_Bcast_init" */
    struct persistent *next; /* all of the process */
} persistent;

static persistent *all;
static cpm_hash by_request;

/* ---- which one it is ---- */

static uint64_t key_of(MPI_Request request)
{
    return cpm_hash_mix(0, (uint64_t)(uintptr_t)request) | 1;
}

static cpm_slot *slot_of(MPI_Request request)
{
    cpm_slot *slot = cpm_hash_find(&by_request, key_of(request));
    while (slot && ((persistent *)slot->pointer)->request != request)
        slot = cpm_hash_next(&by_request, slot);
    return slot;
}

static persistent *find(const MPI_Request *request)
{
    cpm_slot *slot = all && request ? slot_of(*request) : NULL;
    return slot ? slot->pointer : NULL;
}

void tuned_persistent_forget(tuned_state *t)
{
    for (persistent *p = all; p; p = p->next)
        if (p->active.state == t) {
            p->active.decision = p->planned = NULL;
            p->kind.persistent = 0;
        }
}

/* ---- running ---- */

/* The decision gets the plan back, if there still is one. */
static void give_plan_back(persistent *p)
{
    const bool kept = p->planned && p->active.types[0] == MPI_DATATYPE_NULL;
    if (p->plan)
        tuned_plans_give(kept ? &p->planned->plans : NULL, p->plan);
    p->plan = NULL;
    p->planned = NULL;
}

/* That of the last start serves again. */
static int plan_by(persistent *p, tuned_decision *d)
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
static tuned_decision *turn_of(persistent *p)
{
    tuned_state *t = p->active.state;
    const mpib_arguments *a = tuned_plan_arguments(p->asked);
    if (!p->kind.persistent || !t->adapt)
        return NULL;
    t->on_device = p->on_device;
    tuned_decision *d = tuned_stretch_start(t, &p->kind);
    return tuned_begun_takes(t, a, &(tuned_size){.own = p->kind.bytes}) ? tuned_begun_runs(d)
                                                                        : NULL;
}

static int begin_judged(persistent *p)
{
    tuned_decision *d = turn_of(p);
    const int failed = d ? plan_by(p, d) : MPI_SUCCESS;
    if (failed)
        tuned_call_failed(p->active.state, p->kind.operation, failed);
    p->active.decision = d;
    p->active.native = d ? MPI_REQUEST_NULL : p->native;
    return failed;
}

static int start(persistent *p)
{
    int failed = p->asked ? begin_judged(p) : MPI_SUCCESS;
    if (!failed)
        failed = PMPI_Start(&p->request);
    if (failed)
        return failed;
    return p->active.native != MPI_REQUEST_NULL
               ? tuned_active_begin_native(&p->active)
               : tuned_active_begin(&p->active, tuned_plan_arguments(p->plan), p->send, p->recv);
}

static int start_counted(const persistent *p, MPI_Request *request)
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
    persistent *p = find(request);
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

static void give_up(persistent *p)
{
    if (p->plan)
        tuned_plans_give(NULL, p->plan);
    if (p->asked)
        tuned_plans_give(NULL, p->asked);
    if (p->native != MPI_REQUEST_NULL)
        PMPI_Request_free(&p->native);
    tuned_active_let_types_go(&p->active);
}

static void drop(persistent *p)
{
    persistent **at = &all;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    cpm_hash_remove(&by_request, slot_of(p->request));
    give_up(p);
    if (p->active.state)
        tuned_state_let_go(p->active.state);
    free(p);
}

int cpm_request_free(MPI_Request *request)
{
    persistent *p = find(request);
    if (p)
        drop(p);
    return PMPI_Request_free(request);
}

#if CPM_HAS_PERSISTENT

/* ---- making ---- */

/* Its own errors are the communicator's: the request has none. */
static void complete(tuned_active *active)
{
    persistent *p = (persistent *)active; /* its first member */
    const tuned_state *t = active->state;
    int rank;
    PMPI_Comm_rank(p->end_comm, &rank);
    PMPI_Send(NULL, 0, MPI_BYTE, rank, p->end_tag, p->end_comm);
    if (active->failed && active->native == MPI_REQUEST_NULL && !t->orphan)
        tuned_call_failed(t, tuned_plan_arguments(p->plan)->operation, active->failed);
}

/* NULL: MPI's own routine. As in a blocking call. */
static tuned_decision *decision_for(tuned_state *t, mpib_arguments *a, const tuned_checked *checked,
                                    const tuned_size *size)
{
    const cpm_request r = tuned_begun_request(t, a, checked, size);
    return tuned_begun_takes(t, a, size) ? tuned_begun_runs(tuned_decide(t, &r, 0, t->call)) : NULL;
}

/* Plans kept by the decision are not used: this one may be started while others run. */
static int plan(persistent *p, mpib_arguments *a, const tuned_size *size, bool lasting)
{
    tuned_active_hold_types(&p->active, a, lasting);
    int status = tuned_begun_plan(&(tuned_plans){0}, p->active.decision, a, p->active.state->n,
                                  size, &p->plan);
    if (status)
        tuned_active_let_types_go(&p->active);
    else
        p->active.collective = tuned_plan_collective(p->plan);
    return tuned_error_of(status);
}

static int insert(persistent *p)
{
    cpm_slot *slot = cpm_hash_add(&by_request, key_of(p->request));
    if (!slot)
        return MPI_ERR_NO_MEM;
    slot->pointer = p;
    p->next = all;
    all = p;
    return MPI_SUCCESS;
}

static int enter(persistent *p, MPI_Request *request)
{
    int rank;
    PMPI_Comm_rank(p->end_comm, &rank);
    int failed = PMPI_Recv_init(NULL, 0, MPI_BYTE, rank, p->end_tag, p->end_comm, &p->request);
    if (!failed && (failed = insert(p)))
        PMPI_Request_free(&p->request);
    if (failed) {
        give_up(p);
        return failed;
    }
    tuned_state_hold(p->active.state);
    *request = p->request;
    return MPI_SUCCESS;
}

static int make(tuned_state *t, tuned_decision *d, mpib_arguments *a, const tuned_size *size,
                bool lasting, const void *send, void *recv, MPI_Request *request)
{
    persistent *p = calloc(1, sizeof *p);
    const int tag = tuned_tag_of_begun(t), end_tag = tuned_tag_of_begun(t);
    if (!p)
        return MPI_ERR_NO_MEM;
    *p = (persistent){.active = {.state = t,
                                 .decision = d,
                                 .native = MPI_REQUEST_NULL,
                                 .tag = tag,
                                 .bytes = size->own,
                                 .ended = complete},
                      .send = send,
                      .recv = recv,
                      .end_comm = t->inside,
                      .end_tag = end_tag,
                      .native = MPI_REQUEST_NULL};
    int failed = plan(p, a, size, lasting);
    if (!failed)
        failed = enter(p, request);
    if (failed)
        free(p);
    return failed;
}

typedef struct {
    const char *function; /* "MPI_Bcast_init" */
    tuned_state *state;   /* NULL: it has no number */
    const cpm_operation *operation;
    int root, failed;
    double start;
    /* Where calls decide: */
    tuned_state *judged; /* NULL: they do not, on this one */
    mpib_arguments *arguments;
    tuned_checked checked;
    size_t bytes; /* of a block */
    const void *send;
    void *recv;
    MPI_Request *request;
} making;

/* ---- where calls decide ---- */

/* Of messages to oneself. MPI_COMM_NULL: there is none, as MPI has begun with a session. */
static MPI_Comm own_comm(void)
{
    static MPI_Comm own;
    static bool tried;
    int initialized = 0;
    if (tried)
        return own;
    tried = true;
    own = MPI_COMM_NULL;
    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_dup(MPI_COMM_SELF, &own);
    return own;
}

static int next_own_tag(void)
{
    enum { LEAST_UPPER_BOUND = 32767 }; /* of tags, that MPI guarantees */
    static int next;
    int *bound = NULL, found = 0;
    PMPI_Comm_get_attr(MPI_COMM_SELF, MPI_TAG_UB, &bound, &found);
    next = next < (found ? *bound : LEAST_UPPER_BOUND) ? next + 1 : 0;
    return next;
}

/* What all ranks could judge. */
static void look_at_judged(making *m, tuned_state *t, mpib_arguments *a, const tuned_arrays *arrays,
                           const void *send, void *recv, MPI_Request *request)
{
    if (a->operation->sizes != CPM_KNOWN_TO_ALL || own_comm() == MPI_COMM_NULL)
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
    m->bytes = size.own;
    m->send = send;
    m->recv = recv;
}

/* native: as MPI has made it, the application's so far. */
static persistent *make_judged(const making *m, int number, MPI_Request native)
{
    tuned_state *t = m->judged;
    persistent *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    const tuned_size size = tuned_size_of(t, m->arguments);
    *p = (persistent){.active = {.state = t, .bytes = size.own, .ended = complete},
                      .send = m->send,
                      .recv = m->recv,
                      .end_comm = own_comm(),
                      .end_tag = next_own_tag(),
                      .native = native,
                      .checked = m->checked,
                      .on_device = t->on_device,
                      .function = m->function};
    tuned_active_hold_types(&p->active, m->arguments, m->checked.lasting);
    p->number_of_tag = t->begun++;
    p->asked = tuned_plan_of_arguments(m->arguments, t->n);
    p->kind = tuned_begun_request(t, m->arguments, &m->checked, &size);
    p->kind.persistent = number;
    return p;
}

/* Returns MPI's error code. */
static int judge(const making *m)
{
    const cpm_request r = {.operation = m->operation, .n = m->judged->n, .bytes = m->bytes};
    const int number = tuned_starts_enter(m->judged, &r);
    if (!number)
        return MPI_SUCCESS;
    tuned_hot_doubt(m->judged);
    persistent *p = make_judged(m, number, *m->request);
    int failed = p && p->asked ? enter(p, m->request) : MPI_ERR_NO_MEM;
    if (!failed)
        return MPI_SUCCESS;
    if (p && !p->asked)
        give_up(p);
    if (!p)
        PMPI_Request_free(m->request);
    free(p);
    tuned_call_failed(m->judged, m->operation, failed);
    return failed;
}

/* ---- MPI's functions, first and last ---- */

/* In the checked mode. Whether the ranks differ: then they have heard of it. */
static bool differs(making *m, tuned_state *t, mpib_arguments *a, const tuned_arrays *arrays,
                    const void *send, const void *recv)
{
    t->on_device = tuned_on_device(send, recv);
    const bool right = tuned_check_arguments(t, a, arrays, send, recv).right;
    m->failed = tuned_call_check(t, a, TUNED_PERSISTENT, right);
    if (m->failed && right)
        tuned_call_failed(t, a->operation, m->failed);
    return m->failed && right;
}

/* Whether CPM has made it, or has found that ranks differ. */
static bool makes(making *m, const char *function, MPI_Comm comm, mpib_arguments *a,
                  const tuned_arrays *arrays, const void *send, void *recv, MPI_Request *request)
{
    *m = (making){.function = function,
                  .operation = a->operation,
                  .root = a->root,
                  .start = -1,
                  .request = request};
    tuned_hot_settle();
    tuned_state *t = tuned_call_state(comm, a, arrays, send, recv);
    if (t && t->checked && differs(m, t, a, arrays, send, recv))
        return true;
    if (t && t->adapt && tuned_stretch_serves(t))
        look_at_judged(m, t, a, arrays, send, recv, request);
    if (m->failed || !tuned_begun_serves(t)) {
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

/* Without memory its starts are not counted. */
int cpm_tuned_other_made(const char *function, int status, const MPI_Request *request)
{
    persistent *p = status == MPI_SUCCESS && tuned_observes() ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return status;
    *p = (persistent){.active = {.types = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}},
                      .request = *request,
                      .native = MPI_REQUEST_NULL,
                      .counted = true,
                      .function = function};
    if (insert(p) != MPI_SUCCESS)
        free(p);
    return status;
}

static int made_native(const making *m, int status)
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

/* ---- MPI's functions ---- */

int cpm_barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_barrier_arguments();
    if (makes(&m, "MPI_Barrier_init", comm, &a, NULL, NULL, NULL, request))
        return m.failed;
    return made_native(&m, PMPI_Barrier_init(comm, info, request));
}

int cpm_bcast_init(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                   MPI_Info info, MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_bcast_arguments(count, type, root);
    if (makes(&m, "MPI_Bcast_init", comm, &a, NULL, NULL, buffer, request))
        return m.failed;
    return made_native(&m, PMPI_Bcast_init(buffer, count, type, root, comm, info, request));
}

int cpm_scatter_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                     int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_scatter_arguments(CPM_OP_SCATTER, send_count, send_type, recv,
                                               recv_count, recv_type, root, comm);
    if (makes(&m, "MPI_Scatter_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Scatter_init(send, send_count, send_type, recv, recv_count,
                                             recv_type, root, comm, info, request));
}

int cpm_scatterv_init(const void *send, const int *send_counts, const int *displacements,
                      MPI_Datatype send_type, void *recv, int recv_count, MPI_Datatype recv_type,
                      int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_scatter_arguments(CPM_OP_SCATTERV, 0, send_type, recv, recv_count,
                                               recv_type, root, comm);
    const tuned_arrays arrays = tuned_scatterv_arrays(send_counts, displacements, root, comm);
    if (makes(&m, "MPI_Scatterv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Scatterv_init(send, send_counts, displacements, send_type, recv,
                                              recv_count, recv_type, root, comm, info, request));
}

int cpm_gather_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                    int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Info info,
                    MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_gather_arguments(CPM_OP_GATHER, send, send_count, send_type,
                                              recv_count, recv_type, root, comm);
    if (makes(&m, "MPI_Gather_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Gather_init(send, send_count, send_type, recv, recv_count,
                                            recv_type, root, comm, info, request));
}

int cpm_gatherv_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                     const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                     int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_gather_arguments(CPM_OP_GATHERV, send, send_count, send_type, 0,
                                              recv_type, root, comm);
    const tuned_arrays arrays = tuned_gatherv_arrays(recv_counts, displacements, root, comm);
    if (makes(&m, "MPI_Gatherv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Gatherv_init(send, send_count, send_type, recv, recv_counts,
                                             displacements, recv_type, root, comm, info, request));
}

int cpm_allgather_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                       int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request)
{
    making m;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLGATHER, send, send_count, send_type, recv_count, recv_type);
    if (makes(&m, "MPI_Allgather_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Allgather_init(send, send_count, send_type, recv, recv_count,
                                               recv_type, comm, info, request));
}

int cpm_allgatherv_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                        const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                        MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    making m;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLGATHERV, send, send_count, send_type, 0, recv_type);
    const tuned_arrays arrays = {.recv_counts = recv_counts, .recv_displacements = displacements};
    if (makes(&m, "MPI_Allgatherv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Allgatherv_init(send, send_count, send_type, recv, recv_counts,
                                                displacements, recv_type, comm, info, request));
}

int cpm_alltoall_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                      int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                      MPI_Request *request)
{
    making m;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLTOALL, send, send_count, send_type, recv_count, recv_type);
    if (makes(&m, "MPI_Alltoall_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Alltoall_init(send, send_count, send_type, recv, recv_count,
                                              recv_type, comm, info, request));
}

int cpm_alltoallv_init(const void *send, const int *send_counts, const int *send_displacements,
                       MPI_Datatype send_type, void *recv, const int *recv_counts,
                       const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_dense_arguments(CPM_OP_ALLTOALLV, send, 0, send_type, 0, recv_type);
    const tuned_arrays arrays = tuned_alltoallv_arrays(send, send_counts, send_displacements,
                                                       recv_counts, recv_displacements);
    if (makes(&m, "MPI_Alltoallv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Alltoallv_init(send, send_counts, send_displacements, send_type,
                                               recv, recv_counts, recv_displacements, recv_type,
                                               comm, info, request));
}

int cpm_reduce_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root,
                    MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_reduction_arguments(CPM_OP_REDUCE, send, count, type, op, root);
    if (makes(&m, "MPI_Reduce_init", comm, &a, NULL, send, recv, request))
        return m.failed;
    return made_native(&m,
                       PMPI_Reduce_init(send, recv, count, type, op, root, comm, info, request));
}

typedef int reduction(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm, MPI_Info info, MPI_Request *request);

/* Of no root, where all blocks have the same size. */
static int make_for_all(int operation, const char *name, reduction *own, const void *send,
                        void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Info info, MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_reduction_arguments(operation, send, count, type, op, 0);
    if (makes(&m, name, comm, &a, NULL, send, recv, request))
        return m.failed;
    return made_native(&m, own(send, recv, count, type, op, comm, info, request));
}

int cpm_allreduce_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return make_for_all(CPM_OP_ALLREDUCE, "MPI_Allreduce_init", PMPI_Allreduce_init, send, recv,
                        count, type, op, comm, info, request);
}

int cpm_scan_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return make_for_all(CPM_OP_SCAN, "MPI_Scan_init", PMPI_Scan_init, send, recv, count, type, op,
                        comm, info, request);
}

int cpm_exscan_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return make_for_all(CPM_OP_EXSCAN, "MPI_Exscan_init", PMPI_Exscan_init, send, recv, count, type,
                        op, comm, info, request);
}

int cpm_reduce_scatter_init(const void *send, void *recv, const int *recv_counts, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    making m;
    mpib_arguments a = tuned_reduction_arguments(CPM_OP_REDUCE_SCATTER, send, 0, type, op, 0);
    const tuned_arrays arrays = {.recv_counts = recv_counts};
    if (makes(&m, "MPI_Reduce_scatter_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return made_native(
        &m, PMPI_Reduce_scatter_init(send, recv, recv_counts, type, op, comm, info, request));
}

int cpm_reduce_scatter_block_init(const void *send, void *recv, int recv_count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return make_for_all(CPM_OP_REDUCE_SCATTER, "MPI_Reduce_scatter_block_init",
                        PMPI_Reduce_scatter_block_init, send, recv, recv_count, type, op, comm,
                        info, request);
}

#ifndef CPM_SMPI
typedef int exchange(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                     int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                     MPI_Request *request);

static int make_for_neighbours(int operation, const char *name, exchange *own, const void *send,
                               int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                               MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                               MPI_Request *request)
{
    making m;
    mpib_arguments a =
        tuned_neighbor_arguments(operation, send_count, send_type, recv_count, recv_type);
    if (makes(&m, name, comm, &a, NULL, send, recv, request))
        return m.failed;
    return made_native(
        &m, own(send, send_count, send_type, recv, recv_count, recv_type, comm, info, request));
}

int cpm_neighbor_allgather_init(const void *send, int send_count, MPI_Datatype send_type,
                                void *recv, int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                                MPI_Info info, MPI_Request *request)
{
    return make_for_neighbours(CPM_OP_NEIGHBOR_ALLGATHER, "MPI_Neighbor_allgather_init",
                               PMPI_Neighbor_allgather_init, send, send_count, send_type, recv,
                               recv_count, recv_type, comm, info, request);
}

int cpm_neighbor_alltoall_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                               int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                               MPI_Request *request)
{
    return make_for_neighbours(CPM_OP_NEIGHBOR_ALLTOALL, "MPI_Neighbor_alltoall_init",
                               PMPI_Neighbor_alltoall_init, send, send_count, send_type, recv,
                               recv_count, recv_type, comm, info, request);
}

int cpm_neighbor_allgatherv_init(const void *send, int send_count, MPI_Datatype send_type,
                                 void *recv, const int *recv_counts, const int *displacements,
                                 MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                                 MPI_Request *request)
{
    making m;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLGATHERV, send_count, send_type, 0, recv_type);
    const tuned_arrays arrays = {.recv_counts = recv_counts, .recv_displacements = displacements};
    if (makes(&m, "MPI_Neighbor_allgatherv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Neighbor_allgatherv_init(send, send_count, send_type, recv,
                                                         recv_counts, displacements, recv_type,
                                                         comm, info, request));
}

int cpm_neighbor_alltoallv_init(const void *send, const int *send_counts,
                                const int *send_displacements, MPI_Datatype send_type, void *recv,
                                const int *recv_counts, const int *recv_displacements,
                                MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                                MPI_Request *request)
{
    making m;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLTOALLV, 0, send_type, 0, recv_type);
    const tuned_arrays arrays = tuned_alltoallv_arrays(send, send_counts, send_displacements,
                                                       recv_counts, recv_displacements);
    if (makes(&m, "MPI_Neighbor_alltoallv_init", comm, &a, &arrays, send, recv, request))
        return m.failed;
    return made_native(&m, PMPI_Neighbor_alltoallv_init(
                               send, send_counts, send_displacements, send_type, recv, recv_counts,
                               recv_displacements, recv_type, comm, info, request));
}
#endif
#endif
