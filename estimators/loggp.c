/* LogGP from its own experiments, saturation by messages of 1 byte and by large ones (thesis 2.2.3,
 * 5.3), or from the parameters of PLogP (Kielmann et al. 2000). */
#include "models/loggp.h"

#include <math.h>

#include "estimators/designs.h"
#include "estimators/logp_family.h"
#include "models/curve.h"
#include "models/plogp.h"

cpm_plan_function cpm_loggp_own_plan;
cpm_fit_function cpm_loggp_own_fit, cpm_loggp_plogp_fit;

/* ---- own experiments */

int cpm_loggp_own_plan(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                       cpm_design *next, cpm_error *e)
{
    size_t large = cpm_design_message(options);
    if (large < 2)
        return cpm_fail(e, CPM_EINVAL, "model loggp needs messages of more than 1 byte, not %zu",
                        large);
    int status = cpm_design_logp_size(next, n, 1, e);
    if (!status)
        status = cpm_design_tournament(next, n, 1, e);
    if (!status)
        status = cpm_design_both_ways(next, n, n, CPM_ROUNDTRIP, large, 0, e);
    if (!status)
        status = cpm_design_saturation(next, n, so_far, 1, e);
    return status ? status : cpm_design_saturation(next, n, so_far, large, e);
}

/* The largest size of the saturations: a fit need not be told what the campaign was. */
static size_t large_size(const cpm_estimation *options, const cpm_measurements *m)
{
    size_t large = 0;
    for (int q = 0; q < m->count; q++) {
        const cpm_experiment *x = &m->at[q].what;
        if (x->kind == &cpm_experiment_kinds[CPM_SATURATION] && x->send_bytes > large)
            large = x->send_bytes;
    }
    return large > 1 ? large : cpm_design_message(options);
}

/* RT(1) = 2L + 2 o_i + 2 o_j; messages of M follow each other by g + (M - 1) G. */
static int fit_pair(const cpm_measurements *m, int i, int j, size_t large, cpm_model *model,
                    cpm_error *e)
{
    cpm_time trip = {0, 0}, small = {0, 0}, stream = {0, 0};
    int status = cpm_take_roundtrip(m, i < j ? i : j, i < j ? j : i, 1, 1, &trip, e);
    if (!status)
        status = cpm_take_gap(m, i, j, 1, &small, e);
    if (!status)
        status = cpm_take_gap(m, i, j, large, &stream, e);
    const double *o = model->value[CPM_LOGGP_O], *half = model->ci[CPM_LOGGP_O];
    size_t at = cpm_pair_place(model, 0, i, j);
    double bytes = (double)large - 1;
    model->value[CPM_LOGGP_L][at] = trip.value / 2 - o[i] - o[j];
    model->ci[CPM_LOGGP_L][at] = hypot(trip.half / 2, hypot(half[i], half[j]));
    model->value[CPM_LOGGP_SMALL_G][at] = small.value;
    model->ci[CPM_LOGGP_SMALL_G][at] = small.half;
    model->value[CPM_LOGGP_G][at] = (stream.value - small.value) / bytes;
    model->ci[CPM_LOGGP_G][at] = hypot(stream.half, small.half) / bytes;
    return status;
}

int cpm_loggp_own_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                      cpm_error *e)
{
    size_t large = large_size(options, m);
    cpm_model *model = NULL;
    int status = cpm_model_create(&cpm_loggp, m->n, &model, e);
    if (status)
        return status;
    status = cpm_set_overheads(m, 1, model, CPM_LOGGP_O, e);
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n && !status; j++)
            if (i != j)
                status = fit_pair(m, i, j, large, model, e);
    return cpm_model_hand_over(status, model, out);
}

/* ---- from PLogP */

/* o = (os(1) + or(1)) / 2, g = g(1), G = g(M) / M for the largest M, and L such that a message of
 * one byte takes as long as in PLogP: L + g(1) - os(1) - or(1) where processes are alike. */
static void derive(const cpm_model *from, cpm_model *to)
{
    size_t large = from->sizes.at[from->sizes.count - 1];
    double *o = to->value[CPM_LOGGP_O];
    for (int i = 0; i < to->n; i++) {
        size_t at = cpm_place(from, 0, i);
        o[i] =
            (cpm_curve_at(from, CPM_PLOGP_OS, at, 1) + cpm_curve_at(from, CPM_PLOGP_OR, at, 1)) / 2;
    }
    for (int i = 0; i < to->n; i++)
        for (int j = 0; j < to->n; j++) {
            size_t at = cpm_pair_place(from, 0, i, j);
            if (i == j)
                continue;
            double gap = cpm_curve_at(from, CPM_PLOGP_G, at, 1);
            to->value[CPM_LOGGP_L][at] = from->value[CPM_PLOGP_L][at] + gap - o[i] - o[j];
            to->value[CPM_LOGGP_SMALL_G][at] = gap;
            to->value[CPM_LOGGP_G][at] =
                cpm_curve_at(from, CPM_PLOGP_G, at, large) / fmax(1, (double)large);
        }
}

int cpm_loggp_plogp_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                        cpm_error *e)
{
    cpm_model *plogp = NULL, *model = NULL;
    int status = cpm_plogp_fit(options, m, &plogp, e);
    if (!status)
        status = cpm_estimate_raise_negative(plogp, e);
    if (!status)
        status = cpm_model_create(&cpm_loggp, m->n, &model, e);
    if (!status)
        derive(plogp, model);
    cpm_model_free(plogp);
    return cpm_model_hand_over(status, model, out);
}
