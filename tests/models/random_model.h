/* Random heterogeneous models for tests. */
#ifndef CPM_TESTS_RANDOM_MODEL_H
#define CPM_TESTS_RANDOM_MODEL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/hockney.h"
#include "models/lmo.h"
#include "models/lmo2.h"
#include "models/loggp.h"
#include "models/logp.h"
#include "models/plogp.h"

/* Uniform in [low, high), reproducible. */
static inline double random_between(unsigned *state, double low, double high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * (*state / 4294967296.0);
}

static inline void randomize(cpm_model *m, int p, unsigned *state, double low, double high)
{
    size_t slice = cpm_parameter_values(m, p);
    for (size_t i = 0; i < slice * (size_t)cpm_parameter_slices(m, p); i++)
        if (m->type->parameters[p].shape != CPM_PAIR || i % slice % ((size_t)m->n + 1) != 0)
            m->value[p][i] = random_between(state, low, high);
}

/* What a formula gives without parameters. */
static inline double formula_of(double (*predict)(const cpm_model *, const cpm_formula_call *),
                                const cpm_model *m, int root, size_t bytes)
{
    return predict(m, &(cpm_formula_call){.root = root, .bytes = bytes});
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
    randomize(m, CPM_LMO2_CN, &seed, 20e-6, 60e-6);
    randomize(m, CPM_LMO2_TN, &seed, 2e-9, 10e-9);
    for (int k = 0; k < 2 * n; k++) /* the buffered regimes */
        m->value[CPM_LMO2_CN][k] = m->value[CPM_LMO2_TN][k] = NAN;
    m->value[CPM_LMO2_RENDEZVOUS][0] = 65536;
    return m;
}

/* Messages of 1 KiB. */
static inline cpm_model *random_logp(int n, unsigned seed)
{
    cpm_model *m;
    if (cpm_model_create(&cpm_logp, n, &m, NULL))
        abort();
    randomize(m, CPM_LOGP_L, &seed, 50e-6, 90e-6);
    randomize(m, CPM_LOGP_O, &seed, 10e-6, 30e-6);
    randomize(m, CPM_LOGP_G, &seed, 30e-6, 60e-6);
    m->value[CPM_LOGP_W][0] = 1024;
    return m;
}

static inline cpm_model *random_loggp(int n, unsigned seed)
{
    cpm_model *m;
    if (cpm_model_create(&cpm_loggp, n, &m, NULL))
        abort();
    randomize(m, CPM_LOGGP_L, &seed, 50e-6, 90e-6);
    randomize(m, CPM_LOGGP_O, &seed, 10e-6, 30e-6);
    randomize(m, CPM_LOGGP_SMALL_G, &seed, 30e-6, 60e-6);
    randomize(m, CPM_LOGGP_G, &seed, 8e-9, 14e-9);
    return m;
}

/* Curves that are lines up to 32 KiB and from 48 KiB on, with a leap between; links have the same
 * latency both ways. */
static inline cpm_model *random_plogp(int n, unsigned seed)
{
    cpm_model *m;
    size_t size[] = {0, 32768, 49152, 262144};
    if (cpm_model_create_sized(&cpm_plogp, n, &(cpm_sizes){size, 4}, &m, NULL))
        abort();
    randomize(m, CPM_PLOGP_L, &seed, 20e-6, 60e-6);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            m->value[CPM_PLOGP_L][i * n + j] = m->value[CPM_PLOGP_L][j * n + i];
    for (int p = CPM_PLOGP_OS; p <= CPM_PLOGP_G; p++) {
        double scale = p == CPM_PLOGP_G ? 1 : 0.5;
        size_t count = cpm_parameter_values(m, p);
        for (size_t q = 0; q < count; q++) {
            double constant = random_between(&seed, 40e-6, 60e-6) * scale;
            double slope = random_between(&seed, 8e-9, 14e-9) * scale;
            bool diagonal = p == CPM_PLOGP_G && q % ((size_t)n + 1) == 0;
            for (size_t k = 0; k < 4; k++)
                m->value[p][k * count + q] =
                    diagonal ? 0 : constant * (k < 2 ? 1 : 5) + (double)size[k] * slope;
        }
    }
    return m;
}

/* Of a type that has no function of its own here: costs, and thresholds unknown. */
static inline cpm_model *random_values(const cpm_model_type *type, int n, unsigned seed)
{
    cpm_model *m;
    if (cpm_model_create(type, n, &m, NULL))
        abort();
    for (int p = 0; p < type->count; p++) {
        const char *unit = type->parameters[p].unit;
        if (strcmp(unit, "s") == 0)
            randomize(m, p, &seed, 20e-6, 60e-6);
        else if (strcmp(unit, "s/B") == 0)
            randomize(m, p, &seed, 8e-9, 14e-9);
    }
    return m;
}

/* A random model of any type. */
static inline cpm_model *random_model(const cpm_model_type *type, int n, unsigned seed)
{
    static const struct {
        const cpm_model_type *type;
        cpm_model *(*create)(int n, unsigned seed);
    } all[] = {{&cpm_hockney, random_hockney}, {&cpm_logp, random_logp}, {&cpm_loggp, random_loggp},
               {&cpm_plogp, random_plogp},     {&cpm_lmo, random_lmo},   {&cpm_lmo2, random_lmo2}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].type == type)
            return all[k].create(n, seed);
    return random_values(type, n, seed);
}

#endif
