/* Message costs for tests: LMO and a Hockney-like one, with random parameters. */
#ifndef TESTS_SCHEDULE_COSTS_H
#define TESTS_SCHEDULE_COSTS_H

#include <math.h>
#include <stdint.h>

#include "collectives/schedule/walk.h"

enum { MAX_PROCESSES = 40 };

/* C, t of processes; L, b (inverse bandwidth) of pairs, symmetric as on a real link. */
typedef struct {
    double C[MAX_PROCESSES], t[MAX_PROCESSES];
    double L[MAX_PROCESSES][MAX_PROCESSES], b[MAX_PROCESSES][MAX_PROCESSES];
} parameters;

static inline double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*seed >> 11) + 1) / 9007199254740993.0;
}

static inline void randomize(parameters *p, uint64_t seed)
{
    for (int i = 0; i < MAX_PROCESSES; i++) {
        p->C[i] = 1e-5 * (1 + 9 * uniform(&seed));
        p->t[i] = 1e-9 * (1 + 9 * uniform(&seed));
        for (int j = 0; j <= i; j++) {
            p->L[i][j] = p->L[j][i] = 1e-5 * (1 + 9 * uniform(&seed));
            p->b[i][j] = p->b[j][i] = 1e-9 * (1 + 9 * uniform(&seed));
        }
    }
}

static inline void lmo(const void *model, int from, int to, size_t bytes, cpm_cost *c)
{
    const parameters *p = model;
    double M = (double)bytes;
    *c = (cpm_cost){.send = p->C[from] + M * p->t[from],
                    .wire = p->L[from][to] + M * p->b[from][to],
                    .recv = p->C[to] + M * p->t[to]};
}

static inline double combine_slowly(const void *model, int rank, cpm_combining what, size_t bytes)
{
    const parameters *p = model;
    return (1 + what) * (3 * p->C[rank] + 2 * (double)bytes * p->t[rank]);
}

static inline double hockney_p2p(const parameters *p, int from, int to, double bytes)
{
    return p->L[from][to] + bytes * p->b[from][to];
}

/* The link ends are busy for the whole message, the processors never. */
static inline void hockney(const void *model, int from, int to, size_t bytes, cpm_cost *c)
{
    double seconds = hockney_p2p(model, from, to, (double)bytes);
    *c = (cpm_cost){.gap = seconds, .wire = seconds};
}

/* Sums are taken in another order than the walk's: 1e-12 relative leaves room for a few thousand
 * roundings. */
static inline int close_to(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

#endif
