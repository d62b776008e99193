/* What of an algorithm is worth trying for blocks of some size, from its row. */
#ifndef CPM_COLLECTIVES_TRIES_H
#define CPM_COLLECTIVES_TRIES_H

#include "collectives/algorithm.h"

/* Sizes from which messages behave otherwise, by the names that a model gives them ("S", "M1"): of
 * returns bytes, or NaN if the model has none of that name. of == NULL: there are none. */
typedef struct {
    double (*of)(const void *model, const char *name);
    const void *model;
} cpm_thresholds;

/* No row has more at any size. */
enum { CPM_MOST_TRIES = 512 };

/* Whether a is tried, or run where all algorithms of its operation are, among n processes. Who
 * names it gets it. */
bool cpm_algorithm_is_tried(const cpm_algorithm *a, int n);

/* Writes the sets of parameters with which a is worth trying for n processes and blocks of up to so
 * many bytes, the row's own defaults first, unless segments make it. Returns how many there are, of
 * which the first room are in out; 0: it makes no sense for this size. */
int cpm_algorithm_tries(const cpm_algorithm *a, int n, size_t bytes,
                        const cpm_thresholds *thresholds, cpm_parameters *out, int room);

/* The value of k of a call: its own, or the row's usual one. */
int cpm_library_default_k(const cpm_algorithm *a, const cpm_call *call);

#endif
