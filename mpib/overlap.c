/* Nonblocking collectives, alone and with computing between: as the OSU benchmarks and IMB-NBC have
 * it. */
#include "collectives/on_groups.h"
#include "executor/agree.h"
#include "mpib/machine_mpi.h"

#include <stdlib.h>

/* Known to all ranks. */
static int measure(mpi_machine *m, mpib_coll_operation *op, const cpm_experiment *x,
                   double computing, const cpm_precision *p, double *seconds, cpm_error *e)
{
    cpm_summary found = {0};
    mpib_benchmarked_begin(op, &m->clock, computing);
    int status =
        mpib_measure_coll(&m->base, op, x->i, x->collective.operation->dataless ? 0 : x->send_bytes,
                          p, &found, NULL, e);
    *seconds = cpm_summary_value(&found, p->statistic);
    if (status == CPM_OK)
        PMPI_Bcast(seconds, 1, MPI_DOUBLE, 0, m->control);
    return status;
}

static int prepare(const mpi_machine *m, const cpm_experiment *x, mpib_coll_operation **op,
                   cpm_error *e)
{
    int status = cpm_experiment_check(x, m->base.n, e);
    if (status == CPM_OK && cpm_is_on_groups(&x->collective))
        status = cpm_fail(e, CPM_EINVAL, "%s by MPI's own routine in lines is no nonblocking call",
                          x->collective.operation->name);
    return status == CPM_OK ? mpib_benchmarked_create(x, op, e) : status;
}

int mpib_machine_overlap(cpm_machine *machine, const cpm_experiment *x, double computing,
                         const cpm_precision *p, cpm_overlap *out, cpm_error *e)
{
    mpi_machine *m = (mpi_machine *)machine;
    mpib_coll_operation *op = NULL;
    *out = (cpm_overlap){0};
    int status = mpib_agree(m->control, prepare(m, x, &op, e), e);
    if (status == CPM_OK)
        status = measure(m, op, x, 0, p, &out->alone, e);
    out->computing = computing > 0 ? computing : out->alone;
    if (status == CPM_OK)
        status = measure(m, op, x, out->computing, p, &out->with, e);
    free(op);
    return status;
}
