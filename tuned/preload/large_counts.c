/* MPI 4's functions with counts of any size: those whose counts an int can hold are like the
 * others.
 *
 * Ranks may differ in count where types differ, so one may come here and another not. They agree
 * nevertheless: a count above INT_MAX means more than INT_MAX bytes, and those are left to MPI in
 * both cases. Operations with counts of each process are left to MPI: what a rank knows of them
 * says nothing about the others. */
#include "tuned/preload/active.h"

#if MPI_VERSION >= 4 && !defined(CPM_SMPI)
#include <limits.h>

static bool fits(MPI_Count count)
{
    return count >= INT_MIN && count <= INT_MAX;
}

static _Thread_local double begun; /* when this thread's last one was passed on; below 0: it is not
                                       counted */

/* Whether CPM is asked; other ranks may ask it where this one cannot, and count the call. who: as
 * cpm_tuned_pass() has it. */
static bool chosen(bool counts_fit, cpm_waiting who, MPI_Comm comm)
{
    bool active = is_active();
    if (active && !counts_fit)
        cpm_tuned_pass(comm, who);
    begun = active && !counts_fit ? cpm_tuned_other_begin() : -1;
    return active && counts_fit;
}

/* What MPI's own routine has returned. */
static int passed(const char *function, int status)
{
    cpm_tuned_other_end(function, begun);
    return status;
}

/* Then what the root alone is asked for may be anything. */
static bool is_elsewhere(int root, MPI_Comm comm)
{
    int inter = 1, rank = root;
    PMPI_Comm_test_inter(comm, &inter);
    if (!inter)
        PMPI_Comm_rank(comm, &rank);
    return rank != root;
}

int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return chosen(fits(count), CPM_NOBODY_WAITS, comm)
               ? cpm_bcast(buffer, (int)count, type, root, comm)
               : passed("MPI_Bcast_c", PMPI_Bcast_c(buffer, count, type, root, comm));
}

int MPI_Scatter_c(const void *send, MPI_Count send_count, MPI_Datatype send_type, void *recv,
                  MPI_Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    return chosen((fits(send_count) || is_elsewhere(root, comm)) &&
                      (fits(recv_count) || recv == MPI_IN_PLACE),
                  CPM_NOBODY_WAITS, comm)
               ? cpm_scatter(send, (int)send_count, send_type, recv, (int)recv_count, recv_type,
                             root, comm)
               : passed("MPI_Scatter_c", PMPI_Scatter_c(send, send_count, send_type, recv,
                                                        recv_count, recv_type, root, comm));
}

int MPI_Gather_c(const void *send, MPI_Count send_count, MPI_Datatype send_type, void *recv,
                 MPI_Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    return chosen((fits(recv_count) || is_elsewhere(root, comm)) &&
                      (fits(send_count) || send == MPI_IN_PLACE),
                  CPM_ROOT_WAITS, comm)
               ? cpm_gather(send, (int)send_count, send_type, recv, (int)recv_count, recv_type,
                            root, comm)
               : passed("MPI_Gather_c", PMPI_Gather_c(send, send_count, send_type, recv, recv_count,
                                                      recv_type, root, comm));
}

int MPI_Allgather_c(const void *send, MPI_Count send_count, MPI_Datatype send_type, void *recv,
                    MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    return chosen((fits(send_count) || send == MPI_IN_PLACE) && fits(recv_count), CPM_ALL_WAIT,
                  comm)
               ? cpm_allgather(send, (int)send_count, send_type, recv, (int)recv_count, recv_type,
                               comm)
               : passed("MPI_Allgather_c", PMPI_Allgather_c(send, send_count, send_type, recv,
                                                            recv_count, recv_type, comm));
}

int MPI_Alltoall_c(const void *send, MPI_Count send_count, MPI_Datatype send_type, void *recv,
                   MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    return chosen((fits(send_count) || send == MPI_IN_PLACE) && fits(recv_count), CPM_ALL_WAIT,
                  comm)
               ? cpm_alltoall(send, (int)send_count, send_type, recv, (int)recv_count, recv_type,
                              comm)
               : passed("MPI_Alltoall_c", PMPI_Alltoall_c(send, send_count, send_type, recv,
                                                          recv_count, recv_type, comm));
}

