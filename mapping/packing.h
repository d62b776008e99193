/* Ways side by side for pieces: rings or trees of hosts that load no processor, link end or link
 * more than they must. */
#ifndef CPM_MAPPING_PACKING_H
#define CPM_MAPPING_PACKING_H

#include <gsl/gsl_rng.h>

#include "models/model.h"

/* What is packed. */
typedef struct {
    const cpm_model *model;
    const cpm_hosts *hosts; /* of the model's processes */
    const int *order;       /* [hosts] a short tour, the root's first */
    size_t bytes;           /* of a block; a way carries its count's part of it */
    int ways;
    bool reversed; /* messages go the other way: towards a root */
    gsl_rng *random;
    double seconds; /* at most */
} packing;

/* rings[ways * hosts]: tours of all hosts. CPM_ENOMEM. */
int packing_rings(const packing *p, int *rings, cpm_error *e);

/* parent[ways * hosts] of each host, -1 at order[0], the root of all. The longest way down counts
 * as well. CPM_ENOMEM. */
int packing_trees(const packing *p, int *parent, cpm_error *e);

#endif
