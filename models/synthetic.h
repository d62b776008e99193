/* A model that simulates the cluster: measuring without MPI. */
#ifndef CPM_MODELS_SYNTHETIC_H
#define CPM_MODELS_SYNTHETIC_H

#include "measurements/machine.h"
#include "models/model.h"

/* A machine whose times are the walk's prediction, each repetition disturbed as in
 * measurements/noise.h. Native collectives are simulated by the binomial (bcast) and linear
 * (scatter, gather) algorithms. The model is borrowed. Same seed, same times. CPM_ENOMEM. */
int cpm_synthetic_create(const cpm_model *model, double noise, unsigned long seed,
                         cpm_machine **out, cpm_error *e);

/* Lets it time collectives in batches (models/batch_walk.h); CPM_ISOLATED: it does not, as at
 * first. */
void cpm_synthetic_set_batch(cpm_machine *machine, int batch);

#endif
