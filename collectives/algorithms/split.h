/* Operations split into several: the thesis's scatter and gather of small enough blocks, and the
 * broadcast of two halves down two subtrees. */
#ifndef CPM_ALGORITHMS_SPLIT_H
#define CPM_ALGORITHMS_SPLIT_H

#include "collectives/algorithm.h"

/* Linear operations of one piece of every block after the other (O'Flynn 2009, 7.1): pieces of at
 * most call->segment bytes, else call->k of them, else 2. The variant is a bool: a barrier between
 * them. */
int cpm_split_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);
int cpm_split_gather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);

/* Split binary tree (Fagg et al. 2006): one half of the data goes down the left subtree, the other
 * down the right one, each in segments; then pairs of the two subtrees exchange their halves. */
int cpm_split_binary(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);

#endif
