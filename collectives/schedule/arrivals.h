/* The messages of one round in the order of their arrival. */
#ifndef CPM_COLLECTIVES_SCHEDULE_ARRIVALS_H
#define CPM_COLLECTIVES_SCHEDULE_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    union {
        double time;
        uint64_t key; /* of a sort; times are lost in it */
    };
    int message;
    unsigned place; /* the sort's own */
} cpm_arrival;

/* A list; zero is an empty one. */
typedef struct {
    cpm_arrival *at;
    int count, capacity;
    cpm_arrival *spare; /* [capacity] */
} cpm_arrivals;

/* Makes room for count of them in at; count is set by the caller. False: out of memory. */
bool cpm_arrivals_reserve(cpm_arrivals *a, int count);
/* Messages by time; those of the same time stay in the order in which they are. Times are lost.
 * Linear in their number. */
void cpm_arrivals_sort(cpm_arrivals *a);
void cpm_arrivals_free(cpm_arrivals *a);

#endif
