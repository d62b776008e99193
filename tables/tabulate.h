/* A decision table of what a selector answers. */
#ifndef CPM_TABLES_TABULATE_H
#define CPM_TABLES_TABULATE_H

#include "base/sizes.h"
#include "models/model.h"
#include "selection/selector_options.h"
#include "tables/decision_table.h"

/* What a decision for blocks of so many bytes on n processes takes, about, compared with others:
 * most for large blocks, as there are more segments to try. Good to a factor of some, as measured
 * with the models that come with CPM. */
int64_t cpm_decision_effort(int n, size_t bytes);

/* Adds the rules of operation on the n processes of m: what the selector, one of m that has the
 * library's own routine for no answer (CPM_SELECTOR_OWN), says for blocks of the first to the last
 * of sizes, which ascend; for these very sizes, no classes of them. Sizes in between are asked for
 * so that none are more than an octave apart, and where two answers take the same time, as a third
 * may be better there. Where rules begin is found by comparing the answers with each other
 * (tables/refine.h). The last rule is for the last size. Seconds are the model's for that very
 * size, in a batch those of a call. Nothing is added for an operation of which none of
 * options->only is, or no algorithm is left. CPM_ENOMEM and as choose. */
int cpm_tabulate(cpm_table *t, const cpm_model *m, const cpm_selector_options *options,
                 const cpm_operation *operation, int root, const cpm_sizes *sizes, cpm_error *e);

#endif
