/* One link that all messages between switches share, in both directions: a core, or a backbone; or,
 * where no switches are known, that all messages share: the fabric of a switch. Bursts of all hosts
 * at once tell how fast it is, by the pair that is fastest: others may meet at more. */
#ifndef CPM_ESTIMATORS_LMO2_CORE_H
#define CPM_ESTIMATORS_LMO2_CORE_H

#include "collectives/hosts.h"
#include "measurements/measurements.h"
#include "models/model.h"

/* Appends bursts of messages of so many bytes between all n processes, pair by pair; on: the switch
 * of each, NULL: nothing is known of these. CPM_ENOMEM. */
int cpm_lmo2_core_plan(const cpm_hosts *on, int n, size_t bytes, cpm_design *next, cpm_error *e);

/* Whether they were measured. */
int cpm_lmo2_core_measured(const cpm_hosts *on, const cpm_measurements *m, size_t bytes,
                           bool *measured, cpm_error *e);

/* Gives m that link, of unknown capacity. CPM_ENOMEM. */
int cpm_lmo2_core_open(const cpm_hosts *on, cpm_model *m, cpm_error *e);
/* Sets its capacity; unknown: it is not needed to explain the bursts. CPM_ENOMEM. */
int cpm_lmo2_core_fit(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                      cpm_model *m, cpm_error *e);
/* Notes what was found, and takes a link away that nothing is known of. CPM_ENOMEM. */
int cpm_lmo2_core_close(cpm_model *m, cpm_error *e);

#endif
