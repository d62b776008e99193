/* Functions that make communicators: the ranks meet there where calls are compared (CPM_CHECK), or
 * where something is to be chosen, as a nonblocking call could not wait for others. All of them are
 * called by all ranks of what they make, most by all of what it is made from. Others, MPI_Comm_idup
 * among them, are MPI's alone; MPI_Comm_dup_with_info is in info.c. And functions that free them.
 */
#include "cpm/cpm_mpi.h"

#ifndef CPM_SMPI
#define MAKER_FROM(parent, function, parameters, arguments) \
    int function parameters                                 \
    {                                                       \
        const int status = P##function arguments;           \
        if (status == MPI_SUCCESS)                          \
            cpm_tuned_made(parent, *made);                  \
        return status;                                      \
    }
#define MAKER(function, parameters, arguments) MAKER_FROM(comm, function, parameters, arguments)

MAKER(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKER(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKER(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      (comm, type, key, info, made))
MAKER(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKER_FROM(MPI_COMM_NULL, MPI_Comm_create_group,
           (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))
MAKER_FROM(MPI_COMM_NULL, MPI_Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made),
           (comm, high, made))
MAKER(MPI_Cart_create,
      (MPI_Comm comm, int count, const int sizes[], const int periods[], int reorder,
       MPI_Comm *made),
      (comm, count, sizes, periods, reorder, made))
MAKER(MPI_Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made))
MAKER(MPI_Graph_create,
      (MPI_Comm comm, int count, const int index[], const int edges[], int reorder, MPI_Comm *made),
      (comm, count, index, edges, reorder, made))
MAKER(MPI_Dist_graph_create,
      (MPI_Comm comm, int count, const int from[], const int degrees[], const int to[],
       const int weights[], MPI_Info info, int reorder, MPI_Comm *made),
      (comm, count, from, degrees, to, weights, info, reorder, made))
MAKER(MPI_Dist_graph_create_adjacent,
      (MPI_Comm comm, int in, const int from[], const int in_weights[], int out, const int to[],
       const int out_weights[], MPI_Info info, int reorder, MPI_Comm *made),
      (comm, in, from, in_weights, out, to, out_weights, info, reorder, made))

int MPI_Comm_free(MPI_Comm *comm)
{
    return cpm_tuned_free(comm, PMPI_Comm_free);
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
    return cpm_tuned_free(comm, PMPI_Comm_disconnect);
}
#endif
