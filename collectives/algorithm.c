/* Finding a row, what it needs, and creating its schedule. */
#include "collectives/algorithm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "collectives/schedule/messages.h"

/* Whether it is a row of the operation, or of the one whose algorithms that has. */
static bool is_row_of(const cpm_algorithm *a, const cpm_operation *operation)
{
    return strcmp(a->operation, operation->name) == 0 ||
           (operation->like && strcmp(a->operation, operation->like) == 0);
}

bool cpm_algorithm_serves(const cpm_algorithm *a, const cpm_operation *operation)
{
    return is_row_of(a, operation) &&
           (a->properties & CPM_OWN_SIZE || !cpm_operation_ends_know_sizes(operation));
}

static bool fits(unsigned properties, const cpm_call *call)
{
    return !((properties & CPM_NEEDS_POWER_OF_2 && (call->n & (call->n - 1))) ||
             (properties & CPM_NEEDS_EVEN && call->n % 2) ||
             (properties & CPM_NEEDS_TREE && !call->parent) ||
             (properties & CPM_NEEDS_TOPOLOGY && !call->topology) ||
             (properties & CPM_NEEDS_HOSTS && !cpm_hosts_have_levels(call->hosts)) ||
             (properties & CPM_NEEDS_ROWS && !cpm_hosts_are_in_rows(call->hosts)) ||
             (properties & CPM_NEEDS_NEIGHBOURS && !call->neighbours) ||
             (properties & CPM_NEEDS_GRID && !call->neighbours->dimensions) ||
             (properties & CPM_NEEDS_SIMPLE && call->neighbours->parallel));
}

/* The names of operation's algorithms that fit the call (NULL: all). */
static void list_known(const cpm_operation *operation, const cpm_call *call, char *known,
                       size_t size)
{
    size_t used = 0;
    known[0] = '\0';
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (cpm_algorithm_serves(a, operation) && used < size &&
            (!call || fits(a->properties, call)))
            used += (size_t)snprintf(known + used, size - used, "%s%s", used ? ", " : "", a->name);
}

static int fail_sizes_unknown(const cpm_operation *op, const char *name, cpm_error *e)
{
    char known[400];
    list_known(op, NULL, known, sizeof known);
    return cpm_fail(e, CPM_EINVAL,
                    "%s:%s: its processes need to know the sizes of blocks that they pass on. Only "
                    "the two ends of an edge know these (algorithms that do without: %s)",
                    op->name, name, known);
}

static int fail_unknown(const cpm_operation *op, const char *name, cpm_error *e)
{
    char known[400], ask[CPM_NEAREST_TEXT];
    cpm_nearest near = {.typed = name};
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (cpm_algorithm_serves(a, op))
            cpm_nearest_try(&near, a->name);
    list_known(op, NULL, known, sizeof known);
    return cpm_fail(e, CPM_EUNKNOWN, "unknown algorithm '%s' of %s (known: %s)%s", name, op->name,
                    known, cpm_nearest_ask(&near, ask, sizeof ask));
}

int cpm_algorithm_find(const char *operation, const char *name, const cpm_algorithm **out,
                       cpm_error *e)
{
    const cpm_operation *op;
    int code = cpm_operation_find(operation, &op, e);
    if (code)
        return code;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (cpm_algorithm_serves(a, op) && strcmp(a->name, name) == 0) {
            *out = a;
            return CPM_OK;
        }
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (is_row_of(a, op) && strcmp(a->name, name) == 0)
            return fail_sizes_unknown(op, name, e);
    return e ? fail_unknown(op, name, e) : CPM_EUNKNOWN; /* selectors ask without a wish to know */
}

typedef struct {
    unsigned property;
    const char *words;
} wording;

/* Those of the properties that a row has, with commas; otherwise if there is none. */
static void list_properties(const cpm_algorithm *a, const wording *all, const char *otherwise,
                            char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "%s", otherwise);
    for (const wording *w = all; w->words; w++)
        if (a->properties & w->property && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", w->words);
}

void cpm_algorithm_needs(const cpm_algorithm *a, char *text, size_t size)
{
    static const wording needs[] = {
        {CPM_NEEDS_POWER_OF_2, "n a power of two"},
        {CPM_NEEDS_EVEN, "an even n"},
        {CPM_NEEDS_TOPOLOGY, "a topology"},
        {CPM_NEEDS_TREE, "a tree"},
        {CPM_NEEDS_HOSTS, "several hosts with several processes"},
        {CPM_NEEDS_ROWS, "consecutive ranks on each host"},
        {CPM_NEEDS_NEIGHBOURS, "a graph of neighbours"},
        {CPM_NEEDS_GRID, "that of a grid with corners"},
        {CPM_NEEDS_SIMPLE, "one edge at most from one process to another one"},
        {CPM_REORDERS, "an operation that commutes"},
        {CPM_REORDERS_UNLESS_ROOT_0, "an operation that commutes unless the root is 0"},
        {CPM_REORDERS_UNLESS_IN_ROWS, "an operation that commutes or hosts of consecutive ranks"},
        {0, NULL},
    };
    if (a->messages)
        snprintf(text, size, "%d processes", a->messages->n);
    else
        list_properties(a, needs, "any n", text, size);
}

