/* Hockney: per pair, half the round trip is a line over the message size (thesis 6.2). */
#include "models/hockney.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "estimators/designs.h"
#include "estimators/estimator.h"
#include "estimators/streams.h"

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

/* What a fit looks at. */
typedef struct {
    const cpm_measurements *m;
    double confidence;
    cpm_by_pair trips, streams; /* streams of imported measurements only */
    bool imported, latencies;   /* latencies: of this pair */
    line_data d;                /* of one pair */
    int through_0;              /* pairs without a positive alpha */
    int by_streams;             /* pairs whose latency is not known */
    cpm_missing_pairs missing;
    cpm_error *e;
} fitting;

static void add_trips(fitting *f, int i, int j)
{
    size_t pair = (size_t)i * (size_t)f->m->n + (size_t)j;
    line_data *d = &f->d;
    for (int at = f->trips.first[pair]; at < f->trips.first[pair + 1]; at++) {
        const cpm_measurement *r = &f->m->at[f->trips.order[at]];
        d->x[d->count] = (double)r->what.send_bytes;
        d->y[d->count] = cpm_measurement_value(r, f->m->statistic) / 2;
        d->half[d->count++] = cpm_measurement_half(r, f->m->statistic) / 2;
    }
}

/* Messages of a stream: beside latencies of one size its longest one more says what a byte takes,
 * without any latencies each takes what it takes of the stream. */
static void add_streams(fitting *f, int i, int j)
{
    size_t pair = (size_t)i * (size_t)f->m->n + (size_t)j;
    line_data *d = &f->d;
    bool alone = !f->latencies;
    double empty = alone ? 0 : d->y[0];
    const cpm_measurement *longest = NULL;
    for (int at = f->streams.first[pair]; at < f->streams.first[pair + 1]; at++) {
        const cpm_measurement *r = &f->m->at[f->streams.order[at]];
        if (!longest || r->what.send_bytes > longest->what.send_bytes)
            longest = r;
        if (!alone)
            continue;
        d->x[d->count] = (double)r->what.send_bytes;
        d->y[d->count] = cpm_measurement_value(r, f->m->statistic) / r->what.count;
        d->half[d->count++] = cpm_measurement_half(r, f->m->statistic) / r->what.count;
    }
    if (alone || !longest)
        return;
    double x = (double)longest->what.send_bytes;
    d->x[d->count] = x;
    d->y[d->count] = empty + (x - d->x[0]) * cpm_stream_slope(longest, f->m->statistic, empty);
    d->half[d->count++] = 0;
}

static void set_pair(cpm_model *model, int i, int j, const line *l)
{
    size_t n = (size_t)model->n, a = (size_t)i * n + (size_t)j, b = (size_t)j * n + (size_t)i;
    model->value[CPM_HOCKNEY_ALPHA][a] = model->value[CPM_HOCKNEY_ALPHA][b] = l->alpha;
    model->value[CPM_HOCKNEY_BETA][a] = model->value[CPM_HOCKNEY_BETA][b] = l->beta;
    model->ci[CPM_HOCKNEY_ALPHA][a] = model->ci[CPM_HOCKNEY_ALPHA][b] = l->alpha_ci;
    model->ci[CPM_HOCKNEY_BETA][a] = model->ci[CPM_HOCKNEY_BETA][b] = l->beta_ci;
}

/* Nothing is known of a pair of which nothing was imported. */
static int fit_pair(fitting *f, int i, int j, cpm_model *model)
{
    line l = {0};
    line_data *d = &f->d;
    d->count = 0;
    add_trips(f, i, j);
    add_trips(f, j, i);
    f->latencies = d->count;
    if (f->imported && !has_two_sizes(d)) {
        add_streams(f, i, j);
        add_streams(f, j, i);
    }
    if (f->imported && d->count == 0) {
        cpm_missing_pairs_add(&f->missing, i, j);
        l = (line){NAN, NAN, NAN, NAN};
        set_pair(model, i, j, &l);
        return CPM_OK;
    }
    int status = fit_line(d, i, j, f->confidence, &l, f->e);
    if (status)
        return status;
    f->by_streams += !f->latencies;
    keep_positive(d, &l, &f->through_0);
    set_pair(model, i, j, &l);
    return CPM_OK;
}

static int fit_pairs(fitting *f, cpm_model *model)
{
    int status = CPM_OK;
    for (int i = 0; i < f->m->n && !status; i++)
        for (int j = i + 1; j < f->m->n && !status; j++)
            status = fit_pair(f, i, j, model);
    return status;
}

/* Pairs that are unknown get the median of the others, without an interval. */
static int fill_missing(fitting *f, cpm_model *model)
{
    int n = f->m->n;
    if (!f->missing.count)
        return CPM_OK;
    if (f->missing.count == (long)n * (n - 1) / 2)
        return cpm_fail(f->e, CPM_EDATA, "there are no latencies and no bandwidths of a pair");
    double *work = malloc((size_t)n * (size_t)n * sizeof *work);
    if (!work)
        return cpm_no_memory(f->e);
    for (int p = CPM_HOCKNEY_ALPHA; p <= CPM_HOCKNEY_BETA; p++) {
        int known = 0;
        for (int k = 0; k < n * n; k++)
            if (k / n != k % n && !isnan(model->value[p][k]))
                work[known++] = model->value[p][k];
        double middle = cpm_median(work, known);
        for (int k = 0; k < n * n; k++)
            if (isnan(model->value[p][k]))
                model->value[p][k] = middle;
    }
    free(work);
    return CPM_OK;
}

static int note(fitting *f, cpm_model *model)
{
    char **notes = &model->notes;
    int status = CPM_OK;
    if (f->through_0)
        status =
            cpm_note(notes, f->e, "%d pairs have no positive alpha: their line is drawn through 0",
                     f->through_0);
    if (!status && f->by_streams)
        status = cpm_note(notes, f->e,
                          "only bandwidths of %d pairs are known: alpha is the time of a "
                          "message of a stream. The latency may be many times as long",
                          f->by_streams);
    return status ? status : cpm_missing_pairs_note(&f->missing, model->n, notes, f->e);
}

static int fit(fitting *f, cpm_model *model)
{
    size_t room = 2 * (size_t)f->m->count + 2;
    double *space = malloc(3 * room * sizeof *space);
    f->d = (line_data){space, space ? space + room : NULL, space ? space + 2 * room : NULL, 0};
    int status =
        space ? cpm_by_pair_sort(f->m, CPM_ROUNDTRIP, &f->trips, f->e) : cpm_no_memory(f->e);
    if (!status)
        status = cpm_by_pair_sort(f->m, CPM_SATURATION, &f->streams, f->e);
    if (!status)
        status = fit_pairs(f, model);
    if (!status)
        status = fill_missing(f, model);
    if (!status)
        status = note(f, model);
    cpm_by_pair_clear(&f->trips);
    cpm_by_pair_clear(&f->streams);
    free(space);
    return status;
}

int cpm_hockney_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                    cpm_error *e)
{
    fitting f = {.m = m, .confidence = options->confidence, .imported = cpm_is_imported(m), .e = e};
    cpm_model *model;
    int status = cpm_model_create(&cpm_hockney, m->n, &model, e);
    if (status)
        return status;
    return cpm_model_hand_over(fit(&f, model), model, out);
}
