/* What a block costs between any two processes: what the heuristics look at. */
#ifndef CPM_MAPPING_EDGES_H
#define CPM_MAPPING_EDGES_H

#include "mapping/mapping.h"

/* Of a message with the block of process j between i and j, which goes from i to j, or from j to i
 * where the operation collects. */
typedef struct {
    int n, root;
    bool collects;       /* data move towards the root */
    double *takes;       /* [n * n] seconds from its start to its end at place i * n + j */
    double *busy;        /* [n * n] after which i can turn to the next one */
    const size_t *sizes; /* [n] bytes of the block of each process; NULL: all the same */
} cpm_edges;

/* CPM_ENOMEM. */
int cpm_edges_create(const cpm_mapping_problem *p, cpm_edges *out, cpm_error *e);
void cpm_edges_clear(cpm_edges *g);

#endif
