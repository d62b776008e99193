/* Mapping an algorithm to a heterogeneous cluster: which process sits where in its tree, or which
 * tree, so that a model predicts the least time.
 *
 * Known heuristics give starts (starts.h); local search improves the best of them (search.c). */
#ifndef CPM_MAPPING_MAPPING_H
#define CPM_MAPPING_MAPPING_H

#include <stdbool.h>

#include "models/model.h"

/* Where the processes sit: what mapping and parent of a placement are. */
typedef struct {
    int n;
    int *process; /* [n] process at node v; process[0] is the root */
    int *parent;  /* [n] parent of node v > 0, a lower node; parent[0] is -1. NULL: the tree is the
                     algorithm's own */
} cpm_mapping;

void cpm_mapping_clear(cpm_mapping *m);

/* What is to be mapped. Everything is borrowed. */
typedef struct {
    const cpm_model *model;
    cpm_collective what; /* of an algorithm that takes a mapping; one that needs a tree gets it;
                            its own mapping is ignored, its processes are the model's */
    cpm_block_sizes sizes;
} cpm_mapping_problem;

/* Whether the tree is to be found too. */
bool cpm_mapping_is_free(const cpm_mapping_problem *p);

/* Predicted seconds until the last process has finished; m NULL: with ranks in order. finish[n] may
 * be NULL. Negative on failure, as cpm_predict_collective. */
double cpm_mapping_predict(const cpm_mapping_problem *p, const cpm_mapping *m, double *finish,
                           cpm_error *e);

/* How long to look. */
typedef struct {
    double seconds;     /* wall-clock limit */
    unsigned long seed; /* of the random choices */
    int attempts;       /* so many random changes without a gain end the search */
    int threads;        /* to look in; 0: one for each processor. They do not change what is found
                           where time is enough */
} cpm_mapping_effort;

/* What was found. */
typedef struct {
    cpm_mapping mapping;
    /* Predicted seconds with ranks in order; where the tree is free, of the fastest of a binomial
     * tree, a flat one and a chain. Of the best start; of mapping. */
    double in_order, started, seconds;
    const char *start; /* name of the start that mapping comes from */
    long tried;        /* predictions made */
    bool converged;    /* it ended before the time did: same seed, same result */
} cpm_mapping_found;

void cpm_mapping_found_clear(cpm_mapping_found *f);

/* CPM_EINVAL: the algorithm takes no mapping, or does not apply; the effort is not positive.
 * CPM_EDATA: the model does not predict from messages (interp). CPM_ENOMEM. */
int cpm_mapping_find(const cpm_mapping_problem *p, const cpm_mapping_effort *effort,
                     cpm_mapping_found *out, cpm_error *e);

#endif
