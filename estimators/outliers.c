/* Robust location, spread and effects, by GSL. */
#include "estimators/outliers.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/statistics.h"

enum {
    LEAVE_ONE_OUT = 300, /* up to so many values, one of them moves the median of all */
    LEAST_PARTNERS = 3,  /* fewer values determine no effect */
    LEAST_TABLE = 5      /* in a table of fewer processes effects explain nearly everything */
};

double cpm_standard_error(double half_width, double confidence)
{
    return half_width / gsl_cdf_ugaussian_Pinv(0.5 + confidence / 2);
}

/* ---- scores */

/* Qn of the sorted work[used], twice as efficient as the median absolute deviation (Rousseeuw and
 * Croux 1993); room[6 used]. */
static double spread_of(const double *work, int used, double *room)
{
    return gsl_stats_Qn_from_sorted_data(work, 1, (size_t)used, room,
                                         (int *)(room + 3 * (size_t)used));
}

/* Median and spread of x without x[left_out] (-1: of all). As many deviations as effects were
 * fitted are near 0 for that reason; then the spread is the median absolute deviation without the
 * smallest ones. work[7 count + 1]. */
static void describe(const double *x, int count, int left_out, int lost, double *work,
                     double *median, double *spread)
{
    int used = 0;
    for (int i = 0; i < count; i++)
        if (i != left_out)
            work[used++] = x[i];
    *median = cpm_median(work, used);
    if (lost == 0 && used > 1) {
        *spread = spread_of(work, used, work + used);
        return;
    }
    for (int i = 0; i < used; i++)
        work[i] = fabs(work[i] - *median);
    gsl_sort(work, 1, (size_t)used);
    int skipped = lost < used ? lost : used - 1;
    *spread = used > 0 ? 1.4826 * cpm_median(work + skipped, used - skipped) : NAN;
}

static double usual_error(const double *se, int count, double *work)
{
    for (int i = 0; se && i < count; i++)
        work[i] = se[i];
    return se ? cpm_median(work, count) : 0;
}

static void score(const double *x, const double *se, int count, int lost, double least,
                  double *work, cpm_score *out, cpm_score_basis *basis)
{
    double median, usual = basis->error * basis->error;
    bool one_out = count <= LEAVE_ONE_OUT;
    describe(x, count, -1, lost, work, &median, &basis->spread);
    basis->spread = fmax(basis->spread, least);
    for (int i = 0; i < count; i++) {
        double own = basis->spread;
        if (one_out)
            describe(x, count, i, lost, work, &median, &own);
        own = fmax(own, least);
        double excess = se ? fmax(0, se[i] * se[i] - usual) : 0;
        out[i].distance = x[i] - median;
        out[i].score = out[i].distance / sqrt(own * own + excess);
        out[i].p = fmin(1, 2 * gsl_cdf_tdist_Q(fabs(out[i].score), basis->freedom));
    }
}

int cpm_scores(const double *x, const double *se, int count, int lost, double least, cpm_score *out,
               cpm_score_basis *basis, cpm_error *e)
{
    double *work = malloc((7 * (size_t)count + 1) * sizeof *work);
    if (!work)
        return cpm_fail(e, CPM_ENOMEM, "no memory to compare %d values", count);
    double left = count - 1 - lost;
    basis->freedom = fmax(lost ? left / 3 : (left - 1) / 2, 0.2);
    basis->error = usual_error(se, count, work);
    score(x, se, count, lost, least, work, out, basis);
    free(work);
    return CPM_OK;
}

/* ---- effects */

static int row_values(const double *x, int n, int i, double *work)
{
    int used = 0;
    for (int j = 0; j < n; j++)
        if (j != i && !isnan(x[(size_t)i * (size_t)n + (size_t)j]))
            work[used++] = x[(size_t)i * (size_t)n + (size_t)j];
    return used;
}

static void sweep_row(double *x, int n, int sign, int i, double *effect, double *work)
{
    int used = row_values(x, n, i, work);
    if (used < LEAST_PARTNERS || n < LEAST_TABLE)
        return;
    double step = cpm_median(work, used);
    effect[i] += step;
    for (int j = 0; j < n; j++)
        if (j != i) {
            x[(size_t)i * (size_t)n + (size_t)j] -= step;
            x[(size_t)j * (size_t)n + (size_t)i] -= sign * step;
        }
}

/* The median of all that is left; 0 by itself where the table is antisymmetric. */
static void sweep_common(double *x, int n, double *work)
{
    size_t size = (size_t)n * (size_t)n;
    int used = 0;
    for (size_t at = 0; at < size; at++)
        if (at / (size_t)n != at % (size_t)n && !isnan(x[at]))
            work[used++] = x[at];
    double common = used ? cpm_median(work, used) : 0;
    for (size_t at = 0; at < size; at++)
        x[at] -= common;
}

void cpm_polish(double *x, int n, int sign, double *effect, double *work)
{
    enum { SWEEPS = 10 };
    for (int i = 0; i < n; i++)
        effect[i] = 0;
    sweep_common(x, n, work);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < n; i++)
            sweep_row(x, n, sign, i, effect, work);
    for (int i = 0; i < n; i++)
        work[i] = effect[i];
    double middle = cpm_median(work, n);
    for (int i = 0; i < n; i++)
        effect[i] -= middle;
}
