/* Measured curves: no model at all, but what was measured, linear between the sizes. */
#ifndef CPM_MODELS_INTERP_H
#define CPM_MODELS_INTERP_H

#include "models/model.h"

/* Half a round trip of every pair, then the time of every algorithm of the repository from every
 * root ("scatter:linear"; NaN: was not measured), in the order of cpm_algorithms, at the model's
 * sizes. */
enum { CPM_INTERP_P2P, CPM_INTERP_ALGORITHMS };
extern const cpm_model_type cpm_interp;

#endif
