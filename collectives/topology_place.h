/* The tree of processes on the hosts of a network: a topology in which process r is the r-th host,
 * made of what is known of hosts by their names, or by numbers. Several processes of a
 * host hang on a node that stands for it, whose link is the host's port. Its nodes have no names.
 */
#ifndef CPM_COLLECTIVES_TOPOLOGY_PLACE_H
#define CPM_COLLECTIVES_TOPOLOGY_PLACE_H

#include "collectives/topology_tree.h"

/* The tree of that many hosts and nodes, hosts first; up[v] is the node that v hangs on, -1 of the
 * node on which all others hang. CPM_ENOMEM. */
int cpm_topology_of_tree(int hosts, int nodes, const int *up, cpm_topology **out, cpm_error *e);

/* Who is where, in numbers. */
typedef struct {
    int processes, hosts, switches;
    const int *host; /* [processes] of each */
    const int *at;   /* [hosts] the switch of each; of hosts without processes it does not matter */
    const int *up;   /* [switches] the switch that each hangs on; -1 of that on which all do */
} cpm_topology_places;

/* CPM_ENOMEM. */
int cpm_topology_place(const cpm_topology_places *p, cpm_topology **out, cpm_error *e);

/* Process i is on the host of t, read from the file of that name, that is called host[i].
 * CPM_EINVAL, with the file, the process and its host (and the line, where there is one): a host
 * that is not there, that is a switch there, or whose name others have, too ("NAME#1");
 * CPM_ENOMEM. */
int cpm_topology_of_processes(const cpm_topology *t, const char *file, const char *const *host,
                              int n, cpm_topology **out, cpm_error *e);

/* node[n]: of the host of each process. CPM_EINVAL as above, with all hosts that are missing, up to
 * some. */
int cpm_topology_find_hosts(const cpm_topology *t, const char *file, const char *const *host, int n,
                            int *node, cpm_error *e);

/* The host of that name, or else the only one whose name is the same but for a domain, which only
 * one of both has. -1: there is none. */
int cpm_topology_host(const cpm_topology *t, const char *host);

#endif
