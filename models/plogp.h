/* Parameterized LogP: L and the curves os(M), or(M), g(M) (Kielmann et al. 2000; thesis 2.2.4). */
#ifndef CPM_MODELS_PLOGP_H
#define CPM_MODELS_PLOGP_H

#include "models/formula.h"

/* Overheads belong to processes, latency and gap to pairs (thesis 5.2). The model's sizes are where
 * the curves were measured; between them they are linear. */
enum { CPM_PLOGP_L, CPM_PLOGP_OS, CPM_PLOGP_OR, CPM_PLOGP_G };
extern const cpm_model_type cpm_plogp;

/* L + (n-1) g(M) with the averages of the parameters: linear scatter, gather and bcast (Kielmann
 * et al. 2000; thesis table 5.2). */
double cpm_plogp_linear_hom(const cpm_model *m, const cpm_formula_call *c);

#endif
