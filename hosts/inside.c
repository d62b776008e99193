#include "hosts/inside.h"

#include <sched.h>
#include <stdlib.h>

#include "executor/agree.h"

#ifdef CPM_SMPI
enum { SIMULATED = 1 }; /* hosts: this one says nothing of them */
#else
enum { SIMULATED = 0 };
#endif

static void own_processors(cpu_set_t *out)
{
    CPU_ZERO(out);
    if (sched_getaffinity(0, sizeof *out, out) != 0)
        CPU_ZERO(out);
}

int mpib_socket_here(void)
{
    cpu_set_t own;
    own_processors(&own);
    return mpib_view_by_hwloc(&own, &own).socket;
}

size_t mpib_cached_here(void)
{
    cpu_set_t own;
    own_processors(&own);
    return SIMULATED ? 0 : mpib_view_by_hwloc(&own, &own).cached;
}

/* A host that cannot say which processes share it has this one alone. */
static void unite_over_host(MPI_Comm comm, cpu_set_t *used)
{
    MPI_Comm node;
    cpu_set_t own = *used;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return;
    PMPI_Allreduce(&own, used, (int)sizeof own, MPI_BYTE, MPI_BOR, node);
    PMPI_Comm_free(&node);
}

static int gather_sockets(MPI_Comm comm, int own, cpm_hosts *hosts, cpm_error *e)
{
    int rank, status = CPM_OK, *all = NULL;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0 && !(all = malloc((size_t)hosts->n * sizeof *all)))
        status = cpm_no_memory(e);
    status = mpib_agree(comm, status, e);
    if (!status) {
        PMPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
        status = mpib_agree(comm, rank == 0 ? cpm_hosts_set_sockets(hosts, all, e) : CPM_OK, e);
    }
    free(all);
    return status;
}

int mpib_inside_find(MPI_Comm comm, cpm_hosts *hosts, mpib_inside *most, cpm_error *e)
{
    cpu_set_t own, used;
    *most = (mpib_inside){0};
    if (SIMULATED)
        return CPM_OK;
    own_processors(&own);
    used = own;
    unite_over_host(comm, &used);
    mpib_hwloc_view s = mpib_view_by_hwloc(&own, &used);
    PMPI_Allreduce(&s.inside.sockets, &most->sockets, 1, MPI_INT, MPI_MAX, comm);
    PMPI_Allreduce(&s.inside.caches, &most->caches, 1, MPI_INT, MPI_MAX, comm);
    return gather_sockets(comm, s.socket, hosts, e);
}
