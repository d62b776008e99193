/* The operations: which rank holds which block before and after. */
#include "mpib/algorithms/operation.h"

#include <stdio.h>
#include <string.h>

static int64_t one_block(int n)
{
    (void)n;
    return 1;
}

static int64_t block_per_process(int n)
{
    return n;
}

static bool root_holds(int n, int root, int rank, int64_t block)
{
    (void)n, (void)block;
    return rank == root;
}

static bool all_hold(int n, int root, int rank, int64_t block)
{
    (void)n, (void)root, (void)rank, (void)block;
    return true;
}

static bool own_block(int n, int root, int rank, int64_t block)
{
    (void)n, (void)root;
    return block == rank;
}

/* clang-format off */
const cpm_operation cpm_operations[] = {
    {"bcast",   true, one_block,         root_holds, all_hold},
    {"scatter", true, block_per_process, root_holds, own_block},
    {"gather",  true, block_per_process, own_block,  root_holds},
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
