/* The machine of an MPI communicator: its life, and the small collective services. */
#include "mpib/mpi_machine.h"

#include <limits.h>
#include <stdlib.h>

#include "executor/agree.h"
#include "hosts/hosts.h"
#include "mpib/machine_mpi.h"

static int machine_broadcast(cpm_machine *machine, void *data, size_t bytes, cpm_error *e)
{
    const mpi_machine *m = (const mpi_machine *)machine;
    char *at = data;
    (void)e;
    mpib_watch_tick(m->watch);
    for (size_t left = bytes, part; left > 0; left -= part, at += part) {
        part = left < INT_MAX ? left : INT_MAX;
        PMPI_Bcast(at, (int)part, MPI_BYTE, 0, m->control);
    }
    return CPM_OK;
}

static int machine_agree(cpm_machine *machine, int status, cpm_error *e)
{
    const mpi_machine *m = (const mpi_machine *)machine;
    mpib_watch_tick(m->watch);
    return mpib_agree(m->control, status, e);
}

static double machine_now(cpm_machine *machine)
{
    const mpi_machine *m = (const mpi_machine *)machine;
    return m->clock.now(&m->clock);
}

static void machine_together(cpm_machine *machine, bool together)
{
    mpi_machine *m = (mpi_machine *)machine;
    m->timing = together ? MPIB_TIMING_GLOBAL : m->usual;
}

static void close_communicators(mpi_machine *m)
{
    if (m->here != MPI_COMM_NULL)
        MPI_Comm_free(&m->here);
    if (m->work != MPI_COMM_NULL)
        MPI_Comm_free(&m->work);
    if (m->control != MPI_COMM_NULL)
        MPI_Comm_free(&m->control);
}

static void machine_free(cpm_machine *machine)
{
    mpi_machine *m = (mpi_machine *)machine;
    if (!m)
        return;
    mpib_watch_stop(m->watch);
    cpm_hosts_clear(&m->hosts);
    close_communicators(m);
    free(m->evicting);
    free(m);
}

double mpib_pause_of(const mpi_machine *m, const mpib_exchange *x)
{
    for (int i = 0; i < x->helpers; i++)
        if (!m->hosts.of || m->hosts.of[x->measurer] != m->hosts.of[x->helper[i]])
            return 0;
    return MPIB_LEAST_SLACK;
}

/* Simulated memory has no caches. */
#ifdef CPM_SMPI
static const bool simulated = true;
#else
static const bool simulated = false;
#endif

static int duplicate(MPI_Comm comm, MPI_Comm *out, cpm_error *e)
{
    if (MPI_Comm_dup(comm, out) != MPI_SUCCESS)
        return cpm_fail(e, CPM_EMPI, "MPI cannot duplicate the communicator");
    return CPM_OK;
}

static void set_up(mpi_machine *m, mpib_timing timing, const mpib_clock *clock)
{
    m->base.measure = mpib_machine_measure;
    m->base.overlap = mpib_machine_overlap;
    m->base.broadcast = machine_broadcast;
    m->base.agree = machine_agree;
    m->base.now = machine_now;
    m->base.describe = mpib_machine_describe;
    m->base.together = machine_together;
    m->base.free = machine_free;
    m->timing = timing;
    m->batch = CPM_BATCH_BY_SIZE;
    m->clock = *clock;
    m->slack = MPIB_LEAST_SLACK;
    m->control = m->work = m->here = MPI_COMM_NULL;
}

/* Where MPI cannot tell who shares a host, no messages are known to go through memory. */
static int know_hosts(mpi_machine *m, cpm_error *e)
{
    cpm_error why = {0};
    int status = simulated ? CPM_OK : mpib_hosts(m->control, &m->hosts, &why);
    return status == CPM_OK || status == CPM_EMPI ? CPM_OK : cpm_fail(e, status, "%s", why.text);
}

/* Nobody waits for a simulated processor. Where MPI cannot tell who shares a host, none is known
 * to. */
static void know_processors(mpi_machine *m)
{
    int ranks = 1, cores = 1;
    char host[2];
    if (!simulated)
        mpib_oversubscription(m->control, &ranks, &cores, host, sizeof host, NULL);
    m->clock.yields = ranks > cores;
}

/* One host has one clock, so its processes can start together. */
static void settle_timing(mpi_machine *m)
{
    if (m->timing == MPIB_TIMING_DEFAULT)
        m->timing = m->hosts.count == 1 ? MPIB_TIMING_GLOBAL : MPIB_TIMING_MAX;
    m->usual = m->timing;
}

static int open_communicators(mpi_machine *m, MPI_Comm comm, cpm_error *e)
{
    int status = duplicate(comm, &m->control, e);
    if (status == CPM_OK)
        status = duplicate(comm, &m->work, e);
    if (status == CPM_OK)
        status = know_hosts(m, e);
    if (status != CPM_OK)
        return status;
    if (MPI_Comm_split_type(m->control, MPI_COMM_TYPE_SHARED, m->base.rank, MPI_INFO_NULL,
                            &m->here) != MPI_SUCCESS)
        m->here = MPI_COMM_NULL;
    know_processors(m);
    settle_timing(m);
    return CPM_OK;
}

int mpib_machine_create_by(const mpib_clock *clock, MPI_Comm comm, mpib_timing timing,
                           cpm_machine **out, cpm_error *e)
{
    mpi_machine *m = calloc(1, sizeof *m);
    int status = m ? CPM_OK : cpm_no_memory(e);
    status = mpib_agree(comm, status, e);
    if (status != CPM_OK) {
        free(m);
        return status;
    }
    set_up(m, timing, clock);
    MPI_Comm_rank(comm, &m->base.rank);
    MPI_Comm_size(comm, &m->base.n);
    status = open_communicators(m, comm, e);
    if (status != CPM_OK) {
        close_communicators(m);
        free(m);
        return status;
    }
    *out = &m->base;
    return CPM_OK;
}

int mpib_machine_create(MPI_Comm comm, mpib_timing timing, cpm_machine **out, cpm_error *e)
{
    mpib_clock clock = mpib_clock_wtime();
    return mpib_machine_create_by(&clock, comm, timing, out, e);
}

void mpib_machine_set_batch(cpm_machine *machine, int batch)
{
    ((mpi_machine *)machine)->batch = batch;
}

void mpib_machine_set_buffers(cpm_machine *machine, mpib_buffers buffers)
{
    ((mpi_machine *)machine)->buffers = buffers;
}

void mpib_machine_free(cpm_machine *m)
{
    if (m)
        m->free(m);
}

int mpib_machine_watch(cpm_machine *machine, double patience, mpib_lost *lost, void *context,
                       cpm_error *e)
{
    mpi_machine *m = (mpi_machine *)machine;
    return mpib_watch_start(m->control, patience, lost, context, &m->watch, e);
}
