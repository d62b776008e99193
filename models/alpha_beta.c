/* One function per row of the list, over the means of a Hockney model's parameters. */
#include "models/alpha_beta.h"

#include <math.h>

#include "models/hockney.h"

static double estimate(const cpm_model *m, double messages, double blocks, size_t bytes)
{
    return messages * cpm_parameter_mean(m, CPM_HOCKNEY_ALPHA) +
           blocks * (double)bytes * cpm_parameter_mean(m, CPM_HOCKNEY_BETA);
}

/* There is at most one barrier between two of the p - 1 phases. */
static double barriers(const cpm_model *m, const cpm_formula_call *c)
{
    return fmax(0, fmin(c->with.k ? c->with.k : 1, m->n - 2));
}

#define X(operation, algorithm, name, source, messages, blocks, domain, takes)  \
    double cpm_alpha_beta_##name(const cpm_model *m, const cpm_formula_call *c) \
    {                                                                           \
        double p = m->n, lg = log2(p), N = barriers(m, c);                      \
        (void)lg, (void)N;                                                      \
        return estimate(m, messages, blocks, c->bytes);                         \
    }
CPM_ALPHA_BETA(X)
#undef X
