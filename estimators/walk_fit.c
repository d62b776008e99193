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
    f->taken = cpm_benchmark_conditions_of(&f->measured->metadata);
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

bool cpm_walk_fit_combines(const cpm_walk_fit *f, cpm_combining *what)
{
    *what = CPM_COMBINING_BYTES;
    for (int q = 0; q < f->rows; q++) {
        const cpm_collective *c = &f->row[q]->what.collective;
        if (!c->operation->combines)
            continue;
        *what = c->combining;
        return true;
    }
    return false;
}

/* ---- how far off */

double cpm_walk_fit_off(const cpm_walk_fit *f, int row)
{
    double seconds = 0;
    cpm_error why = {0};
    const cpm_walking how = {.leaving = f->leaving, .same = f->taken.same, .mean = f->taken.mean};
    if (cpm_model_experiment(f->m, &f->row[row]->what, &how, &seconds, &why) || !(seconds > 0))
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
    gsl_vector *off; /* [rows] */
} task;

static int one_residual(void *context, int row, cpm_error *e)
{
    (void)e;
    const task *t = context;
    gsl_vector_set(t->off, (size_t)row, residual(t->f, row));
    return CPM_OK;
}

/* off[rows] of these values. */
static void residuals(cpm_walk_fit *f, gsl_vector *off)
{
    task t = {f, off};
    f->set(f->context, f->value);
    if (cpm_parallel(f->rows, 0, one_residual, &t, NULL)) /* no memory for threads */
        for (int q = 0; q < f->rows; q++)
            one_residual(&t, q, NULL);
}

/* The search moves logarithms of values over what they were at its beginning, where they are this:
 * its first steps and differences are shares of them. */
static const double beginning = 3;

static int at_logarithms(const gsl_vector *x, void *context, gsl_vector *out)
{
    cpm_walk_fit *f = context;
    static const double least = 1e-5, most = 10; /* of a scale: beyond, walks may not end */
    for (int k = 0; k < f->count; k++) {
        double value = f->first[k] * exp(gsl_vector_get(x, (size_t)k) - beginning);
        f->value[k] = fmin(most * f->scale[k], fmax(least * f->scale[k], value));
    }
    residuals(f, out);
    return GSL_SUCCESS;
}

static void search(cpm_walk_fit *f, int steps, gsl_vector *x, gsl_multifit_nlinear_workspace *w,
                   double *cost)
{
    static const double enough = 1e-5;
    gsl_multifit_nlinear_fdf function = {
        .f = at_logarithms, .n = (size_t)f->rows, .p = (size_t)f->count, .params = f};
    int why;
    double sum;
    memcpy(f->first, f->value, sizeof f->first);
    gsl_vector_set_all(x, beginning);
    gsl_multifit_nlinear_init(x, &function, w);
    gsl_multifit_nlinear_driver((size_t)steps, enough, enough, enough, NULL, NULL, &why, w);
    at_logarithms(w->x, f, w->f);
    gsl_blas_ddot(w->f, w->f, &sum);
    if (cost)
        *cost = sum;
}

int cpm_walk_fit_run(cpm_walk_fit *f, int steps, double *cost, cpm_error *e)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    how.h_df = 3e-3; /* walks have corners, and steps are to see past these */
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_vector *x = gsl_vector_alloc((size_t)f->count);
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(
        gsl_multifit_nlinear_trust, &how, (size_t)f->rows, (size_t)f->count);
    int status = x && w ? CPM_OK : cpm_no_memory(e);
    if (!status)
        search(f, steps, x, w, cost);
    gsl_vector_free(x);
    gsl_multifit_nlinear_free(w);
    gsl_set_error_handler(handler);
    return status;
}

double cpm_walk_fit_price(const cpm_walk_fit *f, double cost, int values)
{
    static const double exact = 1e-3;
    const double rows = f->rows;
    return rows * log(cost / rows + exact * exact) + values * log(rows);
}

/* ---- covariance */

static bool same_algorithm(const cpm_walk_fit *f, int q, int r)
{
    return cpm_collective_equal(&f->row[q]->what.collective, &f->row[r]->what.collective);
}

