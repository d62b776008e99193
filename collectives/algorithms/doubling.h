/* Recursive doubling and halving: partners at distances 1, 2, 4, ... */
#ifndef CPM_ALGORITHMS_DOUBLING_H
#define CPM_ALGORITHMS_DOUBLING_H

#include "collectives/algorithm.h"

int cpm_doubling_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e);
/* Of the first 2 (n - 2^m) processes the even ones hand their part to their neighbours and get the
 * result back, so that a power of two remains (Thakur, Rabenseifner, Gropp 2005, 4.4). */
int cpm_doubling_allreduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e);
int cpm_doubling_barrier(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                         cpm_error *e);
int cpm_halving_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                               cpm_error *e);

#endif
