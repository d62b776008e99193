#include "mpib/sub_cluster.h"

#include <stdlib.h>

typedef struct {
    cpm_machine base; /* first, so that a pointer to it is one to this */
    cpm_machine *whole;
    cpm_machine *inner; /* of the processes that measure; NULL at the others */
    MPI_Comm comm;
} part;

static int part_measure(cpm_machine *machine, const cpm_experiment *x, int count,
                        const cpm_precision *p, cpm_measurement *results, cpm_error *e)
{
    const part *m = (const part *)machine;
    int status = m->inner ? m->inner->measure(m->inner, x, count, p, results, e) : CPM_OK;
    return m->whole->agree(m->whole, status, e);
}

static int part_broadcast(cpm_machine *machine, void *data, size_t bytes, cpm_error *e)
{
    const part *m = (const part *)machine;
    return m->whole->broadcast(m->whole, data, bytes, e);
}

static int part_agree(cpm_machine *machine, int status, cpm_error *e)
{
    const part *m = (const part *)machine;
    return m->whole->agree(m->whole, status, e);
}

static double part_now(cpm_machine *machine)
{
    const part *m = (const part *)machine;
    return m->whole->now(m->whole);
}

static int part_describe(cpm_machine *machine, cpm_metadata *metadata, cpm_error *e)
{
    const part *m = (const part *)machine;
    int status = m->inner ? m->inner->describe(m->inner, metadata, e) : CPM_OK;
    return m->whole->agree(m->whole, status, e);
}

static void part_together(cpm_machine *machine, bool together)
{
    const part *m = (const part *)machine;
    if (m->inner)
        m->inner->together(m->inner, together);
}

static void part_free(cpm_machine *machine)
{
    part *m = (part *)machine;
    if (m->inner)
        m->inner->free(m->inner);
    if (m->comm != MPI_COMM_NULL)
        MPI_Comm_free(&m->comm);
    free(m);
}

static int split(part *m, MPI_Comm comm, int n, cpm_error *e)
{
    int color = m->whole->rank < n ? 0 : MPI_UNDEFINED;
    return MPI_Comm_split(comm, color, m->whole->rank, &m->comm) == MPI_SUCCESS
               ? CPM_OK
               : cpm_fail(e, CPM_EMPI, "MPI cannot make a communicator of %d processes", n);
}

static int open_inner(part *m, mpib_timing timing, int batch, cpm_error *e)
{
    if (m->comm == MPI_COMM_NULL)
        return CPM_OK;
    int status = mpib_machine_create(m->comm, timing, &m->inner, e);
    if (!status)
        mpib_machine_set_batch(m->inner, batch);
    return status;
}

static void set_up(part *m, cpm_machine *whole, int n)
{
    m->base = (cpm_machine){.n = n,
                            .rank = whole->rank,
                            .measure = part_measure,
                            .broadcast = part_broadcast,
                            .agree = part_agree,
                            .now = part_now,
                            .describe = part_describe,
                            .together = part_together,
                            .free = part_free};
    m->whole = whole;
    m->comm = MPI_COMM_NULL;
}

int mpib_sub_cluster_create(cpm_machine *whole, MPI_Comm comm, int n, mpib_timing timing, int batch,
                            cpm_machine **out, cpm_error *e)
{
    part *m = calloc(1, sizeof *m);
    int status = whole->agree(whole, m ? CPM_OK : cpm_no_memory(e), e);
    if (status) {
        free(m);
        return status;
    }
    set_up(m, whole, n);
    status = split(m, comm, n, e);
    if (!status)
        status = open_inner(m, timing, batch, e);
    status = whole->agree(whole, status, e);
    if (status)
        part_free(&m->base);
    else
        *out = &m->base;
    return status;
}
