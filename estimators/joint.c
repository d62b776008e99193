/* Assembling, eliminating pairs, solving, reweighting. */
#include "estimators/joint.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"

static const double huber = 1.345; /* 95 % efficient for normal residuals */

/* The normal equations of one pair: D its own 2 x 2 block, P the coupling to its process unknowns
 * (c_i, c_j, s_i, s_j), b its right-hand side. */
typedef struct {
    double d11, d12, d22, p[4][2], b[2];
    double i11, i12, i22; /* inverse of D */
    bool used;
} pair_block;

typedef struct {
    int n, count;
    char *const *name; /* [n] of classes; NULL: processes */
    const cpm_equation *equation;
    pair_block *pair;  /* [n*n] */
    gsl_matrix *s;     /* [2n x 2n] reduced system, then its Cholesky factor */
    gsl_matrix *z;     /* its inverse, for the base weights */
    gsl_vector *b, *x; /* [2n] */
    double *diagonal;  /* [2n] of the reduced system, before pairs were eliminated from it */
    double *weight;    /* [count] Huber's, 1 at first */
    double *leverage;  /* [count] for the base weights */
    double *work;      /* [count] */
    bool *fixed;       /* [2n] held at 0 */
    cpm_joint *out;
    cpm_error *e;
} solver;

/* Places of the unknowns of a pair in the system of the processes. */
static void places(const solver *s, int i, int j, size_t at[4])
{
    at[0] = (size_t)i;
    at[1] = (size_t)j;
    at[2] = (size_t)s->n + at[0];
    at[3] = (size_t)s->n + at[1];
}

static pair_block *pair_of(const solver *s, int i, int j)
{
    return &s->pair[(size_t)i * (size_t)s->n + (size_t)j];
}

/* Equations of unknowns with themselves are those of two alike processes; there may be none. */
static bool is_none(const solver *s, int i, int j)
{
    return i == j && !pair_of(s, i, j)->used;
}

static int unknowns(const solver *s)
{
    int count = 2 * s->n;
    for (int i = 0; i < s->n; i++)
        for (int j = i; j < s->n; j++)
            count += is_none(s, i, j) ? 0 : 2;
    return count;
}

static void add_equation(solver *s, const cpm_equation *q, double huber_weight)
{
    double w = huber_weight / (q->time * q->time);
    pair_block *p = pair_of(s, q->i, q->j);
    size_t at[4];
    places(s, q->i, q->j, at);
    p->used = true;
    p->d11 += w * q->link[0] * q->link[0];
    p->d12 += w * q->link[0] * q->link[1];
    p->d22 += w * q->link[1] * q->link[1];
    p->b[0] += w * q->link[0] * q->time;
    p->b[1] += w * q->link[1] * q->time;
    for (int a = 0; a < 4; a++) {
        p->p[a][0] += w * q->node[a] * q->link[0];
        p->p[a][1] += w * q->node[a] * q->link[1];
        *gsl_vector_ptr(s->b, at[a]) += w * q->node[a] * q->time;
        for (int b = 0; b < 4; b++)
            *gsl_matrix_ptr(s->s, at[a], at[b]) += w * q->node[a] * q->node[b];
    }
}

static int fail_pair(const solver *s, int i, int j)
{
    if (s->name)
        return cpm_fail(s->e, CPM_EDATA,
                        "classes '%s' and '%s': round trips with at least two sizes are missing",
                        s->name[i], s->name[j]);
    return cpm_fail(s->e, CPM_EDATA,
                    "processes %d and %d: round trips with at least two sizes are missing", i, j);
}

static int invert(solver *s, pair_block *p, int i, int j)
{
    double det = p->d11 * p->d22 - p->d12 * p->d12;
    if (!p->used || !(det > 1e-12 * p->d11 * p->d22))
        return fail_pair(s, i, j);
    p->i11 = p->d22 / det;
    p->i22 = p->d11 / det;
    p->i12 = -p->d12 / det;
    return CPM_OK;
}

/* (x, y) times the inverse of D. */
static void solve_pair(const pair_block *p, const double in[2], double out[2])
{
    out[0] = p->i11 * in[0] + p->i12 * in[1];
    out[1] = p->i12 * in[0] + p->i22 * in[1];
}

static void eliminate(solver *s, const pair_block *p, int i, int j)
{
    size_t at[4];
    places(s, i, j, at);
    for (int a = 0; a < 4; a++) {
        double row[2];
        solve_pair(p, p->p[a], row);
        *gsl_vector_ptr(s->b, at[a]) -= row[0] * p->b[0] + row[1] * p->b[1];
        for (int b = 0; b < 4; b++)
            *gsl_matrix_ptr(s->s, at[a], at[b]) -= row[0] * p->p[b][0] + row[1] * p->p[b][1];
    }
}

