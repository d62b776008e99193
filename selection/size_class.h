/* Classes of message sizes: one decision serves them all. */
#ifndef CPM_SELECTION_SIZE_CLASS_H
#define CPM_SELECTION_SIZE_CLASS_H

#include "models/model.h"
#include "selection/choice.h"
#include "selection/selector_options.h"

/* Bytes of a block, both included. */
typedef struct {
    size_t least, most;
} cpm_size_class;

/* The sizes from which on something else holds in the model, one after the other: NAN where
 * parameter k is none. */
int cpm_size_thresholds(const cpm_model *m);
double cpm_size_threshold(const cpm_model *m, int k);

/* Eight classes an octave, each with the power of two that ends it. */
cpm_size_class cpm_size_class_plain(size_t bytes);

/* The same, cut where the model knows a threshold and, if it may be the answer, where the library
 * changes its algorithm. */
cpm_size_class cpm_size_class_of(const cpm_model *m, const cpm_selector_options *o,
                                 const cpm_request *r);

/* Where the pieces of at most segment bytes, into which a block is cut evenly, are for some blocks
 * of the class on one side of a threshold of the model and for others on the other side, what is
 * predicted for the largest block says little of the others: the block with the shortest pieces. 0:
 * they are all on one side. */
size_t cpm_size_class_torn_at(const cpm_size_class *c, const cpm_model *m, size_t segment);

#endif
