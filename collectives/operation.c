/* The operations: which rank holds which unit before and after. */
#include "collectives/operation.h"

#include <stdio.h>
#include <string.h>

static int64_t one(int n)
{
    (void)n;
    return 1;
}

static int64_t one_per_process(int n)
{
    return n;
}

static bool root_holds(int n, int root, int rank, int64_t unit)
{
    (void)n, (void)unit;
    return rank == root;
}

static bool all_hold(int n, int root, int rank, int64_t unit)
{
    (void)n, (void)root, (void)rank, (void)unit;
    return true;
}

static bool own(int n, int root, int rank, int64_t unit)
{
    (void)n, (void)root;
    return unit == rank;
}

static int64_t one_per_pair(int n)
{
    return (int64_t)n * n;
}

static bool comes_from(int n, int root, int rank, int64_t unit)
{
    (void)root;
    return unit / n == rank;
}

static bool goes_to(int n, int root, int rank, int64_t unit)
{
    (void)root;
    return unit % n == rank;
}

/* clang-format off */
const cpm_operation cpm_operations[] = {
                               /* name           like         rooted combines dataless units  before  after */
    [CPM_OP_BCAST]          = {"bcast",          NULL,        true,  false, false, one,             root_holds, all_hold},
    [CPM_OP_SCATTER]        = {"scatter",        NULL,        true,  false, false, one_per_process, root_holds, own},
    [CPM_OP_SCATTERV]       = {"scatterv",       "scatter",   true,  false, false, one_per_process, root_holds, own},
    [CPM_OP_GATHER]         = {"gather",         NULL,        true,  false, false, one_per_process, own,        root_holds},
    [CPM_OP_GATHERV]        = {"gatherv",        "gather",    true,  false, false, one_per_process, own,        root_holds},
    [CPM_OP_REDUCE]         = {"reduce",         NULL,        true,  true,  false, one,             all_hold,   root_holds},
    [CPM_OP_REDUCE_SCATTER] = {"reduce_scatter", NULL,        false, true,  false, one_per_process, all_hold,   own},
    [CPM_OP_ALLGATHER]      = {"allgather",      NULL,        false, false, false, one_per_process, own,        all_hold},
    [CPM_OP_ALLGATHERV]     = {"allgatherv",     "allgather", false, false, false, one_per_process, own,        all_hold},
    [CPM_OP_ALLTOALL]       = {"alltoall",       NULL,        false, false, false, one_per_pair,    comes_from, goes_to},
    [CPM_OP_ALLTOALLV]      = {"alltoallv",      "alltoall",  false, false, false, one_per_pair,    comes_from, goes_to},
    [CPM_OP_ALLREDUCE]      = {"allreduce",      NULL,        false, true,  false, one,             all_hold,   all_hold},
    [CPM_OP_BARRIER]        = {"barrier",        NULL,        false, false, true,  one_per_process, own,        all_hold},
    [CPM_OPERATIONS]        = {0},
};
/* clang-format on */

int cpm_operation_find(const char *name, const cpm_operation **out, cpm_error *e)
{
    char known[256] = "";
    size_t used = 0;
    for (const cpm_operation *op = cpm_operations; op->name; op++) {
        if (strcmp(op->name, name) == 0) {
            *out = op;
            return CPM_OK;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                     op->name);
    }
    return cpm_fail(e, CPM_EUNKNOWN, "unknown operation '%s' (known: %s)", name, known);
}
