/* What is said of predictions that go beyond what was measured (models/extrapolation.h). */
#ifndef CPM_TOOLS_BEYOND_H
#define CPM_TOOLS_BEYOND_H

#include "models/model.h"

enum { BEYOND_TEXT = 300 };

/* In what predictions by m of blocks of at most so many bytes (0: of no certain size) go beyond
 * what was measured; NULL: in nothing. */
const char *beyond_what(const cpm_model *m, size_t bytes, char text[BEYOND_TEXT]);

/* A warning with that, if there is any. */
void beyond_warn(const cpm_model *m, size_t bytes);

/* The largest of these; 0 of none. */
size_t beyond_largest(const cpm_sizes *sizes);

#endif