int MPI_Reduce_c(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 int root, MPI_Comm comm)
{
    return chosen(fits(count), CPM_ROOT_WAITS, comm)
               ? cpm_reduce(send, recv, (int)count, type, op, root, comm)
               : passed("MPI_Reduce_c", PMPI_Reduce_c(send, recv, count, type, op, root, comm));
}

int MPI_Allreduce_c(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm)
{
    return chosen(fits(count), CPM_ALL_WAIT, comm)
               ? cpm_allreduce(send, recv, (int)count, type, op, comm)
               : passed("MPI_Allreduce_c", PMPI_Allreduce_c(send, recv, count, type, op, comm));
}

int MPI_Scan_c(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm)
{
    return chosen(fits(count), CPM_NOBODY_WAITS, comm)
               ? cpm_scan(send, recv, (int)count, type, op, comm)
               : passed("MPI_Scan_c", PMPI_Scan_c(send, recv, count, type, op, comm));
}

int MPI_Exscan_c(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm)
{
    return chosen(fits(count), CPM_NOBODY_WAITS, comm)
               ? cpm_exscan(send, recv, (int)count, type, op, comm)
               : passed("MPI_Exscan_c", PMPI_Exscan_c(send, recv, count, type, op, comm));
}

int MPI_Reduce_scatter_block_c(const void *send, void *recv, MPI_Count recv_count,
                               MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return chosen(fits(recv_count), CPM_ALL_WAIT, comm)
               ? cpm_reduce_scatter_block(send, recv, (int)recv_count, type, op, comm)
               : passed("MPI_Reduce_scatter_block_c",
                        PMPI_Reduce_scatter_block_c(send, recv, recv_count, type, op, comm));
}

int MPI_Neighbor_allgather_c(const void *send, MPI_Count send_count, MPI_Datatype send_type,
                             void *recv, MPI_Count recv_count, MPI_Datatype recv_type,
                             MPI_Comm comm)
{
    return chosen(fits(send_count) && fits(recv_count), CPM_NOBODY_WAITS, comm)
               ? cpm_neighbor_allgather(send, (int)send_count, send_type, recv, (int)recv_count,
                                        recv_type, comm)
               : passed("MPI_Neighbor_allgather_c",
                        PMPI_Neighbor_allgather_c(send, send_count, send_type, recv, recv_count,
                                                  recv_type, comm));
}

int MPI_Neighbor_alltoall_c(const void *send, MPI_Count send_count, MPI_Datatype send_type,
                            void *recv, MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    return chosen(fits(send_count) && fits(recv_count), CPM_NOBODY_WAITS, comm)
               ? cpm_neighbor_alltoall(send, (int)send_count, send_type, recv, (int)recv_count,
                                       recv_type, comm)
               : passed("MPI_Neighbor_alltoall_c",
                        PMPI_Neighbor_alltoall_c(send, send_count, send_type, recv, recv_count,
                                                 recv_type, comm));
}

/* ---- nonblocking and persistent ---- */

/* Making a persistent one may wait for others. */
static void pass_made(MPI_Comm comm)
{
    cpm_tuned_pass(comm, CPM_ALL_WAIT);
}

/* The same; other ranks may have given it a number. */
static bool begins(bool counts_fit, void (*pass)(MPI_Comm comm), MPI_Comm comm)
{
    bool active = is_active();
    if (active && !counts_fit)
        pass(comm);
    begun = active && !counts_fit ? cpm_tuned_other_begin() : -1;
    return active && counts_fit;
}

#pragma GCC diagnostic ignored "-Wconversion" /* they fit */
#define CPM_OTHER(function, parameters, arguments)
#define CPM_TAKEN_LARGE(function, own, pass, counts_fit, parameters, arguments)           \
    int function parameters                                                               \
    {                                                                                     \
        return begins(counts_fit, pass, comm) ? own arguments                             \
                                              : passed(#function, P##function arguments); \
    }
#include "tuned/preload/other_functions.def"
#endif
