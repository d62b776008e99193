/* Whether the processes of a host are alike: of most only the overheads of the first ones are
 * measured, and all processes of a host are taken to have these. What every process needs to send a
 * message inside its host and to receive one is measured in a few rounds of disjoint pairs, on all
 * hosts at once, however many processes they have. */
#ifndef CPM_ESTIMATORS_LMO2_MEMBERS_H
#define CPM_ESTIMATORS_LMO2_MEMBERS_H

#include "collectives/hosts.h"
#include "measurements/measurements.h"
#include "models/model.h"

/* Appends send-time and late-receive of messages of so many bytes, which are buffered: four rounds,
 * eight if a host has an odd number of processes. CPM_ENOMEM. */
int cpm_lmo2_members_plan(const cpm_hosts *hosts, size_t bytes, cpm_design *next, cpm_error *e);

/* Sets the fact CPM_METADATA_OVERHEADS of m if they were measured. CPM_ENOMEM. */
int cpm_lmo2_members_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                         cpm_model *m, cpm_error *e);

#endif
