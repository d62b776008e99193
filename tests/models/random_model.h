/* Random heterogeneous models for tests. */
#ifndef CPM_TESTS_RANDOM_MODEL_H
#define CPM_TESTS_RANDOM_MODEL_H

#include <stdlib.h>

#include "models/hockney.h"
#include "models/lmo.h"

/* Uniform in [low, high), reproducible. */
static inline double random_between(unsigned *state, double low, double high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * (*state / 4294967296.0);
}

static inline void randomize(cpm_model *m, int p, unsigned *state, double low, double high)
{
    size_t count = cpm_parameter_values(m->type, p, m->n);
    for (size_t i = 0; i < count; i++)
        if (m->type->parameters[p].shape != CPM_PAIR || i % ((size_t)m->n + 1) != 0)
            m->value[p][i] = random_between(state, low, high);
}

static inline cpm_model *random_hockney(int n, unsigned seed)
{
    cpm_model *m;
    if (cpm_model_create(&cpm_hockney, n, &m, NULL))
        abort();
    randomize(m, CPM_HOCKNEY_ALPHA, &seed, 30e-6, 90e-6);
    randomize(m, CPM_HOCKNEY_BETA, &seed, 8e-9, 30e-9);
    return m;
}

static inline cpm_model *random_lmo(int n, unsigned seed)
{
    cpm_model *m;
    if (cpm_model_create(&cpm_lmo, n, &m, NULL))
        abort();
    randomize(m, CPM_LMO_C, &seed, 20e-6, 60e-6);
    randomize(m, CPM_LMO_T, &seed, 2e-9, 10e-9);
    randomize(m, CPM_LMO_L, &seed, 10e-6, 40e-6);
    randomize(m, CPM_LMO_INVBETA, &seed, 8e-9, 14e-9);
    return m;
}

#endif
