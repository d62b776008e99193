/* LogP for messages of one fixed size w: L, o, g (Culler et al. 1993; thesis 2.2.2). */
#ifndef CPM_MODELS_LOGP_H
#define CPM_MODELS_LOGP_H

#include "models/formula.h"

/* w in bytes, at least 1. */
enum { CPM_LOGP_L, CPM_LOGP_O, CPM_LOGP_G, CPM_LOGP_W };
extern const cpm_model_type cpm_logp;

#endif
