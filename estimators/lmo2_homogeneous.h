/* Extended LMO from collectives alone, where no point-to-point experiment was measured: all
 * processes are taken to be alike, each on a host of its own or all on one. */
#ifndef CPM_ESTIMATORS_LMO2_HOMOGENEOUS_H
#define CPM_ESTIMATORS_LMO2_HOMOGENEOUS_H

#include "estimators/estimator.h"

/* A fact of such models: the seconds that each of the measured times contained besides, because
 * processes do not start at the same moment. */
#define CPM_METADATA_START "start"

/* A fact of such models, "yes": no process of it can be told from the others. */
#define CPM_METADATA_ALIKE "alike"

/* Whether m has collectives and nothing else. */
bool cpm_lmo2_only_collectives(const cpm_measurements *m);

/* The model with whose walk they agree best (estimators/walk_fit.h): one overhead and time per byte
 * of processors for sends and receives, latency, link (or copies inside a host), combining, and the
 * size from which sends wait for receivers. Combining or such a size that the data do not show is
 * unknown. Notes say how far off it is, and what cannot be told apart.
 * CPM_EDATA: too few algorithms or sizes, or processes that share some of several hosts. */
cpm_fit_function cpm_lmo2_fit_homogeneous;

#endif
