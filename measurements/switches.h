/* Which switch the host of each process is on: what a campaign notes of a topology. */
#ifndef CPM_MEASUREMENTS_SWITCHES_H
#define CPM_MEASUREMENTS_SWITCHES_H

#include "collectives/topology_tree.h"
#include "measurements/measurements.h"

/* A fact of topologies of more than two levels: how many links between switches carry messages of
 * several others. */
#define CPM_METADATA_DEEPER "deeper_links"

/* The links inside the network, of the hosts of a campaign. */
#define CPM_METADATA_LINKS "links"

/* Adds "switches" to metadata, CPM_METADATA_LINKS where the topology has links or a shape, and
 * CPM_METADATA_DEEPER where there are such links: one name for each of its n processes, as the
 * topology, which was read from the file of that name, says of their "hosts". CPM_EINVAL, with the
 * file, the process and its host (and the line, where there is one): a host that is not in the
 * file, or a switch there. CPM_ENOMEM. */
int cpm_switches_describe(const cpm_topology *t, const char *file, int n, cpm_metadata *metadata,
                          cpm_error *e);

/* The switch of each of n processes, with their names; none (count 0) if m does not say. CPM_EDATA:
 * it does not name a switch for each. CPM_ENOMEM. */
int cpm_measurements_switches(const cpm_measurements *m, int n, cpm_hosts *out, cpm_error *e);

/* The links inside the network of so many hosts; none (count 0) if m does not say. CPM_EDATA: what
 * it says is none. CPM_ENOMEM. */
int cpm_measurements_links(const cpm_measurements *m, int hosts, cpm_links *out, cpm_error *e);

#endif
