/* Who decides at rank 0: what the environment names, or a model. */
#ifndef CPM_TUNED_COMM_SELECTORS_H
#define CPM_TUNED_COMM_SELECTORS_H

#include "selection/selector_options.h"
#include "tuned/comm/state.h"
#include "tuned/members.h"

/* The MPI library that runs this program. */
cpm_library tuned_library(void);

/* How a model chooses while a program runs. */
cpm_selector_options tuned_selector_options(void);

/* By t->model. */
int tuned_select_by_model(tuned_state *t, cpm_error *e);

/* Rank 0: what the environment names. who: all ranks, if it is a model. */
int tuned_select_by_environment(tuned_state *t, const tuned_members *who, cpm_error *e);

#endif
