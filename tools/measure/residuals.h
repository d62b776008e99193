/* cpm fit --residuals: residuals by kind of experiment, and the notes, on standard output. */
#ifndef CPM_TOOLS_MEASURE_RESIDUALS_H
#define CPM_TOOLS_MEASURE_RESIDUALS_H

#include "base/report_table.h"
#include "measurements/measurements.h"
#include "models/model.h"

int residuals_print(const cpm_model *model, const cpm_measurements *m, cpm_format format,
                    cpm_error *e);

#endif
