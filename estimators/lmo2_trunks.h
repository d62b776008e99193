/* How fast the trunks of switches are that messages between these share: bursts
 * of as many processes of a switch as find partners at the others, all at once, one of each host.
 * The capacity is that with which the flow walk gives the times that these took. */
#ifndef CPM_ESTIMATORS_LMO2_TRUNKS_H
#define CPM_ESTIMATORS_LMO2_TRUNKS_H

#include "collectives/hosts.h"
#include "measurements/measurements.h"
#include "models/model.h"

/* Appends bursts of messages of so many bytes from each switch to the others, and to each from the
 * others, where two pairs or more can be made and messages are long enough to meet. on: the switch
 * of each process. Those of a campaign that was stopped amid a round are asked for with other
 * partners. CPM_ENOMEM. */
int cpm_lmo2_trunks_plan(const cpm_hosts *on, size_t bytes, const cpm_measurements *so_far,
                         cpm_design *next, cpm_error *e);

/* Whether bursts of a switch take longer with some partners than with others, as where it has
 * several links and static routes. CPM_ENOMEM. */
int cpm_lmo2_trunks_differ(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                           bool *differ, cpm_error *e);

/* Sets the trunks of m, which has all other parameters between hosts and these switches.
 * CPM_ENOMEM.
 */
int cpm_lmo2_trunks_fit(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                        cpm_model *m, cpm_error *e);

/* How many pairs of these bursts took another time than m says. CPM_ENOMEM. */
int cpm_lmo2_trunks_unexplained(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                                cpm_model *m, int *pairs, cpm_error *e);

/* Notes what was found, and of how many trunks if not all were measured. CPM_ENOMEM. */
int cpm_lmo2_trunks_note(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                         cpm_model *m, cpm_error *e);

#endif