void cpm_algorithm_takes(const cpm_algorithm *a, char *text, size_t size)
{
    static const wording takes[] = {
        {CPM_TAKES_SEGMENT, "segment"},
        {CPM_TAKES_K, "k"},
        {CPM_TAKES_MESH, "mesh"},
        {CPM_TAKES_INNER, "x, y, z"},
        {CPM_TAKES_LEVELS, "inner, outer"},
        {CPM_TAKES_LEADERS, "leaders"},
        {CPM_TAKES_THRESHOLD, "threshold"},
        {CPM_TAKES_MAPPING, "map"},
        {0, NULL},
    };
    list_properties(a, takes, "-", text, size);
}

const char *cpm_algorithm_group(const cpm_algorithm *a)
{
    static const char *const groups[] = {"start-ups", "bandwidth", "contention"};
    return groups[a->group];
}

static int list_applies(const cpm_algorithm *a, const cpm_call *call, cpm_error *e)
{
    cpm_error why = {0};
    int code = cpm_messages_apply(a->messages, call, &why);
    return code ? cpm_fail(e, code, "%s:%s: %s", a->operation, a->name, why.text) : CPM_OK;
}

int cpm_algorithm_applies(const cpm_algorithm *a, const cpm_call *call, cpm_error *e)
{
    if (a->messages)
        return list_applies(a, call, e);
    if (fits(a->properties, call))
        return CPM_OK;
    char needs[120], known[300];
    const cpm_operation *op;
    int code = cpm_operation_find(a->operation, &op, e);
    if (code)
        return code;
    cpm_algorithm_needs(a, needs, sizeof needs);
    list_known(op, call, known, sizeof known);
    return cpm_fail(e, CPM_EINVAL,
                    "%s:%s does not apply to %d processes: it needs %s%s (those that do: %s)",
                    a->operation, a->name, call->n, needs,
                    a->properties & CPM_NEEDS_HOSTS && !call->hosts
                        ? ", and it is not known which processes share a host"
                        : "",
                    *known ? known : "none");
}

bool cpm_algorithm_keeps_order(const cpm_algorithm *a, int root)
{
    return !(a->properties & (CPM_REORDERS | CPM_REORDERS_UNLESS_IN_ROWS)) &&
           !(a->properties & CPM_REORDERS_UNLESS_ROOT_0 && root != 0);
}

static int check_permutation(const cpm_call *call, cpm_error *e)
{
    char *seen = calloc((size_t)call->n, 1);
    if (!seen)
        return cpm_no_memory(e);
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

static int check_call(const cpm_algorithm *a, const cpm_call *call, cpm_error *e)
{
    if (call->n < 1)
        return cpm_fail(e, CPM_EINVAL, "a schedule needs at least 1 process, not %d", call->n);
    if (call->root < 0 || call->root >= call->n)
        return cpm_fail(e, CPM_EINVAL, "root %d is not one of the %d processes", call->root,
                        call->n);
    if (call->hosts && call->hosts->n != call->n)
        return cpm_fail(e, CPM_EINVAL, "a layout of %d processes is none of %d", call->hosts->n,
                        call->n);
    if (call->neighbours && call->neighbours->n != call->n)
        return cpm_fail(e, CPM_EINVAL, "a graph of %d processes is none of %d", call->neighbours->n,
                        call->n);
    int code = cpm_algorithm_applies(a, call, e);
    if (code || !call->mapping)
        return code;
    if (call->mapping[0] != call->root)
        return cpm_fail(e, CPM_EINVAL, "mapping starts with process %d, not with the root %d",
                        call->mapping[0], call->root);
    return check_permutation(call, e);
}

int cpm_schedule_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule **out,
                        cpm_error *e)
{
    const cpm_operation *op = NULL;
    int code = cpm_operation_find(a->operation, &op, e);
    if (!code)
        code = check_call(a, call, e);
    if (code)
        return code;
    cpm_schedule *s = calloc(1, sizeof *s);
    if (!s)
        return cpm_no_memory(e);
    s->operation = op;
    s->n = call->n;
    s->root = op->rooted ? call->root : -1;
    s->neighbours = cpm_operation_is_of_neighbours(op) ? call->neighbours : NULL;
    code = a->create(a, call, s, e);
    if (code) {
        cpm_schedule_free(s);
        return code;
    }
    *out = s;
    return CPM_OK;
}
