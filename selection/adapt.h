/* An adaptive run time's candidates. */
#ifndef CPM_SELECTION_ADAPT_H
#define CPM_SELECTION_ADAPT_H

#include <stdbool.h>

/* A way to run the calls of a context. The first, index 0, is the library's own routine. */
typedef struct {
    double predicted; /* seconds; NaN: no model */
    int group;        /* STAR's grouping: one of each group before the rest of a group */
    bool at_risk;     /* predicted to lose messages: only tried last */
} cpm_adapt_candidate;

#endif
