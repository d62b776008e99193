/* LMO by the published triplet equations (thesis 4.4.2, 4.4.3), for comparison.
 *
 * They take the two replies of a one-to-two experiment to be received one after the other; with
 * eager sends the first is received while the second is under way, and C comes out as half its true
 * value. The divisor of (4.10) is C(n-1,2), the number of triplets of a processor, not C(n,2). */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/designs.h"
#include "estimators/estimator.h"
#include "models/lmo.h"

cpm_plan_function cpm_lmo_thesis_plan;
cpm_fit_function cpm_lmo_thesis_fit;

int cpm_lmo_thesis_plan(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                        cpm_design *next, cpm_error *e)
{
    (void)so_far;
    size_t bytes[] = {0, cpm_design_message(options)};
    int status = CPM_OK;
    for (int s = 0; s < 2 && !status; s++)
        status = cpm_design_tournament(next, n, bytes[s], e);
    for (int s = 0; s < 2 && !status; s++)
        status = cpm_design_triplets(next, n, bytes[s], e);
    return status;
}

/* Mean and spread of the estimates of one parameter. */
typedef struct {
    double sum, squares;
    int count;
} average;

static void add(average *a, double value)
{
    a->sum += value;
    a->squares += value * value;
    a->count++;
}

static void set(const average *a, double confidence, double *value, double *ci)
{
    double mean = a->sum / a->count;
    double variance = fmax(0, a->squares - a->sum * mean) / (a->count - 1);
    *value = mean;
    *ci = a->count < 2
              ? NAN
              : gsl_cdf_tdist_Pinv(0.5 + confidence / 2, a->count - 1) * sqrt(variance / a->count);
}

typedef struct {
    const cpm_measurements *m;
    int n;
    size_t message;               /* M */
    double *empty, *full;         /* [n*n] round trips T_ij(0), T_ij(M) */
    average *C, *t, *L, *invbeta; /* [n], [n], [n*n], [n*n] with i < j */
    cpm_error *e;
} thesis;

static size_t at(const thesis *f, int i, int j)
{
    return (size_t)i * (size_t)f->n + (size_t)j;
}

static int value_of(const thesis *f, const cpm_experiment *x, double *seconds)
{
    int q = cpm_measurements_find(f->m, x);
    if (q < 0)
        return cpm_fail(f->e, CPM_EDATA,
                        "%s of processes %d, %d%s with %zu bytes is missing: the published "
                        "equations need all round trips and all triplets",
                        x->kind->name, x->i, x->j, x->k < 0 ? "" : " and a third", x->send_bytes);
    *seconds = cpm_measurement_value(&f->m->at[q], f->m->statistic);
    return CPM_OK;
}

static int read_roundtrips(thesis *f, size_t bytes, double *times)
{
    int status = CPM_OK;
    for (int i = 0; i < f->n && !status; i++)
        for (int j = i + 1; j < f->n && !status; j++) {
            cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, bytes);
            status = value_of(f, &x, &times[at(f, i, j)]);
            times[at(f, j, i)] = times[at(f, i, j)];
        }
    return status;
}

/* C and t of root in the triplet of root, a < b: (4.6) and (4.9). */
static int root_parameters(thesis *f, int root, int a, int b, double *C, double *t)
{
    double empty = 0, full = 0;
    cpm_experiment x = {
        .kind = &cpm_experiment_kinds[CPM_ONE_TO_TWO], .i = root, .j = a, .k = b, .count = 1};
    int status = value_of(f, &x, &empty);
    x.send_bytes = f->message;
    if (!status)
        status = value_of(f, &x, &full);
    if (status)
        return status;
    size_t ra = at(f, root, a), rb = at(f, root, b);
    *C = (empty - fmax(f->empty[ra], f->empty[rb])) / 2;
    double longest = fmax(f->empty[ra] + f->full[ra], f->empty[rb] + f->full[rb]) / 2;
    *t = (full - longest - 2 * *C) / (double)f->message;
    return CPM_OK;
}

