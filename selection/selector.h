/* Who decides how a collective is run: a model's predictions, a decision table, or the user. */
#ifndef CPM_SELECTION_SELECTOR_H
#define CPM_SELECTION_SELECTOR_H

#include <math.h>
#include <stdint.h>

#include "measurements/batch.h"
#include "models/model.h"
#include "selection/choice.h"
#include "selection/libraries.h"
#include "selection/ruleset.h"
#include "selection/table.h"

typedef struct cpm_selector cpm_selector;
struct cpm_selector {
    /* Decides. Not thread-safe, may take time (milliseconds and more): decisions are kept by the
     * caller. An answer is one that cpm_request_allows. CPM_ENOMEM and other failures leave out
     * alone. */
    int (*choose)(cpm_selector *s, const cpm_request *r, cpm_choice *out, cpm_error *e);
    void (*free)(cpm_selector *s);
    /* The first that it names that needs a topology, and is the library's without; NULL: none. */
    const cpm_collective *on_topology;
};

/* Whether the algorithm of c, if it has one, needs a topology. */
static inline bool cpm_needs_topology(const cpm_collective *c)
{
    return c->algorithm && c->algorithm->properties & CPM_NEEDS_TOPOLOGY;
}

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
    _Atomic int64_t *decided; /* the efforts of a table's decisions are added here (tabulate.h);
                                 borrowed, NULL: nobody counts them */
    bool exact;               /* a decision is for its very size, no class of them: of tables */
    int batch;                /* CPM_ISOLATED, or the calls that it is for follow each other at once
                                 (models/batch.h); then predictions take at least five times as long, which effort
                                 does not know */
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
#define CPM_SELECTOR_DEFAULT \
    ((cpm_selector_options){.native = true, .gain = 0.05, .seconds = 0.2, .effort = 0.5})

/* CPM's own algorithms, however long it takes: as tables are made. */
#define CPM_SELECTOR_OWN ((cpm_selector_options){.effort = INFINITY})

/* Chooses what the model, which is borrowed, predicts to be the fastest (doc/selection.md); it has
 * the n processes of all requests, in their order: CPM_EPROCESS. A decision holds for a class of
 * sizes, an eighth of an octave at most, and expects the times of its largest size. The library
 * keeps v-operations whose sizes are not known, and what would take too long to predict; where it
 * may not, their blocks are taken to be of one size, and it is the answer where no algorithm is
 * left. Creating: CPM_ENOMEM. */
int cpm_selector_of_model(const cpm_model *m, const cpm_selector_options *options,
                          cpm_selector **out, cpm_error *e);

/* Chooses as the table, which is borrowed, says; by the library what it does not say and what
 * cannot be run. CPM_ENOMEM. */
int cpm_selector_of_table(const cpm_table *t, cpm_selector **out, cpm_error *e);

/* "bcast:chain:segment=8K,gather:split": these operations (and with "scatter" also scatterv, unless
 * it is named itself) by these algorithms where they can be, by the library where they cannot
 * ("bcast:native": never); all others as otherwise says, which is freed with this one, also on
 * failure; NULL: by the library. "bcast:*:segment=8K": whatever algorithm is chosen gets this
 * parameter if it takes it. CPM_EUNKNOWN with the known names, CPM_EINVAL: a parameter, an
 * algorithm that needs a tree, or an operation that is named twice. */
int cpm_selector_forced(const char *text, cpm_selector *otherwise, cpm_selector **out,
                        cpm_error *e);

/* Chooses as the rules, which are borrowed, say, by the library where that cannot be run; where no
 * rule holds as otherwise says, which is freed with this one, also on failure; NULL: by the
 * library. CPM_ENOMEM. */
int cpm_selector_of_rules(const cpm_ruleset *rules, cpm_selector *otherwise, cpm_selector **out,
                          cpm_error *e);

#endif
