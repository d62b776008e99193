/* Heterogeneous Hockney model: alpha_ij + M beta_ij (thesis 5.1). */
#ifndef CPM_MODELS_HOCKNEY_H
#define CPM_MODELS_HOCKNEY_H

#include "models/formula.h"

enum { CPM_HOCKNEY_ALPHA, CPM_HOCKNEY_BETA };
extern const cpm_model_type cpm_hockney;

#endif
