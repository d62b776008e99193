/* Heterogeneous Hockney model: alpha_ij + M beta_ij (thesis 5.1), and its closed formulas. */
#ifndef CPM_MODELS_HOCKNEY_H
#define CPM_MODELS_HOCKNEY_H

#include "models/formula.h"

enum { CPM_HOCKNEY_ALPHA, CPM_HOCKNEY_BETA };
extern const cpm_model_type cpm_hockney;

/* Formulas for scatter with blocks of that many bytes, in seconds; the table has the same for
 * gather, with alpha and beta of the other direction. The homogeneous ones use the averages of
 * alpha and beta. */
double cpm_hockney_flat_serial(const cpm_model *m, const cpm_formula_call *c); /* sum, thesis 5.1 */
double cpm_hockney_flat_parallel(const cpm_model *m,
                                 const cpm_formula_call *c);                /* max, thesis 5.1 */
double cpm_hockney_binomial(const cpm_model *m, const cpm_formula_call *c); /* thesis (5.1, 5.2)
                                                  with the factor M that is missing there;
                                                  n need not be a power of two */
double cpm_hockney_flat_serial_hom(const cpm_model *m, const cpm_formula_call *c);
double cpm_hockney_flat_parallel_hom(const cpm_model *m, const cpm_formula_call *c);
double cpm_hockney_binomial_hom(const cpm_model *m, const cpm_formula_call *c); /* thesis (5.3) */

#endif
