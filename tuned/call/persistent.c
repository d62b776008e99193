#include "tuned/call/persistent.h"

#include <stdlib.h>

#include "base/hash.h"
#include "cpm/cpm_mpi.h"
#include "tuned/call/active.h"
#include "tuned/call/begun.h"
#include "tuned/call/call.h"
#include "tuned/call/device.h"
#include "tuned/call/sides.h"
#include "tuned/comm/numbers.h"
#include "tuned/comm/plans.h"

typedef struct persistent {
    tuned_active active;
    tuned_plan *plan;
    const void *send;
    void *recv;
    MPI_Request request;
    int end_tag;             /* of the message to oneself */
    bool on_device;          /* its buffers are */
    bool hidden;             /* it was started, but MPI's request was not */
    bool done;               /* then: its run has ended */
    struct persistent *next; /* all of the process */
} persistent;

static persistent *all;
static persistent *latest; /* that was asked for, as it often is again; NULL: none */
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
    while (slot && ((persistent *)slot->pointer)->request != request)
        slot = cpm_hash_next(&by_request, slot);
    return slot;
}

static persistent *find(const MPI_Request *request)
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
    for (persistent *p = all; p; p = p->next)
        if (p->active.state == t)
            p->active.decision = NULL;
}

/* ---- running ---- */

static void hide(persistent *p, bool hide)
{
    hidden += hide - p->hidden;
    p->hidden = hide;
}

static int start_paused(persistent *p)
{
    int failed = hides ? MPI_SUCCESS : PMPI_Start(&p->request);
    if (failed)
        return failed;
    hide(p, hides);
    p->done = false;
    p->active.state->on_device = p->on_device;
    failed = tuned_active_begin(&p->active, tuned_plan_arguments(p->plan), p->send, p->recv, hides);
    if (failed)
        hide(p, false);
    return failed;
}

static int start(persistent *p)
{
    const bool before = tuned_active_pause();
    const int failed = start_paused(p);
    tuned_active_resume(before);
    if (!failed && !p->hidden)
        tuned_active_go_on();
    return failed;
}

int cpm_start(MPI_Request *request)
{
    persistent *p = find(request);
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

static void end_request(const persistent *p)
{
    PMPI_Send(NULL, 0, MPI_BYTE, p->active.state->rank, p->end_tag, p->active.state->inside);
}

/* From now on MPI's request says whether it has ended. */
static void show(persistent *p)
{
    const bool before = tuned_active_pause();
    hide(p, false);
    if (!PMPI_Start(&p->request) && p->done)
        end_request(p);
    tuned_active_resume(before);
}

static persistent *find_hidden(const MPI_Request *request)
{
    persistent *p = hidden ? find(request) : NULL;
    return p && p->hidden ? p : NULL;
}

/* Whether it was one of these. */
static bool wait_for(const MPI_Request *request)
{
    persistent *p = find_hidden(request);
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

int cpm_waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    for (int k = 0; k < count && requests && hidden; k++)
        wait_for(&requests[k]);
    return PMPI_Waitall(count, requests, statuses);
}

void cpm_tuned_completes(void)
{
    hides = true;
}

void cpm_tuned_before_completion(int count, const MPI_Request *requests)
{
    for (int k = 0; k < count && requests && hidden; k++) {
        persistent *p = find_hidden(&requests[k]);
        if (p)
            show(p);
    }
}

static void drop(persistent *p)
{
    tuned_active_settle();
    if (latest == p)
        latest = NULL;
    hide(p, false);
    persistent **at = &all;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    cpm_hash_remove(&by_request, slot_of(p->request));
    tuned_plans_give(NULL, p->plan);
    tuned_active_let_types_go(&p->active);
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
    p->done = true;
    if (!p->hidden)
        end_request(p);
    if (active->failed && !t->orphan)
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

static int enter(persistent *p, MPI_Request *request)
{
    const tuned_state *t = p->active.state;
    int failed = PMPI_Recv_init(NULL, 0, MPI_BYTE, t->rank, p->end_tag, t->inside, &p->request);
    cpm_slot *slot = failed ? NULL : cpm_hash_add(&by_request, key_of(p->request));
    if (!failed && !slot) {
        PMPI_Request_free(&p->request);
        failed = MPI_ERR_NO_MEM;
    }
    if (failed) {
        tuned_plans_give(NULL, p->plan);
        tuned_active_let_types_go(&p->active);
        return failed;
    }
    slot->pointer = p;
    p->next = all;
    all = p;
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
    *p = (persistent){
        .active = {.state = t, .decision = d, .tag = tag, .bytes = size->own, .ended = complete},
        .send = send,
        .recv = recv,
        .end_tag = end_tag,
        .on_device = t->on_device};
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
} making;

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
    *m = (making){.function = function, .operation = a->operation, .root = a->root, .start = -1};
    tuned_hot_settle();
    tuned_state *t = tuned_call_state(comm, a, arrays, send, recv);
    if (t && t->checked && differs(m, t, a, arrays, send, recv))
        return true;
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

static int made_native(const making *m, int status)
{
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
