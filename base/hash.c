/* A key's slots follow each other, and the place where its search begins, with none free between
 * them: whoever stands behind a slot that is taken out moves up. */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/memory.h"

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
    cpm_memory_large_pages(more.slot, more.capacity * sizeof *more.slot);
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

void cpm_hash_remove(cpm_hash *h, cpm_slot *slot)
{
    size_t last = h->capacity - 1, hole = (size_t)(slot - h->slot);
    for (size_t k = (hole + 1) & last; h->slot[k].key; k = (k + 1) & last) {
        size_t begin = cpm_hash_place(h, h->slot[k].key) & last;
        if (((k - begin) & last) < ((k - hole) & last)) /* its search begins behind the hole */
            continue;
        h->slot[hole] = h->slot[k];
        hole = k;
    }
    h->slot[hole] = (cpm_slot){0};
    h->count--;
}

void cpm_hash_free(cpm_hash *h)
{
    free(h->slot);
    *h = (cpm_hash){0};
}