/* The correlation of residuals of one algorithm, 0 at least. */
static double correlation(const cpm_walk_fit *f, const gsl_vector *off)
{
    double squares = 0, products = 0;
    int pairs = 0;
    for (int q = 0; q < f->rows; q++) {
        squares += pow(gsl_vector_get(off, (size_t)q), 2) / f->rows;
        for (int r = 0; r < q; r++)
            if (same_algorithm(f, q, r)) {
                products += gsl_vector_get(off, (size_t)q) * gsl_vector_get(off, (size_t)r);
                pairs++;
            }
    }
    return pairs && squares > 0 ? fmin(1, fmax(0, products / pairs / squares)) : 0;
}

/* Of a residual; off[rows]. Times are not known better than they were measured, or walks are exact.
 */
static double variance(const cpm_walk_fit *f, const gsl_vector *off)
{
    static const double exact = 1e-3;
    double sum, measured = 0;
    gsl_blas_ddot(off, off, &sum);
    for (int q = 0; q < f->rows; q++) {
        double half = cpm_measurement_half(f->row[q], f->measured->statistic) /
                      cpm_measurement_value(f->row[q], f->measured->statistic);
        measured += half * half / 4 / f->rows;
    }
    double free = fmax(1, f->rows - f->count);
    return fmax(sum / free, measured) + exact * exact;
}

/* Row by row what residuals change by as each value changes by its scale. moved[rows]: space. */
static void differentiate(cpm_walk_fit *f, const gsl_vector *off, gsl_vector *moved,
                          gsl_matrix *out)
{
    static const double step = 0.02;
    for (int k = 0; k < f->count; k++) {
        double kept = f->value[k], by = step * fmax(kept, step * f->scale[k]);
        f->value[k] = kept + by;
        residuals(f, moved);
        gsl_vector_sub(moved, off);
        gsl_vector_scale(moved, f->scale[k] / by);
        gsl_matrix_set_col(out, (size_t)k, moved);
        f->value[k] = kept;
    }
    f->set(f->context, f->value);
}

/* Adds times * the product of the sums of an algorithm's rows, for each algorithm. */
static void add_sums(const cpm_walk_fit *f, const gsl_matrix *j, double times, gsl_vector *sum,
                     gsl_matrix *out)
{
    for (int q = 0; q < f->rows; q++) {
        bool is_first = true;
        gsl_vector_set_zero(sum);
        for (int r = 0; r < f->rows; r++)
            if (same_algorithm(f, q, r)) {
                gsl_vector_const_view row = gsl_matrix_const_row(j, (size_t)r);
                gsl_vector_add(sum, &row.vector);
                is_first = is_first && r >= q;
            }
        if (is_first)
            gsl_blas_dger(times, sum, sum, out);
    }
}

/* A = J'J / variance + I, inverted around the same with residuals that are correlated, in units of
 * the scales. a, b, c: space. */
static void invert(const cpm_walk_fit *f, const gsl_matrix *j, const gsl_vector *off,
                   gsl_matrix *a[3], double *covariance)
{
    size_t n = (size_t)f->count;
    double each = variance(f, off), r = correlation(f, off);
    gsl_vector_view sum = gsl_matrix_row(a[2], 0);
    gsl_matrix_set_identity(a[0]);
    gsl_matrix_set_identity(a[1]);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1 / each, j, j, 1, a[0]);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, (1 - r) / each, j, j, 1, a[1]);
    add_sums(f, j, r / each, &sum.vector, a[1]);
    gsl_linalg_cholesky_decomp1(a[0]);
    gsl_linalg_cholesky_invert(a[0]);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, a[0], a[1], 0, a[2]);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, a[2], a[0], 0, a[1]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            covariance[i * n + k] = gsl_matrix_get(a[1], i, k) * f->scale[i] * f->scale[k];
}

int cpm_walk_fit_covariance(cpm_walk_fit *f, double *covariance, cpm_error *e)
{
    size_t n = (size_t)f->count;
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_matrix *j = gsl_matrix_alloc((size_t)f->rows, n),
               *a[3] = {gsl_matrix_alloc(n, n), gsl_matrix_alloc(n, n), gsl_matrix_alloc(n, n)};
    gsl_vector *off = gsl_vector_alloc((size_t)f->rows), *moved = gsl_vector_alloc((size_t)f->rows);
    int status = j && a[0] && a[1] && a[2] && off && moved ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        residuals(f, off);
        differentiate(f, off, moved, j);
        invert(f, j, off, a, covariance);
    }
    gsl_vector_free(off);
    gsl_vector_free(moved);
    gsl_matrix_free(j);
    for (int k = 0; k < 3; k++)
        gsl_matrix_free(a[k]);
    gsl_set_error_handler(handler);
    return status;
}
