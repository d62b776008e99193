/* What selectors of a model are asked for. */
#ifndef CPM_SELECTION_SELECTOR_OPTIONS_H
#define CPM_SELECTION_SELECTOR_OPTIONS_H

#include <math.h>
#include <stdint.h>

#include "collectives/collective.h"
#include "measurements/batch_calls.h"
#include "selection/libraries.h"

/* What a model may choose, and how long it may take to. */
typedef struct {
    cpm_library library; /* whose own routine is the alternative */
    bool native;         /* the library's own may be the answer: it is kept unless another is
                            faster by gain, and where nothing is known */
    double gain;         /* share (0.05) */
    double seconds;      /* wall clock for a decision that maps a tree; 0: trees are not mapped */
    double total;  /* wall clock of decisions after which others are made in a hurry; 0: never */
    double effort; /* processor time of the predictions of a decision at most, about (0.5) */
    const cpm_target *theirs;   /* answers are algorithms of that library only; NULL: any */
    const cpm_collective *only; /* [only_count] answers are these, one without parameters with any;
                                   of an operation that is not among them, and NULL: all */
    int only_count;
    const struct cpm_topology *topology; /* of the processes, for requests without one; borrowed;
                                            NULL: it is not known */
    _Atomic int64_t *decided; /* the efforts of a table's decisions are added (tables/tabulate.h);
                                 borrowed, NULL: nobody counts them */
    bool exact;               /* a decision is for its very size, no class of them: of tables */
    cpm_combining combining;  /* what reductions of tables combine; requests say it themselves */
    /* CPM_ISOLATED, or the calls that it is for follow each other at once (models/batch_walk.h);
     * then predictions take at least five times as long, which effort does not know. */
    int batch;
} cpm_selector_options;

/* Whether only has algorithms of the operation, or is left out. */
static inline bool cpm_selector_asks_for(const cpm_selector_options *o,
                                         const cpm_operation *operation)
{
    for (int k = 0; k < o->only_count; k++)
        if (o->only[k].operation == operation)
            return true;
    return o->only_count == 0;
}

/* The library's own routine may be kept, and trees are mapped: as programs run. */
#define CPM_SELECTOR_DEFAULT                \
    ((cpm_selector_options){.native = true, \
                            .gain = 0.05,   \
                            .seconds = 0.2, \
                            .effort = 0.5,  \
                            .combining = CPM_COMBINING_USUAL})

/* CPM's own algorithms, however long it takes: as tables are made. */
#define CPM_SELECTOR_OWN \
    ((cpm_selector_options){.effort = INFINITY, .combining = CPM_COMBINING_USUAL})

#endif
