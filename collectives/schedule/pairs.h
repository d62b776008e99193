/* First-in first-out queues per pair of ranks, for those pairs only that exchange messages. */
#ifndef CPM_SCHEDULE_PAIRS_H
#define CPM_SCHEDULE_PAIRS_H

#include <stddef.h>

/* The queue itself is linked by its user; head -1 is an empty queue. */
typedef struct {
    int from, to; /* from -1: free slot */
    int head, tail;
} cpm_pair;

/* A hash table with open addresses; zero is an empty one. */
typedef struct {
    cpm_pair *slot;
    size_t capacity, count;
} cpm_pairs;

/* The pair, or NULL if it is not there. */
cpm_pair *cpm_pairs_find(const cpm_pairs *p, int from, int to);

/* The pair, made with an empty queue if it is not there; NULL if out of memory. Valid until the
 * next pair is made. */
cpm_pair *cpm_pairs_at(cpm_pairs *p, int from, int to);

void cpm_pairs_free(cpm_pairs *p);

#endif
