/* A hash: from keys of 64 bits to whatever stands in their slots. Keys are what the user makes of
 * them: several slots may have the same one, and the user tells them apart. Places, and keys of
 * texts, are others in every process, so that no file can choose texts or numbers that collide. */
#ifndef CPM_BASE_HASH_H
#define CPM_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One of value and hash: for keys of several parts, one after the other, from 0 on. Multiplied
 * twice, as in Steele's splitmix64: after a single time numbers that collide from one seed do so
 * from many. */
static inline uint64_t cpm_hash_mix(uint64_t hash, uint64_t value)
{
    hash ^= value;
    hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

/* Of this process, by the kernel's random numbers. */
uint64_t cpm_hash_seed(void);

/* The key of a text: not 0. */
static inline uint64_t cpm_hash_text(const char *text)
{
    uint64_t key = cpm_hash_seed();
    for (; *text; text++)
        key = cpm_hash_mix(key, (unsigned char)*text);
    return key | 1;
}

typedef struct {
    uint64_t key; /* 0: a free slot */
    union {       /* the user's */
        void *pointer;
        int index;
        struct {
            int head, tail;
        };
    };
} cpm_slot;

/* Open addresses, at most half of them in use; zero is an empty one. */
typedef struct {
    cpm_slot *slot;
    size_t capacity, count; /* capacity: 0 or a power of two */
    uint64_t seed;          /* of places; set with the first slots */
} cpm_hash;

/* Where the search for a key begins, but for the capacity. */
static inline size_t cpm_hash_place(const cpm_hash *h, uint64_t key)
{
    return cpm_hash_mix(h->seed, key);
}

/* The slot of key, or the free one where it belongs, from place k on. */
static inline cpm_slot *cpm_hash_probe(const cpm_hash *h, uint64_t key, size_t k)
{
    for (;; k++) {
        cpm_slot *slot = &h->slot[k & (h->capacity - 1)];
        if (slot->key == key || !slot->key)
            return slot;
    }
}

/* A slot of key, which is not 0; NULL: there is none. Valid until the next one is added. */
static inline cpm_slot *cpm_hash_find(const cpm_hash *h, uint64_t key)
{
    cpm_slot *slot = h->count ? cpm_hash_probe(h, key, cpm_hash_place(h, key)) : NULL;
    return slot && slot->key ? slot : NULL;
}

/* Another slot of the same key, each in turn; NULL: that was the last. */
static inline cpm_slot *cpm_hash_next(const cpm_hash *h, const cpm_slot *slot)
{
    cpm_slot *next = cpm_hash_probe(h, slot->key, (size_t)(slot - h->slot) + 1);
    return next->key ? next : NULL;
}

/* A new slot of key, which others may have; the caller fills it. NULL: out of memory. */
cpm_slot *cpm_hash_add(cpm_hash *h, uint64_t key);

/* Takes out a slot; others may move. */
void cpm_hash_remove(cpm_hash *h, cpm_slot *slot);

void cpm_hash_free(cpm_hash *h);

#endif
