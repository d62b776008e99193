/* Candidates whose processes sit where the model says. */
#ifndef CPM_SELECTION_MAPPED_H
#define CPM_SELECTION_MAPPED_H

#include "selection/evaluate.h"

/* Maps the promising ones of c that take a mapping, and a free tree, in so many seconds of wall
 * clock together, and appends them, predicted. Nothing where contributions are combined in the
 * order of ranks. The same seed every time. CPM_ENOMEM. */
int mapped_add(const evaluation *v, double seconds, candidates *c, cpm_error *e);

#endif
