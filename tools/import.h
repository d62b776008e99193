/* cpm fit --from: files of other benchmarks instead of measurements. */
#ifndef CPM_TOOLS_IMPORT_H
#define CPM_TOOLS_IMPORT_H

#include "measurements/measurements.h"
#include "tools/command.h"

/* Reads all operands of the call, each FILE or I,J=FILE, as --from says. CPM_EUNKNOWN, and what
 * cpm_import() fails with. */
int import_operands(const call *c, cpm_measurements *out, cpm_error *e);

#endif
