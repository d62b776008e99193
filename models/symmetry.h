/* Which ranks a model cannot tell from each other: walking one of each kind is enough. */
#ifndef CPM_MODELS_SYMMETRY_H
#define CPM_MODELS_SYMMETRY_H

#include "models/model.h"

/* The symmetry of the smallest period below n that the model and s with these sizes have. *found:
 * whether there is one; then the caller clears it. CPM_ENOMEM. */
int cpm_model_find_symmetry(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                            cpm_model_symmetry *out, bool *found, cpm_error *e);
void cpm_model_symmetry_clear(cpm_model_symmetry *y);

#endif
