/* Of the three sizes of a regime the third is by far the longest. Two give each pair its line, so
 * among many processes only some pairs are measured at the third: those of as many rounds as few
 * processes have, and those that the second size says much less of than of most. */
#include <stdlib.h>

#include "base/statistics.h"
#include "estimators/lmo2.h"
#include "estimators/rounds.h"

/* An interval that is so many times as wide as most. */
static const double wide = 1.25;

bool cpm_lmo2_is_spare(const cpm_regime *r, int n, size_t bytes)
{
    size_t sizes[3];
    return n > CPM_LMO2_FEW && cpm_lmo2_sizes(r, sizes) == 3 && bytes == sizes[2] &&
           sizes[1] >= CPM_LMO2_LEAST_SHARED;
}

/* Half the interval of a pair's round trip, as a share of it. */
static double share_of_half(const cpm_measurements *m, int i, int j, size_t bytes)
{
    cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, 0);
    int at = cpm_measurements_find(m, &x);
    return at < 0 ? 0
                  : cpm_measurement_half(&m->at[at], m->statistic) /
                        cpm_measurement_value(&m->at[at], m->statistic);
}

/* half[n*n], 0 where i = j; work[n*n]. */
static void take_halves(const cpm_measurements *m, int n, size_t bytes, double *half, double *work,
                        double *median)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double *at = &half[i * n + j];
            *at = i == j ? 0 : share_of_half(m, i, j, bytes);
            if (i != j)
                work[count++] = *at;
        }
    *median = cpm_median(work, count);
}

/* Those pairs at the third size whose interval is wide. */
static int add_wide(const double *half, double median, int n, size_t bytes, cpm_design *next,
                    cpm_error *e)
{
    cpm_rounds rounds = {.wide = (size_t)n};
    int status = CPM_OK;
    for (int q = 0; q < n * n && !status; q++) {
        cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, q / n, q % n, bytes, 0);
        if (!(half[q] > wide * median)) /* or not known, of one repetition */
            continue;
        status = cpm_rounds_take(&rounds, x.i, e);
        if (!status)
            status = cpm_rounds_take(&rounds, x.j, e);
        if (!status)
            status = cpm_rounds_add(&rounds, &x, 1, e);
    }
    if (!status)
        status = cpm_rounds_put(&rounds, next, e);
    cpm_rounds_clear(&rounds);
    return status;
}

int cpm_lmo2_spare_plan(const cpm_regime *r, int n, const cpm_measurements *so_far,
                        cpm_design *next, cpm_error *e)
{
    size_t sizes[3], all = (size_t)n * (size_t)n;
    double median;
    if (cpm_lmo2_sizes(r, sizes) < 3 || !cpm_lmo2_is_spare(r, n, sizes[2]))
        return CPM_OK;
    double *half = malloc(all * sizeof *half), *work = malloc(all * sizeof *work);
    int status = half && work ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        take_halves(so_far, n, sizes[1], half, work, &median);
        status = add_wide(half, median, n, sizes[2], next, e);
    }
    free(half);
    free(work);
    return status;
}
