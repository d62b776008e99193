#include "tuned/comm/use_model.h"

#include <stdlib.h>

#include "tuned/attribute.h"
#include "tuned/comm/open.h"
#include "tuned/comm/selectors.h"
#include "tuned/environment.h"

static int copy_model(const cpm_model *m, int n, cpm_model **out, cpm_error *e)
{
    if (m->n != n)
        return cpm_fail(e, CPM_EPROCESS, "the model has %d processes, the communicator %d", m->n,
                        n);
    int *process = malloc((size_t)n * sizeof *process);
    if (!process)
        return cpm_no_memory(e);
    for (int i = 0; i < n; i++)
        process[i] = i;
    int status = cpm_model_subset(m, process, n, out, e);
    free(process);
    return status;
}

/* The failure of rank 0 is everybody's. */
static int share_failure(const tuned_state *t, int status, cpm_error *e)
{
    cpm_error told = {.code = status};
    if (t->rank == 0 && e)
        told = *e;
    PMPI_Bcast(&told, sizeof told, MPI_BYTE, 0, t->comm);
    if (t->rank != 0 && told.code)
        cpm_fail(e, told.code, "%s", told.text);
    return told.code;
}

/* What decides at rank 0, and what it owns. */
typedef struct {
    cpm_selector *selector;
    cpm_model *model;
    cpm_topology *topology; /* it may be the model's */
} choosing;

static choosing take_choosing(tuned_state *t)
{
    const choosing taken = {t->selector, t->model, t->topology};
    t->selector = NULL;
    t->model = NULL;
    t->topology = NULL;
    return taken;
}

static void end_choosing(const choosing *c)
{
    if (c->selector)
        c->selector->free(c->selector);
    cpm_model_free(c->model);
    cpm_topology_free(c->topology);
}

/* Rank 0: decides by m instead of what did; in vain all stays as it was. selects: not if the calls
 * decide. */
static int replace_model(tuned_state *t, const cpm_model *m, bool selects, choosing *before,
                         cpm_error *e)
{
    *before = take_choosing(t);
    int status = m ? copy_model(m, t->n, &t->model, e) : CPM_OK;
    if (m && selects && status == CPM_OK)
        status = tuned_select_by_model(t, e);
    if (status == CPM_OK)
        return CPM_OK;
    const choosing failed = take_choosing(t);
    end_choosing(&failed);
    t->selector = before->selector;
    t->model = before->model;
    t->topology = before->topology;
    *before = (choosing){0};
    return status;
}

int tuned_use_model(MPI_Comm comm, const cpm_model *m, bool adapts, tuned_state **out, cpm_error *e)
{
    tuned_state *t = NULL;
    cpm_error own = {0};
    choosing before = {0};
    int status = CPM_OK;
    *out = NULL;
    if (tuned_environment_get()->profile)
        return CPM_OK;
    bool new = !tuned_attribute_get(comm, &t) && !tuned_environment_get()->active;
    t = tuned_state_make(comm);
    if (!t)
        return CPM_OK; /* one process, or two groups: there is nothing to choose */
    if (t->rank == 0)
        status = replace_model(t, m, !adapts, &before, &own);
    status = share_failure(t, status, &own);
    if (status && new)
        tuned_open_choosing(t, false);
    if (status)
        return cpm_fail(e, status, "%s", own.text);
    tuned_state_forget(t);
    end_choosing(&before);
    if (t->rank != 0) {
        before = take_choosing(t);
        end_choosing(&before);
    }
    tuned_open_choosing(t, adapts);
    *out = t;
    return CPM_OK;
}
