/* Rules at sizes that nobody asked for: where what one rule names is faster than another's. */
#ifndef CPM_TABLES_REFINE_H
#define CPM_TABLES_REFINE_H

#include "models/model.h"
#include "selection/choice.h"
#include "selection/selector_options.h"
#include "tables/decision_table.h"

/* Algorithms that cut blocks into segments are faster and slower in turns, where a piece is added
 * and where pieces become longer than a threshold of the model. Looks at sizes between the rules,
 * some of each octave and those where there may be such turns, for what is faster by more than
 * a hundredth, about, than what the rules say: what other rules name, and the same with other
 * segments. Makes it rules of their own, from the size on at which they are faster, to 0.2 % of the
 * time or of the size. The library's own routine is taken where nothing else applies. The request
 * is of the operation, the number of processes, the root and the topology. CPM_ENOMEM; then rules
 * stay as they are. */
int cpm_rules_refine(cpm_rules *rules, const cpm_model *m, const cpm_selector_options *options,
                     const cpm_request *request, cpm_error *e);

#endif
