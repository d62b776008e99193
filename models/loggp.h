/* LogGP: L, o, g and a gap per byte G (Alexandrov et al. 1995; thesis 2.2.3). */
#ifndef CPM_MODELS_LOGGP_H
#define CPM_MODELS_LOGGP_H

#include "models/formula.h"

enum { CPM_LOGGP_L, CPM_LOGGP_O, CPM_LOGGP_SMALL_G, CPM_LOGGP_G };
extern const cpm_model_type cpm_loggp;

/* L + 2o + (n-1)(M-1) G + (n-2) g with the averages of the parameters: linear scatter, gather and
 * bcast (thesis table 5.2). */
double cpm_loggp_linear_hom(const cpm_model *m, const cpm_formula_call *c);

#endif
