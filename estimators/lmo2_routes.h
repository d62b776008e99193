/* Which links from a switch messages take, where it has several and routes are static (a fat tree):
 * two processes at a switch send to one destination each; where both take the same link they are
 * slow. The link is taken to depend on the destination alone, in the same way at all switches, as
 * forwarding tables of destinations have it. */
#ifndef CPM_ESTIMATORS_LMO2_ROUTES_H
#define CPM_ESTIMATORS_LMO2_ROUTES_H

#include "collectives/links.h"
#include "measurements/measurements.h"

/* Appends bursts of messages of so many bytes, if those over trunks, which are measured, show that
 * it matters who sends to whom: each destination whose link is not known yet with the first of
 * these. Nothing if all is known. CPM_ENOMEM. */
int cpm_lmo2_routes_plan(const cpm_hosts *on, size_t bytes, const cpm_measurements *so_far,
                         cpm_design *next, cpm_error *e);

/* The links up and down of switches that have several; none: no switch has, or it was not measured,
 * or cannot be told. CPM_ENOMEM. */
int cpm_lmo2_routes_find(const cpm_hosts *on, size_t bytes, const cpm_measurements *m,
                         cpm_links *out, cpm_error *e);

#endif
