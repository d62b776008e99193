/* How long a network's resources need at least to carry blocks, whoever passes them on to whom:
 * a linear program's dual, which holds for any weights of resources. In the time T a resource of
 * weight w gives w T; what is demanded costs at least the shortest ways, or the shortest spanning
 * trees, by these weights. Good weights are found by multiplying up those of what is loaded most
 * (N. Garg, J. Könemann, Faster and simpler algorithms for multicommodity flow, FOCS 1998). */
#ifndef CPM_SELECTION_CARRIED_H
#define CPM_SELECTION_CARRIED_H

#include <stdint.h>

#include "base/error.h"

/* What messages use, which have everything for themselves. */
typedef struct {
    int n, resources;
    int64_t *first;   /* [n * n + 1] of the message from i to j, at i * n + j */
    int *resource;    /* [first[n * n]] */
    double *per_byte; /* seconds */
} carried_network;

void carried_clear(carried_network *net);

/* What is carried. */
typedef struct {
    enum {
        CARRIED_TREES, /* so many blocks over a spanning tree each */
        CARRIED_SUMS,  /* a block over a spanning tree, and once more to each process but one */
        CARRIED_FROM,  /* one from the root to each process */
        CARRIED_TO,    /* one from each process to the root */
        CARRIED_PAIRS  /* one from each process to each other */
    } kind;
    int blocks, root;
} carried_demand;

/* *seconds: for a block of one byte; 0: nothing is known, or it would take too long to find out.
 * CPM_ENOMEM. */
int carried_seconds(const carried_network *net, const carried_demand *d, double *seconds,
                    cpm_error *e);

#endif
