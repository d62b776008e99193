/* Who decides how a collective is run: a model's predictions, a decision table, or the user. */
#ifndef CPM_SELECTION_SELECTOR_H
#define CPM_SELECTION_SELECTOR_H

#include "models/model.h"
#include "selection/choice.h"
#include "selection/libraries.h"
#include "selection/table.h"

typedef struct cpm_selector cpm_selector;
struct cpm_selector {
    /* Decides. Not thread-safe, may take time (milliseconds and more): decisions are kept by the
     * caller. An answer is one that cpm_request_allows. CPM_ENOMEM and other failures leave out
     * alone. */
    int (*choose)(cpm_selector *s, const cpm_request *r, cpm_choice *out, cpm_error *e);
    void (*free)(cpm_selector *s);
};

typedef struct {
    cpm_library library;
    double gain;    /* the library's own is kept unless another is faster by this share (0.05) */
    double seconds; /* wall clock for a decision that maps a tree (0.2); 0: trees are not mapped */
    double total;   /* wall clock of decisions after which others are made in a hurry; 0: never */
} cpm_selector_options;

#define CPM_SELECTOR_DEFAULT ((cpm_selector_options){CPM_LIBRARY_OTHER, 0.05, 0.2, 0})

/* Chooses what the model, which is borrowed, predicts to be the fastest (doc/selection.md); it has
 * the n processes of all requests, in their order: CPM_EPROCESS. A decision holds for a class of
 * sizes, an eighth of an octave at most, and expects the times of its largest size. The library
 * keeps v-operations whose sizes are not known, and what would take too long to predict. Creating:
 * CPM_ENOMEM. */
int cpm_selector_of_model(const cpm_model *m, const cpm_selector_options *options,
                          cpm_selector **out, cpm_error *e);

/* Chooses as the table, which is borrowed, says; by the library what it does not say and what
 * cannot be run. CPM_ENOMEM. */
int cpm_selector_of_table(const cpm_table *t, cpm_selector **out, cpm_error *e);

/* "bcast:chain:segment=8K,gather:split": these operations (and with "scatter" also scatterv, unless
 * it is named itself) by these algorithms where they can be, by the library where they cannot
 * ("bcast:native": never); all others as otherwise says, which is freed with this one, also on
 * failure; NULL: by the library. CPM_EUNKNOWN with the known names, CPM_EINVAL: a parameter. */
int cpm_selector_forced(const char *text, cpm_selector *otherwise, cpm_selector **out,
                        cpm_error *e);

#endif
