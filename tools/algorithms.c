/* cpm algorithms: the repository of algorithms, as a table. */
#include "collectives/algorithm.h"
#include "tools/options.h"
#include "tools/table.h"

static int run(call *c, cpm_error *e)
{
    const cpm_operation *only = NULL;
    if (c->operands && cpm_operation_find(c->operand[0], &only, e))
        return e->code;
    table t = {.columns = 5};
    const char *const head[] = {"operation", "algorithm", "needs", "parameters", "source"};
    for (int i = 0; i < t.columns; i++)
        table_cell(&t, "%s", head[i]);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        char needs[120], takes[120];
        if (only && !cpm_algorithm_serves(a, only))
            continue;
        cpm_algorithm_needs(a, needs, sizeof needs);
        cpm_algorithm_takes(a, takes, sizeof takes);
        table_cell(&t, "%s", a->operation);
        table_cell(&t, "%s", a->name);
        table_cell(&t, "%s", needs);
        table_cell(&t, "%s", takes);
        table_cell(&t, "%s", a->source);
    }
    return table_print(&t, "", t.columns, stdout, e);
}

static const option *const options[] = {NULL};

const command cpm_algorithms_command = {
    .name = "algorithms",
    .operands = "[OP]",
    .summary = "list the algorithms of collective operations",
    .description = "Lists the algorithms: operation, name, what they need (any n: nothing),\n"
                   "parameters (written OP:NAME:segment=8K:k=4) and source.",
    .example = "cpm algorithms scatter",
    .max_operands = 1,
    .options = options,
    .run = run,
};
