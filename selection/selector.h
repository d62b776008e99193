/* Who decides how a collective is run. What decides includes this: a model's predictions
 * (model_selector.h), a decision table, rules, or the user. */
#ifndef CPM_SELECTION_SELECTOR_H
#define CPM_SELECTION_SELECTOR_H

#include "selection/choice.h"

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

#endif
