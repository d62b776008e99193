#include "hosts/hosts.h"

#include <stdlib.h>

#include "executor/agree.h"

/* The lowest rank on this one's host; -1: MPI cannot tell. */
static int first_here(MPI_Comm comm)
{
    MPI_Comm here = MPI_COMM_NULL;
    int rank, first = -1;
    PMPI_Comm_rank(comm, &rank);
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here) !=
            MPI_SUCCESS ||
        here == MPI_COMM_NULL)
        return -1;
    if (PMPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, here) != MPI_SUCCESS)
        first = -1;
    PMPI_Comm_free(&here);
    return first;
}

/* first[n]: the first process on the host of each. */
static int number(int *first, int n, cpm_hosts *out, cpm_error *e)
{
    const cpm_hosts each = {.n = n, .count = n, .of = first};
    int *all = malloc((size_t)n * sizeof *all);
    if (!all)
        return cpm_no_memory(e);
    for (int i = 0; i < n; i++)
        all[i] = i;
    int status = cpm_hosts_of(&each, all, n, out, e);
    free(all);
    return status;
}

/* Whether each knows its first. */
static bool all_known(const int *first, int n)
{
    for (int i = 0; i < n; i++)
        if (first[i] < 0)
            return false;
    return true;
}

int mpib_hosts_apart(MPI_Comm comm, int *space, cpm_hosts *out, cpm_error *e)
{
    int n, own = first_here(comm);
    PMPI_Comm_size(comm, &n);
    if (PMPI_Allgather(&own, 1, MPI_INT, space, 1, MPI_INT, comm) != MPI_SUCCESS)
        return cpm_fail(e, CPM_EMPI, "the hosts of %d processes cannot be gathered", n);
    if (!all_known(space, n))
        return cpm_fail(e, CPM_EMPI, "MPI cannot tell which processes share a host");
    return number(space, n, out, e);
}

int mpib_hosts(MPI_Comm comm, cpm_hosts *out, cpm_error *e)
{
    int n, status = CPM_OK;
    cpm_hosts found = {0};
    PMPI_Comm_size(comm, &n);
    int *space = malloc((size_t)n * sizeof *space);
    if (!space)
        status = cpm_no_memory(e);
    status = mpib_agree(comm, status, e);
    if (!status)
        status = mpib_agree(comm, mpib_hosts_apart(comm, space, &found, e), e);
    free(space);
    if (status)
        cpm_hosts_clear(&found);
    else
        *out = found;
    return status;
}

int mpib_hosts_within(MPI_Comm comm, const cpm_hosts *world, cpm_hosts *out, cpm_error *e)
{
    int n, status = CPM_OK;
    PMPI_Comm_size(comm, &n);
    int *own = malloc((size_t)n * sizeof *own), *there = malloc((size_t)n * sizeof *there);
    if (!own || !there)
        status = cpm_no_memory(e);
    MPI_Group group, all;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < n && !status; i++)
        own[i] = i;
    if (!status)
        PMPI_Group_translate_ranks(group, n, own, all, there);
    for (int i = 0; i < n && !status; i++)
        if (there[i] < 0 || there[i] >= world->n)
            status = cpm_fail(e, CPM_EPROCESS,
                              "a layout of %d processes does not say where rank %d of %d is",
                              world->n, i, n);
    if (!status)
        status = cpm_hosts_of(world, there, n, out, e);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    free(own);
    free(there);
    return status;
}
