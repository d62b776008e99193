/* Algorithms in ceil(log2 n) steps for any n: to rank - 2^k or rank + 2^k. */
#ifndef CPM_ALGORITHMS_BRUCK_H
#define CPM_ALGORITHMS_BRUCK_H

#include "collectives/algorithm.h"

int cpm_bruck_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                        cpm_error *e);
int cpm_bruck_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);
int cpm_dissemination_barrier(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                              cpm_error *e);

#endif
