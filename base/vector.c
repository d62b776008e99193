/* Without a capacity of its own an array is full at powers of two. */
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 8 }; /* elements, a power of two */

bool cpm_vector_grow(void *array, int64_t *capacity, int64_t count, size_t each)
{
    int64_t most = (int64_t)(PTRDIFF_MAX / each), room = *capacity ? 2 * *capacity : FIRST;
    if (room < count)
        room = count;
    void *at;
    memcpy(&at, array, sizeof at); /* a pointer to whatever it is */
    at = room <= most ? realloc(at, (size_t)room * each) : NULL;
    if (!at)
        return false;
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
