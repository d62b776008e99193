/* What applications use: load a model, predict, select. No MPI is needed for it.
 *
 * Where <mpi.h> was included before, also: models of a communicator, and collectives that are
 * chosen by them (tuned/collectives.h; link cpm::mpib). */
#ifndef CPM_H
#define CPM_H

#include "base/sizes.h"
#include "estimators/estimator.h"
#include "mapping/map_file.h"
#include "models/hockney.h"
#include "models/lmo.h"
#include "models/model.h"

/* Seconds of operation:algorithm with blocks of that many bytes, by the walk. Negative on failure:
 * CPM_EUNKNOWN, CPM_EINVAL. Local. */
double cpm_predict(const cpm_model *m, const char *operation, const char *algorithm, size_t bytes,
                   int root, cpm_error *e);

/* The algorithm of operation that the model predicts to be the fastest; its time in *seconds (may
 * be NULL). NULL on failure. Local. */
const cpm_algorithm *cpm_select(const cpm_model *m, const char *operation, size_t bytes, int root,
                                double *seconds, cpm_error *e);

#ifdef MPI_VERSION
#include "tuned/collectives.h"
#endif

#endif
