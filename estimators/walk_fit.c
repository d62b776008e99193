#include "estimators/walk_fit.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "models/experiments.h"

/* ---- rows */

int cpm_walk_fit_take(cpm_walk_fit *f, bool (*wanted)(const cpm_measurement *r), cpm_error *e)
{
    const char *timing = cpm_metadata_get(&f->measured->metadata, "timing");
    f->row = malloc(((size_t)f->measured->count + 1) * sizeof *f->row);
    if (!f->row)
        return cpm_no_memory(e);
    for (int q = 0; q < f->measured->count && !(timing && strncmp(timing, "batch", 5) == 0); q++) {
        const cpm_measurement *r = &f->measured->at[q];
        if (!r->what.kind && r->what.collective.algorithm && r->summary.min > 0 &&
            (!wanted || wanted(r)))
            f->row[f->rows++] = r;
    }
    return CPM_OK;
}

void cpm_walk_fit_clear(cpm_walk_fit *f)
{
    free(f->row);
    f->row = NULL;
    f->rows = 0;
}

/* ---- how far off */

double cpm_walk_fit_off(const cpm_walk_fit *f, int row)
{
    double seconds = 0;
    cpm_error why = {0};
    if (cpm_model_experiments(f->m, &f->row[row]->what, 1, &seconds, &why) || !(seconds > 0))
        return NAN;
    return log((seconds + f->start) / cpm_measurement_value(f->row[row], f->measured->statistic));
}

double cpm_walk_fit_factor(const cpm_walk_fit *f)
{
    double sum = 0;
    int count = 0;
    for (int q = 0; q < f->rows; q++) {
        double off = cpm_walk_fit_off(f, q);
        sum += isnan(off) ? 0 : fabs(off);
        count += !isnan(off);
    }
    return count ? exp(sum / count) : NAN;
}

/* As it counts: small ones as they are, the square of large ones as their size. */
static double residual(const cpm_walk_fit *f, int row)
{
    static const double near = 0.1;
    double off = cpm_walk_fit_off(f, row);
    return isnan(off) ? 0 : copysign(near * sqrt(2 * (hypot(1, off / near) - 1)), off);
}

/* ---- least squares */

typedef struct {
    const cpm_walk_fit *f;
    double *off; /* [rows] */
} task;

static int one_residual(void *context, int row, cpm_error *e)
{
    (void)e;
    const task *t = context;
    t->off[row] = residual(t->f, row);
    return CPM_OK;
}

/* off[rows] of these values. */
static void residuals(cpm_walk_fit *f, double *off)
{
    cpm_error why = {0};
    f->set(f->context, f->value);
    cpm_parallel(f->rows, 0, one_residual, &(task){f, off}, &why);
}

static int at_logarithms(const gsl_vector *x, void *context, gsl_vector *out)
{
    cpm_walk_fit *f = context;
    for (int k = 0; k < f->count; k++)
        f->value[k] = exp(gsl_vector_get(x, (size_t)k));
    residuals(f, out->data);
    return GSL_SUCCESS;
}

static void search(cpm_walk_fit *f, gsl_vector *x, gsl_multifit_nlinear_workspace *w, double *cost)
{
    enum { STEPS = 60 };
    static const double enough = 1e-5;
    gsl_multifit_nlinear_fdf function = {
        .f = at_logarithms, .n = (size_t)f->rows, .p = (size_t)f->count, .params = f};
    int why;
    double sum;
    for (int k = 0; k < f->count; k++)
        gsl_vector_set(x, (size_t)k, log(f->value[k]));
    gsl_multifit_nlinear_init(x, &function, w);
    gsl_multifit_nlinear_driver(STEPS, enough, enough, enough, NULL, NULL, &why, w);
    at_logarithms(w->x, f, w->f);
    gsl_blas_ddot(w->f, w->f, &sum);
    if (cost)
        *cost = sum;
}

