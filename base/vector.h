/* Arrays that grow, whatever is in them: twice as much room whenever they are full. An array is the
 * pointer to its elements; NULL is an empty one, and free() ends it. */
#ifndef CPM_BASE_VECTOR_H
#define CPM_BASE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool cpm_vector_grow(void *array, int64_t *capacity, int64_t count, size_t each);

/* Makes room for count elements of each bytes; array is the address of the pointer to them, of
 * which there is room for *capacity. False, with all as it was: out of memory. */
static inline bool cpm_vector_reserve(void *array, int64_t *capacity, int64_t count, size_t each)
{
    return count <= *capacity || cpm_vector_grow(array, capacity, count, each);
}

/* Makes room for one element behind count, in an array that grew by this function only, and so
 * needs not keep its capacity. */
bool cpm_vector_extend(void *array, int64_t count, size_t each);

#endif
