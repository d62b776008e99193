/* Switched networks: hosts, switches and the links between them, a tree.
 *
 * Every link carries messages in both directions at once, one message a direction without
 * contention. Process r is the r-th host of the file; fewer processes than hosts are the first
 * ones. The format of the file is described in doc/topology.md. */
#ifndef CPM_COLLECTIVES_TOPOLOGY_TREE_H
#define CPM_COLLECTIVES_TOPOLOGY_TREE_H

#include "collectives/links.h"
#include "collectives/topology_handle.h"

/* Nodes are the hosts, 0..hosts-1, and after them the switches, each in the order of the file. */
struct cpm_topology {
    int hosts, nodes;
    char **name;     /* [nodes]; NULL: nothing has a name */
    int *line;       /* [nodes] of the file, that names it; NULL without names */
    int *first;      /* [nodes + 1] neighbours of v are neighbour[first[v]] .. first[v + 1] - 1 */
    int *neighbour;  /* [2 (nodes - 1)] */
    char *shape;     /* of a network with such a name (network_shapes.h), whose hosts are at one
                        switch here; NULL: it has none */
    cpm_links links; /* what messages share besides the tree, or in a shape; none: nothing */
    struct cpm_fabric *fabric; /* how switches are cabled, if that is no tree; NULL: the tree says
                                  all */
    const char *form;          /* whose file it was, NULL: in CPM's own form */
};

/* The shape of a network whose hosts are those of whoever asks, in their order: it has none. The
 * numbers are looked at when hosts are known. CPM_ENOMEM. */
int cpm_topology_of_shape(const char *shape, cpm_topology **out, cpm_error *e);

/* As cpm_topology_read, of a text; errors call it name. */
int cpm_topology_parse(const char *text, const char *name, cpm_topology **out, cpm_error *e);

/* The tree as seen from the node root: parent[nodes], -1 for the root, and order[nodes], the nodes
 * depth first, a node before those below it. Either may be NULL. */
int cpm_topology_orient(const cpm_topology *t, int root, int *parent, int *order, cpm_error *e);

/* order[n]: the first n hosts in such an order that messages from each to the next, and from the
 * last to the first, use every link at most once in each direction (the topology-specific logical
 * ring, TSLR, of Faraj, Patarasuk and Yuan, STAR-MPI, 2006, 3.1). order[0] is 0. CPM_EINVAL if
 * there are fewer hosts; CPM_ENOMEM. */
int cpm_topology_ring(const cpm_topology *t, int n, int *order, cpm_error *e);

/* CPM_EINVAL unless n processes, one at least, find hosts. */
int cpm_topology_holds(const cpm_topology *t, int n, cpm_error *e);

#endif
