/* A graph for whoever asks for all operations: processes that are at most two apart. */
#ifndef CPM_TESTS_NEAR_GRAPH_H
#define CPM_TESTS_NEAR_GRAPH_H

#include <stdlib.h>

#include "collectives/neighbours.h"

static inline cpm_neighbours *near_graph(int n)
{
    int *from = malloc(8 * (size_t)n * sizeof *from), *to = from + 4 * n, count = 0;
    cpm_neighbours *g = NULL;
    for (int i = 0; from && i < n; i++)
        for (int d = -2; d <= 2; d++)
            if (d && i + d >= 0 && i + d < n) {
                from[count] = i;
                to[count++] = i + d;
            }
    if (!from || cpm_neighbours_create(n, count, from, to, &g, NULL))
        abort();
    free(from);
    return g;
}

#endif
