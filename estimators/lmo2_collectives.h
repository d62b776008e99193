/* What a campaign did not measure by experiments of its own, from collectives that its file has
 * besides: combining, who copies long messages inside a host, and what receivers of one process
 * share; and what its times contain that programs do not see. */
#ifndef CPM_ESTIMATORS_LMO2_COLLECTIVES_H
#define CPM_ESTIMATORS_LMO2_COLLECTIVES_H

#include "measurements/measurements.h"
#include "models/model.h"

/* Sets Oc and cb of m where they are unknown and reductions were measured; of a model of one host
 * also fetched_in, Gs_in and tu_in, and how fast fetched bytes are, where these are unknown and
 * long messages were. The values are those with which the walk is nearest to what was observed
 * (estimators/walk_fit.h), the same for all hosts and without intervals. A note says so. Nothing is
 * set from less than four collectives, nor more values than there are of these. CPM_ENOMEM. */
int cpm_lmo2_from_collectives(const cpm_measurements *measured, cpm_model *m, cpm_error *e);

/* Says in m by how many seconds processes left barriers later than the one before each, of times
 * that contain it (models/walking.h). */
int cpm_lmo2_note_leaving(cpm_model *m, double seconds, cpm_error *e);

#endif