static void hold_fixed(solver *s)
{
    for (size_t a = 0; a < s->x->size; a++) {
        if (!s->fixed[a])
            continue;
        for (size_t b = 0; b < s->x->size; b++) {
            gsl_matrix_set(s->s, a, b, a == b);
            gsl_matrix_set(s->s, b, a, a == b);
        }
        gsl_vector_set(s->b, a, 0);
    }
}

static int assemble(solver *s)
{
    gsl_matrix_set_zero(s->s);
    gsl_vector_set_zero(s->b);
    memset(s->pair, 0, (size_t)s->n * (size_t)s->n * sizeof *s->pair);
    for (int q = 0; q < s->count; q++)
        add_equation(s, &s->equation[q], s->weight[q]);
    for (size_t a = 0; a < s->x->size; a++)
        s->diagonal[a] = gsl_matrix_get(s->s, a, a);
    for (int i = 0; i < s->n; i++)
        for (int j = i; j < s->n; j++) {
            pair_block *p = pair_of(s, i, j);
            if (is_none(s, i, j))
                continue;
            int status = invert(s, p, i, j);
            if (status)
                return status;
            eliminate(s, p, i, j);
        }
    hold_fixed(s);
    return CPM_OK;
}

/* The first process one of whose unknowns the pairs' elimination leaves next to nothing of: any
 * value of it can be made up for by the links. -1: none. A failed factorisation ends in such a
 * pivot. */
static int undetermined(const solver *s)
{
    for (size_t a = 0; a < s->x->size; a++) {
        double d = gsl_matrix_get(s->s, a, a);
        if (!s->fixed[a] && !(d * d > 1e-12 * s->diagonal[a]))
            return (int)a % s->n;
    }
    return -1;
}

/* Cholesky. */
static int factor(solver *s)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    int failed = gsl_linalg_cholesky_decomp1(s->s);
    gsl_set_error_handler(handler);
    int process = undetermined(s);
    if (process >= 0 && s->name)
        return cpm_fail(s->e, CPM_EDATA,
                        "class '%s': trains with a process of it as root are missing",
                        s->name[process]);
    if (process >= 0)
        return cpm_fail(s->e, CPM_EDATA,
                        "process %d: trains with it as root are missing, so its overhead cannot be "
                        "told from the latency of its links",
                        process);
    if (failed)
        return cpm_fail(s->e, CPM_EDATA,
                        "the experiments do not determine the processes' overheads: trains are "
                        "missing");
    return CPM_OK;
}

static void back_substitute(solver *s)
{
    size_t pairs = (size_t)s->n * (size_t)s->n;
    for (int i = 0; i < s->n; i++)
        for (int j = i; j < s->n; j++) {
            const pair_block *p = pair_of(s, i, j);
            if (is_none(s, i, j))
                continue;
            double rest[2] = {p->b[0], p->b[1]}, link[2];
            size_t at[4];
            places(s, i, j, at);
            for (int a = 0; a < 4; a++) {
                rest[0] -= p->p[a][0] * gsl_vector_get(s->x, at[a]);
                rest[1] -= p->p[a][1] * gsl_vector_get(s->x, at[a]);
            }
            solve_pair(p, rest, link);
            size_t pair = (size_t)i * (size_t)s->n + (size_t)j;
            s->out->link[pair] = link[0];
            s->out->link[pairs + pair] = link[1];
        }
}

static void set_residuals(solver *s)
{
    size_t pairs = (size_t)s->n * (size_t)s->n;
    for (int q = 0; q < s->count; q++) {
        const cpm_equation *r = &s->equation[q];
        size_t at[4], pair = (size_t)r->i * (size_t)s->n + (size_t)r->j;
        places(s, r->i, r->j, at);
        double fit = r->link[0] * s->out->link[pair] + r->link[1] * s->out->link[pairs + pair];
        for (int a = 0; a < 4; a++)
            fit += r->node[a] * gsl_vector_get(s->x, at[a]);
        s->out->residual[q] = (r->time - fit) / r->time;
    }
}

/* One weighted solution for the present Huber weights. */
static int solve(solver *s)
{
    int status = assemble(s);
    if (!status)
        status = factor(s);
    if (status)
        return status;
    gsl_linalg_cholesky_solve(s->s, s->b, s->x);
    back_substitute(s);
    set_residuals(s);
    return CPM_OK;
}

/* v' Z v of a pair's four process unknowns. */
static double quadratic(const solver *s, const size_t at[4], const double v[4])
{
    double sum = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            sum += v[a] * v[b] * gsl_matrix_get(s->z, at[a], at[b]);
    return sum;
}

/* Variance of node . x + link . (pair's unknowns) in units of the residual variance:
 * v' Z v + link' D^-1 link with v = node - P D^-1 link. */
