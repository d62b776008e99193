/* The operations: which rank holds which unit before and after. */
#include "mpib/algorithms/operation.h"

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
    /* name            like         rooted combines dataless units     before      after */
    {"bcast",          NULL,        true,  false, false, one,             root_holds, all_hold},
    {"scatter",        NULL,        true,  false, false, one_per_process, root_holds, own},
    {"scatterv",       "scatter",   true,  false, false, one_per_process, root_holds, own},
    {"gather",         NULL,        true,  false, false, one_per_process, own,        root_holds},
    {"gatherv",        "gather",    true,  false, false, one_per_process, own,        root_holds},
    {"reduce",         NULL,        true,  true,  false, one,             all_hold,   root_holds},
    {"reduce_scatter", NULL,        false, true,  false, one_per_process, all_hold,   own},
    {"allgather",      NULL,        false, false, false, one_per_process, own,        all_hold},
    {"allgatherv",     "allgather", false, false, false, one_per_process, own,        all_hold},
    {"alltoall",       NULL,        false, false, false, one_per_pair,    comes_from, goes_to},
    {"alltoallv",      "alltoall",  false, false, false, one_per_pair,    comes_from, goes_to},
    {"allreduce",      NULL,        false, true,  false, one,             all_hold,   all_hold},
    {"barrier",        NULL,        false, false, true,  one_per_process, own,        all_hold},
    {0},
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
