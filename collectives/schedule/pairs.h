/* First-in first-out queues per pair of ranks, for those pairs only that exchange messages: slots
 * of a hash. The queue itself is linked by its user; head -1 is an empty queue. */
#ifndef CPM_COLLECTIVES_SCHEDULE_PAIRS_H
#define CPM_COLLECTIVES_SCHEDULE_PAIRS_H

#include "base/hash.h"

static inline uint64_t cpm_pair_key(int from, int to)
{
    return ((uint64_t)(unsigned)from << 32 | (unsigned)to) + 1;
}

static inline int cpm_pair_from(const cpm_slot *pair)
{
    return (int)((pair->key - 1) >> 32);
}

static inline int cpm_pair_to(const cpm_slot *pair)
{
    return (int)((pair->key - 1) & 0x7fffffff);
}

/* The pair, made with an empty queue if it is not there; NULL if out of memory. Valid until the
 * next pair is made. */
static inline cpm_slot *cpm_pairs_at(cpm_hash *pairs, int from, int to)
{
    uint64_t key = cpm_pair_key(from, to);
    cpm_slot *pair = cpm_hash_find(pairs, key);
    if (!pair && (pair = cpm_hash_add(pairs, key)))
        pair->head = pair->tail = -1;
    return pair;
}

#endif
