/* Which hosts are at the same switch, from latencies, or, where these are all those of one switch,
 * from how exchanges at once slow each other (switches_exchange.h). The round trip of an empty
 * message is a sum of a part of each of its two hosts, and of what their switches add if these are
 * two. So whatever hosts of one switch differ by to a third host they differ by to all; others do
 * not. */
#ifndef CPM_ESTIMATORS_SWITCHES_FIND_H
#define CPM_ESTIMATORS_SWITCHES_FIND_H

#include "collectives/hosts.h"
#include "estimators/switches_exchange.h"
#include "measurements/campaign.h"

enum { CPM_SWITCHES_LEAST_HOSTS = 4 }; /* two thirds for every two */

/* A cpm_planner, without context: round trips of empty messages between the first processes of all
 * hosts, in rounds of disjoint pairs. */
cpm_planner cpm_switches_plan;
/* Another, whose context is what that measured: exchanges, if round trips tell no switches. */
cpm_planner cpm_switches_plan_exchanges;

/* The switch of each process; they are named in turn. m: round trips. exchanged: what exchanges
 * showed, across 0 if round trips were enough. CPM_EDATA: round trips are missing, or there are
 * fewer than CPM_SWITCHES_LEAST_HOSTS hosts. CPM_ENOMEM. */
int cpm_switches_find(const cpm_measurements *m, const cpm_measurements *exchanges, cpm_hosts *out,
                      cpm_switches_signs *exchanged, cpm_error *e);

/* The topology file that says so (doc/topology.md), hosts by their names in m; the caller frees it.
 * CPM_EDATA: two hosts have the same name, or none. CPM_ENOMEM. */
int cpm_switches_text(const cpm_measurements *m, const cpm_hosts *on,
                      const cpm_switches_signs *exchanged, char **text, cpm_error *e);

#endif
