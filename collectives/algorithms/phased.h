/* Exchanges in n - 1 phases: in each a process sends to one other and receives from one. */
#ifndef CPM_ALGORITHMS_PHASED_H
#define CPM_ALGORITHMS_PHASED_H

#include "collectives/algorithm.h"

typedef enum {
    CPM_UNSYNCHRONIZED,
    CPM_LIGHT_BARRIER, /* a process tells the next sender to it that it is ready */
    CPM_BARRIERS,      /* between every two phases */
    CPM_N_BARRIERS,    /* k in all, spread evenly */
} cpm_synchronization;

/* The variant: phase i is with rank XOR i (a pair), or to rank + i and from rank - i (a ring). */
typedef struct {
    bool pair;
    cpm_synchronization synchronization;
} cpm_phases;

int cpm_phased_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                        cpm_error *e);
int cpm_phased_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                         cpm_error *e);
/* The block for a process goes to it in its phase and is combined there. */
int cpm_phased_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                              cpm_error *e);

/* One message to each other process, all in one round: to 0, 1, ... or to rank + 1, rank + 2, ...
 * (the variant is a bool: spread). */
int cpm_simple_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                        cpm_error *e);
int cpm_simple_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                         cpm_error *e);
/* Messages below the call's threshold all at once, then the others in phases. */
int cpm_switched_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                          cpm_error *e);

/* A barrier by dissemination with messages without data (Hensgen, Finkel, Manber 1988). */
void cpm_empty_barrier(int n, int rank, cpm_steps *out);

#endif
