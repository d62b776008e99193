/* Which links inside a network messages share, as its topology says. */
#ifndef CPM_COLLECTIVES_TOPOLOGY_LINKS_H
#define CPM_COLLECTIVES_TOPOLOGY_LINKS_H

#include "collectives/topology_tree.h"

/* Host h is host like[h] of the topology. Links are those of its shape or its fabric, if it has
 * one. Else they are those that it names, and the links of its tree that carry messages from two
 * switches of hosts or more to two or more, one for each direction ("a>b"): those of one switch are
 * its trunk. CPM_ENOMEM. */
int cpm_links_of_topology(const cpm_topology *t, const int *like, int hosts, cpm_links *out,
                          cpm_error *e);

#endif
