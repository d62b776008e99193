/* A change of a tour of hosts, or of a part of it. */
#ifndef CPM_MAPPING_TOUR_H
#define CPM_MAPPING_TOUR_H

/* The places from..to are visited the other way round. */
static inline void turn_round(int *tour, int from, int to)
{
    for (; from < to; from++, to--) {
        const int one = tour[from];
        tour[from] = tour[to];
        tour[to] = one;
    }
}

#endif
