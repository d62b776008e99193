/* Known heuristics for heterogeneous clusters: in which order processes join, and by whom. */
#ifndef CPM_MAPPING_STARTS_H
#define CPM_MAPPING_STARTS_H

#include "mapping/edges.h"

/* A tree that grows from the root. */
typedef struct {
    int *order;  /* [n] processes as they join, the root first */
    int *parent; /* [n] of a process, -1 for the root; joined before it */
} cpm_growth;

typedef struct {
    const char *name;
    const char *source;
    bool has_tree; /* parent is set; else only the order */
    int (*grow)(const cpm_edges *g, cpm_growth *out, cpm_error *e);
} cpm_start;

/* All of them, ranks in order first; ends with a row whose name is NULL. */
extern const cpm_start cpm_starts[];
/* The name of those that leave ranks in order: the same text. */
extern const char cpm_start_in_order[];

#endif