static double variance(const solver *s, int i, int j, const double node[4], const double link[2])
{
    const pair_block *p = pair_of(s, i, j);
    double row[2], v[4];
    size_t at[4];
    places(s, i, j, at);
    solve_pair(p, link, row);
    for (int a = 0; a < 4; a++)
        v[a] = node[a] - p->p[a][0] * row[0] - p->p[a][1] * row[1];
    return quadratic(s, at, v) + link[0] * row[0] + link[1] * row[1];
}

/* Inverse and leverages of the unweighted (base) problem: assemble() with all weights 1 was last.
 */
static void set_base(solver *s)
{
    gsl_matrix_memcpy(s->z, s->s);
    gsl_linalg_cholesky_invert(s->z);
    for (int q = 0; q < s->count; q++) {
        const cpm_equation *r = &s->equation[q];
        double h = variance(s, r->i, r->j, r->node, r->link) / (r->time * r->time);
        s->leverage[q] = fmin(h, 1);
    }
}

/* What is left of a residual's variance after the fit; 0: the equation is needed, its residual says
 * nothing. */
static double freedom_of(const solver *s, int q)
{
    double left = 1 - s->leverage[q];
    return left > 1e-3 ? left : 0;
}

/* What repetitions say of the noise of most equations. */
static double median_noise(const solver *s)
{
    for (int q = 0; q < s->count; q++)
        s->work[q] = s->equation[q].noise;
    return cpm_median(s->work, s->count);
}

/* Scale of the standardised residuals by their median absolute value; 0: all equations agree. Where
 * few equations are left over they may agree by chance, but not better than each is known. */
static double scale_of(const solver *s)
{
    double noise = median_noise(s);
    int count = 0;
    for (int q = 0; q < s->count; q++)
        if (freedom_of(s, q) > 0)
            s->work[count++] = fabs(s->out->residual[q]) / sqrt(freedom_of(s, q));
    if (count == 0)
        return 0;
    double scale = fmax(1.4826 * cpm_median(s->work, count), noise);
    return scale > 1e-11 ? scale : 0;
}

/* New Huber weights; returns the largest change. */
static double reweight(solver *s, double scale)
{
    double change = 0;
    for (int q = 0; q < s->count; q++) {
        double left = freedom_of(s, q), old = s->weight[q];
        double size = left > 0 ? fabs(s->out->residual[q]) / (scale * sqrt(left)) : 0;
        s->weight[q] = size > huber ? huber / size : 1;
        change = fmax(change, fabs(s->weight[q] - old));
    }
    return change;
}

static int iterate(solver *s)
{
    enum { MOST_STEPS = 30 };
    for (int step = 0; step < MOST_STEPS; step++) {
        double scale = scale_of(s);
        if (scale == 0 || reweight(s, scale) < 1e-4)
            return CPM_OK;
        int status = solve(s);
        if (status)
            return status;
    }
    return CPM_OK;
}

/* Holds at 0 what came out negative; returns how many were new. */
static int fix_negative(solver *s)
{
    int fixed = 0;
    for (size_t a = 0; a < s->x->size; a++)
        if (!s->fixed[a] && gsl_vector_get(s->x, a) < 0) {
            s->fixed[a] = true;
            fixed++;
        }
    return fixed;
}

static int solve_bounded(solver *s)
{
    int status = iterate(s);
    while (!status) {
        int fixed = fix_negative(s);
        if (!fixed)
            return CPM_OK;
        s->out->bounded += fixed;
        status = solve(s);
        if (!status)
            status = iterate(s);
    }
    return status;
}

/* Standard deviation of a relative residual from Huber's estimating equation (Robust Statistics,
 * 7.6), with his correction K for many unknowns; NaN without degrees of freedom. The share of
 * residuals that are not bounded counts each by its freedom: an equation that is needed fits by
 * itself. */
static double residual_sd(const solver *s)
{
    double unknown = unknowns(s), scale = scale_of(s), sum = 0, inside = 0, all = 0;
    if (s->count <= unknown)
        return NAN;
    if (scale == 0)
        return 0;
    for (int q = 0; q < s->count; q++) {
        double r = s->weight[q] * s->out->residual[q];
        sum += r * r;
        all += freedom_of(s, q);
        inside += s->weight[q] == 1 ? freedom_of(s, q) : 0;
    }
    double share = inside / all, K = 1 + unknown / s->count * (1 - share) / share;
    return K * sqrt(sum / (s->count - unknown)) / share;
}

/* Half an interval in units of a parameter's deviation: the noise is known from the residuals, with
 * Student's t, and from the repetitions; the larger counts. NaN without degrees of freedom. */
static double half_interval(const solver *s, double freedom, double confidence)
{
    if (freedom <= 0)
        return NAN;
    double by_residuals = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, freedom) * residual_sd(s);
    return fmax(by_residuals, gsl_cdf_ugaussian_Pinv(0.5 + confidence / 2) * median_noise(s));
}

