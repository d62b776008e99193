/* Late messages: a receive overhead cannot be told from the transfer. What it differs by from host
 * to host can, if links are as fast both ways. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "estimators/lmo2.h"
#include "models/lmo2.h"

/* Seconds per byte of messages alone in regime k. */
static double *rate(const cpm_model *m, int k, int i, int j)
{
    return &m->value[CPM_LMO2_INVBETA][cpm_pair_place(m, k, i, j)];
}

/* By how much messages to process j are slower than those back, in the median over all, itself
 * among them: what its receives take more than those of the median process. */
static double slower_to(const cpm_model *m, int k, int j, double *work)
{
    for (int i = 0; i < m->n; i++)
        work[i] = i == j ? 0 : *rate(m, k, i, j) - *rate(m, k, j, i);
    return cpm_median(work, m->n);
}

/* As much as leaves neither a negative overhead nor a negative time on the way. */
static void move_to_receiver(cpm_model *m, int k, int j, double by)
{
    double *slope = &m->value[CPM_LMO2_TR][cpm_place(m, k, j)];
    by = fmax(by, -*slope);
    for (int i = 0; i < m->n; i++)
        by = i == j ? by : fmin(by, *rate(m, k, i, j));
    *slope += by;
    for (int i = 0; i < m->n; i++)
        if (i != j)
            *rate(m, k, i, j) -= by;
}

int cpm_lmo2_share_late(cpm_model *m, int k, cpm_error *e)
{
    size_t n = (size_t)m->n;
    double *work = malloc(2 * n * sizeof *work);
    if (!work)
        return cpm_no_memory(e);
    double *by = work + n;
    for (int j = 0; j < m->n; j++)
        by[j] = slower_to(m, k, j, work);
    for (int j = 0; j < m->n; j++)
        move_to_receiver(m, k, j, by[j]);
    free(work);
    return CPM_OK;
}
