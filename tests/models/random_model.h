/* Random heterogeneous models for tests. */
#ifndef CPM_TESTS_RANDOM_MODEL_H
#define CPM_TESTS_RANDOM_MODEL_H

#include <stdlib.h>

#include "models/hockney.h"
#include "models/lmo.h"
#include "models/lmo2.h"

/* Uniform in [low, high), reproducible. */
static inline double random_between(unsigned *state, double low, double high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * (*state / 4294967296.0);
}

static inline void randomize(cpm_model *m, int p, unsigned *state, double low, double high)
{
    size_t slice = cpm_parameter_values(m->type, p, m->n);
    for (size_t i = 0; i < slice * (size_t)cpm_parameter_slices(m, p); i++)
        if (m->type->parameters[p].shape != CPM_PAIR || i % slice % ((size_t)m->n + 1) != 0)
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

/* Regimes from 0, 4 KiB and 64 KiB on; the last one is synchronous; link ends are not shared. */
static inline cpm_model *random_lmo2(int n, unsigned seed)
{
    cpm_model *m;
    size_t first[] = {0, 4096, 65536};
    if (cpm_model_create_sized(&cpm_lmo2, n, &(cpm_sizes){first, 3}, &m, NULL))
        abort();
    randomize(m, CPM_LMO2_CS, &seed, 20e-6, 60e-6);
    randomize(m, CPM_LMO2_TS, &seed, 2e-9, 10e-9);
    randomize(m, CPM_LMO2_CR, &seed, 20e-6, 60e-6);
    randomize(m, CPM_LMO2_TR, &seed, 2e-9, 10e-9);
    randomize(m, CPM_LMO2_L, &seed, 10e-6, 40e-6);
    randomize(m, CPM_LMO2_INVBETA, &seed, 8e-9, 14e-9);
    m->value[CPM_LMO2_RENDEZVOUS][0] = 65536;
    return m;
}

#endif
