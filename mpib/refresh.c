/* Clocks that run apart are synchronised again. */
#include "mpib/machine_mpi.h"

/* Drift of quartz clocks is up to some 1e-5: after one second they are as wrong as a
 * synchronisation over a network. One clock that all share cannot drift. */
static bool may_have_drifted(const mpi_machine *m)
{
    const double seconds = 1;
    bool one_clock = m->sync_error <= 2.5 * m->clock.resolution;
    return !one_clock && m->clock.now(&m->clock) - m->synced > seconds;
}

int mpib_machine_refresh(mpi_machine *m, cpm_error *e)
{
    int due = m->sync.error == 0 || may_have_drifted(m);
    PMPI_Bcast(&due, 1, MPI_INT, 0, m->control);
    if (!due)
        return CPM_OK;
    int trips = m->timing == m->usual ? MPIB_SYNC_TRIPS : MPIB_SYNC_FEW_TRIPS;
    int status = mpib_synchronize(m->control, &m->clock, trips, &m->sync, &m->sync_error, e);
    m->synced = m->clock.now(&m->clock);
    return status;
}
