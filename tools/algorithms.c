/* cpm algorithms: the repository of algorithms, as a table. */
#include <string.h>

#include "mpib/algorithms/algorithm.h"
#include "tools/options.h"
#include "tools/table.h"

static int run(call *c, cpm_error *e)
{
    const cpm_operation *only = NULL;
    if (c->operands && cpm_operation_find(c->operand[0], &only, e))
        return e->code;
    table t = {.columns = 4};
    const char *const head[] = {"operation", "algorithm", "applies to", "source"};
    for (int i = 0; i < t.columns; i++)
        table_cell(&t, "%s", head[i]);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        if (only && strcmp(a->operation, only->name) != 0)
            continue;
        table_cell(&t, "%s", a->operation);
        table_cell(&t, "%s", a->name);
        table_cell(&t, "%s", a->applies);
        table_cell(&t, "%s", a->source);
    }
    return table_print(&t, "", t.columns, stdout, e);
}

static const option *const options[] = {NULL};

const command cpm_algorithms_command = {
    .name = "algorithms",
    .operands = "[OP]",
    .summary = "list the algorithms of collective operations",
    .description = "Lists the algorithms: operation, name, what they apply to, source.",
    .example = "cpm algorithms scatter",
    .max_operands = 1,
    .options = options,
    .run = run,
};