static void set_intervals(solver *s, double confidence)
{
    size_t pairs = (size_t)s->n * (size_t)s->n;
    double half = half_interval(s, s->count - unknowns(s), confidence);
    static const double none[4] = {0}, first[2] = {1, 0}, second[2] = {0, 1};
    for (size_t a = 0; a < s->x->size; a++) {
        s->out->node[a] = s->fixed[a] ? 0 : gsl_vector_get(s->x, a);
        s->out->node_ci[a] = half * sqrt(gsl_matrix_get(s->z, a, a));
    }
    for (int i = 0; i < s->n; i++)
        for (int j = i; j < s->n; j++) {
            size_t pair = (size_t)i * (size_t)s->n + (size_t)j;
            if (is_none(s, i, j))
                continue;
            s->out->link_ci[pair] = half * sqrt(variance(s, i, j, none, first));
            s->out->link_ci[pairs + pair] = half * sqrt(variance(s, i, j, none, second));
        }
}

/* Intervals use the base weights' blocks, so these are assembled once more at the end. */
static int run(solver *s, double confidence)
{
    int status = solve(s);
    if (status)
        return status;
    set_base(s);
    status = solve_bounded(s);
    if (status)
        return status;
    double *huber_weight = malloc((size_t)s->count * sizeof *huber_weight);
    if (!huber_weight)
        return cpm_no_memory(s->e);
    memcpy(huber_weight, s->weight, (size_t)s->count * sizeof *huber_weight);
    for (int q = 0; q < s->count; q++)
        s->weight[q] = 1;
    status = assemble(s);
    memcpy(s->weight, huber_weight, (size_t)s->count * sizeof *huber_weight);
    free(huber_weight);
    if (!status)
        set_intervals(s, confidence);
    return status;
}

void cpm_joint_free(cpm_joint *j)
{
    if (!j)
        return;
    free(j->node);
    free(j->node_ci);
    free(j->link);
    free(j->link_ci);
    free(j->residual);
    free(j);
}

static cpm_joint *joint_create(int n, int count)
{
    size_t nodes = 2 * (size_t)n, links = 2 * (size_t)n * (size_t)n;
    cpm_joint *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->n = n;
    j->node = calloc(nodes, sizeof *j->node);
    j->node_ci = calloc(nodes, sizeof *j->node_ci);
    j->link = calloc(links, sizeof *j->link);
    j->link_ci = calloc(links, sizeof *j->link_ci);
    j->residual = calloc((size_t)count, sizeof *j->residual);
    if (j->node && j->node_ci && j->link && j->link_ci && j->residual)
        return j;
    cpm_joint_free(j);
    return NULL;
}

static void solver_free(solver *s)
{
    free(s->pair);
    free(s->weight);
    free(s->leverage);
    free(s->work);
    free(s->fixed);
    free(s->diagonal);
    gsl_matrix_free(s->s);
    gsl_matrix_free(s->z);
    gsl_vector_free(s->b);
    gsl_vector_free(s->x);
}

static bool solver_init(solver *s)
{
    size_t nodes = 2 * (size_t)s->n, count = (size_t)s->count;
    s->pair = calloc((size_t)s->n * (size_t)s->n, sizeof *s->pair);
    s->weight = malloc(count * sizeof *s->weight);
    s->leverage = malloc(count * sizeof *s->leverage);
    s->work = malloc(count * sizeof *s->work);
    s->fixed = calloc(nodes, sizeof *s->fixed);
    s->diagonal = calloc(nodes, sizeof *s->diagonal);
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    s->s = gsl_matrix_alloc(nodes, nodes);
    s->z = gsl_matrix_alloc(nodes, nodes);
    s->b = gsl_vector_alloc(nodes);
    s->x = gsl_vector_alloc(nodes);
    gsl_set_error_handler(handler);
    s->out = joint_create(s->n, s->count);
    for (size_t q = 0; s->weight && q < count; q++)
        s->weight[q] = 1;
    return s->pair && s->weight && s->leverage && s->work && s->fixed && s->diagonal && s->s &&
           s->z && s->b && s->x && s->out;
}

int cpm_joint_solve(const cpm_equation *equations, int count, int n, char *const *name,
                    double confidence, cpm_joint **out, cpm_error *e)
{
    solver s = {.n = n, .count = count, .name = name, .equation = equations, .e = e};
    if (count < 1)
        return cpm_fail(e, CPM_EDATA, "there are no round trips and no trains to fit");
    int status = CPM_OK;
    if (!solver_init(&s))
        status = cpm_no_memory(e);
    if (!status)
        status = run(&s, confidence);
    solver_free(&s);
    if (status)
        cpm_joint_free(s.out);
    else
        *out = s.out;
    return status;
}
