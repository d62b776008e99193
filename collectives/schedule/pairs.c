/* Open addressing, at most half full, pairs are never taken out. */
#include "collectives/schedule/pairs.h"

#include <stdint.h>
#include <stdlib.h>

/* The slot of the pair, or the free slot where it belongs. */
static cpm_pair *probe(const cpm_pairs *p, int from, int to)
{
    uint64_t key = ((uint64_t)(uint32_t)from << 32) | (uint32_t)to;
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15); /* Knuth's multiplicative hashing */
    size_t k = (size_t)(hash >> 32 ^ hash >> 15) & (p->capacity - 1);
    while (p->slot[k].from >= 0 && (p->slot[k].from != from || p->slot[k].to != to))
        k = (k + 1) & (p->capacity - 1);
    return &p->slot[k];
}

static int grow(cpm_pairs *p)
{
    cpm_pairs more = {.capacity = p->capacity ? 2 * p->capacity : 64, .count = p->count};
    more.slot = malloc(more.capacity * sizeof *more.slot);
    if (!more.slot)
        return 0;
    for (size_t k = 0; k < more.capacity; k++)
        more.slot[k].from = -1;
    for (size_t k = 0; k < p->capacity; k++)
        if (p->slot[k].from >= 0)
            *probe(&more, p->slot[k].from, p->slot[k].to) = p->slot[k];
    free(p->slot);
    *p = more;
    return 1;
}

cpm_pair *cpm_pairs_find(const cpm_pairs *p, int from, int to)
{
    if (!p->count)
        return NULL;
    cpm_pair *pair = probe(p, from, to);
    return pair->from >= 0 ? pair : NULL;
}

cpm_pair *cpm_pairs_at(cpm_pairs *p, int from, int to)
{
    if (2 * p->count >= p->capacity && !grow(p))
        return NULL;
    cpm_pair *pair = probe(p, from, to);
    if (pair->from < 0) {
        *pair = (cpm_pair){.from = from, .to = to, .head = -1, .tail = -1};
        p->count++;
    }
    return pair;
}

void cpm_pairs_free(cpm_pairs *p)
{
    free(p->slot);
    *p = (cpm_pairs){0};
}