/* L and 1/beta of the pair i < j with the processors' parameters of one triplet. */
static void add_link(thesis *f, int i, int j, double processors, double per_byte)
{
    size_t ij = at(f, i, j);
    double L = f->empty[ij] / 2 - processors;
    add(&f->L[ij], L);
    add(&f->invbeta[ij], (f->full[ij] / 2 - processors - L) / (double)f->message - per_byte);
}

static int add_triplet(thesis *f, const int who[3])
{
    double C[3], t[3];
    int status = CPM_OK;
    for (int r = 0; r < 3 && !status; r++)
        status = root_parameters(f, who[r], who[r == 0 ? 1 : 0], who[r == 2 ? 1 : 2], &C[r], &t[r]);
    for (int r = 0; r < 3 && !status; r++) {
        add(&f->C[who[r]], C[r]);
        add(&f->t[who[r]], t[r]);
        for (int s = r + 1; s < 3; s++)
            add_link(f, who[r], who[s], C[r] + C[s], t[r] + t[s]);
    }
    return status;
}

static int add_triplets(thesis *f)
{
    int status = CPM_OK;
    for (int i = 0; i < f->n; i++)
        for (int j = i + 1; j < f->n; j++)
            for (int k = j + 1; k < f->n && !status; k++)
                status = add_triplet(f, (int[]){i, j, k});
    return status;
}

static int set_model(const thesis *f, double confidence, cpm_model *m)
{
    for (int i = 0; i < f->n; i++) {
        set(&f->C[i], confidence, &m->value[CPM_LMO_C][i], &m->ci[CPM_LMO_C][i]);
        set(&f->t[i], confidence, &m->value[CPM_LMO_T][i], &m->ci[CPM_LMO_T][i]);
        for (int j = 0; j < f->n; j++) {
            size_t ij = at(f, i, j), pair = i < j ? ij : at(f, j, i);
            if (i == j)
                continue;
            set(&f->L[pair], confidence, &m->value[CPM_LMO_L][ij], &m->ci[CPM_LMO_L][ij]);
            set(&f->invbeta[pair], confidence, &m->value[CPM_LMO_INVBETA][ij],
                &m->ci[CPM_LMO_INVBETA][ij]);
        }
    }
    return cpm_note(&m->notes, f->e,
                    "published triplet equations: with eager sends C comes out as half its true "
                    "value and L too large (doc/estimation.md)");
}

/* The non-empty size of the one-to-two experiments. */
static int find_message(thesis *f)
{
    for (int q = 0; q < f->m->count && !f->message; q++)
        if (f->m->at[q].what.kind == &cpm_experiment_kinds[CPM_ONE_TO_TWO])
            f->message = f->m->at[q].what.send_bytes;
    if (f->message)
        return CPM_OK;
    return cpm_fail(f->e, CPM_EDATA,
                    "there are no one-to-two experiments with non-empty messages: "
                    "measure with --estimator thesis");
}

static bool allocate(thesis *f)
{
    size_t n = (size_t)f->n;
    f->empty = calloc(n * n, sizeof *f->empty);
    f->full = calloc(n * n, sizeof *f->full);
    f->C = calloc(n, sizeof *f->C);
    f->t = calloc(n, sizeof *f->t);
    f->L = calloc(n * n, sizeof *f->L);
    f->invbeta = calloc(n * n, sizeof *f->invbeta);
    return f->empty && f->full && f->C && f->t && f->L && f->invbeta;
}

static int estimate(thesis *f, double confidence, cpm_model *model)
{
    int status = find_message(f);
    if (!status && !allocate(f))
        status = cpm_no_memory(f->e);
    if (!status)
        status = read_roundtrips(f, 0, f->empty);
    if (!status)
        status = read_roundtrips(f, f->message, f->full);
    if (!status)
        status = add_triplets(f);
    return status ? status : set_model(f, confidence, model);
}

int cpm_lmo_thesis_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                       cpm_error *e)
{
    thesis f = {.m = m, .n = m->n, .e = e};
    cpm_model *model;
    int status = cpm_model_create(&cpm_lmo, m->n, &model, e);
    if (status)
        return status;
    status = estimate(&f, options->confidence, model);
    free(f.empty);
    free(f.full);
    free(f.C);
    free(f.t);
    free(f.L);
    free(f.invbeta);
    return cpm_model_hand_over(status, model, out);
}
