/* Rounds in which messages do not meet inside the network, as far as that is known. */
#ifndef CPM_ESTIMATORS_LMO2_APART_H
#define CPM_ESTIMATORS_LMO2_APART_H

#include "estimators/lmo2.h"
#include "measurements/experiment.h"

/* Appends a design in rounds in which at most one message with bytes at once uses a trunk in a
 * direction, or a link, so that none disturbs another; what is contended, or alone, stays as it is.
 * CPM_ENOMEM. */
int cpm_lmo2_keep_apart(const cpm_lmo2_inside *inside, const cpm_design *from, cpm_design *next,
                        cpm_error *e);

#endif
