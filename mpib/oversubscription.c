/* Do ranks outnumber the processors that they may use? */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "executor/agree.h"
#include "mpib/mpi_machine.h"

typedef struct {
    double ratio;
    int rank;
} candidate; /* as MPI_DOUBLE_INT */

/* Processors in the union of the masks of all ranks of node. */
static int union_of_masks(MPI_Comm node)
{
    cpu_set_t own, all;
    CPU_ZERO(&own);
    CPU_ZERO(&all);
    if (sched_getaffinity(0, sizeof own, &own) != 0)
        CPU_SET(0, &own);
    PMPI_Allreduce(&own, &all, (int)sizeof own, MPI_BYTE, MPI_BOR, node);
    return CPU_COUNT(&all);
}

int mpib_oversubscription(MPI_Comm comm, int *ranks, int *cores, char *host, int size, cpm_error *e)
{
    MPI_Comm node;
    int rank, own[2];
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    MPI_Comm_rank(comm, &rank);
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return cpm_fail(e, CPM_EMPI, "MPI cannot tell which ranks share a host");
    MPI_Comm_size(node, &own[0]);
    own[1] = union_of_masks(node);
    MPI_Comm_free(&node);
    candidate mine = {(double)own[0] / own[1], rank}, worst = mine;
    PMPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    MPI_Get_processor_name(name, &(int){0});
    PMPI_Bcast(own, 2, MPI_INT, worst.rank, comm);
    PMPI_Bcast(name, sizeof name, MPI_CHAR, worst.rank, comm);
    *ranks = own[0];
    *cores = own[1];
    cpm_escape_word(name, host, (size_t)size);
    return CPM_OK;
}
