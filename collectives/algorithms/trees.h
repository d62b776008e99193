/* Algorithms that follow a tree: one create function per operation; the row's variant is the
 * cpm_tree_shape. */
#ifndef CPM_ALGORITHMS_TREES_H
#define CPM_ALGORITHMS_TREES_H

#include "collectives/algorithm.h"

/* Segments follow each other down the tree: while one is received the one before is sent on. */
int cpm_tree_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);
int cpm_tree_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);
int cpm_tree_gather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);
int cpm_tree_reduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);

#endif
