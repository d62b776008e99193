/* Meshes with other algorithms in their dimensions: the configuration of decompositions (Hartmann,
 * Kuehnemann, Rauber, Ruenger 2006, 3.1). */
#ifndef CPM_SELECTION_DECOMPOSED_H
#define CPM_SELECTION_DECOMPOSED_H

#include "selection/evaluate.h"

/* Of the three fastest promising meshes of c, which was evaluated: in each dimension the algorithm
 * that is predicted to be the fastest there, given those of the others. What is faster than the
 * mesh as it was is appended. What was named with parameters stays as it is. CPM_ENOMEM. */
int decomposed_add(const evaluation *v, const cpm_selector_options *o, candidates *c, cpm_error *e);

/* Where nothing is predicted: of each mesh without segments those with one of the algorithms that
 * are worth trying in all dimensions. CPM_ENOMEM. */
int decomposed_add_all(const cpm_selector_options *o, const cpm_request *r, candidates *c,
                       cpm_error *e);

#endif
