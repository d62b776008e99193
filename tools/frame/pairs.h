/* Models of which all pairs are too many. */
#ifndef CPM_TOOLS_FRAME_PAIRS_H
#define CPM_TOOLS_FRAME_PAIRS_H

#include "models/model.h"

/* How many ends its pairs have: hosts, where it knows their inside, else processes. */
int pairs_ends(const cpm_model *m);

/* CPM_EINVAL, with what to do instead, if the model of that path has more than most of them; what:
 * what all pairs cannot be ("drawn"). */
int pairs_check(const cpm_model *m, const char *path, const char *what, int most, cpm_error *e);

#endif
