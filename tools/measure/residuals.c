/* The residuals of a fit as a table. */
#include "tools/measure/residuals.h"

#include <stdlib.h>
#include <string.h>

#include "estimators/residuals.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"

static const char *worst_of(const cpm_residual *r, char text[64])
{
    size_t used = 0;
    strcpy(text, "-");
    for (int w = 0; w < CPM_WORST_PROCESSES && r->worst[w] >= 0; w++)
        used += (size_t)snprintf(text + used, 64 - used, "%s%d", w ? " " : "", r->worst[w]);
    return text;
}

static void add_row(table *t, const cpm_residual *r)
{
    char name[CPM_EXPERIMENT_NAME], worst[64];
    cpm_experiment_name(&r->example, name, sizeof name);
    table_cell(t, "%s%s", name, cpm_residual_contradicts(r) ? " (!)" : "");
    table_cell(t, "%s", r->example.send_bytes ? "non-empty" : "empty");
    table_cell(t, "%d", r->count);
    table_cell(t, "%.2f", 100 * r->median);
    table_cell(t, "%.2f", 100 * r->p95);
    table_cell(t, "%.2f", 100 * r->largest);
    table_cell(t, "%+.2f", 100 * r->offset);
    table_cell(t, "%.2f", 100 * r->noise);
    table_cell(t, "%s", worst_of(r, worst));
}

static int print_text(const cpm_model *model, const cpm_residual *rows, int count, cpm_error *e)
{
    table t = {0};
    printf("# residuals: measured time less the model's, in %% of the measured; noise: half the\n"
           "# interval of a measured time; (!): far beyond the noise\n");
    table_head(&t, "experiment", "messages", "count", "median", "95 %", "largest", "offset",
               "noise", "worst processes", NULL);
    for (int q = 0; q < count; q++)
        add_row(&t, &rows[q]);
    int status = table_print(&t, "", 2, stdout, e);
    output_lines("# ", model->notes, stdout);
    return status;
}

static void add_sheet_row(cpm_report_tables *all, const cpm_residual *r)
{
    char name[CPM_EXPERIMENT_NAME], worst[64];
    cpm_experiment_name(&r->example, name, sizeof name);
    cpm_report_tables_row(all, "sbbnrrrrrs", name, r->example.send_bytes == 0,
                          cpm_residual_contradicts(r), (long)r->count, r->median, r->p95,
                          r->largest, r->offset, r->noise, worst_of(r, worst));
}

static int print_report_tables(const cpm_model *model, const cpm_residual *rows, int count,
                               cpm_format format, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"experiment", 0}, {"empty", 0}, {"contradicts", 0}, {"count", 0},
        {"median", 4},     {"p95", 4},   {"largest", 4},     {"offset", 4},
        {"noise", 4},      {"worst", 0}, {NULL, 0}};
    static const cpm_report_table residuals = {"residuals", NULL, columns};
    cpm_report_tables all = {.title = "fit"};
    cpm_report_tables_metadata(&all, "model", "s", model->type->name);
    cpm_report_tables_metadata(&all, "processes", "n", (long)model->n);
    cpm_report_tables_begin(&all, &residuals);
    for (int q = 0; q < count; q++)
        add_sheet_row(&all, &rows[q]);
    cpm_report_tables_notes(&all, model->notes);
    return output_sheets(&all, format, e);
}

int residuals_print(const cpm_model *model, const cpm_measurements *m, cpm_format format,
                    cpm_error *e)
{
    cpm_residual *rows = NULL;
    int count = 0, status = cpm_residuals(model, m, true, &rows, &count, e);
    if (!status)
        status = format == CPM_FORMAT_TEXT ? print_text(model, rows, count, e)
                                           : print_report_tables(model, rows, count, format, e);
    free(rows);
    return status;
}
