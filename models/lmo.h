/* LMO model: C_i + M t_i | L_ij + M/beta_ij | C_j + M t_j (thesis chapter 4) and its formulas. */
#ifndef CPM_MODELS_LMO_H
#define CPM_MODELS_LMO_H

#include "models/formula.h"

/* invbeta is 1/beta_ij, seconds per byte. S, M1, M2 are thresholds in bytes, NaN if unknown. */
enum { CPM_LMO_C, CPM_LMO_T, CPM_LMO_L, CPM_LMO_INVBETA, CPM_LMO_S, CPM_LMO_M1, CPM_LMO_M2 };
extern const cpm_model_type cpm_lmo;

double cpm_lmo_linear_scatter(const cpm_model *m, const cpm_formula_call *c); /* thesis (4.1) */
double cpm_lmo_linear_gather_small(const cpm_model *m,
                                   const cpm_formula_call *c); /* thesis (4.2) */
double cpm_lmo_linear_gather_large(const cpm_model *m,
                                   const cpm_formula_call *c); /* thesis (4.3) */
/* (4.2) up to M2 and (4.3) from there; (4.2) everywhere if M2 is unknown. Between M1 and M2 times
 * escalate at random and the value is the undisturbed lower bound. */
double cpm_lmo_linear_gather(const cpm_model *m, const cpm_formula_call *c);

#endif
