/* All-to-all in phases without contention, as few as the network allows.
 *
 * In a tree of switches the link whose two sides have a and b processes must carry a*b messages in
 * each direction, so no order of messages takes fewer phases than the largest a*b. This one takes
 * exactly so many, and no phase uses a link twice in one direction.
 *
 * Source: A. Faraj, X. Yuan: Message scheduling for all-to-all personalized communication on
 * Ethernet switched clusters, IPDPS 2005. The phase of a message is a closed formula here. */
#ifndef CPM_COLLECTIVES_ALGORITHMS_LINK_PHASES_H
#define CPM_COLLECTIVES_ALGORITHMS_LINK_PHASES_H

#include <stdint.h>

#include "collectives/topology_tree.h"

typedef struct {
    int n;         /* processes: the first n hosts */
    int64_t count; /* phases */
    int root;      /* the switch in the middle: at most n/2 processes in each of its subtrees */
    int *parent;   /* [nodes of the topology] the tree seen from the root; -1 for the root */
    int subtrees;  /* of the root that have processes, largest first */
    int *size;     /* [subtrees] processes in each */
    int *before;   /* [subtrees + 1] processes in those before it */
    int *host;     /* [n] processes by subtree */
    int *subtree;  /* [n] of a process */
    int *place;    /* [n] of a process in its subtree */
} cpm_link_phases;

/* CPM_EINVAL if there are fewer than n hosts; CPM_ENOMEM. */
int cpm_link_phases_create(const cpm_topology *t, int n, cpm_link_phases **out, cpm_error *e);
void cpm_link_phases_free(cpm_link_phases *p);

/* The phase, 0..count-1, of the message between two different processes. */
int64_t cpm_link_phase_of(const cpm_link_phases *p, int from, int to);

/* What a process does in one phase. */
typedef struct {
    int64_t phase;
    int to, from; /* whom it sends to and receives from, -1: nobody */
} cpm_link_phase;

/* The phases in which rank is busy, ascending; out has room for 2 (n - 1). Returns how many. */
int cpm_link_phases_of_rank(const cpm_link_phases *p, int rank, cpm_link_phase *out);

#endif
