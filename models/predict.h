/* Predicting collectives. */
#ifndef CPM_MODELS_PREDICT_H
#define CPM_MODELS_PREDICT_H

#include "models/walking.h"

/* The schedule of a collective with units of these sizes on the model's processes; the caller frees
 * it with cpm_schedule_free. CPM_EINVAL: the root is out of range, or the algorithm does not apply.
 * CPM_ENOMEM. */
int cpm_model_schedule(const cpm_model *m, const cpm_collective *c, const cpm_block_sizes *sizes,
                       cpm_schedule **out, cpm_error *e);

/* Seconds until the last process has finished a collective with units of these sizes, or of a call
 * in how->batch (models/batch_walk.h), by the walk; the number of processes is the model's.
 * Negative on failure (see cpm_walk); CPM_EINVAL if the root is out of range or the algorithm does
 * not apply; CPM_EDATA where the time is no finite number. finish[n] may be NULL. A model that
 * predicts algorithms by itself (interp) sets all of finish to the time of the last, and tells a
 * trace nothing; CPM_EDATA if it does not know the algorithm, the collective is not an ordinary
 * one, or in a batch. */
double cpm_predict_collective(const cpm_model *m, const cpm_collective *c,
                              const cpm_block_sizes *sizes, const cpm_walking *how, double *finish,
                              cpm_error *e);

/* The same for blocks of so many bytes on average, as the weights of the placement say. */
double cpm_predict_bytes(const cpm_model *m, const cpm_collective *c, size_t bytes,
                         const cpm_walking *how, double *finish, cpm_error *e);

#endif
