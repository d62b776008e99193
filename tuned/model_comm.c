/* The model of a communicator: read, broadcast, or measured while the application runs (thesis
 * 6.3). Everything travels over a communicator of its own, so that no message is mistaken for one
 * of the application's, and none of its attributes is copied. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpm/cpm_mpi.h"
#include "estimators/estimator.h"
#include "executor/agree.h"
#include "mpib/mpi_machine.h"

/* The communicator of the whole call; the caller frees it. */
static int own_communicator(MPI_Comm comm, MPI_Comm *own, cpm_error *e)
{
    int between_groups = 0;
    if (comm == MPI_COMM_NULL)
        return cpm_fail(e, CPM_EINVAL, "MPI_COMM_NULL has no processes, so it has no model");
    PMPI_Comm_test_inter(comm, &between_groups);
    if (between_groups)
        return cpm_fail(e, CPM_EINVAL,
                        "an inter-communicator has no model: give one of the groups'");
    if (PMPI_Comm_split(comm, 0, 0, own) != MPI_SUCCESS)
        return cpm_fail(e, CPM_EMPI, "MPI cannot duplicate the communicator");
    return CPM_OK;
}

static int rank_in(MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

/* ---- broadcasting, over an own communicator */

/* A model as text. */
typedef struct {
    char *at;
    uint64_t size;
} packed;

/* MPI's counts are int. */
static void broadcast_bytes(char *at, uint64_t left, int root, MPI_Comm own)
{
    while (left > 0) {
        int part = left < INT_MAX ? (int)left : INT_MAX;
        PMPI_Bcast(at, part, MPI_BYTE, root, own);
        at += part;
        left -= (uint64_t)part;
    }
}

static int pack_at_root(const cpm_model *m, packed *text, cpm_error *e)
{
    if (!m)
        return cpm_fail(e, CPM_EINVAL, "there is no model to broadcast at its root");
    int status = cpm_model_pack(m, &text->at, e);
    text->size = status ? 0 : strlen(text->at);
    return status;
}

static int make_room(packed *text, cpm_error *e)
{
    if (!text->at)
        text->at = text->size < SIZE_MAX ? malloc((size_t)text->size + 1) : NULL;
    if (text->at)
        return CPM_OK;
    return cpm_no_memory(e);
}

/* Everybody gets the root's text; the caller frees it. */
static int share_text(const cpm_model *m, int root, MPI_Comm own, packed *text, cpm_error *e)
{
    int status = mpib_agree(own, rank_in(own) == root ? pack_at_root(m, text, e) : CPM_OK, e);
    if (status)
        return status;
    PMPI_Bcast(&text->size, 1, MPI_UINT64_T, root, own);
    status = mpib_agree(own, make_room(text, e), e);
    if (!status)
        broadcast_bytes(text->at, text->size, root, own);
    return status;
}

/* *m is given at root and set elsewhere. */
static int share_model(cpm_model **m, int root, MPI_Comm own, cpm_error *e)
{
    packed text = {0};
    bool is_root = rank_in(own) == root;
    cpm_model *received = NULL;
    int status = share_text(is_root ? *m : NULL, root, own, &text, e);
    if (!status) {
        if (!is_root)
            status = cpm_model_unpack(text.at, (size_t)text.size, "broadcast model", &received, e);
        status = mpib_agree(own, status, e);
    }
    free(text.at);
    if (status)
        cpm_model_free(received);
    else if (!is_root)
        *m = received;
    return status;
}

static int check_root(MPI_Comm own, int root, cpm_error *e)
{
    int n;
    PMPI_Comm_size(own, &n);
    if (root >= 0 && root < n)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL, "root %d is not in 0..%d", root, n - 1);
}

int cpm_model_bcast(cpm_model **m, int root, MPI_Comm comm, cpm_error *e)
{
    MPI_Comm own;
    int status = own_communicator(comm, &own, e);
    if (status)
        return status;
    status = mpib_agree(own, check_root(own, root, e), e);
    if (!status)
        status = share_model(m, root, own, e);
    PMPI_Comm_free(&own);
    return status;
}

/* What rank 0 has, or failed to get, becomes everybody's. */
static int publish(int status, cpm_model *m, MPI_Comm own, cpm_model **out, cpm_error *e)
{
    status = mpib_agree(own, status, e);
    if (!status)
        status = share_model(&m, 0, own, e);
    return cpm_model_hand_over(status, m, out);
}

int cpm_model_load(const char *path, MPI_Comm comm, cpm_model **out, cpm_error *e)
{
    MPI_Comm own;
    cpm_model *m = NULL;
    int status = own_communicator(comm, &own, e);
    if (status)
        return status;
    if (rank_in(own) == 0)
        status = cpm_model_read(path, &m, e);
    status = publish(status, m, own, out, e);
    PMPI_Comm_free(&own);
    return status;
}

/* ---- estimating */

static int check_request(const cpm_estimator *estimator, double seconds, int n, cpm_error *e)
{
    if (!(seconds > 0) || isinf(seconds))
        return cpm_fail(e, CPM_EINVAL, "the time to estimate a model is %g s, not above 0",
                        seconds);
    if (n < estimator->min_processes)
        return cpm_fail(e, CPM_EPROCESS, "model %s needs at least %d processes, got %d",
                        estimator->model, estimator->min_processes, n);
    return CPM_OK;
}

/* Thresholds would need R and a sweep over sizes, which is not for a running application. */
static cpm_estimation best_within_a_budget(void)
{
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    options.thresholds = false;
    options.parameter_error = CPM_PARAMETER_ERROR_BUDGET;
    return options;
}

/* Rank 0 gets the model. */
static int measure_and_fit(cpm_machine *machine, const cpm_estimator *estimator, double seconds,
                           cpm_model **out, cpm_error *e)
{
    cpm_estimation options = best_within_a_budget();
    cpm_estimator_context context = {estimator, &options};
    cpm_campaign campaign = {
        .precision = CPM_PRECISION_DEFAULT, .budget = seconds, .enough = cpm_estimator_enough};
    cpm_measurements results = {0};
    int status = cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, &results, e);
    if (!status && machine->rank == 0)
        status = cpm_estimate(estimator, &options, &results, NULL, NULL, out, e);
    cpm_measurements_clear(&results);
    return status;
}

static int estimate(const char *type, double seconds, MPI_Comm own, cpm_model **out, cpm_error *e)
{
    int n;
    const cpm_estimator *estimator;
    cpm_machine *machine = NULL;
    cpm_model *m = NULL;
    PMPI_Comm_size(own, &n);
    int status = cpm_estimator_find(type, NULL, &estimator, e);
    if (!status)
        status = check_request(estimator, seconds, n, e);
    status = mpib_agree(own, status, e);
    if (!status)
        status = mpib_machine_create(own, MPIB_TIMING_MAX, &machine, e);
    if (status)
        return status;
    status = measure_and_fit(machine, estimator, seconds, &m, e);
    status = publish(status, m, own, out, e);
    machine->free(machine);
    return status;
}

int cpm_model_estimate(const char *type, double seconds, MPI_Comm comm, cpm_model **out,
                       cpm_error *e)
{
    MPI_Comm own;
    int status = own_communicator(comm, &own, e);
    if (status)
        return status;
    status = estimate(type, seconds, own, out, e);
    PMPI_Comm_free(&own);
    return status;
}
