/* Exchanges in n - 1 phases: in each a process sends to one other and receives from one. */
#ifndef CPM_COLLECTIVES_ALGORITHMS_PHASED_H
#define CPM_COLLECTIVES_ALGORITHMS_PHASED_H

#include "collectives/algorithm.h"

typedef enum {
    CPM_UNSYNCHRONIZED,
    CPM_LIGHT_BARRIER, /* a process tells the next sender to it that it is ready */
    CPM_BARRIERS,      /* between every two phases */
    CPM_N_BARRIERS,    /* k in all, spread evenly */
    CPM_PACED,         /* a process tells who sends to it that it is ready for a segment, each time,
                          while the one before is under way: so two are at most */
} cpm_synchronization;

/* The variant: phase i is with rank XOR i (a pair), or to rank + i and from rank - i (a ring). */
typedef struct {
    bool pair;
    cpm_synchronization synchronization;
} cpm_phases;

/* A barrier by dissemination with messages without data (Hensgen, Finkel, Manber 1988). */
void cpm_empty_barrier(int n, int rank, cpm_steps *out);

#endif
