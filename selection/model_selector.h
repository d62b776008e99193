/* Deciding by a model's predictions. */
#ifndef CPM_SELECTION_MODEL_SELECTOR_H
#define CPM_SELECTION_MODEL_SELECTOR_H

#include "models/model.h"
#include "selection/selector.h"
#include "selection/selector_options.h"

/* Chooses what the model, which is borrowed, predicts to be the fastest (doc/selection.md); it has
 * the n processes of all requests, in their order: CPM_EPROCESS. A decision holds for a class of
 * sizes, an eighth of an octave at most, and expects the times of its largest size. The library
 * keeps v-operations whose sizes are not known, and what would take too long to predict; where it
 * may not, their blocks are taken to be of one size, and it is the answer where no algorithm is
 * left. Creating: CPM_ENOMEM. */
int cpm_selector_of_model(const cpm_model *m, const cpm_selector_options *options,
                          cpm_selector **out, cpm_error *e);

#endif
