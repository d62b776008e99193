/* Ways of streams over hosts: in which trees pieces travel, so that every link end is used all the
 * time, and once for each piece. */
#ifndef CPM_MAPPING_ROUTES_H
#define CPM_MAPPING_ROUTES_H

#include "collectives/hosts.h"

/* Stream x travels in tree x % trees. */
typedef struct {
    int n, trees;
    int *parent; /* [trees * n] of each process; -1: it has the stream at first */
} routes;

void routes_clear(routes *r);

/* From a root: in each of k host trees other hosts are inner ones, which have up to k children
 * (M. Castro et al., SplitStream, SOSP 2003); k 1: a chain. In each of these as many trees as hosts
 * have processes, which enter a host at another one. order: all hosts, that of the root first.
 * CPM_ENOMEM. */
int routes_from_root(const cpm_hosts *h, int root, int k, const int *order, routes *out,
                     cpm_error *e);

/* From a root down k trees of hosts, parent[k * hosts] (-1: the root's), as often as hosts have
 * processes, as above. CPM_ENOMEM. */
int routes_down(const cpm_hosts *h, int root, int k, const int *parent, routes *out, cpm_error *e);

/* From each process: round k rings of hosts, rings[k * hosts], between processes of the same place
 * on them, and from these to the others of the host. CPM_ENOMEM. */
int routes_round(const cpm_hosts *h, int k, const int *rings, routes *out, cpm_error *e);

/* The same with messages straight to all hosts instead of a ring. CPM_ENOMEM. */
int routes_across(const cpm_hosts *h, const int *order, routes *out, cpm_error *e);

#endif