int cpm_walk_fit_run(cpm_walk_fit *f, double *cost, cpm_error *e)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    how.h_df = 1e-3; /* of a logarithm: walks have corners, and steps are to see past these */
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_vector *x = gsl_vector_alloc((size_t)f->count);
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(
        gsl_multifit_nlinear_trust, &how, (size_t)f->rows, (size_t)f->count);
    int status = x && w ? CPM_OK : cpm_no_memory(e);
    if (!status)
        search(f, x, w, cost);
    gsl_vector_free(x);
    gsl_multifit_nlinear_free(w);
    gsl_set_error_handler(handler);
    return status;
}

/* ---- covariance */

/* How much more one residual strays than it would if those of its algorithm strayed independently:
 * 1 + (m - 1) r, of m rows with the correlation r. */
static double together(const cpm_walk_fit *f, const double *off)
{
    double squares = 0, products = 0;
    int pairs = 0;
    for (int q = 0; q < f->rows; q++) {
        squares += off[q] * off[q] / f->rows;
        for (int r = 0; r < q; r++)
            if (cpm_collective_equal(&f->row[q]->what.collective, &f->row[r]->what.collective)) {
                products += off[q] * off[r];
                pairs++;
            }
    }
    if (!pairs || !(squares > 0))
        return 1;
    return 1 + fmax(0, products / pairs / squares) * 2 * pairs / f->rows;
}

/* Of a residual; off[rows]. Times are not known better than they were measured, or walks are exact.
 */
static double variance(const cpm_walk_fit *f, const double *off)
{
    static const double exact = 1e-3;
    double sum = 0, measured = 0;
    for (int q = 0; q < f->rows; q++) {
        double half = cpm_measurement_half(f->row[q], f->measured->statistic) /
                      cpm_measurement_value(f->row[q], f->measured->statistic);
        sum += off[q] * off[q];
        measured += half * half / 4 / f->rows;
    }
    double free = fmax(1, f->rows - f->count);
    return fmax(sum / free * together(f, off), measured) + exact * exact;
}

/* Row by row what residuals change by as each value changes by its scale. moved[rows]: space. */
static void differentiate(cpm_walk_fit *f, const double *scale, const double *off, double *moved,
                          gsl_matrix *out)
{
    static const double step = 0.02;
    for (int k = 0; k < f->count; k++) {
        double kept = f->value[k], by = step * fmax(kept, step * scale[k]);
        f->value[k] = kept + by;
        residuals(f, moved);
        for (int q = 0; q < f->rows; q++)
            gsl_matrix_set(out, (size_t)q, (size_t)k, (moved[q] - off[q]) / by * scale[k]);
        f->value[k] = kept;
    }
    f->set(f->context, f->value);
}

/* (J'J + variance I) / variance is inverted, in units of the scales. */
static void invert(const gsl_matrix *j, double of_one, const double *scale, gsl_matrix *a,
                   double *covariance)
{
    size_t n = a->size1;
    gsl_matrix_set_identity(a);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1 / of_one, j, j, 1, a);
    gsl_linalg_cholesky_decomp1(a);
    gsl_linalg_cholesky_invert(a);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            covariance[i * n + k] = gsl_matrix_get(a, i, k) * scale[i] * scale[k];
}

int cpm_walk_fit_covariance(cpm_walk_fit *f, const double *scale, double *covariance, cpm_error *e)
{
    size_t n = (size_t)f->count;
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_matrix *j = gsl_matrix_alloc((size_t)f->rows, n), *a = gsl_matrix_alloc(n, n);
    double *off = malloc(2 * ((size_t)f->rows + 1) * sizeof *off);
    int status = j && a && off ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        residuals(f, off);
        differentiate(f, scale, off, off + f->rows, j);
        invert(j, variance(f, off), scale, a, covariance);
    }
    free(off);
    gsl_matrix_free(j);
    gsl_matrix_free(a);
    gsl_set_error_handler(handler);
    return status;
}
