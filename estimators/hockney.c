/* Hockney: per pair, half the round trip is a line over the message size (thesis 6.2). */
#include "models/hockney.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

#include "estimators/designs.h"
#include "estimators/estimator.h"

cpm_plan_function cpm_hockney_regression_plan, cpm_hockney_two_sizes_plan;
cpm_fit_function cpm_hockney_fit;

/* ---- which experiments */

static int plan_sizes(const size_t *bytes, int count, int n, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int s = 0; s < count && !status; s++)
        status = cpm_design_tournament(next, n, bytes[s], e);
    return status;
}

int cpm_hockney_two_sizes_plan(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                               cpm_design *next, cpm_error *e)
{
    (void)so_far;
    size_t bytes[] = {0, cpm_design_message(options)};
    return plan_sizes(bytes, 2, n, next, e);
}

int cpm_hockney_regression_plan(const cpm_estimation *options, int n,
                                const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    static const size_t usual[] = {0, 2048, 4096, 8192, 16384, CPM_DEFAULT_MESSAGE};
    if (options->sizes.count > 1)
        return plan_sizes(options->sizes.at, options->sizes.count, n, next, e);
    if (options->sizes.count == 1 || options->message)
        return cpm_hockney_two_sizes_plan(options, n, so_far, next, e);
    return plan_sizes(usual, sizeof usual / sizeof *usual, n, next, e);
}

/* ---- the fit */

/* The one-way times of a pair: half the round trips with equal sizes. */
typedef struct {
    double *x, *y, *half; /* bytes; seconds; half width of the time's confidence interval */
    int count;
} line_data;

typedef struct {
    double alpha, beta, alpha_ci, beta_ci;
} line;

/* With two points there are no residuals: the intervals are those of the two times. */
static line through_two(const line_data *d)
{
    double dx = d->x[1] - d->x[0], slope = (d->y[1] - d->y[0]) / dx;
    double slope_ci = hypot(d->half[0], d->half[1]) / fabs(dx);
    return (line){.alpha = d->y[0] - slope * d->x[0],
                  .beta = slope,
                  .alpha_ci = hypot(d->half[0], d->x[0] * slope_ci),
                  .beta_ci = slope_ci};
}

/* Weights 1/time^2: relative errors count. work[count] gets them. */
static line regression(const line_data *d, double confidence, double *work)
{
    double c0, c1, v00, v01, v11, chi2;
    size_t n = (size_t)d->count;
    for (size_t i = 0; i < n; i++)
        work[i] = 1 / (d->y[i] * d->y[i]);
    gsl_fit_wlinear(d->x, 1, work, 1, d->y, 1, n, &c0, &c1, &v00, &v01, &v11, &chi2);
    double freedom = (double)d->count - 2;
    double q = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, freedom) * sqrt(chi2 / freedom);
    return (line){.alpha = c0, .beta = c1, .alpha_ci = q * sqrt(v00), .beta_ci = q * sqrt(v11)};
}

/* A negative alpha means that the line does not hold down to 0; then it goes through 0. */
static void keep_positive(const line_data *d, line *l, int *changed)
{
    if (l->alpha >= 0)
        return;
    double xy = 0, xx = 0;
    for (int i = 0; i < d->count; i++) {
        double w = 1 / (d->y[i] * d->y[i]);
        xy += w * d->x[i] * d->y[i];
        xx += w * d->x[i] * d->x[i];
    }
    l->alpha = 0;
    l->beta = xy / xx;
    ++*changed;
}

static bool has_two_sizes(const line_data *d)
{
    for (int i = 1; i < d->count; i++)
        if (d->x[i] != d->x[0])
            return true;
    return false;
}

static int fit_line(const line_data *d, int i, int j, double confidence, line *out, cpm_error *e)
{
    if (!has_two_sizes(d))
        return cpm_fail(e, CPM_EDATA,
                        "processes %d and %d have round trips of %s; at least two sizes are needed",
                        i, j, d->count ? "one size only" : "no size");
    if (d->count == 2) {
        *out = through_two(d);
        return CPM_OK;
    }
    double *work = malloc((size_t)d->count * sizeof *work);
    if (!work)
        return cpm_no_memory(e);
    *out = regression(d, confidence, work);
    free(work);
    return CPM_OK;
}

