/* Slots are never taken out, so a key's slots follow each other with none free between them. */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

uint64_t cpm_hash_seed(void)
{
    const char *random = (const char *)getauxval(AT_RANDOM); /* 16 bytes */
    uint64_t seed = 0;
    if (random)
        memcpy(&seed, random + 8, sizeof seed);
    return seed;
}

static cpm_slot *free_slot(const cpm_hash *h, uint64_t key)
{
    size_t k = cpm_hash_place(h, key);
    while (h->slot[k & (h->capacity - 1)].key)
        k++;
    return &h->slot[k & (h->capacity - 1)];
}

static bool grow(cpm_hash *h)
{
    cpm_hash more = {
        .capacity = h->capacity ? 2 * h->capacity : 64, .count = h->count, .seed = cpm_hash_seed()};
    more.slot = calloc(more.capacity, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (size_t k = 0; k < h->capacity; k++)
        if (h->slot[k].key)
            *free_slot(&more, h->slot[k].key) = h->slot[k];
    free(h->slot);
    *h = more;
    return true;
}

cpm_slot *cpm_hash_add(cpm_hash *h, uint64_t key)
{
    if (2 * h->count >= h->capacity && !grow(h))
        return NULL;
    cpm_slot *slot = free_slot(h, key);
    *slot = (cpm_slot){.key = key};
    h->count++;
    return slot;
}

void cpm_hash_free(cpm_hash *h)
{
    free(h->slot);
    *h = (cpm_hash){0};
}
