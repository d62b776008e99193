/* Calls by the class of their size, for the report. */
#ifndef CPM_TUNED_COMM_COUNTS_H
#define CPM_TUNED_COMM_COUNTS_H

#include <stddef.h>

/* Calls with blocks of 0 bytes, of 1, of 2 and 3, of 4 to 7 ... */
typedef struct tuned_count {
    int size_class; /* how many bits the size has */
    long calls;
    long passed;         /* of these: they were not timed, but taken to be like others */
    double bytes, spent; /* sums: bytes of a block, seconds of this rank */
    double expected;     /* seconds; negative: a part of it is not known */
    size_t smallest, largest;
    struct tuned_count *next;
} tuned_count;

int tuned_size_class(size_t bytes);

/* The counts of a class in a list, the last used first; a new one if there is none. NULL: no
 * memory. */
tuned_count *tuned_counts_of(tuned_count **all, int size_class);

/* Adds what x has counted, or one call, to c. */
void tuned_count_add(tuned_count *c, const tuned_count *x);

void tuned_counts_clear(tuned_count **all);

#endif
