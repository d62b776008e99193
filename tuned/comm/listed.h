/* How many neighbours MPI has of a process on a communicator. */
#ifndef CPM_TUNED_COMM_LISTED_H
#define CPM_TUNED_COMM_LISTED_H

#include <mpi.h>

#include "collectives/operation.h"

/* Blocks of a side, those of nobody (MPI_PROC_NULL) among them; 0: there is no graph. Local. */
static inline int tuned_listed_blocks(MPI_Comm comm, cpm_side side)
{
    int in = 0, out = 0;
#ifdef CPM_SMPI
    (void)comm;
#else
    int kind = MPI_UNDEFINED, rank, weighted;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &in);
        return 2 * in;
    }
    if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &in);
        return in;
    }
    if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
#endif
    return side == CPM_SEND_SIDE ? out : in;
}

#endif
