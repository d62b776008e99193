/* Who moves the bytes of long messages inside a host: their receiver's processor, one message after
 * the other, or something that several messages share. And whether several receivers of one
 * process's messages hinder each other, as where its pages are locked while they are read.
 * Both are seen where one process has two messages from, or to, two others at once. And whether a
 * sender's processor is needed, from one that is absent. */
#ifndef CPM_ESTIMATORS_LMO2_COPIES_H
#define CPM_ESTIMATORS_LMO2_COPIES_H

#include "collectives/hosts.h"
#include "measurements/measurements.h"
#include "models/model.h"

/* Appends two-to-one experiments of the first three processes of each host that has so many, one
 * with messages of so many bytes out, which are synchronous, and one with these back; and one of a
 * quarter of them that goes to where others have read, besides one that does not (of two
 * processes: to where the sender has). Of hosts with two one with an absent sender. CPM_ENOMEM. */
int cpm_lmo2_copies_plan(const cpm_hosts *hosts, size_t bytes, cpm_design *next, cpm_error *e);

/* Sets fetched_in, Gs_in and tw_in of m, which has the other parameters of the inside of hosts, and
 * notes what was found; hosts with one process are like the others. Of two and three processes it
 * looks at their exchanges, too. Nothing is set where nothing was measured. If receivers do not
 * fetch, Gf_in becomes G_in where that is unknown. CPM_ENOMEM. */
int cpm_lmo2_copies_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                        cpm_model *m, cpm_error *e);

#endif
