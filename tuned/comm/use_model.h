/* A model that the application gives decides, or says what the calls themselves try first. */
#ifndef CPM_TUNED_COMM_USE_MODEL_H
#define CPM_TUNED_COMM_USE_MODEL_H

#include "tuned/comm/state.h"

/* m: at rank 0. adapts: the calls are going to decide, *out is opened for them. *out NULL: there is
 * nothing to choose. Collective; errors are everybody's, see cpm_use_model. */
int tuned_use_model(MPI_Comm comm, const cpm_model *m, bool adapts, tuned_state **out,
                    cpm_error *e);

#endif
