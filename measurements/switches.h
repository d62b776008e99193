/* Which switch the host of each process is on: what a campaign notes of a topology. */
#ifndef CPM_MEASUREMENTS_SWITCHES_H
#define CPM_MEASUREMENTS_SWITCHES_H

#include "collectives/topology_tree.h"
#include "measurements/measurements.h"

/* A fact of topologies in which there are several ways between hosts: that nobody said which one
 * messages take. */
#define CPM_METADATA_WAYS "ways"

/* The links inside the network, of the hosts of a campaign. */
#define CPM_METADATA_LINKS "links"

/* Adds to metadata what the topology, which was read from the file of that name, says of the
 * "hosts" of its n processes: "switches", a name for each process, unless it has a shape or is no
 * tree; CPM_METADATA_LINKS where messages share links inside: those of a shape or of what is no
 * tree, those that it names, and those of its tree that carry messages of several switches, both
 * ways; CPM_METADATA_WAYS. CPM_EINVAL, with the file, the process and its host (and the line, where
 * there is one): a host that is not in the file, or a switch there. CPM_ENOMEM. */
int cpm_switches_describe(const cpm_topology *t, const char *file, int n, cpm_metadata *metadata,
                          cpm_error *e);

/* Whether the header of a campaign, or of a model, names switches or links. */
bool cpm_metadata_names_topology(const cpm_metadata *metadata);

/* The switch of each of n processes, with their names; none (count 0) if m does not say. CPM_EDATA:
 * it does not name a switch for each. CPM_ENOMEM. */
int cpm_measurements_switches(const cpm_measurements *m, int n, cpm_hosts *out, cpm_error *e);

/* The links inside the network of so many hosts; none (count 0) if m does not say. CPM_EDATA: what
 * it says is none. CPM_ENOMEM. */
int cpm_measurements_links(const cpm_measurements *m, int hosts, cpm_links *out, cpm_error *e);

#endif
