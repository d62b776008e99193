/* What is said of predictions that go beyond what was measured (models/extrapolation.h). */
#ifndef CPM_TOOLS_PREDICT_BEYOND_H
#define CPM_TOOLS_PREDICT_BEYOND_H

#include "models/model.h"

enum { BEYOND_TEXT = 450 };

/* In what predictions by m of blocks of at most so many bytes (0: of no certain size) go beyond
 * what was measured; empty: in nothing. CPM_ENOMEM. */
int beyond_what(const cpm_model *m, size_t bytes, char text[BEYOND_TEXT], cpm_error *e);

/* A warning with that, unless it is empty. */
void beyond_tell(const char *text);

/* Both; and warns where the own check of m is bad. CPM_ENOMEM. */
int beyond_warn(const cpm_model *m, size_t bytes, cpm_error *e);

/* Warns, if there are reductions among the predictions, where m does not know what combining takes,
 * or not that of this class. */
void beyond_warn_combining(const cpm_model *m, bool combines, cpm_combining what);

/* Warns where the own check of m is bad (models/checked.h). */
void beyond_warn_check(const cpm_model *m);

/* The largest of these; 0 of none. */
size_t beyond_largest(const cpm_sizes *sizes);

#endif
