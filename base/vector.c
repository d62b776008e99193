/* Without a capacity of its own an array is full at powers of two. */
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST = 8 }; /* elements, a power of two */

/* Twice as much as before; where memory is short an eighth more than is needed; 0: not even that
 * is left. */
static int64_t next_room(int64_t capacity, int64_t count, size_t each)
{
    int64_t most = (int64_t)(PTRDIFF_MAX / each), room = capacity ? 2 * capacity : FIRST;
    if (room < count)
        room = count;
    if (room > most)
        return 0;
    if (cpm_memory_suffices((size_t)(room - capacity) * each))
        return room;
    room = count + count / 8;
    return room <= most && cpm_memory_suffices((size_t)(room - capacity) * each) ? room : 0;
}

enum { LINE = 64 }; /* bytes of a line of a cache */

/* Elements of whole lines begin with one. */
static void *grow(void *at, size_t bytes, size_t more, size_t each)
{
    if (each % LINE)
        return realloc(at, more);
    void *to = aligned_alloc(LINE, more);
    if (!to)
        return NULL;
    cpm_memory_large_pages(to, more);
    if (at)
        memcpy(to, at, bytes);
    free(at);
    return to;
}

bool cpm_vector_grow(void *array, int64_t *capacity, int64_t count, size_t each)
{
    int64_t room = next_room(*capacity, count, each);
    void *at;
    memcpy(&at, array, sizeof at); /* a pointer to whatever it is */
    at = room ? grow(at, (size_t)*capacity * each, (size_t)room * each, each) : NULL;
    if (!at)
        return false;
    cpm_memory_large_pages(at, (size_t)room * each);
    memcpy(array, &at, sizeof at);
    *capacity = room;
    return true;
}

bool cpm_vector_extend(void *array, int64_t count, size_t each)
{
    int64_t capacity = count;
    bool full = count == 0 || (count >= FIRST && (count & (count - 1)) == 0);
    return !full || cpm_vector_grow(array, &capacity, count + 1, each);
}
