/* What a model says an experiment takes: the walk of its schedule. */
#ifndef CPM_MODELS_EXPERIMENTS_H
#define CPM_MODELS_EXPERIMENTS_H

#include "base/metadata.h"
#include "measurements/experiment.h"
#include "measurements/machine.h"
#include "models/walking.h"

/* seconds[count] of experiments that run at once: disjoint ones, or one collective (the MPI
 * library's own routine is taken for the binomial tree of bcast, and else for the linear one).
 * CPM_EINVAL, CPM_ENOMEM, and what cpm_model_walk says. */
int cpm_model_experiments(const cpm_model *m, const cpm_experiment *x, int count, double *seconds,
                          cpm_error *e);

/* The same of one alone, walked so (NULL: the usual way). */
int cpm_model_experiment(const cpm_model *m, const cpm_experiment *x, const cpm_walking *how,
                         double *seconds, cpm_error *e);

/* As the experiments of a file with such facts were made and timed. */
cpm_walking cpm_walking_as_measured(const cpm_model *m, const cpm_metadata *measured);

/* The same of a nonblocking call, as the machine's overlap (measurements/machine.h). */
int cpm_model_overlap(const cpm_model *m, const cpm_experiment *x, double computing,
                      cpm_overlap *out, cpm_error *e);

#endif
