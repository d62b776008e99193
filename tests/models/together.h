/* How long messages take that share what is on their way. */
#ifndef CPM_TESTS_TOGETHER_H
#define CPM_TESTS_TOGETHER_H

#include "models/experiments.h"

/* Seconds of the last of round trips at once, from pairs of processes. */
static inline double together(const cpm_model *m, const int (*pair)[2], int count, size_t bytes)
{
    cpm_experiment x[4];
    double seconds[4], last = 0;
    for (int q = 0; q < count; q++)
        x[q] = cpm_experiment_pair(CPM_ROUNDTRIP, pair[q][0], pair[q][1], bytes, 0);
    assert_int_equal(cpm_model_experiments(m, x, count, seconds, NULL), CPM_OK);
    for (int q = 0; q < count; q++)
        last = fmax(last, seconds[q]);
    return last;
}

#endif