static bool is_symmetric_roundtrip(const cpm_measurement *m)
{
    return m->what.kind == &cpm_experiment_kinds[CPM_ROUNDTRIP] &&
           m->what.send_bytes == m->what.reply_bytes && m->summary.min > 0;
}

/* Sorts the round trips of m by pair: first[pair] .. first[pair + 1]. */
static int *sort_by_pair(const cpm_measurements *m, int *order)
{
    size_t n = (size_t)m->n;
    int *first = calloc(n * n + 2, sizeof *first);
    if (!first)
        return NULL;
    for (int q = 0; q < m->count; q++)
        if (is_symmetric_roundtrip(&m->at[q]))
            first[(size_t)m->at[q].what.i * n + (size_t)m->at[q].what.j + 2]++;
    for (size_t p = 1; p < n * n + 2; p++)
        first[p] += first[p - 1];
    for (int q = 0; q < m->count; q++)
        if (is_symmetric_roundtrip(&m->at[q]))
            order[first[(size_t)m->at[q].what.i * n + (size_t)m->at[q].what.j + 1]++] = q;
    return first;
}

static void add_pair(const cpm_measurements *m, const int *first, const int *order, int i, int j,
                     line_data *d)
{
    size_t pair = (size_t)i * (size_t)m->n + (size_t)j;
    for (int at = first[pair]; at < first[pair + 1]; at++) {
        const cpm_measurement *r = &m->at[order[at]];
        d->x[d->count] = (double)r->what.send_bytes;
        d->y[d->count] = cpm_measurement_value(r, m->statistic) / 2;
        d->half[d->count++] = cpm_measurement_half(r, m->statistic) / 2;
    }
}

static void set_pair(cpm_model *model, int i, int j, const line *l)
{
    size_t n = (size_t)model->n, a = (size_t)i * n + (size_t)j, b = (size_t)j * n + (size_t)i;
    model->value[CPM_HOCKNEY_ALPHA][a] = model->value[CPM_HOCKNEY_ALPHA][b] = l->alpha;
    model->value[CPM_HOCKNEY_BETA][a] = model->value[CPM_HOCKNEY_BETA][b] = l->beta;
    model->ci[CPM_HOCKNEY_ALPHA][a] = model->ci[CPM_HOCKNEY_ALPHA][b] = l->alpha_ci;
    model->ci[CPM_HOCKNEY_BETA][a] = model->ci[CPM_HOCKNEY_BETA][b] = l->beta_ci;
}

static int fit_pairs(const cpm_estimation *options, const cpm_measurements *m, const int *first,
                     const int *order, line_data *d, cpm_model *model, cpm_error *e)
{
    int status = CPM_OK, changed = 0;
    for (int i = 0; i < m->n && !status; i++)
        for (int j = i + 1; j < m->n && !status; j++) {
            line l = {0};
            d->count = 0;
            add_pair(m, first, order, i, j, d);
            add_pair(m, first, order, j, i, d);
            status = fit_line(d, i, j, options->confidence, &l, e);
            if (status)
                break;
            keep_positive(d, &l, &changed);
            set_pair(model, i, j, &l);
        }
    if (!status && changed)
        status =
            cpm_note(&model->notes, e,
                     "%d pairs have no positive alpha: their line is drawn through 0", changed);
    return status;
}

int cpm_hockney_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                    cpm_error *e)
{
    size_t room = (size_t)m->count + 1;
    cpm_model *model;
    int status = cpm_model_create(&cpm_hockney, m->n, &model, e);
    if (status)
        return status;
    int *order = malloc(room * sizeof *order), *first = order ? sort_by_pair(m, order) : NULL;
    double *space = malloc(3 * room * sizeof *space);
    line_data d = {space, space + room, space + 2 * room, 0};
    if (!first || !space)
        status = cpm_no_memory(e);
    else
        status = fit_pairs(options, m, first, order, &d, model, e);
    free(order);
    free(first);
    free(space);
    return cpm_model_hand_over(status, model, out);
}
