/* One function per row of the list, over the means of a Hockney model's parameters. */
#include "models/alpha_beta.h"

#include <math.h>

#include "models/hockney.h"

static double estimate(const cpm_model *m, double messages, double blocks, size_t bytes)
{
    return messages * cpm_parameter_mean(m, CPM_HOCKNEY_ALPHA) +
           blocks * (double)bytes * cpm_parameter_mean(m, CPM_HOCKNEY_BETA);
}

#define X(operation, algorithm, name, source, messages, blocks)              \
    double cpm_alpha_beta_##name(const cpm_model *m, int root, size_t bytes) \
    {                                                                        \
        double p = m->n, lg = log2(p);                                       \
        (void)root, (void)lg;                                                \
        return estimate(m, messages, blocks, bytes);                         \
    }
CPM_ALPHA_BETA(X)
#undef X
