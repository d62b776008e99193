/* Closed recursions of linear and binomial trees for any model whose message costs four times
 * (cpm_cost): message after message along the tree, after thesis (5.1). They are what the walk
 * gives, without a schedule. */
#ifndef CPM_MODELS_TREE_TIMES_H
#define CPM_MODELS_TREE_TIMES_H

#include "models/formula.h"

/* The x-th process, from 1 on, that a linear tree's root serves: by rank. */
int cpm_linear_child(int root, int x);

double cpm_linear_scatter_time(const cpm_model *m, const cpm_formula_call *c); /* and bcast */
double cpm_linear_gather_time(const cpm_model *m, const cpm_formula_call *c);
double cpm_binomial_scatter_time(const cpm_model *m, const cpm_formula_call *c);
double cpm_binomial_gather_time(const cpm_model *m, const cpm_formula_call *c);
double cpm_binomial_bcast_time(const cpm_model *m, const cpm_formula_call *c);

/* The way to the last node of a homogeneous binomial tree: messages of 1, 2, 4 ... blocks, as many
 * as are left. */
double cpm_binomial_way(const cpm_model *m, size_t block_bytes,
                        double (*seconds_of)(const cpm_model *m, size_t bytes));

/* Levels of a binomial tree of n processes: log2 n, rounded up. */
int cpm_binomial_levels(int n);

#endif
