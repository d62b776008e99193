/* The table of algorithms, finding a row, and creating its schedule. */
#include "mpib/algorithms/algorithm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpib/algorithms/tree.h"
#include "mpib/algorithms/trees.h"

/* clang-format off */
const cpm_algorithm cpm_algorithms[] = {
    {"bcast",   "linear",   "Fagg et al. 2006, 5.4 (basic linear)", "any n", &cpm_tree_linear,   cpm_tree_bcast},
    {"bcast",   "binomial", "Thakur, Rabenseifner, Gropp 2005",     "any n", &cpm_tree_binomial, cpm_tree_bcast},
    {"bcast",   "chain",    "Fagg et al. 2006, 5.4 (chain)",        "any n", &cpm_tree_chain,    cpm_tree_bcast},
    {"scatter", "linear",   "O'Flynn 2009, 4.2",                    "any n", &cpm_tree_linear,   cpm_tree_scatter},
    {"scatter", "binomial", "O'Flynn 2009, 5.1 (figure 5.1)",       "any n", &cpm_tree_binomial, cpm_tree_scatter},
    {"scatter", "chain",    "the chain of bcast",                   "any n", &cpm_tree_chain,    cpm_tree_scatter},
    {"gather",  "linear",   "O'Flynn 2009, 4.3",                    "any n", &cpm_tree_linear,   cpm_tree_gather},
    {"gather",  "binomial", "O'Flynn 2009, 5.1 (figure 5.1)",       "any n", &cpm_tree_binomial, cpm_tree_gather},
    {"gather",  "chain",    "the chain of bcast",                   "any n", &cpm_tree_chain,    cpm_tree_gather},
    {0},
};
/* clang-format on */

static int unknown(const char *operation, const char *name, cpm_error *e)
{
    char known[256] = "";
    size_t used = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (strcmp(a->operation, operation) == 0 && used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                     a->name);
    return cpm_fail(e, CPM_EUNKNOWN, "unknown algorithm '%s' of %s (known: %s)", name, operation,
                    known);
}

int cpm_algorithm_find(const char *operation, const char *name, const cpm_algorithm **out,
                       cpm_error *e)
{
    const cpm_operation *op;
    int code = cpm_operation_find(operation, &op, e);
    if (code)
        return code;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (strcmp(a->operation, operation) == 0 && strcmp(a->name, name) == 0) {
            *out = a;
            return CPM_OK;
        }
    return unknown(operation, name, e);
}

static int check_permutation(const cpm_call *call, cpm_error *e)
{
    char *seen = calloc((size_t)call->n, 1);
    if (!seen)
        return cpm_fail(e, CPM_ENOMEM, "out of memory for a mapping of %d processes", call->n);
    int code = CPM_OK;
    for (int v = 0; v < call->n && !code; v++) {
        int process = call->mapping[v];
        if (process < 0 || process >= call->n || seen[process])
            code = cpm_fail(e, CPM_EINVAL, "mapping is not a permutation: node %d has process %d",
                            v, process);
        else
            seen[process] = 1;
    }
    free(seen);
    return code;
}

static int check_call(const cpm_call *call, cpm_error *e)
{
    if (call->n < 1)
        return cpm_fail(e, CPM_EINVAL, "a schedule needs at least 1 process, not %d", call->n);
    if (call->root < 0 || call->root >= call->n)
        return cpm_fail(e, CPM_EINVAL, "root %d is not one of the %d processes", call->root,
                        call->n);
    if (!call->mapping)
        return CPM_OK;
    if (call->mapping[0] != call->root)
        return cpm_fail(e, CPM_EINVAL, "mapping starts with process %d, not with the root %d",
                        call->mapping[0], call->root);
    return check_permutation(call, e);
}

int cpm_schedule_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule **out,
                        cpm_error *e)
{
    int code = check_call(call, e);
    if (code)
        return code;
    cpm_schedule *s = calloc(1, sizeof *s);
    if (!s)
        return cpm_fail(e, CPM_ENOMEM, "out of memory for a schedule");
    s->n = call->n;
    s->root = call->root;
    code = a->create(a, call, s, e);
    if (code) {
        cpm_schedule_free(s);
        return code;
    }
    *out = s;
    return CPM_OK;
}
