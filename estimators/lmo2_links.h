/* How fast the links inside a network are, where it is known who uses which: bursts of several
 * messages at once over each, as far as possible over nothing else that they share. The capacity is
 * that with which the flow walk gives the times that these took. */
#ifndef CPM_ESTIMATORS_LMO2_LINKS_H
#define CPM_ESTIMATORS_LMO2_LINKS_H

#include "collectives/links.h"
#include "measurements/measurements.h"
#include "models/model.h"

/* Appends bursts of messages of so many bytes over each link that two pairs of hosts can use at
 * once, each of which has a process of that number; bursts that share nothing are in one round.
 * CPM_ENOMEM. */
int cpm_lmo2_links_plan(const cpm_links *l, size_t bytes, cpm_design *next, cpm_error *e);

/* Sets the capacities of the links of m, which has them, and all other parameters between hosts.
 * CPM_ENOMEM. */
int cpm_lmo2_links_fit(size_t bytes, const cpm_measurements *measured, cpm_model *m, cpm_error *e);

/* Notes what was found, and of how many links if not all were measured. CPM_ENOMEM. */
int cpm_lmo2_links_note(size_t bytes, const cpm_measurements *measured, cpm_model *m, cpm_error *e);

#endif
