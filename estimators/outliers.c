/* What is unlike the rest, by Rosner's test, and effects by median polish. */
#include "estimators/outliers.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"

static const double least_freedom = 0.5;

enum {
    LEAST_PARTNERS = 3, /* fewer values determine no effect */
    LEAST_TABLE = 5     /* in a table of fewer processes effects explain nearly everything */
};

double cpm_standard_error(double half_width, double confidence)
{
    return half_width / gsl_cdf_ugaussian_Pinv(0.5 + confidence / 2);
}

/* ---- scores */

static double usual_error(const double *se, int count, double *work)
{
    for (int i = 0; se && i < count; i++)
        work[i] = se[i];
    return se ? cpm_median(work, count) : 0;
}

/* Values that are taken to be alike: those from first to last of the sorted ones. */
typedef struct {
    const double *x, *se; /* [count]; se may be NULL */
    const size_t *order;  /* [count] */
    int count, lost, most;
    double least, error; /* of a spread; the usual standard error */
    int first, last;
    double sum, squares; /* of these */
} alike;

static double sorted(const alike *a, int q)
{
    return a->x[a->order[q]];
}

static void include(alike *a, double x, int sign)
{
    a->sum += sign * x;
    a->squares += sign * x * x;
}

/* What a value is compared with. */
typedef struct {
    double mean, spread, freedom;
    int count;
} others;

/* The alike ones, without x if it is one of them. */
static others others_of(const alike *a, double x, bool is_alike)
{
    alike b = *a;
    if (is_alike)
        include(&b, x, -1);
    int m = a->last - a->first + 1 - is_alike;
    double mean = b.sum / m, freedom = m - 1 - a->lost;
    double variance = fmax(0, b.squares - m * mean * mean) / fmax(freedom, 1);
    double spread = fmax(sqrt(variance), fmax(a->least, a->error));
    return (others){mean, spread, fmax(freedom, least_freedom), m};
}

static cpm_score score_of(const alike *a, int i, bool is_alike)
{
    others o = others_of(a, a->x[i], is_alike);
    double excess = a->se ? fmax(0, a->se[i] * a->se[i] - a->error * a->error) : 0;
    double distance = a->x[i] - o.mean;
    double score = distance / sqrt(o.spread * o.spread * (1 + 1.0 / o.count) + excess);
    return (cpm_score){distance, score, fmin(1, 2 * gsl_cdf_tdist_Q(fabs(score), o.freedom))};
}

/* Leaves out the value that is farthest from the mean of those that are left. */
static int leave_out(alike *a)
{
    double mean = a->sum / (a->last - a->first + 1);
    bool high = sorted(a, a->last) - mean > mean - sorted(a, a->first);
    int q = high ? a->last-- : a->first++;
    include(a, sorted(a, q), -1);
    return (int)a->order[q];
}

/* Rosner's generalized test: as many as the last that is significant among those that were left. */
static alike find_alike(alike a)
{
    const double level = 0.05;
    alike found = a;
    int most = (a.count - 1) / 2, known = a.count - 3 - a.lost;
    most = known < most ? known : most;
    for (int k = 0; k < a.most && k < most; k++) {
        int i = leave_out(&a);
        if (score_of(&a, i, false).p * (a.count - k) <= level)
            found = a;
    }
    return found;
}

static bool is_among(const alike *a, int q)
{
    return q >= a->first && q <= a->last;
}

static void score(alike a, cpm_score *out, cpm_score_basis *basis)
{
    for (int i = 0; i < a.count; i++)
        include(&a, a.x[i], 1);
    a = find_alike(a);
    for (int q = 0; q < a.count; q++)
        out[a.order[q]] = score_of(&a, (int)a.order[q], is_among(&a, q));
    others all = others_of(&a, 0, false);
    basis->spread = all.spread;
    basis->freedom = fmax(all.freedom - 1, least_freedom);
    basis->others = all.count > 1 ? all.count - 1 : 1;
    double mean = a.sum / all.count, variance = a.squares / all.count - mean * mean;
    basis->seen = variance > 1e-20;
    basis->excess = 0;
    for (int i = 0; a.se && i < a.count; i++) {
        basis->seen |= a.se[i] > 0;
        basis->excess = fmax(basis->excess, a.se[i] * a.se[i] - a.error * a.error);
    }
}

int cpm_scores(const double *x, const double *se, int count, int lost, int most, double least,
               cpm_score *out, cpm_score_basis *basis, cpm_error *e)
{
    double *work = malloc(2 * (size_t)count * sizeof *work);
    size_t *order = malloc((size_t)count * sizeof *order);
    if (!work || !order) {
        free(work);
        free(order);
        return cpm_no_memory(e);
    }
    memcpy(work, x, (size_t)count * sizeof *work);
    double middle = cpm_median(work, count); /* sums of squares want small numbers */
    for (int i = 0; i < count; i++)
        work[i] = x[i] - middle;
    basis->error = usual_error(se, count, work + count);
    gsl_sort_index(order, work, 1, (size_t)count);
    alike a = {.x = work,
               .se = se,
               .order = order,
               .count = count,
               .lost = lost,
               .most = most,
               .least = least,
               .error = basis->error,
               .last = count - 1};
    score(a, out, basis);
    free(work);
    free(order);
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
