#include "tuned/comm/layout.h"

#include <stdlib.h>

#include "hosts/hosts.h"
#include "tuned/environment.h"

int tuned_layout_read(cpm_hosts *world, cpm_error *e)
{
    const tuned_environment *said = tuned_environment_get();
    cpm_error why = {0};
    int status = cpm_hosts_read(said->layout, said->placement, world, &why);
    int all = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &all);
    if (!status && world->n != all)
        status = cpm_fail(&why, CPM_EPROCESS, "%s are %d processes, but the program has %d",
                          said->layout, world->n, all);
    return status ? cpm_fail(e, status, "--layout (CPM_LAYOUT): %s", why.text) : CPM_OK;
}

static int read_layout(const tuned_state *t, cpm_hosts *out, cpm_error *e)
{
    cpm_hosts world = {0};
    cpm_error why = {0};
    int status = tuned_layout_read(&world, e);
    if (!status && mpib_hosts_within(t->comm, &world, out, &why) != CPM_OK)
        status = cpm_fail(e, why.code, "--layout (CPM_LAYOUT): %s", why.text);
    cpm_hosts_clear(&world);
    return status;
}

/* As rank 0 has read it. */
static int share(tuned_state *t, cpm_hosts *own, int status, cpm_error *e)
{
    int told[2] = {status, own->count};
    PMPI_Bcast(told, 2, MPI_INT, 0, t->inside);
    if (!own->of)
        own->of = malloc((size_t)t->n * sizeof *own->of);
    if (!tuned_all(t->inside, own->of && !told[0])) {
        cpm_hosts_clear(own);
        return told[0] ? told[0] : cpm_no_memory(e);
    }
    PMPI_Bcast(own->of, t->n, MPI_INT, 0, t->inside);
    t->hosts = (cpm_hosts){.n = t->n, .count = told[1], .of = own->of, .name = own->name};
    own->of = NULL;
    own->name = NULL;
    cpm_hosts_clear(own);
    return CPM_OK;
}

int tuned_layout_take(tuned_state *t, cpm_error *e)
{
    cpm_hosts own = {0};
    int status = t->rank == 0 ? read_layout(t, &own, e) : CPM_OK;
    return share(t, &own, status, e);
}
