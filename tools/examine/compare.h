/* What cpm compare finds, for others to show too. */
#ifndef CPM_TOOLS_EXAMINE_COMPARE_H
#define CPM_TOOLS_EXAMINE_COMPARE_H

#include "tools/frame/command.h"
#include "tools/frame/table.h"

/* What to compare. */
typedef struct {
    settings shared;
    bool full;
    const char *library; /* whose own routine OP:native is; NULL: not said */
} compare_settings;

static inline compare_settings *compare_of(const call *c)
{
    return (compare_settings *)c->set;
}

/* Appends what cpm compare prints for the operands and settings of c, models and observations: a
 * head, and for each algorithm the mean absolute relative errors of the models, and how much the
 * observations vary. Writes every prediction to the output that c names, if it does. Errors as of
 * compare_read (compare_input.h). */
int compare_tabulate(call *c, table *t, cpm_error *e);

#endif
