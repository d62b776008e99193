/* The residuals of a fit as a table. */
#include "tools/report.h"

#include <stdlib.h>

#include "estimators/residuals.h"
#include "tools/output.h"
#include "tools/table.h"

static void add_worst(table *t, const cpm_residual *r)
{
    char text[64] = "-";
    size_t used = 0;
    for (int w = 0; w < CPM_WORST_PROCESSES && r->worst[w] >= 0; w++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%d", w ? " " : "", r->worst[w]);
    table_cell(t, "%s", text);
}

static void add_row(table *t, const cpm_residual *r)
{
    char name[CPM_EXPERIMENT_NAME];
    cpm_experiment_name(&r->example, name, sizeof name);
    table_cell(t, "%s%s", name, cpm_residual_contradicts(r) ? " (!)" : "");
    table_cell(t, "%s", r->example.send_bytes ? "non-empty" : "empty");
    table_cell(t, "%d", r->count);
    table_cell(t, "%.2f", 100 * r->median);
    table_cell(t, "%.2f", 100 * r->p95);
    table_cell(t, "%.2f", 100 * r->largest);
    table_cell(t, "%+.2f", 100 * r->offset);
    table_cell(t, "%.2f", 100 * r->noise);
    add_worst(t, r);
}

int report_fit(const cpm_model *model, const cpm_measurements *m, cpm_error *e)
{
    cpm_residual *rows = NULL;
    int count = 0, status = cpm_residuals(model, m, true, &rows, &count, e);
    if (status)
        return status;
    table t = {0};
    printf("# residuals: measured time less the model's, in %% of the measured; noise: half the\n"
           "# interval of a measured time; (!): far beyond the noise\n");
    table_head(&t, "experiment", "messages", "count", "median", "95 %", "largest", "offset",
               "noise", "worst processes", NULL);
    for (int q = 0; q < count; q++)
        add_row(&t, &rows[q]);
    status = table_print(&t, "", 2, stdout, e);
    output_lines("# ", model->notes, stdout);
    free(rows);
    return status;
}
