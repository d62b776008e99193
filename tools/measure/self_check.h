/* What is said of a model's own check (models/checked.h) when it was fitted. */
#ifndef CPM_TOOLS_MEASURE_SELF_CHECK_H
#define CPM_TOOLS_MEASURE_SELF_CHECK_H

#include "measurements/measurements.h"
#include "models/model.h"

/* A line with its errors; of a bad check a warning, quiet or not, and what to try. Nothing where
 * there was none. */
void self_check_tell(const cpm_model *m, bool quiet);

/* Prints the model's note that begins so, if there is one, as a "note" or "warning". */
void self_check_repeat(const cpm_model *m, const char *as, const char *beginning);

/* Says so where a check was planned, and the time did not suffice to begin it. */
void self_check_warn_not_made(const cpm_measurements *m);

#endif
